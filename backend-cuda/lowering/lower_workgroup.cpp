// Workgroup memory: shared memory, zeroed by the block's threads at the kernel's start.
#include <fmt/format.h>

#include <muster/backend-cuda/lowering/lowering.hpp>
#include <muster/foundation/analysis/overwritten.hpp>
#include <muster/foundation/base/round_up.hpp>

namespace muster::cuda {

void Lowering::declare_workgroup_memory() {
    const std::uint64_t bytes = program_.needs().workgroup_bytes;
    const std::uint64_t ours = running_.empty() ? 0 : running_bytes;
    const bool is_dynamic = bytes + ours > most_static_shared_bytes;
    if (is_dynamic) {
        result_.dynamic_shared_bytes = static_cast<std::uint32_t>(bytes);
    } else {
        result_.static_shared_bytes = bytes;
    }
    if (is_dynamic) writer_.line("extern __shared__ uint4 workgroup_memory[];");
    std::uint64_t offset = 0;
    std::vector<VariableId> to_zero;
    for (std::uint32_t i = 0; i < roots_.size(); ++i) {
        if (program_.variables()[i].space != AddressSpace::workgroup) continue;
        if (is_dynamic) {
            declare_dynamic(VariableId{i}, offset);
        } else {
            writer_.line(
                fmt::format("__shared__ {} {};", types_.name(program_.variables()[i].type), roots_[i].name));
        }
        if (!is_overwritten_first(program_, VariableId{i})) to_zero.push_back(VariableId{i});
    }
    for (const VariableId variable : to_zero) zero_shared(variable);
    if (!running_.empty()) declare_running();
    if (!to_zero.empty() || !running_.empty()) writer_.line("__syncthreads();");
}

// Shared memory above 48 KiB must be requested at launch, as one block for all variables.
void Lowering::declare_dynamic(VariableId id, std::uint64_t& offset) {
    const TypeId type = program_.variable(id).type;
    writer_.line(
        fmt::format("{0}& {1} = *reinterpret_cast<{0}*>(reinterpret_cast<char*>(workgroup_memory) + {2});",
                    types_.name(type), root(id).name, offset));
    offset += round_up(types_[type].size, 16);
}

// Zeroes a variable; an array element by element, nested arrays by innermost element.
void Lowering::zero_shared(VariableId id) {
    std::vector<std::uint64_t> counts;  // outermost first
    std::uint64_t count = 1;
    TypeId type = program_.variable(id).type;
    for (; types_[type].kind == TypeKind::array; type = types_[type].element) {
        counts.push_back(types_[type].count);
        count *= types_[type].count;
    }
    const auto element = [&](const std::string& index) {
        std::string place = root(id).name;
        std::uint64_t step = count;
        for (std::size_t k = 0; k < counts.size(); ++k) {
            step /= counts[k];
            const std::string quotient = step == 1 ? index : fmt::format("{} / {}u", index, step);
            const std::string remainder =
                k == 0 ? quotient
                       : fmt::format("{} % {}u", step == 1 ? index : "(" + quotient + ")", counts[k]);
            place += fmt::format("[{}]", remainder);
        }
        return place;
    };
    const std::uint64_t threads = program_.workgroup_size().count();
    if (count == threads && counts.size() == 1)
        return (void)writer_.line(fmt::format("{} = {{}};", element(invocation_index())));
    const std::string index = names_.unique_name("k");
    if (count <= threads) {
        writer_.line(fmt::format("if (const unsigned {0} = {1}; {0} < {2}u) {3} = {{}};", index,
                                 invocation_index(), count, element(index)));
    } else {
        writer_.line(fmt::format("for (unsigned {0} = {1}; {0} < {2}u; {0} += {3}u) {4} = {{}};", index,
                                 invocation_index(), count, threads, element(index)));
    }
}

}  // namespace muster::cuda
