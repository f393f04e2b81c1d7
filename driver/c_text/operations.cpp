#include <algorithm>
#include <array>
#include <vector>

#include <fmt/format.h>

#include <muster/driver/c_text/operations.hpp>
#include <muster/driver/c_text/texts.hpp>
#include <muster/foundation/ir/op_kind.hpp>
#include <muster/foundation/semantics/scalar_operations.hpp>

namespace muster::c_text {
namespace {

bool is_f32(Scalar scalar) { return scalar == Scalar::f32; }

/// The Function of an operation on this scalar: "add_i32".
std::string function(std::string_view operation, Scalar scalar) {
    return fmt::format("{}_{}", operation, info(scalar).name);
}

/// The scalars on which an operation is C's operator, whose sign is WGSL's.
enum class Operator : std::uint8_t { never, on_floats, unless_signed, always };

/// How C writes an operation where it isn't the call of a Function with the operation's name.
struct Row {
    Op op;
    Operator is_operator = Operator::never;
    Precedence precedence = Precedence::postfix;  // of the operator
    std::string_view function = {};               // the Function's name, without the scalar
};
// clang-format off
constexpr Row written[] = {
    {Op::add, Operator::unless_signed, Precedence::sum}, {Op::sub, Operator::unless_signed, Precedence::sum},
    {Op::mul, Operator::unless_signed, Precedence::product}, {Op::neg, Operator::unless_signed, Precedence::prefix},
    {Op::div, Operator::on_floats, Precedence::product}, {Op::rem, Operator::never, Precedence::product},
    {Op::eq, Operator::always, Precedence::comparison}, {Op::ne, Operator::always, Precedence::comparison},
    {Op::lt, Operator::always, Precedence::comparison}, {Op::le, Operator::always, Precedence::comparison},
    {Op::gt, Operator::always, Precedence::comparison}, {Op::ge, Operator::always, Precedence::comparison},
    {Op::bit_and, Operator::always, Precedence::bits}, {Op::bit_or, Operator::always, Precedence::bits},
    {Op::bit_xor, Operator::always, Precedence::bits}, {Op::bit_not, Operator::always, Precedence::prefix},
    {Op::logical_not, Operator::always, Precedence::prefix},
    {Op::shift_left, Operator::never, Precedence::bits, "shl"}, {Op::shift_right, Operator::never, Precedence::bits, "shr"},
    {Op::count_one_bits, Operator::never, Precedence::postfix, "ones"},
    {Op::count_leading_zeros, Operator::never, Precedence::postfix, "leading_zeros"},
    {Op::count_trailing_zeros, Operator::never, Precedence::postfix, "trailing_zeros"},
};
// clang-format on
constexpr std::array<Row, op_count> rows = [] {
    std::array<Row, op_count> all{};
    for (std::size_t i = 0; i < op_count; ++i) all[i].op = Op{static_cast<std::uint8_t>(i)};
    for (const Row& row : written) all[static_cast<std::size_t>(row.op)] = row;
    return all;
}();
// Each operator of WGSL that acts on scalars is one here.
static_assert(std::ranges::all_of(rows, [](const Row& row) {
    return is_operator(row.op) == (row.precedence != Precedence::postfix);
}));

constexpr bool is_operator_on(const Row& row, Scalar scalar) {
    switch (row.is_operator) {
        case Operator::never: break;
        case Operator::on_floats: return is_float(scalar);
        case Operator::unless_signed: return !is_signed(scalar);
        case Operator::always: return true;
    }
    return false;
}

/// The scalars that each operation acts on one by one.
struct Domains {
    std::array<std::array<bool, scalar_count>, op_count> all{};
    template <auto F, class... T>
    consteval void unary(Op op) {
        ((all[scalar_operations::slot(op)][scalar_operations::slot(scalar_operations::scalar_of<T>)] = true),
         ...);
    }
    // clang-format off
    template <auto F, class... T> consteval void binary(Op op) { unary<F, T...>(op); }
    template <auto F, class... T> consteval void comparison(Op op) { unary<F, T...>(op); }
    template <auto F, class... T> consteval void shift(Op op) { unary<F, T...>(op); }
    template <auto F, class... T> consteval void move(Op op) { unary<F, T...>(op); }
    template <auto F, class... T> consteval void ternary(Op op) { unary<F, T...>(op); }
    // clang-format on
};
constexpr Domains domains = scalar_operations::make_table<Domains>();

/// True if C has a text for an operation on this scalar, or needs none. Operations on f16 are expanded.
constexpr bool is_written(Op op, std::string_view name, Scalar scalar) {
    const Row& row = rows[static_cast<std::size_t>(op)];
    if (kind(op) == OpKind::math) return scalar != Scalar::f32 || has_text(name, "f32");
    const bool is_own =
        kind(op) == OpKind::packed || (op == Op::abs && !is_float(scalar) && !is_signed(scalar));
    return scalar == Scalar::boolean || scalar == Scalar::f16 || is_own || is_operator_on(row, scalar) ||
           !domains.all[static_cast<std::size_t>(op)][static_cast<std::size_t>(scalar)] ||
           has_text(row.function.empty() ? name : row.function, info(scalar).name);
}
static_assert(std::ranges::all_of(scalars, [](const ScalarInfo& on) {
#define MUSTER_OP(op, ...) is_written(Op::op, #op, on.scalar)&&
    return
#include <muster/foundation/ir/op.def>
        true;
}));

}  // namespace

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

// Shifts and divisions by a constant are operators where C defines their result. The constant is the low word of
// one of 64 bits.
bool is_harmless(Op op, Scalar scalar, std::uint32_t constant) {
    if (op == Op::shift_left) return constant < 32 * words_of(scalar) && !is_signed(scalar);
    if (op == Op::shift_right) return constant < 32 * words_of(scalar);
    const bool overflows = is_signed(scalar) && constant == UINT32_MAX;
    return (op == Op::div || op == Op::rem) && !is_float(scalar) && constant != 0 && !overflows;
}

Operations::Spelling Operations::spelling(const Operation& operation) {
    using enum Spelling::Form;
    const Op op = operation.op;
    const Scalar scalar = types_[operation.of].scalar;
    const Row& row = rows[static_cast<std::size_t>(op)];
    if (scalar == Scalar::boolean) {
        if (op == Op::bit_and) return {infix, "&&", Precedence::both};
        if (op == Op::bit_or) return {infix, "||", Precedence::either};
        if (op == Op::bit_xor) return {infix, "!=", Precedence::comparison};
    }
    if (is_operator_on(row, scalar) || (operation.constant && is_harmless(op, scalar, *operation.constant)))
        return {info(op).operands == 1 ? prefix : infix, std::string(spelling_of(op)), row.precedence};
    if (op == Op::convert || op == Op::bitcast)
        return conversion(op, scalar, types_[operation.result].scalar);
    if (op == Op::abs && !is_float(scalar) && !is_signed(scalar)) return {nothing, ""};
    if ((op == Op::min || op == Op::max) && is_float(scalar) && !exact_)
        return {call, function(op == Op::min ? "fmin" : "fmax", scalar)};
    if (info(op).group == OpGroup::packed) return {call, std::string(info(op).name)};
    if (exact_ && info(op).group == OpGroup::math) return {call, define_math(op)};
    return {call, function(row.function.empty() ? info(op).name : row.function, scalar)};
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
