// The allocations and Vulkan objects of a dispatch that was made before. Without the validation layer, which
// makes allocations of its own.
#include <array>
#include <functional>
#include <optional>

#include <support/allocations.hpp>

#include <muster/driver/contract/check.hpp>

#include "../bench.hpp"

using namespace muster;
using namespace muster::vulkan;
using namespace std::chrono_literals;

namespace {

struct Made {
    std::uint64_t objects = 0, allocations = 0;
};

constexpr std::uint32_t many_workgroups = 65'535;

/// Dispatches that many workgroups; only the first workgroup does something.
template <class InFlight>
class Caller {
  public:
    explicit Caller(std::function<InFlight(std::uint32_t workgroups)> dispatch)
        : dispatch_(std::move(dispatch)) {}

    std::uint64_t calls() const { return calls_; }

    /// Counts for ten thousand dispatches, after a first hundred. At some time these hundred have as many in
    /// flight at once as there will ever be: the number in flight later depends on the machine's other work.
    Made made() {
        std::uint64_t objects = 0;
        const PlantedFaults watch([&](std::string_view call) -> std::optional<Error> {
            if (call.starts_with("vkCreate") || call.starts_with("vkAllocate")) ++objects;
            return std::nullopt;
        });
        REQUIRE(fill());
        run(100 - calls_);
        const Made before{objects, test::allocations()};
        run(10'000);
        const Made after{objects, test::allocations()};
        wait_for_all();
        CHECK(all_ended_);
        return {after.objects - before.objects, after.allocations - before.allocations};
    }

  private:
    InFlight dispatch(std::uint32_t workgroups) {
        ++calls_;
        return dispatch_(workgroups);
    }
    void wait_for(std::optional<InFlight>& place) {
        if (place) all_ended_ = all_ended_ && (*place)->wait(10s).has_value();
    }
    void wait_for_all() {
        for (auto& place : places_) wait_for(place);
    }
    /// Submits a dispatch that takes time, and a dispatch for each slot behind it.
    bool fill() {
        for (int tries = 0; tries < 8; ++tries) {
            std::optional<InFlight> first = dispatch(many_workgroups);
            for (auto& place : places_) place.emplace(dispatch(1));
            const bool filled = !(*first)->done();
            wait_for(first);
            wait_for_all();
            if (filled) return true;
        }
        return false;
    }
    /// Dispatches `count` times. A slot is free once its dispatch has ended. The second half runs one by one.
    void run(std::uint64_t count) {
        for (std::uint64_t i = 0; i < count; ++i) {
            auto& place = places_[i < count / 2 ? i % places_.size() : 0];
            wait_for(place);
            place.emplace(dispatch(1));
        }
    }

    std::function<InFlight(std::uint32_t)> dispatch_;
    std::array<std::optional<InFlight>, 8> places_;
    std::uint64_t calls_ = 0;
    bool all_ended_ = true;
};

/// A ticket, with a submission's call syntax.
struct TicketPointer {
    Ticket ticket;
    const Ticket* operator->() const { return &ticket; }
};

}  // namespace

TEST_CASE("ten thousand launches make no object of Vulkan's and allocate nothing after the first hundred") {
    for (const VulkanOptions& options : ways) {
        Bench bench(options);
        Caller<std::shared_ptr<Submission>> caller(
            [&](std::uint32_t workgroups) { return bench.submit(workgroups); });
        const Made made = caller.made();
        CHECK(made.objects == 0);
        CHECK(made.allocations == 0);
        CHECK(caller.calls() == 10'100);
        CHECK(bench.result() == 10'100.0f);
    }
}

TEST_CASE("so do ten thousand dispatches of a session") {
    for (const VulkanOptions& options : ways) {
        if (options.staged) continue;  // the device copies a value there, which isn't part of the dispatch
        Session session = session_of(options);
        const Kernel kernel = prepared(session, test::saxpy());
        const Buffer x = *session.buffer(std::vector<float>(64, 1.0f)), y = *session.zeros<float>(64);
        const std::vector<Argument> arguments{{"a", 1.0f}, {"x", x}, {"y", y}};
        Caller<TicketPointer> caller([&](std::uint32_t workgroups) {
            return TicketPointer{*session.dispatch(kernel, arguments, Workgroups{workgroups})};
        });
        const Made made = caller.made();
        CHECK(made.objects == 0);
        CHECK(made.allocations == 0);
        CHECK(caller.calls() == 10'100);
        CHECK(y.read_all<float>()->back() == 10'100.0f);
    }
}
