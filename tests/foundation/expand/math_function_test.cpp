// Each math function, written out once: it gives math::evaluate's bits, and uses only operations that lowerings
// support.
#include <array>
#include <bit>
#include <cmath>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <muster/foundation/expand/math_function.hpp>
#include <muster/foundation/interpreter/interpret.hpp>
#include <muster/foundation/math/evaluate.hpp>
#include <muster/foundation/semantics/semantics.hpp>
#include <muster/foundation/validate/validate.hpp>

using namespace muster;

namespace {

constexpr std::array values{0.0f,   -0.0f, 0.3f,  -0.7f,     1.0f,     2.5f,
                            -31.0f, 1e5f,  3e38f, 0x1p-140f, INFINITY, NAN};

template <class Visit>
void for_each_function(Visit visit) {
    for (std::size_t i = 0; i < op_count; ++i)
        if (const Op op = static_cast<Op>(i); info(op).group == OpGroup::math) visit(op);
}

std::vector<float> run(const ValidProgram& function, std::vector<float> a, std::vector<float> b) {
    std::vector<float> result(a.size());
    std::vector<BoundBytes> memory{{std::as_writable_bytes(std::span(a))}};
    if (function->bindings().size() == 3) memory.push_back({std::as_writable_bytes(std::span(b))});
    memory.push_back({std::as_writable_bytes(std::span(result))});
    REQUIRE(interpret(function, memory, {.extent = {1, 1, 1}, .grid = {1, 1, 1}}, {.threads = 1}));
    return result;
}

}  // namespace

TEST_CASE("a function of the math group gives the bits of math::evaluate") {
    for (const std::uint32_t width : {1u, 4u}) {
        for_each_function([&](Op op) {
            CAPTURE(info(op).name);
            const auto function = validate(math_function(op, width, OpSet::all_exact()));
            REQUIRE(function);
            for (const float a : values) {
                for (const float b : values) {
                    const float expected = math::evaluate(op, a, b);
                    for (const float actual :
                         run(*function, std::vector<float>(width, a), std::vector<float>(width, b)))
                        CHECK((std::isnan(expected)
                                   ? std::isnan(actual)
                                   : semantics::to_bits(expected) == semantics::to_bits(actual)));
                }
            }
        });
    }
}

TEST_CASE("a function of the math group is one block of componentwise operations that the target has") {
    OpSet few = OpSet::all_exact();
    for (const Op op : {Op::div, Op::sqrt, Op::fma}) few.core.reset(static_cast<std::size_t>(op));
    for (const OpSet& native : {OpSet::all_exact(), few}) {
        for_each_function([&](Op op) {
            CAPTURE(info(op).name);
            const Program function = math_function(op, 1, native);
            CHECK(native.contains(function.required_ops()));
            CHECK(function.block_count() == 1);
            const auto nodes = function.block(function.body());
            CHECK(function.node(nodes.back()).op == Op::store);
            for (const NodeId node : nodes.first(nodes.size() - 1)) {
                const Op inner = function.node(node).op;
                CHECK((inner == Op::load || info(inner).group == OpGroup::exact));
            }
        });
    }
}
