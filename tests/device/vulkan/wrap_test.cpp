// The caller's memory in place: where it may begin and end, what uses it, when it is let go of, and what happens where it can't
// be imported.
#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include <support/callers_array.hpp>
#include <support/let_go.hpp>

#include <muster/backend-vulkan/device/memory.hpp>
#include <muster/driver/contract/check.hpp>
#include <muster/foundation/base/try.hpp>

#include "bench.hpp"

using namespace muster;
using namespace muster::vulkan;
using namespace std::chrono_literals;

namespace {

constexpr std::size_t count = 100'000;
using Floats = test::CallersArray<float>;

/// The first device as Vulkan describes it.
PhysicalDevice first_device() { return physical_devices(**Instance::process())->front(); }
bool imports() { return first_device().import_alignment != 0; }

/// y += a * x with y over the caller's memory; y's last element.
Result<float> in_session(Session& session, const Kernel& kernel, std::span<float> y) {
    Buffer x = TRY(session.buffer(std::vector<float>(y.size(), 7.0f)));
    Buffer over = TRY(session.buffer_over(y));
    TRY(session.dispatch(kernel, {{"a", 6.0f}, {"x", x}, {"y", over}}, Invocations{y.size()}));
    TRY(over.sync());
    return y.back();
}

}  // namespace

TEST_CASE("lavapipe imports the host's memory") {
    const PhysicalDevice device = first_device();
    if (!device.driver.starts_with("llvmpipe")) return;
    CHECK(device.import_alignment == 4096);
    CHECK(std::ranges::count(device.extensions, std::string(VK_EXT_EXTERNAL_MEMORY_HOST_EXTENSION_NAME)) ==
          1);
}

TEST_CASE("the caller's memory is used in place wherever it begins in a page, and nothing around it") {
    for (const VulkanOptions& options : ways)
        for (const std::size_t after : {0u, 16u, 64u, 256u, 4080u}) {
            CAPTURE(after);
            const VkPhysicalDeviceLimits& limits = first_device().properties.limits;
            const bool is_aligned = after % limits.minStorageBufferOffsetAlignment == 0 &&
                                    after % limits.minUniformBufferOffsetAlignment == 0;
            Session session = session_of(options);
            const Kernel kernel = prepared(session, test::saxpy());
            const Floats x(count, 0, 1.0f), y(count, after, 1.0f);
            Buffer over_x = *session.buffer_over(x.all()), over_y = *session.buffer_over(y.all());
            for (const float given : {1.0f, 5.0f, 0.0f}) {
                y.fill(given);  // the caller's again
                const Argument arguments[] = {{"a", 2.0f}, {"x", over_x}, {"y", over_y}};
                auto ticket = session.dispatch(kernel, arguments, Invocations{count});
                if (!ticket) FAIL(ticket.error().to_string());
                CHECK(over_y.is_in_place() == (imports() && is_aligned && !options.staged));
                REQUIRE(over_x.sync());
                REQUIRE(over_y.sync());
                CHECK(y.holds(2.0f * x.all()[0] + given));
                x.fill(given + 1.0f);
            }
            CHECK(x.is_intact_around());
            CHECK(y.is_intact_around());
        }
}

