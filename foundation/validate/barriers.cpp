#include <string>

#include <fmt/format.h>

#include <muster/foundation/analysis/uniformity.hpp>
#include <muster/foundation/ir/grid_barrier.hpp>
#include <muster/foundation/validate/passes.hpp>

namespace muster::validation {
namespace {

std::string describe(const Program& program, const Faults& faults, NodeId source) {
    const Node& node = program.node(source);
    if (node.op == Op::builtin) {
        const Builtin builtin{static_cast<std::uint8_t>(node.payload)};
        return fmt::format("{}, which differs between {}", name(builtin),
                           builtin == Builtin::workgroup_id  ? "workgroups"
                           : builtin == Builtin::subgroup_id ? "subgroups"
                                                             : "invocations");
    }
    if (node.op == Op::load)
        return fmt::format("what \"{}\" holds at {}, which invocations may have written",
                           program.variable(program.root_variable(program.operand(source, 0))).name,
                           faults.place(source));
    return fmt::format("the result of {} at {}, which differs between invocations", info(node.op).name,
                       faults.place(source));
}

void check_workgroup_barriers(const Program& program, Faults& faults) {
    if (!program.required_ops().contains(Op::workgroup_barrier) &&
        !program.required_ops().contains(Op::storage_barrier))
        return;
    const Uniformity uniformity = analyse(program);
    for (std::uint32_t index = 0; index < program.node_count() && !faults.full(); ++index) {
        const NodeId id{index};
        const Op op = program.node(id).op;
        if (info(op).group != OpGroup::sync) continue;
        if (const auto cause = uniformity.cause_of_control(id))
            faults.add_non_uniform(
                id, cause->branch,
                fmt::format("The {} barrier stands in non-uniform control flow: whether an invocation gets "
                            "here is decided at {} and depends on {}.",
                            op == Op::workgroup_barrier ? "workgroup" : "storage",
                            faults.place(cause->branch), describe(program, faults, cause->source)),
                "move the barrier out of that branch or loop, or let the condition depend on uniforms, "
                "read-only storage and workgroup_id alone");
    }
}

bool takes_uniform_distance(Op op) {
    return op == Op::subgroup_shuffle_up || op == Op::subgroup_shuffle_down || op == Op::subgroup_shuffle_xor;
}

void check_subgroup_operations(const Program& program, Faults& faults) {
    const auto must_be_uniform = [&](NodeId id) {
        const Node& node = program.node(id);
        return info(node.op).group == OpGroup::subgroup && node.payload == 0;
    };
    if (!program.needs().subgroups) return;
    const Uniformity uniformity = analyse(program);
    for (std::uint32_t index = 0; index < program.node_count() && !faults.full(); ++index) {
        const NodeId id{index};
        if (!must_be_uniform(id)) continue;
        const Op op = program.node(id).op;
        if (const auto cause = uniformity.cause_of_control(id, UniformOver::subgroup))
            faults.add_non_uniform(
                id, cause->branch,
                fmt::format("{} stands in control flow that isn't uniform over the subgroup: whether an "
                            "invocation gets here is decided at {} and depends on {}.",
                            info(op).name, faults.place(cause->branch),
                            describe(program, faults, cause->source)),
                "move it out of that branch or loop; or, if it is meant for those invocations that get here, "
                "write diagnostic(off, subgroup_uniformity); at the top of the text");
        const auto source = takes_uniform_distance(op)
                                ? uniformity.source_of(program.operand(id, 1), UniformOver::subgroup)
                                : std::nullopt;
        if (source)
            faults.add(
                id,
                fmt::format("The second operand of {} isn't uniform over the subgroup: it depends on {}.",
                            info(op).name, describe(program, faults, *source)),
                "use subgroupShuffle with the number of the invocation to read from");
    }
}

// Checks that each gridUniformLoad of a block follows a grid barrier: the value it reads is
// fixed when all have arrived.
void check_order(const Program& program, BlockId block, Faults& faults) {
    bool is_behind_barrier = false;
    for (const NodeId id : program.block(block)) {
        if (is_grid_uniform_load(program, id) && !is_behind_barrier)
            faults.add(
                id, "gridUniformLoad doesn't directly follow a grid barrier.",
                "write gridBarrier(); in front of it, in the same block, with no store, atomic, declaration "
                "or control flow in between; let declarations, loads and arithmetic may be");
        if (is_grid_barrier(program, id))
            is_behind_barrier = true;
        else if (!is_grid_uniform_load(program, id) && !info(program.node(id).op).pure)
            is_behind_barrier = false;
    }
}

void check_grid_barriers(const Program& program, Faults& faults) {
    if (!has_grid_barriers(program)) return;
    const Uniformity uniformity = analyse(program, Returned::arrived);
    for (std::uint32_t index = 0; index < program.node_count() && !faults.full(); ++index) {
        const NodeId id{index};
        if (is_grid_barrier(program, id)) {
            if (const auto cause = uniformity.cause_of_control(id, UniformOver::grid))
                faults.add_non_uniform(
                    id, cause->branch,
                    fmt::format(
                        "The grid barrier stands in control flow that isn't uniform over the grid: whether "
                        "an invocation gets here is decided at {} and depends on {}.",
                        faults.place(cause->branch), describe(program, faults, cause->source)),
                    "move the barrier out of that branch or loop, or let the condition depend on uniforms, "
                    "read-only "
                    "storage, num_workgroups and gridUniformLoad alone; to leave out invocations, return "
                    "early: one "
                    "that has returned counts as arrived");
        } else if (is_grid_uniform_load(program, id)) {
            if (const auto source = uniformity.source_of(program.operand(id, 0), UniformOver::grid))
                faults.add(
                    id,
                    fmt::format("gridUniformLoad takes a place that isn't the same over the grid: its index "
                                "depends on {}.",
                                describe(program, faults, *source)),
                    "let the index depend on constants, uniforms, read-only storage, num_workgroups and "
                    "gridUniformLoad alone");
        }
    }
    for (std::uint32_t index = 0; index < program.block_count() && !faults.full(); ++index)
        check_order(program, BlockId{index}, faults);
}

}  // namespace

void check_barriers(const Program& program, Faults& faults) {
    check_workgroup_barriers(program, faults);
    check_subgroup_operations(program, faults);
    check_grid_barriers(program, faults);
}

}  // namespace muster::validation
