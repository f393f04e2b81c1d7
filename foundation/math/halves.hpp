// halves.hpp - what makes the f16 functions of one argument correctly rounded.
//
// A function of f16 is f32's, rounded to f16. That is the f16 nearest to the exact result unless the f32
// result, which is rounded itself, lies half-way between two f16. For the arguments in `halfway_cases`, found
// by trying all of them (math_errors --halves), the rounding to even then goes the wrong way.
#pragma once

#include <array>

#include <muster/foundation/ir/op.hpp>
#include <muster/foundation/math/number.hpp>

namespace muster::math {

struct HalfwayCase {
    Op op;
    float x;        // with both signs if it is positive, except for exp and exp2
    bool has_more;  // the exact result has a greater magnitude than the f32 one
};

inline constexpr std::array halfway_cases{
    HalfwayCase{Op::exp, 0x1.de4p-8f, false},  HalfwayCase{Op::exp, 0x1.73cp-6f, false},
    HalfwayCase{Op::exp2, 0x1.714p-11f, true}, HalfwayCase{Op::log, 0x1.5ep-8f, false},
    HalfwayCase{Op::sin, 0x1.accp-3f, true},   HalfwayCase{Op::sin, 0x1.2cp8f, false},
    HalfwayCase{Op::cos, 0x1.dfp-5f, true},    HalfwayCase{Op::tan, 0x1.25p-5f, true},
    HalfwayCase{Op::tan, 0x1.7b4p6f, false},   HalfwayCase{Op::tan, 0x1.d28p14f, true},
    HalfwayCase{Op::acos, -0x1.2cp-18f, true}, HalfwayCase{Op::acos, -0x1.2bcp-4f, false},
    HalfwayCase{Op::acos, -0x1.1dp-1f, true},  HalfwayCase{Op::atan, 0x1.d14p-6f, true},
    HalfwayCase{Op::atan, 0x1.ad4p-3f, true},  HalfwayCase{Op::atan, 0x1.9b8p2f, true},
    HalfwayCase{Op::sinh, 0x1.3c8p1f, true},   HalfwayCase{Op::cosh, 0x1p-5f, true},
    HalfwayCase{Op::asinh, 0x1.af4p-3f, true}, HalfwayCase{Op::asinh, 0x1.c7cp3f, false},
    HalfwayCase{Op::acosh, 0x1.39p0f, true},
};

/// The f32 result for x, an f16; one step towards the exact one in the cases above.
template <Number F>
F off_halfway(Op op, F x, F result) {
    for (const HalfwayCase& each : halfway_cases) {
        if (each.op != op) continue;
        const bool has_both_signs = each.x > 0 && op != Op::exp && op != Op::exp2;
        const Bits<F> bits = bits_of(result);
        const F beside = float_of(each.has_more ? bits + 1u : bits - 1u);
        result = select(result, beside, (has_both_signs ? abs(x) : x) == each.x);
    }
    return result;
}

}  // namespace muster::math
