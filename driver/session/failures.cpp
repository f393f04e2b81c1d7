#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include <muster/driver/policy/log.hpp>
#include <muster/driver/session/failures.hpp>
#include <muster/driver/session/placement.hpp>
#include <muster/foundation/base/try.hpp>

namespace muster {
namespace {

using StatePointer = std::shared_ptr<const Kernel::State>;

bool is_compilers(ErrorCode code) {
    return code == ErrorCode::compile_failed || code == ErrorCode::compile_timed_out;
}

Reason reason_of(ErrorCode code) {
    if (code == ErrorCode::unavailable) return Reason::no_compiler;
    if (is_compilers(code)) return Reason::compile_failed;
    return code == ErrorCode::out_of_memory ? Reason::out_of_memory : Reason::device_lost;
}

/// A device that failed while it did something for a kernel.
struct Fault {
    const DeviceContext& device;
    const Error& why;
};

/// The route with a note on the fault that led to it. Warns of it, once for each device and kind of fault.
Route with_note(const Route& route, const Fault& fault) {
    const Execute& now = *route.execute();
    Decision decision = route.decision();
    const bool is_same = now.id() == fault.device.id();
    std::string note =
        fmt::format("{} failed ({}), and {} goes on {}: {}", fault.device.id(), name(fault.why.code),
                    decision.entry, is_same ? "there, opened anew" : "on " + now.id(), fault.why.message);
    log_once(LogLevel::warning, fmt::format("{} {}", fault.device.id(), name(fault.why.code)), note);
    decision.notes.push_back(std::move(note));
    return {now, std::move(decision)};
}

/// Routes the program, unless `first` has its route. Errors: refused, if it can't run.
Result<Route> route_to_run(Session::State& session, const KernelSource& source,
                           std::optional<Route> first = {}) {
    Route route =
        first ? *std::move(first)
              : session.cached_route(*source.program,
                                     session.route_options(*source.program, source.options, source.codes));
    if (const Refused* refused = route.refused()) return std::unexpected(Error(refused->error));
    if (const EmitOnly* emit = route.emit_only())
        return fail(ErrorCode::refused, route.explain(),
                    fmt::format("emit code for {} (Session::emit), or make a device available",
                                emit->target.to_string()));
    return route;
}

/// Loads the kernel on the device that `route` chose and that failed, once it is opened anew. A device that
/// then fails again isn't used.
Result<StatePointer> retry(const std::shared_ptr<Session::State>& session, const KernelSource& source,
                           const Route& route, const Fault& fault) {
    const Execute& where = *route.execute();
    const std::lock_guard opening(session->open_mutex);
    if (auto other = session->opened_device(where); other.get() != &fault.device && !other->is_lost())
        return load_on(session, source, with_note(route, fault), std::move(other));
    auto device = TRY(session->open_device(where));
    auto made = TRY(load_on(session, source, with_note(route, fault), device));
    session->use_device(where, std::move(device));
    return made;
}

/// True if a device runs the program's stored code without its compiler.
bool has_code(Session::State& session, const KernelSource& source, const Execute& where) {
    const routing::RouteOptions asked = session.route_options(*source.program, source.options, source.codes);
    return asked.no_code && !asked.no_code(where.backend, where.device);
}

void pass_over(Session::State& session, const KernelSource& source, const Execute& where, const Error& why) {
    // A device without a compiler goes on with stored code. If that is what it refused, it is passed
    // over for this program alone.
    const bool refused_code = why.code == ErrorCode::unavailable && has_code(session, source, where);
    const Reason reason = refused_code ? Reason::compile_failed : reason_of(why.code);
    std::optional<Fingerprint> program;
    if (reason == Reason::compile_failed) program = source.program->fingerprint();
    {
        const std::lock_guard lock(session.devices_mutex);
        const Session::State::DeviceKey device{*session.fleet->find(where.backend), where.device.ordinal};
        session.passed_over.push_back({device, reason, why, program});
    }
    session.forget_routes();
}

/// Prepares a kernel; `before` is the fault that it comes from, if any, and `first`
/// its route, if it is known.
Result<StatePointer> prepare_after(const std::shared_ptr<Session::State>& session, const KernelSource& source,
                                   const Fault* before, std::optional<Route> first = {}) {
    for (;;) {
        const Route route = TRY(route_to_run(*session, source, std::exchange(first, std::nullopt)));
        const auto device = session->device(*route.execute());
        if (!device || (*device)->lost()) {  // later routes pass the device over, and say so
            session->forget_routes();
            continue;
        }
        auto made = load_on(session, source, before ? with_note(route, *before) : route, *device);
        if (!made &&
            made.error().code == ErrorCode::unavailable) {  // its compiler isn't here, as only shows now
            pass_over(*session, source, *route.execute(), made.error());
            continue;
        }
        if (made || !is_fault(made.error().code)) return made;
        switch (session->on_failure()) {
            case OnFailure::fail: return made;
            case OnFailure::retry: return retry(session, source, route, {**device, made.error()});
            case OnFailure::next: pass_over(*session, source, *route.execute(), made.error());
        }
    }
}

}  // namespace

bool is_fault(ErrorCode code) {
    return code == ErrorCode::device_lost || code == ErrorCode::out_of_memory ||
           code == ErrorCode::unavailable || is_compilers(code);
}

bool is_to_move(const Session::State& session, const Kernel::State& kernel, const Error& error) {
    const bool is_another_devices = error.code == ErrorCode::device_lost && !kernel.device->is_lost();
    return session.on_failure() != OnFailure::fail && is_fault(error.code) && !is_another_devices;
}

Result<StatePointer> load_on(const std::shared_ptr<Session::State>& session, const KernelSource& source,
                             Route route, std::shared_ptr<DeviceContext> device) {
    TRY(device->check_specs(source.options.specs));
    auto loaded = TRY(device->load(source.program, session->with_policy(source.options),
                                   session->compile_budget(), source.codes));
    std::vector<Artifact> codes;
    if (session->on_failure() != OnFailure::fail) codes.assign(source.codes.begin(), source.codes.end());
    BindingRules bindings(source.program, device->info().limits);
    std::shared_ptr<Placement> placement;
    if (is_measured(session->policy.policy))
        placement = std::make_shared<Placement>(source.options, source.codes, device->id());
    return std::make_shared<const Kernel::State>(session, source.program, source.options, std::move(codes),
                                                 std::move(route), std::move(device), std::move(loaded),
                                                 std::move(bindings), std::move(placement));
}

Result<StatePointer> prepare_kernel(const std::shared_ptr<Session::State>& session,
                                    const KernelSource& source, std::optional<Route> route) {
    return prepare_after(session, source, nullptr, std::move(route));
}

Result<StatePointer> move_kernel(const std::shared_ptr<Session::State>& session, const Kernel::State& kernel,
                                 const Error& why) {
    const std::lock_guard lock(kernel.move_mutex);
    if (kernel.next) return kernel.next;
    const KernelSource source{kernel.program, kernel.options, kernel.codes};
    const Fault fault{*kernel.device, why};
    const bool is_next = session->on_failure() == OnFailure::next;
    if (is_next) pass_over(*session, source, *kernel.route.execute(), why);
    auto made =
        is_next ? prepare_after(session, source, &fault) : retry(session, source, kernel.route, fault);
    if (!made)
        return std::unexpected(Error(why).during(
            fmt::format("moving {} to another device, which fails too ({}): {}", kernel.program->entry(),
                        name(made.error().code), made.error().message)));
    kernel.next = *made;
    kernel.moved_to.store(made->get(), std::memory_order_release);
    return made;
}

}  // namespace muster