TEST_CASE("bindings at an offset of the caller's memory, and reads and writes of parts of it") {
    Bench bench({});
    const Floats memory(count, 16, 1.0f);
    auto wrapped = bench.device->wrap(memory.bytes());
    REQUIRE(wrapped);
    if (!*wrapped) return;
    CHECK((*wrapped)->bytes() == memory.bytes().size());
    const std::array values{5.0f, 3.0f};
    REQUIRE(bench.device->write(**wrapped, 512, std::as_bytes(std::span(values))));
    CHECK(memory.all()[128] == 5.0f);
    bench.bound = {BoundMemory{wrapped->get(), 512, 4}, BoundMemory{wrapped->get(), 256, 256},
                   BoundMemory{bench.y.get(), 0, 256}};
    CHECK(bench.submit()->wait(60s));
    CHECK(bench.result() == 5.0f);
    bench.bound = {BoundMemory{bench.a.get(), 0, 4}, BoundMemory{bench.y.get(), 0, 256},
                   BoundMemory{wrapped->get(), 1024, 256}};
    CHECK(bench.submit()->wait(60s));
    CHECK(memory.all()[255] == 1.0f);
    CHECK(memory.all()[256] == 6.0f);
    CHECK(memory.all()[319] == 6.0f);
    CHECK(memory.all()[320] == 1.0f);
    float seen = 0;
    REQUIRE(bench.device->read(**wrapped, 1024, std::as_writable_bytes(std::span(&seen, 1))));
    CHECK(seen == 6.0f);
    CHECK(memory.is_intact_around());
}

TEST_CASE("small memory is copied, and so is memory that isn't aligned as bindings are") {
    Bench bench({});
    const Floats memory(count, 16, 1.0f);
    CHECK_FALSE(*bench.device->wrap(memory.bytes().first((64 << 10) - 16)));
    CHECK((*bench.device->wrap(memory.bytes().first(64 << 10)) != nullptr) == imports());
    const VkPhysicalDeviceLimits limits = first_device().properties.limits;
    const std::size_t aligned =
        std::max(limits.minStorageBufferOffsetAlignment, limits.minUniformBufferOffsetAlignment);
    if (aligned > 4) CHECK_FALSE(*bench.device->wrap(memory.bytes().subspan(4)));
    CHECK_FALSE(*Bench({.id = "vulkan", .staged = true}).device->wrap(memory.bytes()));
}

TEST_CASE("memory whose buffer is let go of stays until the device has done with it") {
    test::check_let_go(session_of({}), count);
}

TEST_CASE("each call that imports memory fails once: the memory is copied, or the device is lost") {
    if (!imports()) return;
    Session session = session_of({});
    const Kernel kernel = prepared(session, test::saxpy());
    const Floats x(count, 0, 1.0f), y(count, 0, 0.0f);
    CHECK(in_session(session, kernel, y.all()) == 42.0f);
    for (const std::string call :
         {"vkCreateBuffer", "vkGetMemoryHostPointerPropertiesEXT", "vkAllocateMemory", "vkBindBufferMemory"})
        for (const ErrorCode code : {ErrorCode::out_of_memory, ErrorCode::internal, ErrorCode::device_lost}) {
            CAPTURE(call);
            Bench bench({});
            int struck = 0;
            {
                const PlantedFaults faults([&](std::string_view name) -> std::optional<Error> {
                    if (name != call || struck++ != 0) return std::nullopt;
                    return Error{code, "Planted.", {}, {}};
                });
                const auto wrapped = bench.device->wrap(x.bytes());
                if (code == ErrorCode::device_lost)
                    CHECK(wrapped.error().to_string() == "Planted.\n  while calling " + call);
                else
                    CHECK(*wrapped == nullptr);
            }
            CHECK(struck == 1);
            CHECK(*bench.device->wrap(x.bytes()) != nullptr);
            if (code == ErrorCode::device_lost) continue;
            Buffer over = *session.buffer_over(y.all());
            struck = 0;
            {
                const PlantedFaults faults([&](std::string_view name) -> std::optional<Error> {
                    if (name != call || struck++ != 0) return std::nullopt;
                    return Error{code, "Planted.", {}, {}};
                });
                y.fill(0.0f);
                REQUIRE(session.dispatch(kernel,
                                         {{"a", 3.0f}, {"x", over}, {"y", *session.buffer(count * 4)}},
                                         Invocations{count}));
            }
            CHECK_FALSE(over.is_in_place());
            REQUIRE(over.sync());
            CHECK(in_session(session, kernel, y.all()) == 42.0f);
        }
}
