#include <muster/backend-cpu/compiler/lowering/choose_width.hpp>
#include <muster/backend-cpu/compiler/lowering/kernel_facts.hpp>

namespace muster::cpu {

KernelFacts::KernelFacts(const Program& given, Plan its_plan, const LowerOptions& with, std::uint32_t width)
    : program(given),
      options(with),
      plan(std::move(its_plan)),
      lanes(program, width, packed_workgroups(program, width)),
      strides(find_strides(program, lanes.shapes)),
      used(program.node_count(), false) {
    for (NodeId id{0}; id.index < program.node_count(); ++id.index)
        for (const NodeId operand : program.operands(id)) used[operand.index] = true;
}

std::span<const TypeWord> KernelFacts::words_of(TypeId type) const {
    const auto [known, is_new] = words_.try_emplace(type.index);
    if (is_new) known->second = cpu::words_of(program.types(), type);
    return known->second;
}

}  // namespace muster::cpu
