// The backend's description of its devices, and its errors for devices that can't be used.
#include <array>
#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

#include <unistd.h>

#include <muster/backend-vulkan/device/sample.hpp>
#include <muster/backend-vulkan/native/instance.hpp>
#include <muster/backend-vulkan/native/physical_device.hpp>
#include <muster/driver/process/backends.hpp>
#include <muster/driver/registry/freeze.hpp>
#include <muster/driver/routing/fit.hpp>

#include "kit.hpp"

using namespace muster;
using namespace muster::vulkan;

namespace {

VkQueueFamilyProperties family(VkQueueFlags flags, std::uint32_t count = 1) {
    return {.queueFlags = flags, .queueCount = count, .timestampValidBits = 64};
}

}  // namespace

TEST_CASE("it is registered, comes before the CPU, and claims dispatch") {
    CHECK(backend_precedence("vulkan") == 50);
    CHECK(backend_dispatches("vulkan"));
    const auto backend = acquire("vulkan");
    REQUIRE(backend);
    CHECK((*backend)->id() == "vulkan");
}

TEST_CASE("devices have what they say themselves, and the processor is said to be emulated") {
    VulkanBackend backend;
    const auto devices = backend.probe();
    if (!devices) FAIL(devices.error().to_string());
    for (std::uint32_t ordinal = 0; ordinal < devices->size(); ++ordinal) {
        const DeviceInfo& info = (*devices)[ordinal];
        CHECK(info.ordinal == ordinal);
        CHECK(info.software_emulated == (info.kind == DeviceKind::cpu));
        CHECK(info.uuid != std::array<std::uint8_t, 16>{});
        CHECK(info.driver != "");
        CHECK(info.limits.max_workgroups.x >= 65535);
        CHECK(info.limits.max_storage_binding_bytes >= std::uint64_t{1} << 27);
        CHECK(parse_version(info.arch));
        CHECK((*backend.open(ordinal))->info().name == info.name);
    }
    const auto none = backend.open(static_cast<std::uint32_t>(devices->size()));
    REQUIRE_FALSE(none);
    CHECK(none.error().code == ErrorCode::not_found);
}

TEST_CASE(
    "a family of queues for computing alone is preferred; without one that computes there is no choice") {
    constexpr VkQueueFlags graphics = VK_QUEUE_GRAPHICS_BIT, compute = VK_QUEUE_COMPUTE_BIT,
                           transfer = VK_QUEUE_TRANSFER_BIT;
    const std::array usual{family(graphics | compute | transfer), family(transfer),
                           family(compute | transfer)};
    CHECK(choose_queue(usual)->family == 2);
    const std::array shared{family(transfer), family(graphics | compute), family(graphics | compute)};
    CHECK(choose_queue(shared)->family == 1);
    const std::array none{family(graphics), family(transfer), family(compute, 0)};
    CHECK_FALSE(choose_queue(none));
}

TEST_CASE("a device without a queue that computes is named, and so is an old one") {
    const auto instance = Instance::process();
    REQUIRE(instance);
    InstanceTable table = (*instance)->table();
    table.vkGetPhysicalDeviceQueueFamilyProperties = [](VkPhysicalDevice, std::uint32_t* count,
                                                        VkQueueFamilyProperties* list) {
        if (list) *list = family(VK_QUEUE_GRAPHICS_BIT);
        *count = 1;
    };
    auto found = physical_devices(**instance, table);
    REQUIRE_FALSE(found);
    CHECK(found.error().code == ErrorCode::unavailable);
    CHECK(found.error().message.find("has no queue that computes.") != std::string::npos);

    table = (*instance)->table();
    table.vkGetPhysicalDeviceProperties = [](VkPhysicalDevice, VkPhysicalDeviceProperties* properties) {
        *properties = {.apiVersion = VK_API_VERSION_1_0, .deviceName = "Old"};
    };
    found = physical_devices(**instance, table);
    REQUIRE_FALSE(found);
    CHECK(found.error().message == "No Vulkan device can be used: Old knows Vulkan 1.0 only.");

    table.vkEnumeratePhysicalDevices = [](VkInstance, std::uint32_t* count, VkPhysicalDevice*) {
        *count = 0;
        return VK_SUCCESS;
    };
    CHECK(physical_devices(**instance, table).error().message == "The Vulkan loader finds no device.");
}

TEST_CASE("what is more than a device has is refused with both numbers") {
    Session session = session_of({});
    IrBuilder ir("large", {64, 1, 1});
    const TypeId words = ir.types().array(u32_type, 1 << 18);
    const VariableId shared =
        ir.variable({.name = "shared", .type = words, .space = AddressSpace::workgroup});
    ir.store(ir.ref_index(ir.ref(shared), ir.constant(1u)), ir.constant(2u));
    const auto refused = session.prepare(test::valid(std::move(ir)));
    REQUIRE_FALSE(refused);
    CHECK(refused.error().to_string().find("needs 1048576 bytes of workgroup memory, more than the ") !=
          std::string::npos);
}

