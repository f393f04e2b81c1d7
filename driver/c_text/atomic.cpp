// Atomic operations, operations of subgroups, and grid barriers. Atomic operations are relaxed; other
// memory is ordered by barriers.
#include <algorithm>

#include <fmt/format.h>

#include <muster/driver/c_text/lowering.hpp>
#include <muster/foundation/analysis/grid_phase.hpp>
#include <muster/foundation/ir/grid_barrier.hpp>

namespace muster::c_text {

// An out-of-bounds operation is skipped and yields zero.
void Lowering::atomic(NodeId node) {
    const NodeId reference = program_.operand(node, 0);
    const VariableId variable = program_.root_variable(reference);
    const AccessText at = reference_text(node, reference);
    std::vector<std::string> operands;
    for (const NodeId operand : program_.operands(node).subspan(1)) operands.push_back(text(operand));
    const std::string called =
        dialect_.atomic(*this, {program_.node(node).op, types_[program_.type(reference)].scalar,
                                program_.variable(variable).space, address_of(at.at.text), operands});
    used_by(node);
    keep_all_that_read(variable);
    if (uses_.count(node) != 0) return keep_guarded(node, at, called);
    if (at.never) return;
    line(at.guard.empty() ? called + ";" : fmt::format("if ({}) {};", at.guard, called));
}

void Lowering::keep_guarded(NodeId node, const AccessText& at, const std::string& called) {
    const std::string zero = types_.zero(program_.type(node));
    if (at.never) return keep(node, {zero});
    if (at.guard.empty()) return keep(node, {called});
    keep(node, {fmt::format("{} ? {} : {}", at.guard, called, zero), Precedence::choice});
}

// The result is a local, so that it is computed here by all that get here, and not in a
// choice or after a branch.
void Lowering::subgroup_operation(NodeId node) {
    const auto operands = program_.operands(node);
    const TypeId type = program_.type(operands[0]);
    const std::string given = short_text(operands[0]);
    SubgroupCall call{program_.node(node).op, types_[type].scalar, program_.node(node).payload == may_diverge,
                      given, operands.size() > 1 ? short_text(operands[1]) : ""};
    std::string made;
    if (types_[type].kind == TypeKind::scalar) {
        made = dialect_.subgroup(*this, call);
    } else {
        std::vector<std::string> parts;
        for (std::uint32_t k = 0; k < types_[type].width; ++k) {
            call.value = fmt::format("{}.{}", given, components[k]);
            parts.push_back(dialect_.subgroup(*this, call));
        }
        made = types_.composed(type, parts);
    }
    used_by(node);
    keep(node, {made});
}

void Lowering::grid_barrier() {
    keep_all_that_read_memory();
    dialect_.grid_barrier(*this);
}

// A grid barrier follows if the variable may be overwritten later: all invocations
// must have loaded it by then.
void Lowering::grid_uniform_load(NodeId node) {
    if (uses_.count(node) != 0) {
        const NodeId reference = program_.operand(node, 0);
        const AccessText at = reference_text(node, reference);
        const std::string called =
            dialect_.atomic(*this, {Op::atomic_load,
                                    types_[program_.type(node)].scalar,
                                    program_.variable(program_.root_variable(reference)).space,
                                    address_of(at.at.text),
                                    {}});
        used_by(node);
        keep_guarded(node, at, called);
        meets_again_ = meets_again_ || may_be_overwritten(program_, node);
    }
    if (!meets_again_ || is_followed_by_load(node)) return;
    meets_again_ = false;
    grid_barrier();
}

bool Lowering::is_followed_by_load(NodeId node) const {
    const auto nodes = program_.block(uses_.block(node));
    for (auto next = std::ranges::find(nodes, node) + 1; next != nodes.end(); ++next) {
        if (is_grid_uniform_load(program_, *next)) return true;
        if (!info(program_.node(*next).op).pure) return false;
    }
    return false;
}

}  // namespace muster::c_text
