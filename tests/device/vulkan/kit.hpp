// kit.hpp - sessions and devices of backend-vulkan, for tests, in each configuration that a machine may need.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <support/programs.hpp>

#include <muster/backend-vulkan/backend.hpp>
#include <muster/driver/session/session.hpp>

namespace muster::vulkan {

/// Every way of copying, waiting and measuring time.
inline const std::array ways{VulkanOptions{.id = "vulkan"}, VulkanOptions{.id = "vulkan", .staged = true},
                             VulkanOptions{.id = "vulkan", .fences = true},
                             VulkanOptions{.id = "vulkan", .timestamps = true}};

inline std::shared_ptr<Fleet> fleet_of(const VulkanOptions& options) {
    FleetEntry entry{.id = "vulkan",
                     .rank = 50,
                     .dispatches = true,
                     .tags = {},
                     .supported_ops = supported_ops(),
                     .factory = [options]() -> Result<std::unique_ptr<Backend>> {
                         return std::make_unique<VulkanBackend>(options);
                     },
                     .fault = {}};
    return std::make_shared<Fleet>(std::vector{std::move(entry)});
}

inline Session session_of(const VulkanOptions& options) {
    return *Session::open({.fleet = fleet_of(options), .use_environment = false});
}

inline Kernel prepared(Session& session, const ValidProgram& program) {
    auto kernel = session.prepare(program);
    if (!kernel) FAIL(kernel.error().to_string());
    return *kernel;
}

}  // namespace muster::vulkan
