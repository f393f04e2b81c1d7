// The devices found on a machine, and the reasons if there are none.
#include <cstdlib>

#include <muster/backend-cuda/native/physical_device.hpp>

#include "kit.hpp"

using namespace muster;
using namespace muster::cuda;

namespace {

/// Sets an environment variable during its lifetime.
class Environment {
  public:
    Environment(const char* name, const char* value) : name_(name) { setenv(name, value, 1); }
    ~Environment() { unsetenv(name_); }
    Environment(const Environment&) = delete;
    Environment& operator=(const Environment&) = delete;

  private:
    const char* name_;
};

}  // namespace

TEST_CASE("devices are found with what they are like") {
    Machine machine;
    machine.fake.version = 12040;
    machine.fake.devices = {
        {.name = "NVIDIA H200", .uuid = {1, 2, 3}},
        {.name = "NVIDIA T4", .major = 7, .minor = 5, .memory_bytes = std::uint64_t{64} << 30}};
    const auto found = machine.backend()->probe();
    REQUIRE(found);
    REQUIRE(found->size() == 2);
    const DeviceInfo& first = (*found)[0];
    CHECK(first.ordinal == 0);
    CHECK(first.name == "NVIDIA H200");
    CHECK(first.arch == "sm_90");
    CHECK(first.kind == DeviceKind::discrete_gpu);
    CHECK_FALSE(first.software_emulated);
    CHECK(first.uuid == std::array<std::uint8_t, 16>{1, 2, 3});
    CHECK(first.driver == "NVIDIA's, for CUDA 12.4");
    CHECK(first.memory_bytes == std::uint64_t{1} << 30);
    CHECK(first.subgroup_size == 32);
    CHECK(first.limits.max_workgroup_size == Extent3{1024, 1024, 64});
    CHECK(first.limits.max_workgroup_invocations == 1024);
    CHECK(first.limits.max_workgroup_bytes == 100 << 10);
    CHECK(first.limits.max_workgroups == Extent3{INT32_MAX, 65535, 65535});
    CHECK(first.exactness.exact());
    CHECK((*found)[1].arch == "sm_75");
    CHECK((*found)[1].ordinal == 1);
    CHECK(first.hardware == DeviceHardware{.compute_units = 4,
                                           .clock_mhz = 1980,
                                           .free_memory_bytes = std::nullopt,
                                           .vendor = 0x10de,
                                           .device = std::nullopt,
                                           .pci_address = PciAddress{0, 0x3b, 0, 0},
                                           .unified_memory = false,
                                           .asynchronous_copies = true});
    // No negative i32 is an index within bounds.
    CHECK(first.limits.max_storage_binding_bytes == first.memory_bytes);
    CHECK((*found)[1].limits.max_storage_binding_bytes == std::uint64_t{8} << 30);
}

TEST_CASE("a device whose compute mode is prohibited isn't among them; the ordinals of others stay") {
    Machine machine;
    machine.fake.devices = {{.prohibited = true}, {.name = "free"}};
    const auto backend = machine.backend();
    const auto found = backend->probe();
    REQUIRE(found);
    REQUIRE(found->size() == 1);
    CHECK(found->front().ordinal == 1);
    CHECK(backend->open(1));
    CHECK(backend->open(0).error().message == "There is no CUDA device 0 among the 1 that can be used.");
    machine.fake.devices[1].prohibited = true;
    const auto none = machine.backend()->probe();
    REQUIRE_FALSE(none);
    CHECK(none.error().code == ErrorCode::unavailable);
    CHECK(none.error().message.starts_with(
        "No CUDA device can be used: Fake GPU is in the compute mode \"prohibited\"."));
}

TEST_CASE("why there is no device") {
    const auto error_of = [](const auto& set) {
        Machine machine;
        set(machine.fake);
        const auto found = machine.backend()->probe();
        REQUIRE_FALSE(found);
        return found.error();
    };
    using Fake = test::FakeDriver;
    unsetenv("CUDA_VISIBLE_DEVICES");
    CHECK(error_of([](Fake& fake) { fake.init = CUDA_ERROR_NO_DEVICE; }).message ==
          "NVIDIA's driver is there and finds no device.");
    const Error none = error_of([](Fake& fake) { fake.devices.clear(); });
    CHECK(none.message == "NVIDIA's driver is there and finds no device.");
    CHECK(none.code == ErrorCode::not_found);  // absent; the other cases are broken
    {
        const Environment hidden("CUDA_VISIBLE_DEVICES", "");
        const Error error = error_of([](Fake& fake) { fake.init = CUDA_ERROR_NO_DEVICE; });
        CHECK(error.message == "NVIDIA's driver shows no device: CUDA_VISIBLE_DEVICES is \"\".");
        CHECK(error.fix ==
              "unset CUDA_VISIBLE_DEVICES, or name devices that there are (nvidia-smi -L lists them)");
    }
    CHECK(error_of([](Fake& fake) { fake.version = 11080; }).message ==
          "NVIDIA's driver is for CUDA 11.8, older than the 12.0 that is needed.");
    const Error stub = error_of([](Fake& fake) { fake.init = CUDA_ERROR_STUB_LIBRARY; });
    CHECK(stub.code == ErrorCode::unavailable);
    CHECK(stub.to_string() ==
          "CUDA says: CUDA_ERROR_STUB_LIBRARY.\n  while calling cuInit\nFix: take the Toolkit's stubs "
          "folder, whose "
          "libcuda has nothing in it, out of LD_LIBRARY_PATH");
    CHECK(error_of([](Fake& fake) { fake.init = CUDA_ERROR_SYSTEM_DRIVER_MISMATCH; }).fix ==
          "reinstall NVIDIA's driver, or restart the machine");
}

TEST_CASE("without NVRTC every device says that it compiles nothing, before anything is compiled") {
    Machine machine;
    machine.fake.devices = {{}, {}};
    CudaOptions options = machine.options();
    options.missing_compiler = [] { return std::optional(Missing{"There is no NVRTC.", "install it"}); };
    const auto found = CudaBackend(options).probe();
    REQUIRE(found);
    REQUIRE(found->size() == 2);
    for (const DeviceInfo& info : *found)
        CHECK(info.no_compiler == Missing{"There is no NVRTC.", "install it"});
    CHECK_FALSE(machine.backend()->probe()->front().no_compiler);
    const auto device = CudaBackend(options).open(0);
    REQUIRE(device);
    CHECK((*device)->info().no_compiler);
}

TEST_CASE("several devices: each session uses the one that it asks for, in a context of its own") {
    Machine machine;
    machine.fake.devices = {{}, {}, {}};
    const auto backend = machine.backend();
    const auto first = backend->open(0), third = backend->open(2), again = backend->open(2);
    REQUIRE(first);
    REQUIRE(third);
    CHECK((*third)->info().ordinal == 2);
    CHECK(machine.fake.alive_contexts() == 2);
    const auto memory = (*first)->allocate(64);
    CHECK(memory);
}

TEST_CASE("free memory is told of a device in use, which asking doesn't make one") {
    Machine machine;
    const auto backend = machine.backend();
    REQUIRE(backend->probe());
    CHECK_FALSE(backend->free_memory(0));
    auto device = *backend->open(0);
    const auto before = backend->free_memory(0);
    REQUIRE(before);
    CHECK(*before <= std::uint64_t{1} << 30);
    const auto memory = *device->allocate(std::uint64_t{64} << 20);
    CHECK(*backend->free_memory(0) < *before);
    CHECK_FALSE(backend->free_memory(7));
}
