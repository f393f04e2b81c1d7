// bench.hpp - a device with saxpy on it, without a session, for tests.
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <memory>
#include <span>
#include <variant>

#include "kit.hpp"

namespace muster::vulkan {

struct Bench {
    explicit Bench(const VulkanOptions& options) : backend(options), device(*backend.open(0)) {
        auto artifact = device->compile(test::saxpy(), {});
        if (!artifact) FAIL(artifact.error().to_string());
        executable = *device->load(*artifact);
        const std::array<float, 64> ones = [] {
            std::array<float, 64> all{};
            all.fill(1.0f);
            return all;
        }();
        for (auto* memory : {&a, &x, &y}) *memory = *device->allocate(256);
        for (auto* memory : {&a, &x}) REQUIRE(device->write(**memory, 0, std::as_bytes(std::span(ones))));
        bound = {BoundMemory{a.get(), 0, 4}, BoundMemory{x.get(), 0, 256}, BoundMemory{y.get(), 0, 256}};
    }
    /// Submits y += x, done by the first workgroup; the others do nothing, but take time.
    std::shared_ptr<Submission> submit(std::uint32_t workgroups = 1) {
        const Extent3 grid{workgroups, 1, 1};
        auto submitted =
            device->submit({.executable = executable.get(), .bindings = bound, .extent = grid, .grid = grid});
        if (!submitted) FAIL(submitted.error().to_string());
        return std::get<std::shared_ptr<Submission>>(*std::move(submitted));
    }
    /// Submits a launch that does nothing, but takes time.
    std::shared_ptr<Submission> submit_idle(std::uint32_t rows) {
        const Extent3 grid{65'535, rows, 1}, beyond{64, 0, 0};
        auto submitted = device->submit({.executable = executable.get(),
                                         .bindings = bound,
                                         .origin = beyond,
                                         .extent = grid,
                                         .grid = grid});
        if (!submitted) FAIL(submitted.error().to_string());
        return std::get<std::shared_ptr<Submission>>(*std::move(submitted));
    }
    float result() {
        float first = 0;
        REQUIRE(device->read(*y, 0, std::as_writable_bytes(std::span(&first, 1))));
        return first;
    }

    VulkanBackend backend;
    std::unique_ptr<Device> device;
    std::unique_ptr<Executable> executable;
    std::unique_ptr<Memory> a, x, y;
    std::array<BoundMemory, 3> bound;
};

}  // namespace muster::vulkan
