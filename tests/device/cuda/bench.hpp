// bench.hpp - a device on the fake driver with saxpy on it, without a session, for tests.
#pragma once

#include <array>
#include <chrono>
#include <memory>
#include <span>
#include <variant>

#include "kit.hpp"

namespace muster::cuda {

struct Bench {
    explicit Bench(Machine& machine) : backend(machine.backend()), device(*backend->open(0)) {
        auto artifact = device->compile(test::saxpy(), {});
        if (!artifact) FAIL(artifact.error().to_string());
        executable = *device->load(*artifact);
        std::array<float, 64> ones{};
        ones.fill(1.0f);
        for (auto* memory : {&a, &x, &y}) *memory = *device->allocate(256);
        for (auto* memory : {&a, &x}) REQUIRE(device->write(**memory, 0, std::as_bytes(std::span(ones))));
        bound = {BoundMemory{a.get(), 0, 4}, BoundMemory{x.get(), 0, 256}, BoundMemory{y.get(), 0, 256}};
    }
    /// Submits y += x.
    std::shared_ptr<Submission> submit() {
        auto submitted = device->submit(
            {.executable = executable.get(), .bindings = bound, .extent = {1, 1, 1}, .grid = {1, 1, 1}});
        if (!submitted) FAIL(submitted.error().to_string());
        return std::get<std::shared_ptr<Submission>>(*std::move(submitted));
    }
    float result() {
        float first = 0;
        REQUIRE(device->read(*y, 0, std::as_writable_bytes(std::span(&first, 1))));
        return first;
    }

    std::unique_ptr<CudaBackend> backend;
    std::unique_ptr<Device> device;
    std::unique_ptr<Executable> executable;
    std::unique_ptr<Memory> a, x, y;
    std::array<BoundMemory, 3> bound;
};

}  // namespace muster::cuda
