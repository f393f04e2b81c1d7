#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include <muster/foundation/base/round_up.hpp>
#include <muster/foundation/ir/program_limits.hpp>
#include <muster/foundation/validate/passes.hpp>

namespace muster::validation {
namespace {

class Sizes {
  public:
    Sizes(const Program& program, Faults& faults)
        : program_(program), types_(program.types()), faults_(faults), depth_(types_.count(), 1) {}

    void check() {
        check_bytes("private and function", program_.needs().private_bytes, limits::private_bytes);
        check_bytes("workgroup", program_.needs().workgroup_bytes, limits::workgroup_bytes);
        check_types();
        for (const VariableId id : program_.bindings()) check_numbers(program_.variable(id));
        for (std::uint32_t i = 0; i < program_.node_count() && !faults_.full(); ++i) check(NodeId{i});
        if (constant_words_ > limits::constant_words)
            faults_.add(fmt::format("The program's constants hold {} scalars; the limit is {}.",
                                    constant_words_, limits::constant_words),
                        "use fewer or smaller constant arrays, or a storage variable");
    }

  private:
    void check_bytes(std::string_view what, std::uint64_t bytes, std::uint64_t limit) {
        if (bytes > limit)
            faults_.add(
                fmt::format("The {} variables take {} bytes, more than the {} that a program may use.", what,
                            bytes, limit),
                "use smaller arrays, or move the data to storage");
    }

    void check_types() {
        if (types_.count() - fixed_type_count > limits::types)
            return faults_.add(fmt::format("The program has {} arrays, structures and atomic types; the "
                                           "limit is {}.",
                                           types_.count() - fixed_type_count, limits::types),
                               "use fewer types");
        for (std::uint32_t i = 1; i < types_.count() && !faults_.full(); ++i) {
            const TypeId id{i};
            const Type& type = types_[id];
            if (type.kind == TypeKind::array || type.kind == TypeKind::structure)
                depth_[i] = 1 + depth_of_parts(type);
            if (type.size > limits::type_bytes)
                fault(id, fmt::format("takes {} bytes; the limit is {}", type.size, limits::type_bytes),
                      "use fewer elements, or an array sized at run time");
            else if (depth_[i] > limits::composite_depth)
                fault(id,
                      fmt::format("nests {} composite types; the limit is {}", depth_[i],
                                  limits::composite_depth),
                      "nest fewer arrays and structures");
            else if (type.kind == TypeKind::structure)
                check_structure(id);
        }
    }

    // Part types have lower ids than the type that contains them.
    std::uint32_t depth_of_parts(const Type& type) const {
        std::uint32_t deepest = depth_[type.element.index];
        for (const Member& member : type.members) deepest = std::max(deepest, depth_[member.type.index]);
        return deepest;
    }

    void check_structure(TypeId id) {
        const Type& type = types_[id];
        if (type.members.empty() || type.members.size() > limits::structure_members)
            return fault(id,
                         fmt::format("has {} members; it takes 1 to {}", type.members.size(),
                                     limits::structure_members),
                         "give it one, or split it");
        std::uint64_t end = 0;
        for (const Member& member : type.members) {
            const Type& of = types_[member.type];
            if (member.offset < end || member.offset % of.align != 0)
                return fault(
                    id,
                    fmt::format(
                        "has member \"{}\" at byte {}; it must be at a multiple of {}, at byte {} or later",
                        member.name, member.offset, of.align, end),
                    "give each member a place of its own, aligned as its type is");
            end = member.offset + of.size;
        }
        const bool ends_open = types_[type.members.back().type].contains_runtime_array;
        const bool fits = ends_open ? type.size == round_up(end, type.align)
                                    : type.size >= end && type.size % type.align == 0;
        if (!fits)
            fault(id, fmt::format("takes {} bytes, and its members end at {}", type.size, end),
                  "make the size a multiple of the type's alignment that covers all members; an array sized "
                  "at run time must end it");
    }

    void fault(TypeId id, std::string what, std::string fix) {
        faults_.add(fmt::format("The type {} {}.", types_.name(id).substr(0, 200), what), std::move(fix));
    }

    void check_numbers(const Variable& variable) {
        const std::uint32_t number = std::max(variable.group, variable.binding);
        if (number > limits::binding_number)
            faults_.add(variable,
                        fmt::format("\"{}\" is binding {} of group {}; the limit is {}.", variable.name,
                                    variable.binding, variable.group, limits::binding_number),
                        "use a smaller number");
    }

    void check(NodeId id) {
        const Node& node = program_.node(id);
        if (node.op == Op::switch_) check_switch(id);
        if (node.op != Op::constant && node.op != Op::compose) return;
        const std::uint64_t words = types_.scalar_words(node.type);
        if (words > limits::value_words)
            faults_.add(id,
                        fmt::format("A value of type {} has {} scalars; the limit is {}.",
                                    types_.name(node.type), words, limits::value_words),
                        "use a smaller one");
        if (node.op == Op::constant) constant_words_ += program_.constant_words(id).size();
    }

    void check_switch(NodeId id) {
        std::size_t selectors = 0;
        for (const SwitchCase& each : program_.switch_cases(id))
            selectors += each.selectors.size() + (each.is_default ? 1 : 0);
        if (selectors > limits::case_selectors)
            faults_.add(id,
                        fmt::format("The switch has {} case selectors; the limit is {}.", selectors,
                                    limits::case_selectors),
                        "split it");
    }

    const Program& program_;
    const TypeTable& types_;
    Faults& faults_;
    std::vector<std::uint32_t> depth_;  // by type
    std::uint64_t constant_words_ = 0;
};

}  // namespace

void check_sizes(const Program& program, Faults& faults) { Sizes(program, faults).check(); }

}  // namespace muster::validation
