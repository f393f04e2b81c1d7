#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <muster/cluster/execution/hints.hpp>
#include <muster/driver/policy/log.hpp>

namespace muster {
namespace {

std::string place_of(const Program& program, NodeId node) {
    const SourceLocation where = program.location(node);
    return where.line == 0 ? std::string() : ", at " + to_string(where, program.file(where));
}

/// Values of a whole grid.
FootprintValues values_of(const Footprint& footprint, std::span<const ClusterBound> bound, Extent3 grid) {
    std::vector<KnownBinding> known;
    for (const ClusterBound& each : bound)
        known.push_back({each.buffer ? each.buffer->bytes : each.value.size(), each.value});
    FootprintValues values(footprint, {.grid = grid, .bindings = known});
    values.set_box({0, 0, 0}, {grid.x - 1, grid.y - 1, grid.z - 1});
    return values;
}

/// Why the hint for a binding does nothing; nothing if it may help. Phases between grid barriers know less
/// of indices than the whole program does, and one may write what another one reads: there, only that
/// nothing is loaded is certain.
std::optional<std::string> why_idle(const Footprint& footprint, const FootprintValues& values,
                                    std::uint32_t binding, bool has_phases) {
    bool loads = false, loads_anywhere = false;
    NodeId write;
    for (std::size_t i = 0; i < footprint.accesses.size(); ++i) {
        const FootprintAccess& access = footprint.accesses[i];
        if (access.binding != binding) continue;
        const FootprintValues::Words words = values.words(i);
        if (access.writes && words.begin < words.end) write = access.node;
        if (access.writes || !access.reads) continue;
        loads = true;
        loads_anywhere |= !values.is_bounded(i);
    }
    if (!loads) return "the program loads nothing of it";
    if (has_phases) return std::nullopt;
    if (!loads_anywhere) return "the indices of its loads are bounded";
    if (write) return fmt::format("the program also writes it{}", place_of(footprint.program, write));
    return std::nullopt;
}

}  // namespace

Result<void> check_hints(const ClusterKernel::State& kernel, std::span<const ClusterBound> bound,
                         Extent3 grid) {
    const Validation validation = kernel.session->validation();
    if (validation == Validation::off || grid.count() == 0 ||
        std::ranges::none_of(bound, &ClusterBound::reads_whole))
        return {};
    const Program& program = *kernel.program;
    const Footprint footprint = kernel.split ? analyse_footprint(program) : kernel.parts.front().footprint;
    const FootprintValues values = values_of(footprint, bound, grid);
    for (std::uint32_t i = 0; i < bound.size(); ++i) {
        if (!bound[i].reads_whole) continue;
        const auto why = why_idle(footprint, values, i, kernel.split.has_value());
        if (!why) continue;
        const std::string& name = program.variable(program.bindings()[i]).name;
        std::string message = fmt::format("reads_whole(\"{}\") changes nothing of how {} is cut: {}.", name,
                                          program.entry(), *why);
        std::string fix = fmt::format("give \"{}\" the buffer alone", name);
        if (validation == Validation::error)
            return fail(ErrorCode::invalid_argument, std::move(message), std::move(fix));
        log_once(LogLevel::warning, fmt::format("hint {} {}", to_string(program.fingerprint()), i),
                 fmt::format("{} Fix: {}", message, fix));
    }
    return {};
}

}  // namespace muster
