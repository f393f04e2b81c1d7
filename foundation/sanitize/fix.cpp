#include <fmt/format.h>

#include <muster/foundation/sanitize/fix.hpp>

namespace muster {
namespace {

std::string fix_of_race(const Finding& race) {
    if (race.between_workgroups)
        return "let each workgroup write elements of its own, or use atomics; no barrier within a dispatch "
               "orders two "
               "workgroups, except a grid barrier";
    if (!race.other_where || race.other_where->line == race.where.line)
        return "let one invocation alone do it, let each use an element of its own, or use atomics";
    return race.space == AddressSpace::workgroup ? "put workgroupBarrier(); between the two, or use atomics"
                                                 : "put storageBarrier(); between the two, or use atomics";
}

}  // namespace

std::string fix_of(const Finding& finding, bool is_sample) {
    switch (finding.kind) {
        case FindingKind::data_race: return fix_of_race(finding);
        case FindingKind::read_before_write:
            return finding.space == AddressSpace::workgroup
                       ? "write it first; if zero is meant, which WGSL promises here, store that zero"
                       : "write it first, or bind data";
        case FindingKind::out_of_bounds:
            return "compare the index with the length first; here such a load gives zero and a store does "
                   "nothing, on "
                   "every backend, but other implementations of WGSL may access another element";
        case FindingKind::divergent_subgroup:
            return "let all invocations of the subgroup get there; devices differ in what the others give";
        case FindingKind::inactive_invocation:
            return "read from an invocation that takes part; here the value is zero, and devices differ";
        case FindingKind::step_limit:
            return is_sample ? "look for a condition that never comes true, or allow more steps; if the loop "
                               "waits for "
                               "another workgroup, run all of them"
                             : "look for a condition that never comes true, or allow more steps; a loop that "
                               "waits for "
                               "another workgroup may wait forever on a device, too";
        case FindingKind::foreign_word:
            return finding.access == AccessKind::read
                       ? fmt::format(
                             "give each member all of it, {{\"{0}\", reads_whole({0})}}; the cut of the grid "
                             "is muster's own error: report it",
                             finding.variable)
                       : "index it by the workgroup's own ids; the cut of the grid is muster's own error: "
                         "report it";
        case FindingKind::non_uniform_barrier: return "move the barrier out of that branch or loop";
    }
    return {};
}

}  // namespace muster
