#include <array>
#include <vector>

#include <fmt/format.h>

#include <muster/driver/c_text/operations.hpp>
#include <muster/foundation/ir/op_kind.hpp>

namespace muster::c_text {
namespace {

bool is_f32(Scalar scalar) { return scalar == Scalar::f32; }

/// The Function of an operation on this scalar: "add_i32".
std::string function(std::string_view operation, Scalar scalar) {
    return fmt::format("{}_{}", operation, info(scalar).name);
}

/// The sign of a comparison.
constexpr std::string_view sign(Op op) {
    if (op == Op::eq) return "==";
    if (op == Op::ne) return "!=";
    if (op == Op::lt) return "<";
    if (op == Op::le) return "<=";
    if (op == Op::gt) return ">";
    return op == Op::ge ? ">=" : "";
}

}  // namespace

Operations::Spelling Operations::arithmetic(Op op, Scalar scalar) const {
    using enum Spelling::Form;
    const bool wraps = is_signed(scalar), is_extreme = op == Op::min || op == Op::max;
    if (!wraps) {
        if (op == Op::add) return {infix, "+", Precedence::sum};
        if (op == Op::sub) return {infix, "-", Precedence::sum};
        if (op == Op::mul) return {infix, "*", Precedence::product};
        if (op == Op::neg) return {prefix, "-", Precedence::prefix};
    }
    if (is_float(scalar)) {
        if (op == Op::div) return {infix, "/", Precedence::product};
        if (is_extreme && !exact_) return {call, function(op == Op::min ? "fmin" : "fmax", scalar)};
    } else if (op == Op::abs && !wraps) {
        return {nothing, ""};
    }
    return {call, function(info(op).name, scalar)};
}

Operations::Spelling Operations::bits(Op op, Scalar scalar) const {
    using enum Spelling::Form;
    const bool is_bool = scalar == Scalar::boolean;
    if (op == Op::bit_and)
        return is_bool ? Spelling{infix, "&&", Precedence::both} : Spelling{infix, "&", Precedence::bits};
    if (op == Op::bit_or)
        return is_bool ? Spelling{infix, "||", Precedence::either} : Spelling{infix, "|", Precedence::bits};
    if (op == Op::bit_xor)
        return is_bool ? Spelling{infix, "!=", Precedence::comparison}
                       : Spelling{infix, "^", Precedence::bits};
    if (op == Op::shift_left) return {call, function("shl", scalar)};
    if (op == Op::shift_right) return {call, function("shr", scalar)};
    if (op == Op::count_one_bits) return {call, function("ones", scalar)};
    if (op == Op::count_leading_zeros) return {call, function("leading_zeros", scalar)};
    if (op == Op::count_trailing_zeros) return {call, function("trailing_zeros", scalar)};
    return {call, function(info(op).name, scalar)};
}

Operations::Spelling Operations::conversion(Op op, Scalar from, Scalar to) const {
    using enum Spelling::Form;
    if (from == to) return {nothing, ""};
    const std::string on_vectors = fmt::format("to_{}", info(to).name);
    const bool is_to_integer = is_integer(to);
    if (op == Op::bitcast && is_float(from)) return {call, function("bits", to)};
    if (op == Op::bitcast && is_float(to))
        return {call, function(fmt::format("{}_as", info(from).name), to), Precedence::postfix,
                function("from_bits", to)};
    if (op != Op::bitcast) {
        if (to == Scalar::f16) return {call, "to_f16"};
        if (from == Scalar::f16) return {call, "from_f16"};
        if (is_f32(from) && is_to_integer) return {call, on_vectors};
        if (from == Scalar::f64 && is_to_integer) return {call, "f64_" + on_vectors};
    }
    return {cast, std::string(prelude_.call(scalar_name(to))), Precedence::postfix, on_vectors};
}

std::string function_of(Op op) { return function(info(op).name, Scalar::f32); }

Operations::Spelling Operations::spelling(const Operation& operation) {
    using enum Spelling::Form;
    const Op op = operation.op;
    const Scalar scalar = types_[operation.of].scalar;
    const auto constant = operation.constant;
    const bool is_shift = op == Op::shift_left || op == Op::shift_right;
    if (constant && is_shift && *constant < 32 * words_of(scalar) &&
        (op == Op::shift_right || !is_signed(scalar)))
        return {infix, op == Op::shift_left ? "<<" : ">>", Precedence::bits};
    const bool is_division = (op == Op::div || op == Op::rem) && !is_float(scalar);
    // This is the low word of a constant of 64 bits.
    if (constant && is_division && *constant != 0 && !(is_signed(scalar) && *constant == UINT32_MAX))
        return {infix, op == Op::div ? "/" : "%", Precedence::product};
    if (kind(op) == OpKind::comparison) return {infix, std::string(sign(op)), Precedence::comparison};
    if (op == Op::logical_not) return {prefix, "!", Precedence::prefix};
    if (op == Op::bit_not) return {prefix, "~", Precedence::prefix};
    if (op == Op::convert || op == Op::bitcast)
        return conversion(op, scalar, types_[operation.result].scalar);
    if (kind(op) == OpKind::bits) return bits(op, scalar);
    if (kind(op) == OpKind::arithmetic) return arithmetic(op, scalar);
    if (info(op).group == OpGroup::packed) return {call, std::string(info(op).name)};
    if (exact_ && info(op).group == OpGroup::math) return {call, define_math(op)};
    return {call, function(info(op).name, scalar)};
}

Expression Operations::apply(const Spelling& spelling, std::span<const Expression> given) const {
    switch (spelling.form) {
        case Spelling::Form::nothing: return given[0];
        case Spelling::Form::prefix:
            return {spelling.text + parenthesised(given[0], Precedence::postfix), spelling.precedence};
        case Spelling::Form::infix: {
            // Sums and products chain: a - b - c is (a - b) - c. Other operators don't.
            const bool in_a_row =
                spelling.precedence == Precedence::sum || spelling.precedence == Precedence::product;
            const Precedence tighter =
                spelling.precedence < Precedence::comparison ? Precedence::comparison : Precedence::prefix;
            const Precedence next = spelling.precedence == Precedence::sum          ? Precedence::product
                                    : spelling.precedence == Precedence::comparison ? Precedence::sum
                                                                                    : tighter;
            return {fmt::format("{} {} {}", parenthesised(given[0], in_a_row ? spelling.precedence : next),
                                spelling.text, parenthesised(given[1], next)),
                    spelling.precedence};
        }
        case Spelling::Form::cast: return syntax_.cast(spelling.text, given[0]);
        case Spelling::Form::call: break;
    }
    std::string arguments;
    for (const Expression& one : given) arguments += (arguments.empty() ? "" : ", ") + one.text;
    return {fmt::format("{}({})", spelling.text, arguments)};
}

void Operations::define(const std::string& head, const std::string& body) {
    prelude_.add(head, fmt::format("{} {} {{{}}}\n", syntax_.function_head(), head, body));
}

// The words of 32 bits that the components of `a` have, as `unsigned`.
std::vector<std::string> Operations::words_of_components(const Type& type) {
    std::vector<std::string> words;
    for (std::uint32_t c = 0; c < type.width; ++c) {
        const std::string part = type.width == 1 ? "a" : fmt::format("a.{}", components[c]);
        if (type.scalar == Scalar::f16) {
            const std::string_view bits = prelude_.call("bits_f16");
            if (c % 2 == 0)
                words.push_back(fmt::format("{}({})", bits, part));
            else
                words.back() = fmt::format("({} | {}({}) << 16)", words.back(), bits, part);
            continue;
        }
        Spelling how{Spelling::Form::nothing, ""};
        const Scalar as = is_wide(type.scalar) ? Scalar::u64 : Scalar::u32;
        if (type.scalar != as) how = conversion(Op::bitcast, type.scalar, as);
        if (how.form == Spelling::Form::call) how.text = prelude_.call(how.text);
        const Expression bits = apply(how, std::array{Expression{part}});
        words.push_back(is_wide(type.scalar) ? syntax_.cast("unsigned", bits).text
                                             : parenthesised(bits, Precedence::postfix));
        if (is_wide(type.scalar))
            words.push_back(
                syntax_
                    .cast("unsigned", {fmt::format("{} >> 32", parenthesised(bits, Precedence::postfix)),
                                       Precedence::bits})
                    .text);
    }
    return words;
}

// A bitcast between components of different sizes, by way of words of 32 bits.
Expression Operations::bitcast_by_words(const Operation& operation, const Expression& given) {
    const Type &from = types_[operation.of], &to = types_[operation.result];
    const std::string function =
        syntax_.overload(fmt::format("bitcast_{}", info(to.scalar).name), types_.name(operation.of));
    const std::string head =
        fmt::format("{} {}({} a)", types_.name(operation.result), function, types_.name(operation.of));
    const std::vector<std::string> words = words_of_components(from);
    std::vector<std::string> parts;
    for (std::uint32_t c = 0; c < to.width; ++c) {
        if (to.scalar == Scalar::f16) {
            const Expression word{words[c / 2], Precedence::prefix};
            const Expression shifted{parenthesised(word, Precedence::postfix) + " >> 16", Precedence::bits};
            parts.push_back(syntax_.cast("half_bits", c % 2 == 0 ? word : shifted).text);
            continue;
        }
        Expression bits{words[c], Precedence::prefix};
        Scalar as = Scalar::u32;
        if (is_wide(to.scalar)) {
            as = Scalar::u64;
            const std::string_view type = prelude_.call(scalar_name(as));
            bits = {fmt::format("{} | {} << 32", syntax_.cast(type, {words[2 * c]}).text,
                                syntax_.cast(type, {words[2 * c + 1]}).text),
                    Precedence::bits};
        }
        Spelling how = conversion(Op::bitcast, as, to.scalar);
        if (how.form == Spelling::Form::call) how.text = prelude_.call(how.text);
        parts.push_back(apply(how, std::array{bits}).text);
    }
    define(head,
           fmt::format(" return {}; ",
                       to.kind == TypeKind::scalar ? parts[0] : types_.composed(operation.result, parts)));
    return {fmt::format("{}({})", function, given.text)};
}

Expression Operations::componentwise(const Operation& operation, std::span<const Expression> given) {
    if (operation.op == Op::bitcast && types_[operation.of].width != types_[operation.result].width)
        return bitcast_by_words(operation, given[0]);
    Spelling how = spelling(operation);
    if (how.form == Spelling::Form::call) how.text = prelude_.call(how.text);
    if (types_[operation.result].kind == TypeKind::scalar || how.form == Spelling::Form::nothing)
        return apply(how, given);
    const std::string function = on_vectors(operation, how, given.size());
    if (!function.starts_with("operator")) how = {Spelling::Form::call, function};
    return apply(how, given);
}

std::string Operations::on_vectors(const Operation& operation, const Spelling& how, std::size_t operands) {
    const bool is_called = how.form == Spelling::Form::call || how.form == Spelling::Form::cast;
    const std::string& text = how.vector_text.empty() ? how.text : how.vector_text;
    std::string function = is_called ? text : fmt::format("operator{}", text);
    if (!syntax_.is_cpp()) {
        function = fmt::format("{}_{}", info(operation.op).name, types_.name(operation.of));
        const bool converts = operation.op == Op::convert || operation.op == Op::bitcast;
        if (converts) function += "_" + types_.name(operation.result);
    }
    const bool counts = operation.op == Op::shift_left || operation.op == Op::shift_right;
    const std::uint32_t width = types_[operation.of].width;
    std::string parameters;
    for (std::size_t k = 0; k < operands; ++k)
        parameters += fmt::format("{}{} {}", k == 0 ? "" : ", ",
                                  types_.name(counts && k == 1 ? type_of(Scalar::u32, width) : operation.of),
                                  std::string(1, "abc"[k]));
    const std::string head = fmt::format("{} {}({})", types_.name(operation.result), function, parameters);
    if (prelude_.has(head)) return function;
    std::vector<std::string> parts;
    for (std::uint32_t c = 0; c < width; ++c) {
        std::vector<Expression> of;
        for (std::size_t k = 0; k < operands; ++k)
            of.push_back({fmt::format("{}.{}", "abc"[k], components[c])});
        parts.push_back(apply(how, of).text);
    }
    define(head, fmt::format("\n    return {};\n", types_.composed(operation.result, parts)));
    return function;
}

Expression Operations::all_or_any(Op op, TypeId of, const Expression& given) {
    const std::uint32_t width = types_[of].width;
    if (width == 1) return given;
    const std::string name = syntax_.overload(op == Op::all ? "all" : "any", types_.name(of));
    std::string body;
    for (std::uint32_t c = 0; c < width; ++c)
        body += fmt::format("{}a.{}", c == 0 ? "" : op == Op::all ? " && " : " || ", components[c]);
    define(fmt::format("bool {}({} a)", name, types_.name(of)), fmt::format(" return {}; ", body));
    return {fmt::format("{}({})", name, given.text)};
}

Expression Operations::select_each(TypeId type, std::span<const Expression> given) {
    const std::uint32_t width = types_[type].width;
    const std::string& name = types_.name(type);
    const std::string function = syntax_.overload("select", name);
    const std::string head = fmt::format("{0} {1}({0} if_false, {0} if_true, {2} condition)", name, function,
                                         types_.name(type_of(Scalar::boolean, width)));
    std::vector<std::string> parts;
    for (std::uint32_t c = 0; c < width; ++c)
        parts.push_back(fmt::format("condition.{0} ? if_true.{0} : if_false.{0}", components[c]));
    define(head, fmt::format("\n    return {};\n", types_.composed(type, parts)));
    return {fmt::format("{}({}, {}, {})", function, given[0].text, given[1].text, given[2].text)};
}

Expression Operations::splat(TypeId type, const Expression& given) {
    const std::string& name = types_.name(type);
    const Type& of = types_[type];
    const std::string function = fmt::format("splat_{}", name);
    define(fmt::format("{} {}({} a)", name, function, scalar_name(of.scalar)),
           fmt::format(" return {}; ", types_.composed(type, std::vector<std::string>(of.width, "a"))));
    return {fmt::format("{}({})", function, given.text)};
}

// Selects without taking an address, so that the vector can stay in registers.
Expression Operations::pick(TypeId of, const Expression& vector, const Expression& index) {
    const Type& type = types_[of];
    std::string body;
    for (std::uint32_t c = 0; c < type.width; ++c)
        body += fmt::format("i == {}u ? a.{} : ", c, components[c]);
    const std::string function = syntax_.overload("pick", types_.name(of));
    define(fmt::format("{} {}({} a, unsigned i)", scalar_name(type.scalar), function, types_.name(of)),
           fmt::format("\n    return {}{};\n", body, types_.scalar_literal(type.scalar, 0)));
    return {fmt::format("{}({}, {})", function, vector.text, index.text)};
}

std::string Operations::set_component(TypeId of, const std::string& vector, const std::string& index,
                                      const std::string& what) {
    const Type& type = types_[of];
    std::string body;
    for (std::uint32_t c = 0; c < type.width; ++c)
        body +=
            fmt::format("    {0}{1} = i == {2}u ? a : {0}{1};\n", syntax_.changed_member(), components[c], c);
    const std::string function = syntax_.overload("set_component", types_.name(of));
    define(fmt::format("void {}({}, unsigned i, {} a)", function, syntax_.changed_parameter(types_.name(of)),
                       scalar_name(type.scalar)),
           "\n" + body);
    return fmt::format("{}({}, {}, {});", function, syntax_.changed_argument(vector), index, what);
}

Expression Operations::component(TypeId of, const Expression& vector, const std::string& index,
                                 std::string_view qualifiers) {
    const std::string_view scalar = scalar_name(types_[of].scalar);
    if (!syntax_.is_cpp())
        return {fmt::format("(({}{}*){})[{}]", qualifiers, scalar, address_of(vector.text), index)};
    for (const std::string_view constant : {"const ", ""})
        define(fmt::format("{0}{1}& component({0}{2}& a, unsigned i)", constant, scalar, types_.name(of)),
               fmt::format(" return reinterpret_cast<{}{}*>(&a)[i]; ", constant, scalar));
    return {fmt::format("component({}, {})", vector.text, index)};
}

}  // namespace muster::c_text
