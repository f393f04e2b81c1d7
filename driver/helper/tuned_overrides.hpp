// tuned_overrides.hpp - the override constants that were measured to be fastest on a device,
// kept for later processes.
//
//     auto overrides = tuned_overrides(text, "main", "cuda", device, Precision::exact);    // `muster bench --tune` keeps them
//     auto program = wgsl::parse(text, {.entry = "main", .overrides = overrides});
//
// They count for this text and entry point, as long as the device has the same name and driver and muster is
// the same build. Threads and processes: any.
#pragma once

#include <string_view>
#include <vector>

#include <muster/driver/contract/artifact.hpp>
#include <muster/driver/contract/device_info.hpp>
#include <muster/driver/helper/verdicts.hpp>
#include <muster/foundation/base/api.hpp>
#include <muster/foundation/wgsl/wgsl.hpp>

namespace muster {
MUSTER_API_BEGIN

/// Keeps overrides in place of earlier ones; none means the text's own defaults.
void keep_tuned_overrides(std::string_view text, std::string_view entry, std::string_view backend,
                          const DeviceInfo& device, Precision precision,
                          const std::vector<wgsl::OverrideValue>& overrides,
                          const Verdicts& in = Verdicts::process());
/// The overrides; empty if none are kept.
std::vector<wgsl::OverrideValue> tuned_overrides(std::string_view text, std::string_view entry,
                                                 std::string_view backend, const DeviceInfo& device,
                                                 Precision precision,
                                                 const Verdicts& in = Verdicts::process());

MUSTER_API_END
}  // namespace muster
