// What a dispatch costs in allocations and in objects of Vulkan's, once it was made before. Without the validation layer,
// which allocates as it likes.
#include <functional>
#include <vector>

#include <support/allocations.hpp>

#include <muster/driver/check.hpp>

#include "../bench.hpp"

using namespace muster;
using namespace muster::vulkan;
using namespace std::chrono_literals;

namespace {

struct Made {
    std::uint64_t objects = 0, allocations = 0;
};

/// By ten thousand calls of `dispatch`, after a hundred; as many in flight at once as there are places in `waits`.
template <class InFlight>
Made made_by(const std::function<InFlight()>& dispatch) {
    std::uint64_t objects = 0;
    const PlantedFaults watch([&](std::string_view call) -> std::optional<Error> {
        if (call.starts_with("vkCreate") || call.starts_with("vkAllocate")) ++objects;
        return std::nullopt;
    });
    std::vector<std::optional<InFlight>> places(8);
    bool all_ended = true;
    const auto run = [&](std::size_t count) {
        for (std::size_t i = 0; i < count; ++i) {
            auto& place = places[i < count / 2 ? i % places.size() : 0];  // one by one in the second half
            if (place) all_ended = all_ended && (*place)->wait(10s).has_value();
            place.emplace(dispatch());
        }
    };
    run(100);
    const Made before{objects, test::allocations()};
    run(10'000);
    const Made after{objects, test::allocations()};
    for (auto& place : places)
        if (place) all_ended = all_ended && (*place)->wait(10s).has_value();
    CHECK(all_ended);
    return {after.objects - before.objects, after.allocations - before.allocations};
}

/// How many are in flight at once depends on what else the machine does: each that had not been before takes some more. A
/// dispatch that takes any of its own makes ten thousand.
constexpr std::uint64_t few = 500;

/// A ticket, called as a submission is.
struct TicketPointer {
    Ticket ticket;
    const Ticket* operator->() const { return &ticket; }
};

}  // namespace

TEST_CASE("ten thousand launches make no object of Vulkan's and allocate nothing after the first hundred") {
    for (const VulkanOptions& options : ways) {
        Bench bench(options);
        const Made made = made_by<std::shared_ptr<Submission>>([&] { return bench.submit(); });
        CHECK(made.objects < few);
        CHECK(made.allocations < few);
        CHECK(bench.result() == 10'100.0f);
    }
}

TEST_CASE("so do ten thousand dispatches of a session") {
    for (const VulkanOptions& options : ways) {
        if (options.staged) continue;  // a value is copied by the device there, which is no dispatch
        Session session = session_of(options);
        const Kernel kernel = prepared(session, test::saxpy());
        const Buffer x = *session.buffer(std::vector<float>(64, 1.0f)), y = *session.zeros<float>(64);
        const std::vector<Argument> arguments{{"a", 1.0f}, {"x", x}, {"y", y}};
        const Made made = made_by<TicketPointer>(
            [&] { return TicketPointer{*session.dispatch(kernel, arguments, Workgroups{1})}; });
        CHECK(made.objects < few);
        CHECK(made.allocations < few);
        CHECK(y.read_all<float>()->back() == 10'100.0f);
    }
}
