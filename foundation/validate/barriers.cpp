#include <string>

#include <fmt/format.h>

#include <muster/foundation/uniformity.hpp>
#include <muster/foundation/validate/passes.hpp>

namespace muster::validation {
namespace {

std::string describe(const Program& program, const Faults& faults, NodeId source) {
    const Node& node = program.node(source);
    if (node.op == Op::builtin)
        return fmt::format("{}, which differs between invocations",
                           name(Builtin{static_cast<std::uint8_t>(node.payload)}));
    if (node.op == Op::load)
        return fmt::format("what \"{}\" holds at {}, which invocations may have written",
                           program.variable(program.root_variable(program.operand(source, 0))).name,
                           faults.place(source));
    return fmt::format("the result of {} at {}, which differs between invocations", info(node.op).name,
                       faults.place(source));
}

}  // namespace

void check_barriers(const Program& program, Faults& faults) {
    if (!program.required_ops().contains(Op::workgroup_barrier) &&
        !program.required_ops().contains(Op::storage_barrier))
        return;
    const Uniformity uniformity = analyse(program);
    for (std::uint32_t index = 0; index < program.node_count() && !faults.full(); ++index) {
        const NodeId id{index};
        const Op op = program.node(id).op;
        if (info(op).group != OpGroup::sync) continue;
        if (const auto cause = uniformity.cause_of_control(id))
            faults.add(
                id,
                fmt::format("The {} barrier stands in non-uniform control flow: whether an invocation gets "
                            "here is decided at {} and depends on {}.",
                            op == Op::workgroup_barrier ? "workgroup" : "storage",
                            faults.place(cause->branch), describe(program, faults, cause->source)),
                "move the barrier out of that branch or loop, or let the condition depend on uniforms, "
                "read-only storage and workgroup_id alone");
    }
}

}  // namespace muster::validation
