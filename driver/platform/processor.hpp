// processor.hpp - what the system tells of the machine's processors, and how many this process may use. Threads: any.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <muster/foundation/base/api.hpp>

namespace muster::platform {
MUSTER_API_BEGIN

/// "AMD EPYC 9654 96-Core Processor"; empty: unknown.
std::string processor_name();
/// The highest frequency; 0: unknown.
std::uint32_t processor_mhz();
/// True if aarch64's optional dot product instructions are there.
bool has_dot_products();

/// The processors that this process may use: within its affinity and its control group's quota.
std::uint32_t usable_processors();

MUSTER_API_END

/// Processors that a control group's quota allows, rounded up; `otherwise` if the texts set no
/// quota. Exposed for tests.
std::uint32_t quota_processors(std::string_view quota, std::string_view period, std::uint32_t otherwise);

}  // namespace muster::platform
