// session_state.hpp - the state that the handles of a session share. Internal to driver/.
#pragma once

#include <atomic>
#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include <muster/driver/device/binding.hpp>
#include <muster/driver/device/device_context.hpp>
#include <muster/driver/device/launches.hpp>
#include <muster/driver/platform/fork.hpp>
#include <muster/driver/routing/router.hpp>
#include <muster/driver/session/session.hpp>
#include <muster/foundation/base/out_of_memory.hpp>

namespace muster {

class Placement;

/// A kernel on one device. After a fault its handles go on with another state, on
/// another device (failures.hpp).
struct Kernel::State {
    std::weak_ptr<const Session::State> session;  // the session that prepared it
    ValidProgram program;
    CompileOptions options;
    std::vector<Artifact> codes;  // of its artifact file, if the policy may prepare it again
    Route route;
    std::shared_ptr<DeviceContext> device;
    std::shared_ptr<const LoadedProgram> loaded;
    BindingRules bindings;
    std::shared_ptr<Placement> placement;  // if the choice is Measured

    // The state that its handles have moved to; null until then, and set once.
    mutable std::atomic<const State*> moved_to{nullptr};
    mutable std::mutex move_mutex = {};
    mutable std::shared_ptr<const State> next = {};  // the same as moved_to; guarded by move_mutex

    /// The state after all moves so far; lives as long as this one.
    const State& latest() const {
        const State* state = this;
        while (const State* other = state->moved_to.load(std::memory_order_acquire)) state = other;
        return *state;
    }
};

struct BoundKernel::State {
    std::shared_ptr<const Kernel::State> kernel;
    std::vector<Argument> arguments;
};

/// The inputs of a route that vary within a session.
struct RouteKey {
    Fingerprint fingerprint;
    CompileOptions compile;
    bool emission_only = false;
    bool operator==(const RouteKey&) const = default;
};
struct RouteKeyHash {
    std::size_t operator()(const RouteKey& key) const {
        const std::uint64_t flags = (key.emission_only ? 1u : 0u) | (key.compile.unchecked ? 2u : 0u) |
                                    (key.compile.precision == Precision::fast ? 4u : 0u);
        return key.fingerprint.words[0] ^ (flags * 0x9e3779b97f4a7c15u);
    }
};

struct Session::State : std::enable_shared_from_this<Session::State> {
    const ForkMark made;
    PolicyInForce policy;
    std::shared_ptr<Fleet> fleet;
    std::chrono::nanoseconds close_timeout{};
    std::atomic<bool> closed{false};
    const Route unroutable{Refused{out_of_memory()},
                           {}};  // routes return it where there is no memory for another

    ~State();
    static State& of(const Session& session) { return *session.state_; }
    void close();
    /// Errors: refused, if the session is closed, or of the process that this one was forked from.
    Result<void> check_open() const;
    Result<void> check_own_process() const;  // the second alone

    /// Decides a route, and asks backends as needed. Logs a warning for each better backend that failed.
    Route decide_route(const Program& program, const Policy& with, routing::RouteOptions options);
    void answer(const routing::Question& question);
    /// The route; from the cache, unless the program has stored code, on which routes may depend.
    Route cached_route(const Program& program, const routing::RouteOptions& options);
    /// The inputs of a route for a program with these codes of an artifact file. Refers to its arguments.
    routing::RouteOptions route_options(const Program& program, const CompileOptions& options,
                                        std::span<const Artifact> codes);
    std::vector<routing::BackendFacts> facts(const Fingerprint& program);
    OnFailure on_failure() const { return policy.policy.on_failure.value_or(OnFailure::fail); }
    std::chrono::nanoseconds compile_budget() const {
        return policy.policy.compile_budget.value_or(default_compile_budget);
    }
    /// The options with the policy's size of subgroups, unless they have their own.
    CompileOptions with_policy(CompileOptions options) const {
        if (options.subgroup_size == 0) options.subgroup_size = policy.policy.subgroup_size.value_or(0);
        return options;
    }
    void forget_routes();  // called after a device was lost or didn't open

    /// Returns the device, and opens it on first use; with OnFailure::retry anew once it is lost. A failure
    /// to open is recorded, and later routes pass the device over.
    Result<std::shared_ptr<DeviceContext>> device(const Execute& where);
    /// The device in use; null before it is first opened.
    std::shared_ptr<DeviceContext> opened_device(const Execute& where);
    /// Opens a device that nothing uses yet. Precondition: open_mutex is locked; likewise of the next one.
    Result<std::shared_ptr<DeviceContext>> open_device(const Execute& where);
    /// Uses the device from now on. One that was used before keeps its work in flight and the buffers on it.
    void use_device(const Execute& where, std::shared_ptr<DeviceContext> opened);

    std::shared_mutex routes_mutex;
    std::atomic<std::uint64_t> losses{0};  // devices_lost() when the routes were last forgotten
    std::unordered_map<RouteKey, Route, RouteKeyHash> routes;
    std::uint64_t forgotten =
        0;  // times that routes were forgotten; a route decided before the last isn't cached

    struct DeviceKey {
        std::size_t backend = 0;  // index in the fleet
        std::uint32_t ordinal = 0;
        std::uint32_t opening = 0;  // 1 once it has been opened anew, and so on; the last one is in use
        auto operator<=>(const DeviceKey&) const = default;
    };
    std::mutex open_mutex;     // one opens at a time
    std::mutex devices_mutex;  // guards the maps
    std::map<DeviceKey, std::shared_ptr<DeviceContext>> devices;
    std::map<DeviceKey, Error> unopened;
    /// A device that failed and is passed over, for one program or for all.
    struct PassedOver {
        DeviceKey device;
        Reason reason = Reason::device_lost;
        Error error;
        std::optional<Fingerprint> program = {};
    };
    std::vector<PassedOver> passed_over;
    /// Returns the open device after `key`, or the first if `key` is empty, and sets
    /// `key` to it; null at the end.
    std::shared_ptr<DeviceContext> device_after(std::optional<DeviceKey>& key);
};

/// Errors: refused (closed), invalid_argument (another session's kernel).
Result<void> check_own(const std::shared_ptr<Session::State>& session, const Kernel::State& kernel);
/// Folds a kernel's grid for its device. Errors: limit_exceeded, device_lost.
Result<FoldedDispatch> fold(const Kernel::State& kernel, const Grid& grid);
/// Binds arguments of a kernel. Errors: those of BindingRules::bind.
Result<BoundArguments> bind_arguments(const Kernel::State& kernel, std::span<const Argument> arguments,
                                      bool empty_grid);

}  // namespace muster
