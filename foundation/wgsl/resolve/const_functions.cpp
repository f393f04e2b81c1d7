// Evaluates built-in functions of constants. Concrete arguments are folded by the IR builder, through the
// same nodes as at run time. Abstract numbers, which the IR doesn't have, and operations of the math group
// but those of f64 are computed by the functions of the table's row.

#include <algorithm>
#include <bit>
#include <cmath>

#include <muster/foundation/math/evaluate.hpp>
#include <muster/foundation/semantics/semantics.hpp>
#include <muster/foundation/wgsl/resolve/function_table.hpp>

namespace muster::wgsl {
namespace {

using Words = std::vector<Word>;

std::string spell(const FunctionCall& call, std::span<const ConstValue> arguments) {
    const std::string_view name = call.overload->name;
    if (name.size() == 1)  // an operator
        return to_text(arguments[0]) + " " + std::string(name) + " " + to_text(arguments[1]);
    std::string text = std::string(name) + "(";
    for (std::size_t n = 0; n < arguments.size(); ++n) text += (n == 0 ? "" : ", ") + to_text(arguments[n]);
    return text + ")";
}

std::unexpected<ConstFault> not_finite(const FunctionCall& call, std::span<const ConstValue> arguments) {
    return fault(spell(call, arguments) + " isn't a finite number.",
                 "const-expressions must be finite; use arguments inside the function's domain.");
}

template <class T>
Words apply(const AbstractFunction<T>& function, std::span<const ConstValue> a) {
    if (const auto* whole = std::get_if<WholeFunction>(&function)) return (*whole)(a);
    Words words;
    for (std::size_t n = 0; n < a[0].words().size(); ++n) {
        const auto component = [&](std::size_t which) {
            const Word w = a[which][a[which].type()->is_vector() ? n : 0];
            return a[which].type()->is_integer() ? static_cast<T>(w.i) : static_cast<T>(w.f);
        };
        if (const auto* of_one = std::get_if<T (*)(T)>(&function))
            words.push_back(word((*of_one)(component(0))));
        else if (const auto* of_two = std::get_if<T (*)(T, T)>(&function))
            words.push_back(word((*of_two)(component(0), component(1))));
        else
            words.push_back(
                word(std::get<T (*)(T, T, T)>(function)(component(0), component(1), component(2))));
    }
    return words;
}

ConstResult on_abstract_floats(const FunctionCall& call, std::span<const ConstValue> a) {
    const Words words = apply(call.overload->floats, a);
    const bool finite = std::ranges::all_of(words, [](Word w) { return std::isfinite(w.f); });
    // A structure has integers too, and its floats are parts of a finite number.
    if (!finite && call.result->kind != Kind::structure) return not_finite(call, a);
    return ConstValue(call.result, words);
}

ConstResult on_abstract_ints(const FunctionCall& call, std::span<const ConstValue> a) {
    const Words words = apply(call.overload->integers, a);
    if (words.empty())
        return fault(spell(call, a) + " overflows AbstractInt, which has 64 bits.", "use smaller values.");
    return ConstValue(call.result, words);
}

/// The next scalar of a value's words, which it takes off.
Word from_ir(std::span<const std::uint32_t>& words, TypeRef scalar) {
    const std::uint32_t bits = words[0];
    const std::uint64_t wide = scalar->is_wide() ? bits | std::uint64_t{words[1]} << 32 : 0;
    words = words.subspan(scalar->is_wide() ? 2 : 1);
    if (scalar->kind == Kind::f64) return word(std::bit_cast<double>(wide));
    if (scalar->is_wide()) return word(static_cast<std::int64_t>(wide));
    if (scalar->kind == Kind::f32) return word(double{std::bit_cast<float>(bits)});
    if (scalar->kind == Kind::f16) return word(double{semantics::low_half(bits)});
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
    std::span<const std::uint32_t> rest = bits;
    Words words;
    if (call.result->kind == Kind::structure) {
        for (const WgslMember& member : call.result->members)
            for (std::uint64_t n = 0; n < member.type->words; ++n)
                words.push_back(from_ir(rest, member.type->scalar()));
    } else {
        while (!rest.empty()) words.push_back(from_ir(rest, call.result->scalar()));
    }
    return ConstValue(call.result, words);
}

ConstResult math_on_floats(const FunctionCall& call, Op op, std::span<const ConstValue> a) {
    const Kind kind = call.result->scalar()->kind;
    Words words;
    if (kind ==
        Kind::f64) {  // as at run time: the table's functions are the C library's, not the same everywhere
        for (std::size_t n = 0; n < a[0].words().size(); ++n)
            words.push_back(word(math::evaluate(op, a[0].words()[n].f, a.back().words()[n].f)));
    } else {
        words = apply(call.overload->floats, a);
    }
    for (Word& w : words) {
        if (kind == Kind::f16) w.f = semantics::to_f64(semantics::to_f16(w.f));
        if (kind == Kind::f32) w.f = static_cast<double>(static_cast<float>(w.f));
        if (!std::isfinite(w.f)) return not_finite(call, a);
    }
    return ConstValue(call.result, words);
}

}  // namespace

ConstResult evaluate(const FunctionCall& call, std::span<const ConstValue> a) {
    std::vector<const ConstValue*> all;
    for (const ConstValue& value : a) all.push_back(&value);
    if (auto wrong = check_arguments(call, all)) return std::unexpected(*std::move(wrong));
    const TypeRef scalar = a[0].type()->scalar();
    if (scalar->kind == Kind::abstract_float) return on_abstract_floats(call, a);
    if (scalar->kind == Kind::abstract_int) return on_abstract_ints(call, a);
    const Op* op = std::get_if<Op>(&call.overload->computation);
    if (op != nullptr && info(*op).group == OpGroup::math) return math_on_floats(call, *op, a);
    return through_the_ir(call, a);
}

}  // namespace muster::wgsl
