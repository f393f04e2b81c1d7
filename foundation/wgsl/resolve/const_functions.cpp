// Evaluates built-in functions of constants. Concrete arguments are folded by the IR builder, through the same
// nodes as at run time. Abstract numbers, which the IR doesn't have, and functions such as exp and sin are
// computed in f64.

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include <muster/foundation/wgsl/resolve/functions.hpp>

namespace muster::wgsl {
namespace {

using Words = std::vector<Word>;

std::string spell(const FunctionCall& call, std::span<const ConstValue> arguments) {
    std::string text = std::string(call.name) + "(";
    for (std::size_t n = 0; n < arguments.size(); ++n) text += (n == 0 ? "" : ", ") + to_text(arguments[n]);
    return text + ")";
}

std::unexpected<ConstFault> not_finite(const FunctionCall& call, std::span<const ConstValue> arguments) {
    return fault(spell(call, arguments) + " isn't a finite number.",
                 "const-expressions must be finite; use arguments inside the function's domain.");
}

struct ScalarFunction {
    Function function;
    double (*of)(double, double, double);
};

/// exp, sin and similar functions: computed in f64, per component.
constexpr std::array math_functions{
    ScalarFunction{Function::acos, [](double x, double, double) -> double { return std::acos(x); }},
    ScalarFunction{Function::acosh, [](double x, double, double) -> double { return std::acosh(x); }},
    ScalarFunction{Function::asin, [](double x, double, double) -> double { return std::asin(x); }},
    ScalarFunction{Function::asinh, [](double x, double, double) -> double { return std::asinh(x); }},
    ScalarFunction{Function::atan, [](double x, double, double) -> double { return std::atan(x); }},
    ScalarFunction{Function::atan2, [](double x, double y, double) -> double { return std::atan2(x, y); }},
    ScalarFunction{Function::atanh, [](double x, double, double) -> double { return std::atanh(x); }},
    ScalarFunction{Function::cos, [](double x, double, double) -> double { return std::cos(x); }},
    ScalarFunction{Function::cosh, [](double x, double, double) -> double { return std::cosh(x); }},
    ScalarFunction{Function::exp, [](double x, double, double) -> double { return std::exp(x); }},
    ScalarFunction{Function::exp2, [](double x, double, double) -> double { return std::exp2(x); }},
    ScalarFunction{Function::inverseSqrt,
                   [](double x, double, double) -> double { return 1.0 / std::sqrt(x); }},
    ScalarFunction{Function::log, [](double x, double, double) -> double { return std::log(x); }},
    ScalarFunction{Function::log2, [](double x, double, double) -> double { return std::log2(x); }},
    ScalarFunction{
        Function::pow,
        [](double x, double y, double) -> double { return x < 0 ? std::nan("") : std::pow(x, y); }},
    ScalarFunction{Function::sin, [](double x, double, double) -> double { return std::sin(x); }},
    ScalarFunction{Function::sinh, [](double x, double, double) -> double { return std::sinh(x); }},
    ScalarFunction{Function::tan, [](double x, double, double) -> double { return std::tan(x); }},
    ScalarFunction{Function::tanh, [](double x, double, double) -> double { return std::tanh(x); }},
};

/// Other componentwise functions, for abstract floats.
constexpr std::array other_functions{
    ScalarFunction{Function::abs, [](double x, double, double) -> double { return std::fabs(x); }},
    ScalarFunction{Function::ceil, [](double x, double, double) -> double { return std::ceil(x); }},
    ScalarFunction{Function::clamp,
                   [](double x, double y, double z) -> double { return std::min(std::max(x, y), z); }},
    ScalarFunction{Function::degrees,
                   [](double x, double, double) -> double { return x * (180.0 / std::numbers::pi); }},
    ScalarFunction{Function::floor, [](double x, double, double) -> double { return std::floor(x); }},
    ScalarFunction{Function::fma, [](double x, double y, double z) -> double { return std::fma(x, y, z); }},
    ScalarFunction{Function::fract, [](double x, double, double) -> double { return x - std::floor(x); }},
    ScalarFunction{Function::ldexp,
                   [](double x, double y, double) -> double {
                       return std::ldexp(x, static_cast<int>(std::clamp(y, -4000.0, 4000.0)));
                   }},
    ScalarFunction{Function::max, [](double x, double y, double) -> double { return std::max(x, y); }},
    ScalarFunction{Function::min, [](double x, double y, double) -> double { return std::min(x, y); }},
    ScalarFunction{Function::mix,
                   [](double x, double y, double z) -> double { return x * (1.0 - z) + y * z; }},
    ScalarFunction{Function::radians,
                   [](double x, double, double) -> double { return x * (std::numbers::pi / 180.0); }},
    ScalarFunction{Function::round, [](double x, double, double) -> double { return std::nearbyint(x); }},
    ScalarFunction{Function::saturate,
                   [](double x, double, double) -> double { return std::min(std::max(x, 0.0), 1.0); }},
    ScalarFunction{Function::sign,
                   [](double x, double, double) -> double { return x > 0   ? 1.0
                                                                   : x < 0 ? -1.0
                                                                           : 0.0; }},
    ScalarFunction{Function::sqrt, [](double x, double, double) -> double { return std::sqrt(x); }},
    ScalarFunction{Function::step, [](double x, double y, double) -> double { return x <= y ? 1.0 : 0.0; }},
    ScalarFunction{Function::trunc, [](double x, double, double) -> double { return std::trunc(x); }},
    ScalarFunction{Function::smoothstep,
                   [](double x, double y, double z) -> double {
                       const double t = std::min(std::max((z - x) / (y - x), 0.0), 1.0);
                       return t * t * (3.0 - 2.0 * t);
                   }},
};

const ScalarFunction* math(Function function) {
    const auto found = std::ranges::find(math_functions, function, &ScalarFunction::function);
    return found == math_functions.end() ? nullptr : &*found;
}
const ScalarFunction* componentwise(Function function) {
    const auto found = std::ranges::find(other_functions, function, &ScalarFunction::function);
    return found == other_functions.end() ? math(function) : &*found;
}

double dot(const ConstValue& a, const ConstValue& b) {
    double sum = a[0].f * b[0].f;
    for (std::size_t n = 1; n < a.words().size(); ++n) sum += a[n].f * b[n].f;
    return sum;
}

void append(Words& words, const ConstValue& v, auto&& of) {
    for (std::size_t n = 0; n < v.words().size(); ++n) words.push_back(word(of(n)));
}

/// Evaluates functions of whole vectors on abstract floats; empty if the function isn't one of them.
Words geometric(const FunctionCall& call, std::span<const ConstValue> a) {
    Words words;
    const auto length = [](const ConstValue& v) {
        return v.words().size() == 1 ? std::fabs(v[0].f) : std::sqrt(dot(v, v));
    };
    if (call.function == Function::dot) words.push_back(word(dot(a[0], a[1])));
    if (call.function == Function::length) words.push_back(word(length(a[0])));
    if (call.function == Function::distance) {
        Words difference;
        append(difference, a[0], [&](std::size_t n) { return a[0][n].f - a[1][n].f; });
        words.push_back(word(length(ConstValue(a[0].type(), difference))));
    }
    if (call.function == Function::normalize)
        append(words, a[0], [&](std::size_t n) { return a[0][n].f / length(a[0]); });
    if (call.function == Function::cross)
        append(words, a[0], [&](std::size_t n) {
            const std::size_t i = (n + 1) % 3, j = (n + 2) % 3;
            return a[0][i].f * a[1][j].f - a[0][j].f * a[1][i].f;
        });
    if (call.function == Function::faceForward)
        append(words, a[0], [&](std::size_t n) { return dot(a[1], a[2]) < 0 ? a[0][n].f : -a[0][n].f; });
    if (call.function == Function::reflect)
        append(words, a[0], [&](std::size_t n) { return a[0][n].f - 2.0 * dot(a[1], a[0]) * a[1][n].f; });
    if (call.function == Function::refract) {
        const double eta = a[2][0].f, d = dot(a[1], a[0]);
        const double k = 1.0 - eta * eta * (1.0 - d * d);
        append(words, a[0], [&](std::size_t n) {
            return k < 0 ? 0.0 : eta * a[0][n].f - (eta * d + std::sqrt(k)) * a[1][n].f;
        });
    }
    return words;
}

Words split_number(const FunctionCall& call, const ConstValue& value) {
    Words first, second;
    for (Word w : value.words()) {
        int exponent = 0;
        const double whole = std::trunc(w.f);
        const bool is_frexp = call.function == Function::frexp;
        first.push_back(word(is_frexp ? std::frexp(w.f, &exponent) : w.f - whole));
        second.push_back(is_frexp ? word(std::int64_t{exponent}) : word(whole));
    }
    first.insert(first.end(), second.begin(), second.end());
    return first;
}

ConstResult on_abstract_floats(const FunctionCall& call, std::span<const ConstValue> a) {
    Words words = geometric(call, a);
    if (call.function == Function::frexp || call.function == Function::modf)
        return ConstValue(call.result, split_number(call, a[0]));
    const ScalarFunction* function = componentwise(call.function);
    for (std::size_t n = 0; words.size() < call.result->words; ++n) {
        const auto component = [&](std::size_t which) {
            if (which >= a.size()) return 0.0;
            const Word w = a[which][a[which].type()->is_vector() ? n : 0];
            return a[which].type()->is_integer() ? static_cast<double>(w.i) : w.f;
        };
        words.push_back(word(function->of(component(0), component(1), component(2))));
    }
    const bool finite = std::ranges::all_of(words, [](Word w) { return std::isfinite(w.f); });
    if (!finite) return not_finite(call, a);
    return ConstValue(call.result, words);
}

ConstResult on_abstract_ints(const FunctionCall& call, std::span<const ConstValue> a) {
    Words words;
    if (call.function == Function::dot) {
        std::int64_t sum = 0;
        for (std::size_t n = 0; n < a[0].words().size(); ++n) {
            std::int64_t product = 0;
            if (__builtin_mul_overflow(a[0][n].i, a[1][n].i, &product) ||
                __builtin_add_overflow(sum, product, &sum))
                return fault(spell(call, a) + " overflows AbstractInt, which has 64 bits.",
                             "use smaller values.");
        }
        return ConstValue(call.result, word(sum));
    }
    for (std::size_t n = 0; n < a[0].words().size(); ++n) {
        const std::int64_t x = a[0][n].i;
        if (call.function == Function::abs) words.push_back(word(x < 0 && x != INT64_MIN ? -x : x));
        if (call.function == Function::sign) words.push_back(word(std::int64_t{x > 0} - std::int64_t{x < 0}));
        if (call.function == Function::min) words.push_back(word(std::min(x, a[1][n].i)));
        if (call.function == Function::max) words.push_back(word(std::max(x, a[1][n].i)));
        if (call.function == Function::clamp)
            words.push_back(word(std::min(std::max(x, a[1][n].i), a[2][n].i)));
    }
    return ConstValue(call.result, words);
}

ConstValue select(const FunctionCall& call, std::span<const ConstValue> a) {
    Words words;
    for (std::size_t n = 0; n < a[0].words().size(); ++n) {
        const bool condition = a[2][a[2].type()->is_vector() ? n : 0].i != 0;
        words.push_back(a[condition ? 1 : 0][n]);
    }
    return ConstValue(call.result, words);
}

Word from_ir(std::uint32_t bits, TypeRef scalar) {
    if (scalar->kind == Kind::f32) return word(double{std::bit_cast<float>(bits)});
    if (scalar->kind == Kind::i32) return word(std::int64_t{static_cast<std::int32_t>(bits)});
    return word(std::int64_t{bits});
}

ConstResult through_the_ir(const FunctionCall& call, std::span<const ConstValue> a) {
    IrBuilder ir("constant", {1, 1, 1});
    std::vector<NodeId> nodes;
    for (const ConstValue& value : a)
        nodes.push_back(ir.constant(ir_type(ir.types(), value.type()), ir_words(value)));
    const NodeId result = emit(ir, call, nodes);
    if (!ir.is_constant(result)) return not_finite(call, a);
    const std::vector<std::uint32_t> bits = ir.constant_words(result);
    Words words;
    if (call.result->kind == Kind::structure) {
        for (const WgslMember& member : call.result->members)
            for (std::uint64_t n = 0; n < member.type->words; ++n)
                words.push_back(from_ir(bits[words.size()], member.type->scalar()));
    } else {
        for (std::uint32_t each : bits) words.push_back(from_ir(each, call.result->scalar()));
    }
    return ConstValue(call.result, words);
}

ConstResult math_on_f32(const FunctionCall& call, std::span<const ConstValue> a) {
    Words words;
    for (std::size_t n = 0; n < a[0].words().size(); ++n) {
        const double y = a.size() > 1 ? a[1][n].f : 0.0;
        const auto value = static_cast<float>(math(call.function)->of(a[0][n].f, y, 0.0));
        if (!std::isfinite(value)) return not_finite(call, a);
        words.push_back(word(double{value}));
    }
    return ConstValue(call.result, words);
}

ConstFault bits_fault(const ConstValue* offset, const ConstValue* count) {
    if (offset == nullptr || count == nullptr || offset->integer() + count->integer() <= 32) return {};
    return {fmt::format("offset {} and count {} reach past bit 32.", offset->integer(), count->integer()),
            "keep offset + count at most 32."};
}

}  // namespace

std::optional<ConstFault> check_arguments(Function function, std::span<const ConstValue* const> a) {
    const auto every = [&](std::size_t i, std::size_t j, auto&& good) {
        if (a[i] == nullptr || a[j] == nullptr) return true;
        for (std::size_t n = 0; n < a[i]->words().size(); ++n) {
            const bool is_float = a[i]->type()->is_float();
            const Word x = (*a[i])[n], y = (*a[j])[n];
            if (!(is_float ? good(x.f, y.f) : good(x.i, y.i))) return false;
        }
        return true;
    };
    const auto ordered = [](auto low, auto high) { return low <= high; };
    const auto distinct = [](auto x, auto y) { return x != y; };
    if (function == Function::clamp && !every(1, 2, ordered))
        return ConstFault{
            fmt::format("clamp's low, {}, is greater than its high, {}.", to_text(*a[1]), to_text(*a[2])),
            "pass the smaller bound first."};
    if (function == Function::smoothstep && !every(0, 1, distinct))
        return ConstFault{"smoothstep's two edges are equal: " + to_text(*a[0]) + ".",
                          "use two different edges."};
    ConstFault wrong;
    if (function == Function::extractBits) wrong = bits_fault(a[1], a[2]);
    if (function == Function::insertBits) wrong = bits_fault(a[2], a[3]);
    if (function == Function::ldexp && a[1] != nullptr) {
        const std::int64_t most = a[1]->type()->scalar()->kind == Kind::abstract_int ? 1024 : 128;
        for (Word w : a[1]->words())
            if (w.i > most)
                wrong = {fmt::format("ldexp's exponent, {}, is over {}.", w.i, most),
                         "use a smaller exponent."};
    }
    if ((function == Function::quantizeToF16 || function == Function::pack2x16float) && a[0] != nullptr)
        for (Word w : a[0]->words())
            if (std::fabs(w.f) > 65504.0)
                wrong = {fmt::format("{} is outside the range of 16-bit floats.", w.f),
                         "use values of magnitude at most 65504."};
    if (!wrong.message.empty()) return wrong;
    return std::nullopt;
}

ConstResult evaluate(const FunctionCall& call, std::span<const ConstValue> a) {
    std::vector<const ConstValue*> all;
    for (const ConstValue& value : a) all.push_back(&value);
    if (auto wrong = check_arguments(call.function, all)) return std::unexpected(*std::move(wrong));
    if (call.function == Function::select) return select(call, a);
    const TypeRef scalar = a[0].type()->scalar();
    if (scalar->kind == Kind::abstract_float) return on_abstract_floats(call, a);
    if (scalar->kind == Kind::abstract_int) return on_abstract_ints(call, a);
    if (scalar->kind == Kind::f32 && math(call.function) != nullptr) return math_on_f32(call, a);
    return through_the_ir(call, a);
}

}  // namespace muster::wgsl
