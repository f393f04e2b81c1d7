// types.cpp - checks operand and result types. What componentwise operations take is in op.def; each other
// operation has a function.
#include <algorithm>
#include <array>
#include <string>

#include <fmt/format.h>

#include <muster/foundation/ir/program_data.hpp>
#include <muster/foundation/ir/program_limits.hpp>
#include <muster/foundation/semantics/scalar_operations.hpp>
#include <muster/foundation/validate/passes.hpp>

namespace muster::validation {
namespace {

using ScalarMask = unsigned;
constexpr ScalarMask bit(Scalar scalar) { return 1u << static_cast<unsigned>(scalar); }
constexpr ScalarMask booleans = bit(Scalar::boolean), short_integers = bit(Scalar::i32) | bit(Scalar::u32),
                     floats = bit(Scalar::f32) | bit(Scalar::f16) | bit(Scalar::f64),
                     integers = short_integers | bit(Scalar::i64) | bit(Scalar::u64),
                     numbers = integers | floats, words = bit(Scalar::u32),
                     signed_numbers = floats | bit(Scalar::i32) | bit(Scalar::i64),
                     narrow = bit(Scalar::i8) | bit(Scalar::u8) | bit(Scalar::i16) | bit(Scalar::u16),
                     anything = numbers | booleans;

// How operands and result of a componentwise operation relate; T is a scalar or vector.
enum class TypeRule : std::uint8_t {
    same,     // T, ... -> T
    compare,  // T, T -> bool of T's width
    reduce,   // T -> the scalar of T
    shift,    // T, u32 of T's width -> T
    change,   // T -> another scalar type, with T's width
    bits,     // T -> another scalar type, with T's bytes
    lane,     // T, u32 -> T
    packed,   // u32, u32 -> u32; of signed bytes: i32
    special,  // checked by a function of its own below
};

struct Rule {
    TypeRule types = TypeRule::special;
    ScalarMask scalars = anything;  // the scalar types that T may have
};

constexpr std::array<Rule, op_count> rules = [] {
    using enum TypeRule;
    return std::array<Rule, op_count>{{
#define MUSTER_OP(op, kind, operands, effect, wgsl, ...) {__VA_ARGS__},
#include <muster/foundation/ir/op.def>
    }};
}();

class Types {
  public:
    Types(const Program& program, Faults& faults)
        : program_(program), types_(program.types()), faults_(faults) {}

    void check() {
        for (std::uint32_t index = 0; index < program_.node_count() && !faults_.full(); ++index)
            check(NodeId{index});
    }

  private:
    const Type& type(NodeId id) const { return types_[program_.type(id)]; }
    const Type& operand_type(NodeId id, std::uint32_t which) const {
        return type(program_.operand(id, which));
    }
    TypeId operand(NodeId id, std::uint32_t which) const {
        return program_.type(program_.operand(id, which));
    }
    static bool is_value(const Type& type) {  // a scalar or vector
        return type.kind == TypeKind::scalar || type.kind == TypeKind::vector;
    }
    static bool is_index(const Type& type) {
        return type.kind == TypeKind::scalar && (type.scalar == Scalar::i32 || type.scalar == Scalar::u32);
    }

    bool is_lane(NodeId id) const {  // the constant number of an invocation in its subgroup
        if (program_.node(id).op != Op::constant) return false;
        const auto words = program_.constant_words(id);
        return words.empty() || words[0] < limits::most_subgroup;
    }

    void misfit(NodeId id, std::string_view rule) {
        std::string given;
        for (const NodeId one : program_.operands(id))
            given += (given.empty() ? "" : ", ") + types_.name(program_.type(one));
        std::string yields;
        if (program_.type(id) != no_type) yields = " and yields " + types_.name(program_.type(id));
        faults_.add(id,
                    fmt::format("{} takes ({}){}; {}.", info(program_.node(id).op).name, given, yields, rule),
                    "convert the operands to types that the operation takes");
    }

    void check(NodeId id) {
        const Rule& rule = rules[static_cast<std::size_t>(program_.node(id).op)];
        if (rule.types == TypeRule::special) return check_special(id);
        const Type& first = operand_type(id, 0);
        const Type& result = type(id);
        if (!is_value(first) || (bit(first.scalar) & rule.scalars) == 0)
            return misfit(id, "it acts on scalars and vectors of " + names(rule.scalars));
        check_type_rule(id, rule.types, first, result);
    }

