// refusals.hpp - errors that every backend gives alike: of Backend::open, Backend::describe, Device::compile,
// Device::load and Device::allocate.
//
//     if (ordinal >= devices.size()) return no_such_device("Vulkan", ordinal, devices.size());
//
// Threads: any.
#pragma once

#include <cstdint>
#include <string_view>

#include <muster/foundation/base/api.hpp>
#include <muster/foundation/base/result.hpp>
#include <muster/foundation/ir/program.hpp>

namespace muster {
MUSTER_API_BEGIN

/// Error: not_found. `api`: as errors write it; `count`: of the devices that there are.
std::unexpected<Error> no_such_device(std::string_view api, std::uint32_t ordinal, std::size_t count);
/// Error: not_found. `known`: the targets that there are, such as "sm_70, sm_75".
std::unexpected<Error> no_such_target(std::string_view api, std::string_view arch, std::string_view known);
/// Succeeds if `ops` has all that the program uses. A backend asks before it lowers: the driver expands
/// programs first and splits them at grid barriers, but whoever calls a backend without the driver may
/// not. Errors: unsupported.
Result<void> check_operations(std::string_view api, const Program& program, const OpSet& ops);
/// Error: invalid_argument. `loaded`: what can be loaded; `format`: the artifact's.
std::unexpected<Error> not_loadable(std::string_view api, std::string_view loaded, std::string_view format);
/// Error: limit_exceeded. `most`: the bytes that the device allocates at once.
std::unexpected<Error> too_large_buffer(std::string_view device, std::uint64_t bytes, std::uint64_t most);

MUSTER_API_END
}  // namespace muster
