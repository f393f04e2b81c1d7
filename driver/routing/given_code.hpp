// given_code.hpp - the codes of an artifact file that a device loads, and the one among them that does for a
// kernel. Pure. Internal to driver/.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include <muster/driver/contract/backend.hpp>
#include <muster/foundation/ir/program.hpp>

namespace muster::routing {

/// The codes that a device loads, and why it loads none of the others: "it is for cuda:sm_90; it
/// is for cpu:aarch64, ...".
struct FittingCodes {
    std::vector<Artifact> codes;
    std::string objections;
};
FittingCodes fitting_codes(const Backend& backend, const DeviceInfo& info, std::span<const Artifact> codes);

/// The first code of this program that was compiled as asked; none if there is no such code. `codes`: those
/// that the device can load.
std::optional<Artifact> given_code(std::span<const Artifact> codes, const DeviceInfo& info,
                                   const Program& program, const CompileOptions& asked);

/// True if these codes are all that a device needs to run the program without compiling anything: the
/// program's, or where the driver splits it at its grid barriers, those of all its parts.
bool is_covered(std::span<const Artifact> codes, const DeviceInfo& info, const Program& program,
                const CompileOptions& asked);

}  // namespace muster::routing