    void check_type_rule(NodeId id, TypeRule types, const Type& first, const Type& result) {
        const TypeId given = operand(id, 0);
        const auto operands = program_.operands(id);
        const bool alike =
            std::ranges::all_of(operands, [&](NodeId one) { return program_.type(one) == given; });
        switch (types) {
            case TypeRule::same:
                if (!alike || program_.type(id) != given) misfit(id, "operands and result are of one type");
                return;
            case TypeRule::compare:
                if (!alike || program_.type(id) != type_of(Scalar::boolean, first.width))
                    misfit(id, "both operands are of one type, the result is bool of their width");
                return;
            case TypeRule::reduce:
                if (program_.type(id) != type_of(first.scalar))
                    misfit(id, "the result is the operand's scalar");
                return;
            case TypeRule::shift:
                if (operand(id, 1) != type_of(Scalar::u32, first.width) || program_.type(id) != given)
                    misfit(id, "the count is u32 of the operand's width, the result of the operand's type");
                return;
            case TypeRule::change:
                if (!is_value(result) || result.width != first.width || result.scalar == first.scalar)
                    misfit(id, "the result has the operand's width and another scalar");
                else if ((is_narrow(first.scalar) && result.scalar != widened(first.scalar)) ||
                         (is_narrow(result.scalar) && first.scalar != widened(result.scalar)))
                    misfit(id, "integers of 8 and 16 bits convert from and to 32 bits of the same sign");
                return;
            case TypeRule::bits:
                if (!is_value(result) || result.size != first.size || result.scalar == first.scalar ||
                    result.scalar == Scalar::boolean || is_narrow(result.scalar))
                    misfit(id, "the result has the operand's size and another scalar, a number");
                return;
            case TypeRule::lane:
                if (operand(id, 1) != u32_type || program_.type(id) != given)
                    misfit(id, "the second operand is u32, the result of the first one's type");
                else if (program_.node(id).op == Op::subgroup_broadcast && !is_lane(program_.operand(id, 1)))
                    misfit(id, "the second operand is a constant below 128");
                return;
            case TypeRule::packed:
                if (!alike || given != u32_type ||
                    program_.type(id) != (program_.node(id).op == Op::dot4_i8_packed ? i32_type : u32_type))
                    misfit(id, "both operands are u32, the result is u32, or i32 of signed bytes");
                return;
            case TypeRule::special: return;
        }
    }

    static std::string names(ScalarMask mask) {
        std::string text;
        for (const ScalarInfo& one : scalars)
            if ((mask & bit(one.scalar)) != 0) text += (text.empty() ? "" : ", ") + std::string(one.name);
        return text;
    }

    // Memory and atomic operations are checked in memory.cpp.
    void check_special(NodeId id) {
        const Op op = program_.node(id).op;
        if (op == Op::constant) check_constant(id);
        if (op == Op::builtin) check_builtin(id);
        if (op == Op::ref_variable) check_ref_variable(id);
        if (op == Op::ref_index || op == Op::extract_dynamic) check_index(id);
        if (op == Op::ref_member || op == Op::extract) check_part(id);
        if (op == Op::compose) check_compose(id);
        if (op == Op::swizzle) check_swizzle(id);
        if (op == Op::splat) check_splat(id);
        if (op == Op::select) check_select(id);
        if (op == Op::if_ || op == Op::break_if) {
            if (operand(id, 0) != bool_type) misfit(id, "the condition is bool");
        }
        if (op == Op::subgroup_ballot &&
            (operand(id, 0) != bool_type || program_.type(id) != type_of(Scalar::u32, 4)))
            misfit(id, "it takes a bool and yields vec4<u32>");
        if (op == Op::switch_ && !is_index(operand_type(id, 0))) misfit(id, "the selector is i32 or u32");
        const OpGroup group = info(op).group;
        if ((group == OpGroup::control || group == OpGroup::sync) && program_.type(id) != no_type)
            misfit(id, "it yields no value");
    }

    void check_constant(NodeId id) {
        if (types_.contains_atomic(program_.type(id))) return misfit(id, "no constant holds an atomic");
        const Type& made = type(id);
        if (!is_value(made)) return;
        for (const std::uint32_t word : program_.constant_words(id)) {
            if (made.scalar == Scalar::boolean && word > 1)
                return misfit(id, fmt::format("a bool is the word 0 or 1, not {}", word));
            if (is_narrow(made.scalar) && scalar_operations::narrowed(made.scalar, word) != word)
                return misfit(id, fmt::format("no {} is the word {:#x}", info(made.scalar).name, word));
        }
    }

