// given_code.hpp - the code among those of an artifact file that does for a kernel. Pure. Internal to driver/.
#pragma once

#include <optional>
#include <span>

#include <muster/driver/contract/backend.hpp>
#include <muster/foundation/ir/program.hpp>

namespace muster {

/// The first code of this program that was compiled as asked; none if there is no such code. `codes`: those that the device
/// can load.
std::optional<Artifact> given_code(std::span<const Artifact> codes, const DeviceInfo& info,
                                   const Program& program, const CompileOptions& asked);

}  // namespace muster
