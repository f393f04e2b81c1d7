// The caller's memory in place: where it may begin and end, what uses it, when it is let go of, and what happens where it can't
// be imported.
#include <algorithm>
#include <new>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include <muster/backend-vulkan/device/memory.hpp>
#include <muster/driver/contract/check.hpp>

#include "bench.hpp"

using namespace muster;
using namespace muster::vulkan;
using namespace std::chrono_literals;

namespace {

constexpr std::size_t page = 4096, count = 100'000;

/// The first device as Vulkan describes it.
PhysicalDevice first_device() { return physical_devices(**Instance::process())->front(); }
bool imports() { return first_device().import_alignment != 0; }

/// Floats that begin so many bytes after the begin of a page, between two others.
class PlacedFloats {
  public:
    explicit PlacedFloats(std::size_t after, float value = 1.0f)
        : all_(static_cast<std::byte*>(::operator new (bytes, std::align_val_t{page}))),
          floats_(reinterpret_cast<float*>(all_ + page + after), count) {
        std::fill_n(all_, bytes, around);
        std::ranges::fill(floats_, value);
    }
    ~PlacedFloats() { ::operator delete (all_, std::align_val_t{page}); }
    PlacedFloats(const PlacedFloats&) = delete;
    PlacedFloats& operator=(const PlacedFloats&) = delete;
    std::span<float> floats() const { return floats_; }
    std::span<std::byte> host() const { return std::as_writable_bytes(floats_); }
    bool is_intact_around() const {
        const std::byte* const begin = host().data();
        const auto is_around = [](std::byte byte) { return byte == around; };
        return std::all_of<const std::byte*>(all_, begin, is_around) &&
               std::all_of<const std::byte*>(begin + host().size(), all_ + bytes, is_around);
    }

  private:
    static constexpr std::size_t bytes = 3 * page + 4 * count;
    static constexpr std::byte around{0xa5};
    std::byte* all_;
    std::span<float> floats_;
};

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
    CHECK(device.import_alignment == page);
    CHECK(std::ranges::count(device.extensions, std::string(VK_EXT_EXTERNAL_MEMORY_HOST_EXTENSION_NAME)) ==
          1);
}

TEST_CASE("the caller's memory is used in place wherever it begins in a page, and nothing around it") {
    for (const VulkanOptions& options : ways)
        for (const std::size_t after : {0, 16, 64, 256, 4080}) {
            CAPTURE(after);
            const VkPhysicalDeviceLimits& limits = first_device().properties.limits;
            const bool is_aligned = after % limits.minStorageBufferOffsetAlignment == 0 &&
                                    after % limits.minUniformBufferOffsetAlignment == 0;
            Session session = session_of(options);
            const Kernel kernel = prepared(session, test::saxpy());
            const PlacedFloats x(0), y(after);
            Buffer over_x = *session.buffer_over(x.floats()), over_y = *session.buffer_over(y.floats());
            for (const float given : {1.0f, 5.0f, 0.0f}) {
                std::ranges::fill(y.floats(), given);  // the caller's again
                const Argument arguments[] = {{"a", 2.0f}, {"x", over_x}, {"y", over_y}};
                auto ticket = session.dispatch(kernel, arguments, Invocations{count});
                if (!ticket) FAIL(ticket.error().to_string());
                CHECK(over_y.is_in_place() == (imports() && is_aligned && !options.staged));
                REQUIRE(over_x.sync());
                REQUIRE(over_y.sync());
                CHECK(std::ranges::count(y.floats(), 2.0f * x.floats()[0] + given) == count);
                std::ranges::fill(x.floats(), given + 1.0f);
            }
            CHECK(x.is_intact_around());
            CHECK(y.is_intact_around());
        }
}