    void check_builtin(NodeId id) {
        const Builtin builtin{static_cast<std::uint8_t>(program_.node(id).payload)};
        if (program_.type(id) != type_of(Scalar::u32, width(builtin))) misfit(id, "built-in values are u32s");
    }

    void check_ref_variable(NodeId id) {
        if (program_.type(id) != program_.variables()[program_.node(id).payload].type)
            misfit(id, "a reference has its variable's type");
    }

    void check_index(NodeId id) {
        const Type& whole = operand_type(id, 0);
        if (!is_index(operand_type(id, 1))) return misfit(id, "the index is i32 or u32");
        if (whole.kind != TypeKind::vector && whole.kind != TypeKind::array)
            return misfit(id, "vectors and arrays have an index");
        if (program_.type(id) != whole.element) misfit(id, "the result is the element");
    }

    void check_part(NodeId id) {
        const Type& whole = operand_type(id, 0);
        const std::uint32_t which = program_.node(id).payload;
        const bool steps = program_.node(id).op == Op::ref_member;
        if (whole.kind == TypeKind::structure) {
            if (which >= whole.members.size()) return misfit(id, fmt::format("there is no member {}", which));
            if (program_.type(id) != whole.members[which].type) misfit(id, "the result is the member");
            return;
        }
        if (steps || (whole.kind != TypeKind::vector && whole.kind != TypeKind::array))
            return misfit(id, steps ? "only structures have members" : "only composites have parts");
        const std::uint32_t count = whole.kind == TypeKind::vector ? whole.width : whole.count;
        if (which >= count) return misfit(id, fmt::format("part {} is past the {} there are", which, count));
        if (program_.type(id) != whole.element) misfit(id, "the result is the part");
    }

    void check_compose(NodeId id) {
        const Type& made = type(id);
        const auto parts = program_.operands(id);
        if (made.kind == TypeKind::structure) {
            bool fits = parts.size() == made.members.size();
            for (std::uint32_t i = 0; fits && i < parts.size(); ++i)
                fits = operand(id, i) == made.members[i].type;
            if (!fits) misfit(id, "a structure is made of one value per member");
        } else if (made.kind == TypeKind::vector || made.kind == TypeKind::array) {
            const std::uint32_t count = made.kind == TypeKind::vector ? made.width : made.count;
            if (count != parts.size() ||
                !std::ranges::all_of(parts, [&](NodeId one) { return program_.type(one) == made.element; }))
                misfit(id,
                       fmt::format("it is made of {} parts of type {}", count, types_.name(made.element)));
        } else {
            misfit(id, "vectors, arrays and structures are made of parts");
        }
        if (types_.contains_atomic(program_.type(id))) misfit(id, "no value holds an atomic");
    }

    void check_swizzle(NodeId id) {
        const Type& from = operand_type(id, 0);
        const Type& to = type(id);
        if (from.kind != TypeKind::vector || to.kind != TypeKind::vector || from.scalar != to.scalar)
            return misfit(id, "it picks components of a vector into a vector of the same scalar");
        for (std::uint32_t i = 0; i < to.width; ++i)
            if ((program_.node(id).payload >> (2 * i) & 3u) >= from.width)
                return misfit(id, "it picks a component past the vector's width");
    }

    void check_splat(NodeId id) {
        if (operand_type(id, 0).kind != TypeKind::scalar || type(id).kind != TypeKind::vector ||
            type(id).element != operand(id, 0))
            misfit(id, "it makes a vector of one scalar");
    }

    void check_select(NodeId id) {
        const Type& condition = operand_type(id, 2);
        const Type& chosen = operand_type(id, 0);
        if (operand(id, 0) != operand(id, 1) || operand(id, 0) != program_.type(id))
            return misfit(id, "both values and the result are of one type");
        const bool fits = operand(id, 2) == bool_type ||
                          (condition.kind == TypeKind::vector && condition.scalar == Scalar::boolean &&
                           condition.width == chosen.width && is_value(chosen));
        if (!fits) misfit(id, "the condition is bool, or bool of the values' width");
    }

    const Program& program_;
    const TypeTable& types_;
    Faults& faults_;
};

}  // namespace

void check_types(const Program& program, Faults& faults) { Types(program, faults).check(); }

}  // namespace muster::validation
