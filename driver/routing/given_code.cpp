#include <muster/driver/routing/given_code.hpp>
#include <muster/driver/routing/prepare.hpp>

namespace muster {
namespace {

/// True if code compiled with `made` does for a kernel prepared with `asked`. A size of subgroups that nobody asks for may be
/// any that the device has.
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

}  // namespace muster
