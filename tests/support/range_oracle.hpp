// range_oracle.hpp - compares the claims of the analysis of ranges about a program with what the interpreter
// sees.
#pragma once

#include <cstddef>
#include <set>
#include <span>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <muster/foundation/analysis/ranges/ranges.hpp>
#include <muster/foundation/interpreter/interpret.hpp>

namespace muster::test {

/// The name of the probe for branches: each branch's block begins with a store to this run-time array, far out
/// of bounds.
inline constexpr std::string_view probe = "trap";

class RangeOracle {
  public:
    explicit RangeOracle(const ValidProgram& program) : program_(program), ranges_(analyse_ranges(program)) {}

    const Ranges& ranges() const { return ranges_; }
    std::size_t runs() const { return runs_; }
    std::size_t held() const { return held_; }  // conditions that held, over all runs

    /// The first wrong claim about this launch, or "" if all are right (or the run took too long). Memory stays
    /// as the run leaves it.
    std::string fault(std::span<const BoundBytes> bindings, const LaunchGrid& grid,
                      std::uint64_t max_steps = 200'000) {
        std::vector<std::span<const std::byte>> bytes;
        for (const BoundBytes& one : bindings) bytes.push_back(one.bytes);
        const auto last = [](std::uint32_t origin, std::uint32_t extent) { return origin + (extent - 1); };
        const RangeFacts facts{
            .workgroup_low = grid.origin,
            .workgroup_high = {last(grid.origin.x, grid.extent.x), last(grid.origin.y, grid.extent.y),
                               last(grid.origin.z, grid.extent.z)},
            .num_workgroups = grid.grid,
            .bindings = bytes};
        values_ = evaluate(program_, ranges_, facts);
        for (const RangeCondition& condition : ranges_.conditions())
            held_ += holds(condition, values_) ? 1 : 0;
        const auto report = interpret(
            program_, bindings, grid,
            {.threads = 1, .report_out_of_bounds = true, .max_findings = 10'000, .max_steps = max_steps});
        if (!report) return report.error().code == ErrorCode::timed_out ? "" : report.error().to_string();
        ++runs_;
        for (const Finding& finding : report->findings)
            if (const std::string wrong = contradicts(finding); !wrong.empty()) return wrong;
        return {};
    }

  private:
    bool is_claimed(RangeProof proof) const {
        return proof.known == RangeKnown::always || (proof.known == RangeKnown::under_condition &&
                                                     holds(ranges_.conditions()[proof.condition], values_));
    }

    bool is_probe(NodeId id) const {
        const Op op = program_->node(id).op;
        return op == Op::store &&
               program_->variable(program_->root_variable(program_->operand(id, 0))).name == probe;
    }

    // Functions are inlined, so a position in the text may be many nodes: one of them must allow the finding.
    std::string contradicts(const Finding& finding) const {
        bool is_here = false, is_allowed = false;
        for (std::uint32_t i = 0; i < program_->node_count(); ++i) {
            const NodeId id{i};
            const Op op = program_->node(id).op;
            if (op == Op::if_) {
                for (const bool truth : {true, false}) {
                    const auto block = program_->block(program_->blocks(id)[truth ? 0 : 1]);
                    if (block.empty() || !is_probe(block[0]) || program_->location(block[0]) != finding.where)
                        continue;
                    is_here = true;
                    is_allowed |= !is_claimed(ranges_.decided(id, !truth));
                }
                continue;
            }
            const bool is_access = op == Op::load || op == Op::store || info(op).group == OpGroup::atomic ||
                                   op == Op::extract_dynamic;
            if (!is_access || finding.variable == probe || program_->location(id) != finding.where) continue;
            is_here = true;
            is_allowed |= !is_claimed(ranges_.in_bounds(id));
        }
        if (is_allowed || !is_here) return {};
        return fmt::format("line {}: claimed not to happen: {}", finding.where.line, finding.message);
    }

    ValidProgram program_;
    Ranges ranges_;
    std::vector<std::int64_t> values_;
    std::size_t runs_ = 0, held_ = 0;
};

}  // namespace muster::test
