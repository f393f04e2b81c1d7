#include <map>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include <muster/foundation/ir/program_data.hpp>
#include <muster/foundation/ir/program_limits.hpp>
#include <muster/foundation/validate/layout.hpp>
#include <muster/foundation/validate/passes.hpp>
#include <muster/foundation/wgsl/tokens/identifier.hpp>

namespace muster::validation {
namespace {

class Interface {
  public:
    Interface(const Program& program, Faults& faults)
        : program_(program), types_(program.types()), faults_(faults) {}

    void check() {
        check_entry();
        for (const Variable& variable : program_.variables()) {
            if (faults_.full()) return;
            check(variable);
            if (variable.is_binding()) check_binding(variable);
        }
    }

  private:
    void check_entry() {
        if (!wgsl::is_identifier(program_.entry()))
            faults_.add(fmt::format("The entry point is called \"{}\", which isn't a WGSL identifier.",
                                    program_.entry()),
                        "use letters, digits and underscores, a letter first, and no word that WGSL "
                        "reserves");
        if (program_.entry().starts_with(wgsl::predeclared_prefix))
            faults_.add(
                fmt::format("The entry point {} has a name that begins with {}, which is muster's own.",
                            program_.entry(), wgsl::predeclared_prefix),
                "give it another name");
        if (const std::uint32_t asked = program_.needs().subgroup_size;
            asked != 0 && (!limits::is_subgroup_size(asked) || program_.workgroup_size().x % asked != 0))
            faults_.add(
                fmt::format("The size of subgroups is {}, and a workgroup has {} invocations along x.", asked,
                            program_.workgroup_size().x),
                "use a power of two from 4 to 128 that divides the workgroup's size along x");
        const Extent3 size = program_.workgroup_size();
        if (size.x == 0 || size.y == 0 || size.z == 0)
            faults_.add(fmt::format("The workgroup is {} x {} x {} invocations.", size.x, size.y, size.z),
                        "give each of its sides at least one invocation");
        // Compares each side first, so that the product can't wrap.
        else if (size.x > limits::workgroup_invocations || size.y > limits::workgroup_invocations ||
                 size.z > limits::workgroup_invocations / size.x / size.y)
            faults_.add(
                fmt::format("The workgroup is {} x {} x {} invocations, more than the {} that a program may "
                            "have.",
                            size.x, size.y, size.z, limits::workgroup_invocations),
                "use a smaller workgroup, and more of them; devices take 256 and often 1024 invocations");
    }

    void check(const Variable& variable) {
        if (auto fault = type_fault(variable))
            faults_.add(
                variable,
                fmt::format("Variable \"{}\" of type {} can't be in address space {}: {}.", variable.name,
                            variable.type == no_type ? "nothing" : types_.name(variable.type),
                            name(variable.space), fault->message),
                fault->fix);
        if (!variable.initial) return;
        if (variable.space != AddressSpace::private_)
            faults_.add(variable,
                        fmt::format("Variable \"{}\" in address space {} starts as a constant.",
                                    variable.name, name(variable.space)),
                        "store to it where the program begins");
        else if (program_.type(variable.initial) != variable.type)
            faults_.add(variable,
                        fmt::format("Variable \"{}\" is a {} and starts as a {}.", variable.name,
                                    types_.name(variable.type), types_.name(program_.type(variable.initial))),
                        "start it as a constant of its type");
    }

    std::optional<LayoutFault> type_fault(const Variable& variable) const {
        switch (variable.space) {
            case AddressSpace::function:
            case AddressSpace::private_: return constructible_fault(types_, variable.type);
            case AddressSpace::workgroup: return fixed_footprint_fault(types_, variable.type);
            case AddressSpace::storage: return storage_fault(types_, variable.type);
            case AddressSpace::uniform: return uniform_fault(types_, variable.type);
        }
        return {};
    }

    void check_binding(const Variable& variable) {
        if (!wgsl::is_identifier(variable.name))
            faults_.add(variable,
                        fmt::format("Binding {} of group {} is called \"{}\", which isn't a WGSL identifier.",
                                    variable.binding, variable.group, variable.name),
                        "use letters, digits and underscores, a letter first, and no word that WGSL "
                        "reserves");
        else if (variable.name.starts_with(wgsl::predeclared_prefix))
            faults_.add(
                variable,
                fmt::format("The binding \"{}\" has a name that begins with {}, which is muster's own.",
                            variable.name, wgsl::predeclared_prefix),
                "give it another name");
        else if (!names_.emplace(variable.name, &variable).second)
            faults_.add(variable, fmt::format("Two bindings are called \"{}\".", variable.name),
                        "give each binding a name of its own; hosts bind by it");
        else if (variable.name == program_.entry())
            faults_.add(variable,
                        fmt::format("The entry point and a binding are both called \"{}\".", variable.name),
                        "give one of them another name");
        const auto [other, first] = places_.emplace(std::pair{variable.group, variable.binding}, &variable);
        if (!first)
            faults_.add(variable,
                        fmt::format("\"{}\" and \"{}\" are both binding {} of group {}.", other->second->name,
                                    variable.name, variable.binding, variable.group),
                        "give each variable a binding number of its own");
        const bool storage = variable.space == AddressSpace::storage;
        if (variable.access == Access::write || (!storage && variable.access != Access::read))
            faults_.add(variable,
                        fmt::format("\"{}\" in address space {} has access mode {}.", variable.name,
                                    name(variable.space), name(variable.access)),
                        storage ? "declare it read or read_write" : "declare it read");
        if (storage && variable.access == Access::read && types_.contains_atomic(variable.type))
            faults_.add(variable, fmt::format("\"{}\" holds an atomic and is read-only.", variable.name),
                        "declare it read_write");
    }

    const Program& program_;
    const TypeTable& types_;
    Faults& faults_;
    std::map<std::string_view, const Variable*> names_;
    std::map<std::pair<std::uint32_t, std::uint32_t>, const Variable*> places_;
};

}  // namespace

void check_interface(const Program& program, Faults& faults) { Interface(program, faults).check(); }

}  // namespace muster::validation
