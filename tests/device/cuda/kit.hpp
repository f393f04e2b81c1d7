// kit.hpp - backend-cuda on the fake driver, for tests, in each configuration that a device may need.
#pragma once

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <support/fake_compiler.hpp>
#include <support/fake_driver.hpp>
#include <support/programs.hpp>

#include <muster/backend-cuda/backend.hpp>
#include <muster/backend-cuda/native/instance.hpp>
#include <muster/driver/session/session.hpp>

namespace muster::cuda {

/// A machine with the fake driver; it must be clean at its end: no complaints, no objects left.
struct Machine {
    test::FakeDriver fake;
    test::FakeCompilerOptions compiler;
    bool with_nvrtc = false;  // the backend's own compiler
    bool timestamps = true;
    bool must_be_clean = true;

    Machine() = default;
    Machine(const Machine&) = delete;
    Machine& operator=(const Machine&) = delete;
    ~Machine() {
        for (const std::string& complaint : fake.complaints()) FAIL_CHECK(complaint);
        CHECK(test::FakeDriver::pushed() == 0);
        if (must_be_clean) CHECK(fake.alive() == 0);
    }

    /// The options; all share one instance, as in a process.
    CudaOptions options() {
        return {.id = "cuda",
                .instance = [this]() -> Result<std::shared_ptr<Instance>> {
                    const std::lock_guard lock(mutex_);
                    if (instance_) return instance_;
                    auto made = Instance::create(fake.table());
                    if (made) instance_ = *made;
                    return made;
                },
                .compiler = with_nvrtc ? Compiler() : test::fake_compiler(fake, compiler),
                .timestamps = timestamps};
    }
    std::unique_ptr<CudaBackend> backend() { return std::make_unique<CudaBackend>(options()); }
    Session session() {
        FleetEntry entry{.id = "cuda",
                         .rank = 10,
                         .dispatches = true,
                         .tags = {},
                         .supported_ops = supported_ops(),
                         .factory = [this]() -> Result<std::unique_ptr<Backend>> { return backend(); },
                         .fault = {}};
        return *Session::open({.fleet = std::make_shared<Fleet>(std::vector{std::move(entry)}),
                               .use_environment = false,
                               .close_timeout = std::chrono::milliseconds(200)});
    }

  private:
    std::mutex mutex_;
    std::shared_ptr<Instance> instance_;
};

/// A way of allocating memory and of measuring time.
struct Way {
    bool pools = true, timestamps = true;
    void set(Machine& machine) const {
        machine.fake.devices[0].pools = pools;
        machine.timestamps = timestamps;
    }
};
inline constexpr std::array ways{Way{true, true}, Way{false, true}, Way{true, false}};

inline Kernel prepared(Session& session, const ValidProgram& program) {
    auto kernel = session.prepare(program);
    if (!kernel) FAIL(kernel.error().to_string());
    return *kernel;
}

}  // namespace muster::cuda
