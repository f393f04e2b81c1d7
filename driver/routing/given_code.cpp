#include <algorithm>

#include <fmt/format.h>

#include <muster/driver/routing/given_code.hpp>
#include <muster/driver/routing/grid_barriers.hpp>
#include <muster/driver/routing/prepare.hpp>
#include <muster/foundation/ir/grid_barrier.hpp>
#include <muster/foundation/split/grid_split.hpp>

namespace muster::routing {
namespace {

/// True if code compiled with `made` does for a kernel prepared with `asked`. A size of subgroups that nobody
/// asks for may be any that the device has.
bool serves(const CompileOptions& made, const CompileOptions& asked, const Program& program,
            const DeviceInfo& info) {
    if (made.precision != asked.precision || made.unchecked != asked.unchecked || made.specs != asked.specs)
        return false;
    if (!program.needs().subgroups) return true;
    const std::uint32_t size = with_subgroup_size(asked, program, made.subgroup_size).subgroup_size;
    return made.subgroup_size == size && size >= info.subgroup_sizes.least &&
           size <= info.subgroup_sizes.most;
}

}  // namespace

std::optional<Artifact> given_code(std::span<const Artifact> codes, const DeviceInfo& info,
                                   const Program& program, const CompileOptions& asked) {
    for (const Artifact& code : codes) {
        if (code.fingerprint != program.fingerprint() || !serves(code.options, asked, program, info))
            continue;
        Artifact found = code;
        found.is_stored = true;
        return found;
    }
    return std::nullopt;
}

FittingCodes fitting_codes(const Backend& backend, const DeviceInfo& info, std::span<const Artifact> codes) {
    FittingCodes fitting;
    for (const Artifact& code : codes) {
        const bool is_of_this_backend = code.target.starts_with(std::string(backend.id()) + ":");
        const std::string objection =
            is_of_this_backend ? backend.objection(code, info) : fmt::format("it is for {}", code.target);
        if (objection.empty())
            fitting.codes.push_back(code);
        else
            fitting.objections += (fitting.objections.empty() ? "" : "; ") + objection;
    }
    return fitting;
}

bool is_covered(std::span<const Artifact> codes, const DeviceInfo& info, const Program& program,
                const CompileOptions& asked) {
    const auto is_there = [&](const Program& part) {
        return given_code(codes, info, part, asked).has_value();
    };
    if (codes.empty()) return false;
    if (!has_grid_barriers(program) || has_own_grid_barriers(info.ops)) return is_there(program);
    const auto split = split_at_grid_barriers(program, float_results(asked));
    if (!split ||
        !std::ranges::all_of(split->parts, [&](const SplitPart& part) { return is_there(*part.program); }))
        return false;
    if (!needs_idle_kernel(*split)) return true;
    const auto idle = idle_kernel();
    return idle && is_there(**idle);
}

}  // namespace muster::routing
