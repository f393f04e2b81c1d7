// placement.hpp - where each dispatch of a kernel runs if the policy's choice is
// Measured. Internal to driver/.
//
// Each device that fits and is measured has an estimate for a dispatch: its work there, and moving there what
// is elsewhere. The work is counted once for a grid, the bindings' sizes and the values; what is left for
// each dispatch are some multiplications. What a device that already had the data would have saved is its
// credit. It counts against the cost of moving there, so that data move once enough dispatches would have
// gained by it. What a dispatch has taken corrects the next estimates for its device.
//
// Threads: any.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <muster/driver/device/dispatch_estimate.hpp>
#include <muster/driver/session/session_state.hpp>

namespace muster {

class Placement {
  public:
    using KernelState = std::shared_ptr<const Kernel::State>;

    Placement(CompileOptions options, std::span<const Artifact> codes, std::string current = {})
        : options_(std::move(options)), codes_(codes.begin(), codes.end()), current_(std::move(current)) {}

    /// The kernel on the device that shall run the dispatch: `home`, or the same program elsewhere.
    struct Placed {
        KernelState kernel;
        double expected_us = 0;  // by the roof, without the launch; 0: there was no choice
    };
    /// Places a dispatch. A device on which the kernel can't be prepared is passed over from
    /// then on, with a warning.
    Placed place(Session::State& session, const KernelState& home, const DispatchToPlace& dispatch);
    /// Learns from a dispatch that place() has placed, once it has ended, how long the kernel takes there.
    void watch(const DeviceContext& device, double expected_us, const Ticket& ticket);
    /// The route that place() takes, with the estimates in its record.
    Route route(Session::State& session, const DispatchToPlace& dispatch, bool ask_all);

  private:
    struct Contender {
        Execute where;
        std::string id;  // of its device
        Roof roof;
        double credit_us = 0;
        double correction = 1;
        KernelState kernel;  // null until a dispatch runs there, and that of `home`, which owns this object
    };
    /// A dispatch whose time isn't known yet.
    struct Watched {
        std::string device_id;
        double expected_us = 0;
        std::optional<Ticket> ticket;
    };
    /// The work of a grid with bindings of these sizes, and values of these bytes, one after the other.
    struct Counted {
        Extent3 groups;
        std::vector<std::uint64_t> sizes;
        std::vector<std::byte> values;
        DispatchWork work;
    };
    Estimate estimated(const Contender& place, const DispatchWork& work,
                       const DispatchToPlace& dispatch) const;
    double from_device_gb_s(const DeviceContext& holder) const;
    void learn();
    bool check_candidates(Session::State& session, const Route& route);
    void find_places(Session::State& session, const KernelState& home);
    DispatchWork counted(const DispatchToPlace& dispatch);
    KernelState prepared(Session::State& session, const Contender& place, const KernelState& home,
                         const DispatchToPlace& dispatch);
    Route decided(Session::State& session, const DispatchToPlace& dispatch, bool ask_all);

    const CompileOptions options_;
    const std::vector<Artifact> codes_;
    std::mutex mutex_;
    std::vector<Contender> places_;       // the devices to choose from; fewer than two: there is no choice
    std::uint64_t changes_ = UINT64_MAX;  // of routes and devices, when they were found
    std::set<std::string> failed_;        // ids of devices on which the kernel couldn't be prepared
    std::string current_;                 // the id of the device that ran the last dispatch
    Watched watched_;
    std::vector<Counted> counted_;
    std::size_t counts_ = 0;
};

}  // namespace muster
