// Workgroup memory: the dialect declares it, and the workgroup's invocations zero it at the kernel's start.
#include <fmt/format.h>

#include <muster/driver/c_text/lowering.hpp>
#include <muster/foundation/analysis/overwritten.hpp>

namespace muster::c_text {

void Lowering::declare_workgroup_memory() {
    std::vector<VariableId> to_zero;
    for (std::uint32_t i = 0; i < roots_.size(); ++i) {
        if (program_.variables()[i].space != AddressSpace::workgroup) continue;
        dialect_.declare_workgroup(*this, VariableId{i});
        if (!is_overwritten_first(program_, VariableId{i})) to_zero.push_back(VariableId{i});
    }
    for (const VariableId variable : to_zero) zero_workgroup(variable);
    const bool meets = dialect_.set_up_workgroup(*this);
    if (!to_zero.empty() || meets) line(dialect_.barrier(Op::workgroup_barrier));
}

// Zeroes a variable; an array element by element, nested arrays by innermost element.
void Lowering::zero_workgroup(VariableId id) {
    std::vector<TypeId> arrays;  // outermost first
    std::uint64_t count = 1;
    TypeId type = program_.variable(id).type;
    for (; types_[type].kind == TypeKind::array; type = types_[type].element) {
        arrays.push_back(type);
        count *= types_[type].count;
    }
    const auto element = [&](const std::string& index) {
        std::string place = root(id).name;
        std::uint64_t step = count;
        for (const TypeId array : arrays) {
            step /= types_[array].count;
            const std::string quotient = step == 1 ? index : fmt::format("{} / {}u", index, step);
            const std::string remainder =
                array == arrays[0]
                    ? quotient
                    : fmt::format("{} % {}u", step == 1 ? index : "(" + quotient + ")", types_[array].count);
            place = syntax_.is_cpp() ? syntax_.element(place, remainder)
                                     : types_.element(types_[array], place, remainder);
        }
        return place;
    };
    const std::string zero = syntax_.is_cpp() ? "{}" : types_.zero(type);
    const std::uint64_t threads = program_.workgroup_size().count();
    if (count == threads && arrays.size() == 1)
        return line(fmt::format("{} = {};", element(invocation_index()), zero));
    const std::string index = names_.unique_name("k");
    if (count <= threads && syntax_.is_cpp())
        return line(fmt::format("if (const unsigned {0} = {1}; {0} < {2}u) {3} = {4};", index,
                                invocation_index(), count, element(index), zero));
    line(fmt::format("for (unsigned {0} = {1}; {0} < {2}u; {0} += {3}u) {4} = {5};", index,
                     invocation_index(), count, threads, element(index), zero));
}

}  // namespace muster::c_text