TEST_CASE("the judge of samples: what is right is sampled, what isn't is no, what is promised stays") {
    const std::vector<SampleCase> cases = sample_cases();
    CHECK(cases.size() % 64 == 0);
    CHECK(cases.size() >= 4000);
    const auto device = [&](auto&& compute) {
        std::vector<SampleResult> results;
        for (const auto& [x, y, z, unused] : cases) results.push_back(compute(x, y, z));
        return evaluate({.round_to_nearest_even = Promise::promised}, cases, results);
    };
    const Exactness exact = device([](float x, float y, float z) {
        return SampleResult{x / y, std::sqrt(x), std::fma(x, y, z), x + y, x * y, {}, {}};
    });
    CHECK(exact.round_to_nearest_even == Promise::promised);
    for (const Promise promise : {exact.division, exact.square_root, exact.fma, exact.subnormals})
        CHECK(promise == Promise::sampled);
    CHECK(exact.signed_zero_inf_nan == Promise::no);  // no sample can show it
    // Like processors with a reciprocal, its root, and no fused multiply-add.
    const Exactness fast = device([](float x, float y, float z) {
        const float root = std::sqrt(x);
        return SampleResult{x * (1.0f / y), std::nextafter(root, 0.0f), x * y + z, x + y, x * y, {}, {}};
    });
    for (const Promise promise : {fast.division, fast.square_root, fast.fma}) CHECK(promise == Promise::no);
    CHECK(fast.subnormals == Promise::sampled);
}

TEST_CASE("the judge of loops: all iterations, told that they weren't, or neither") {
    CHECK(evaluate_loops(80'000.0f, false) == LongLoops::run);
    CHECK(evaluate_loops(65'533.0f, true) == LongLoops::watched);
    CHECK(evaluate_loops(65'533.0f, false) == LongLoops::refused);
}

TEST_CASE("what a sample showed is kept, and taken where it was") {
    const std::string folder =
        (std::filesystem::temp_directory_path() / ("muster_sample_" + std::to_string(getpid()))).string();
    const Verdicts verdicts{DiskCache(folder)};
    const auto instance = Instance::process();
    REQUIRE(instance);
    const std::vector<PhysicalDevice> devices = *physical_devices(**instance);
    PhysicalDevice device = devices.front();
    device.properties.driverVersion += 1;  // a version that this process hasn't sampled
    const Sampled shown = sample_of(*instance, device, verdicts);
    CHECK(shown.subgroups == device.subgroups.missing.empty());
    CHECK(shown.doubles == device.float64);
    const auto [subject, circumstances] = key_of(device);
    CHECK(verdicts.find(subject, circumstances) == to_text(shown));

    device.properties.driverVersion += 1;
    const SampleKey next = key_of(device);
    CHECK(next.subject == subject);
    CHECK_FALSE(verdicts.find(next.subject, next.circumstances));
    verdicts.keep(next.subject, next.circumstances, "012012111");  // results that no device has
    CHECK(to_text(sample_of(*instance, device, verdicts)) == "012012111");
    std::filesystem::remove_all(folder);
}

TEST_CASE("what is no sample's text is none") {
    for (const char* other :
         {"", "00000000", "0000000000", "000000300", "900000000", "0000000a0", "000000020", "000000002"})
        CHECK_FALSE(sampled_from(other));
    CHECK(to_text(*sampled_from("012120201")) == "012120201");
}

TEST_CASE("free memory is the budget's rest in the device's own heaps, where the driver tells it") {
    InstanceTable table = (*Instance::process())->table();
    table.vkGetPhysicalDeviceMemoryProperties2 = [](VkPhysicalDevice,
                                                    VkPhysicalDeviceMemoryProperties2* all) {
        all->memoryProperties = {.memoryHeapCount = 3};
        all->memoryProperties.memoryHeaps[0].flags = VK_MEMORY_HEAP_DEVICE_LOCAL_BIT;
        all->memoryProperties.memoryHeaps[2].flags = VK_MEMORY_HEAP_DEVICE_LOCAL_BIT;
        auto* const budget = static_cast<VkPhysicalDeviceMemoryBudgetPropertiesEXT*>(all->pNext);
        for (std::uint32_t i = 0; i < 3; ++i) {
            budget->heapBudget[i] = VkDeviceSize{1000} << i;
            budget->heapUsage[i] = i == 2 ? 5000u : 100u;  // a budget may have shrunk below what is used
        }
    };
    PhysicalDevice device;
    CHECK_FALSE(free_memory(table, device));
    device.tells_free_memory = true;
    CHECK(free_memory(table, device) == 900);
}

TEST_CASE("the hardware is described as far as the driver tells") {
    const auto devices = *acquire("vulkan").value()->probe();
    for (const DeviceInfo& device : devices) {
        CHECK(device.hardware.vendor.has_value());
        CHECK(device.hardware.unified_memory.has_value());
        CHECK(device.hardware.asynchronous_copies.has_value());
    }
}