TEST_CASE("bindings at an offset of the caller's memory, and reads and writes of parts of it") {
    Bench bench({});
    const PlacedFloats memory(16);
    auto wrapped = bench.device->wrap(memory.host());
    REQUIRE(wrapped);
    if (!*wrapped) return;
    CHECK((*wrapped)->bytes() == memory.host().size());
    const std::array values{5.0f, 3.0f};
    REQUIRE(bench.device->write(**wrapped, 512, std::as_bytes(std::span(values))));
    CHECK(memory.floats()[128] == 5.0f);
    bench.bound = {BoundMemory{wrapped->get(), 512, 4}, BoundMemory{wrapped->get(), 256, 256},
                   BoundMemory{bench.y.get(), 0, 256}};
    CHECK(bench.submit()->wait(60s));
    CHECK(bench.result() == 5.0f);
    bench.bound = {BoundMemory{bench.a.get(), 0, 4}, BoundMemory{bench.y.get(), 0, 256},
                   BoundMemory{wrapped->get(), 1024, 256}};
    CHECK(bench.submit()->wait(60s));
    CHECK(memory.floats()[255] == 1.0f);
    CHECK(memory.floats()[256] == 6.0f);
    CHECK(memory.floats()[319] == 6.0f);
    CHECK(memory.floats()[320] == 1.0f);
    float seen = 0;
    REQUIRE(bench.device->read(**wrapped, 1024, std::as_writable_bytes(std::span(&seen, 1))));
    CHECK(seen == 6.0f);
    CHECK(memory.is_intact_around());
}

TEST_CASE("small memory is copied, and so is memory that isn't aligned as bindings are") {
    Bench bench({});
    const PlacedFloats memory(16);
    CHECK_FALSE(*bench.device->wrap(memory.host().first((64 << 10) - 16)));
    CHECK((*bench.device->wrap(memory.host().first(64 << 10)) != nullptr) == imports());
    const VkPhysicalDeviceLimits limits = first_device().properties.limits;
    const std::size_t aligned =
        std::max(limits.minStorageBufferOffsetAlignment, limits.minUniformBufferOffsetAlignment);
    if (aligned > 4) CHECK_FALSE(*bench.device->wrap(memory.host().subspan(4)));
    CHECK_FALSE(*Bench({.id = "vulkan", .staged = true}).device->wrap(memory.host()));
}

TEST_CASE("memory whose buffer is let go of stays until the device has done with it") {
    Session session = session_of({});
    const Kernel kernel = prepared(session, test::saxpy());
    const PlacedFloats y(0);
    Buffer x = *session.buffer(std::vector<float>(count, 1.0f));
    std::optional<Ticket> last;
    {
        Buffer over = *session.buffer_over(y.floats());
        for (int i = 0; i < 200; ++i)
            last = *session.dispatch(kernel, {{"a", 1.0f}, {"x", x}, {"y", over}}, Invocations{count});
    }
    CHECK(last->wait());
    CHECK(std::ranges::count(y.floats(), 201.0f) == count);
}

TEST_CASE("each call that imports memory fails once: the memory is copied, or the device is lost") {
    if (!imports()) return;
    Session session = session_of({});
    const Kernel kernel = prepared(session, test::saxpy());
    const PlacedFloats x(0), y(0, 0.0f);
    CHECK(in_session(session, kernel, y.floats()) == 42.0f);
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
                const auto wrapped = bench.device->wrap(x.host());
                if (code == ErrorCode::device_lost)
                    CHECK(wrapped.error().to_string() == "Planted.\n  while calling " + call);
                else
                    CHECK(*wrapped == nullptr);
            }
            CHECK(struck == 1);
            CHECK(*bench.device->wrap(x.host()) != nullptr);
            if (code == ErrorCode::device_lost) continue;
            Buffer over = *session.buffer_over(y.floats());
            struck = 0;
            {
                const PlantedFaults faults([&](std::string_view name) -> std::optional<Error> {
                    if (name != call || struck++ != 0) return std::nullopt;
                    return Error{code, "Planted.", {}, {}};
                });
                std::ranges::fill(y.floats(), 0.0f);
                REQUIRE(session.dispatch(kernel,
                                         {{"a", 3.0f}, {"x", over}, {"y", *session.buffer(count * 4)}},
                                         Invocations{count}));
            }
            CHECK_FALSE(over.is_in_place());
            REQUIRE(over.sync());
            CHECK(in_session(session, kernel, y.floats()) == 42.0f);
        }
}
