#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include <muster/driver/device/buffer_state.hpp>
#include <muster/driver/helper/compile_later.hpp>
#include <muster/driver/platform/memory.hpp>
#include <muster/driver/policy/environment.hpp>
#include <muster/driver/policy/log.hpp>
#include <muster/driver/policy/selection.hpp>
#include <muster/driver/process/process_fleet.hpp>
#include <muster/driver/routing/candidate.hpp>
#include <muster/driver/session/failures.hpp>
#include <muster/driver/session/session.hpp>
#include <muster/driver/session/session_fleet.hpp>
#include <muster/driver/session/session_state.hpp>
#include <muster/driver/support/deadline.hpp>
#include <muster/driver/support/guard.hpp>
#include <muster/foundation/base/nearest.hpp>
#include <muster/foundation/base/try.hpp>

namespace muster {

const ValidProgram& Kernel::program() const { return state_->program; }
const Route& Kernel::route() const { return state_->latest().route; }
const DeviceInfo& Kernel::device() const { return state_->latest().device->info(); }
std::string_view Kernel::backend() const { return route().execute()->backend; }
bool Kernel::is_optimized() const { return !state_->latest().loaded->latest().is_quick; }
const Artifact& Kernel::artifact() const { return state_->latest().loaded->latest().artifact; }

bool wait_until_optimized(std::chrono::nanoseconds timeout) { return helper::compiled_within(timeout); }

namespace {

/// Warns of an excluded id that no backend has but that resembles one: probably a
/// misspelling, which excludes nothing.
void warn_of_exclusions(const Policy& policy, const Fleet& fleet) {
    const std::vector<std::string> ids = fleet.ids();
    const policy::Selection selection(policy);
    for (const policy::DeviceSelector& excluded : selection.excluded()) {
        const bool is_there = std::ranges::find(ids, excluded.backend) != ids.end();
        if (is_there || nearest(excluded.backend, ids).empty()) continue;
        log_once(LogLevel::warning, "excluded " + excluded.backend,
                 fmt::format("The policy excludes {}, and no backend is called that. Fix: {}",
                             excluded.backend, did_you_mean(excluded.backend, ids)));
    }
}

}  // namespace

Result<Session> Session::open(SessionOptions options) try {
    TRY(during("opening a session", check(options.policy)));
    std::vector<NamedPolicy> layers{{"the session's policy", std::move(options.policy)}};
    if (options.use_environment) {
        (void)TRY(environment_log_level());  // an invalid variable is an error, never a default
        (void)TRY(environment_probing());
        (void)TRY(cache_bytes());
        if (!options.fleet) TRY(environment_plugins());  // the variables that process_fleet() reads
        for (NamedPolicy& layer : TRY(environment_layers())) layers.push_back(std::move(layer));
    }
    layers.push_back({"the process default", default_policy()});
    if (options.fleet) TRY(options.fleet->check_own_process());
    auto state = std::make_shared<State>();
    state->policy = in_force(layers);
    state->fleet =
        TRY(during("opening a session", with_backends(options.fleet ? options.fleet : process_fleet(),
                                                      std::move(options.backends))));
    state->close_timeout = options.close_timeout;
    warn_of_exclusions(state->policy.policy, *state->fleet);
    return Session(std::move(state));
} catch (const std::bad_alloc&) {
    return no_memory();
}

const Policy& Session::policy() const { return state_->policy.policy; }
std::span<const PolicySetting> Session::policy_settings() const { return state_->policy.settings; }
Fleet& Session::fleet() const { return *state_->fleet; }

Result<Kernel> Session::prepare(const ValidProgram& program, const CompileOptions& options) {
    return prepare(program, options, {});
}

Result<Kernel> Session::prepare(const ArtifactFile& file, const CompileOptions& options) {
    return prepare(file.program, options, file.codes);
}

Result<Kernel> Session::prepare(const ValidProgram& program, const CompileOptions& options,
                                std::span<const Artifact> codes) try {
    TRY(state_->check_open());
    return Kernel(TRY(during(fmt::format("preparing {}", program->entry()),
                             prepare_kernel(state_, {program, options, codes}))));
} catch (const std::bad_alloc&) {
    return no_memory();
}

namespace {

/// Refuses a size that exceeds every memory here. Devices are queried only if the host has less memory.
Result<void> check_has_room(std::uint64_t bytes, Fleet& fleet, const Policy& policy) {
    std::uint64_t most = platform::host_memory_bytes();
    if (bytes <= most) return {};
    std::string holder = "this machine";
    for (const Candidate& candidate : candidates(fleet, policy)) {
        if (candidate.device.memory_bytes <= most) continue;
        most = candidate.device.memory_bytes;
        holder = candidate.id();
    }
    if (bytes <= most) return {};
    return fail(ErrorCode::limit_exceeded,
                fmt::format("A buffer of {} bytes is more than the {} that {} has.", bytes, most, holder),
                "use a smaller buffer, or several");
}

Result<Buffer> make_buffer(std::span<const std::byte> from, std::uint64_t bytes,
                           std::optional<ElementType> element) {
    auto state = std::make_shared<Buffer::State>();
    state->bytes = bytes;
    state->element_type = element;
    if (!from.empty()) TRY(state->write_to_host(from, 0));
    return Buffer(std::move(state));
}

}  // namespace

Result<Buffer> Session::buffer(std::uint64_t bytes, std::optional<ElementType> element) try {
    TRY(state_->check_own_process());
    TRY(check_has_room(bytes, *state_->fleet, policy()));
    return make_buffer({}, bytes, element);
} catch (const std::bad_alloc&) {
    return no_memory();
}

Result<Buffer> Session::buffer_from(std::span<const std::byte> from, std::optional<ElementType> element) try {
    TRY(state_->check_own_process());
    return make_buffer(from, from.size(), element);
} catch (const std::bad_alloc&) {
    return no_memory();
}

Result<Buffer> Session::buffer_over(std::span<std::byte> memory, std::optional<ElementType> element) try {
    TRY(state_->check_own_process());
    if (memory.empty())
        return fail(ErrorCode::invalid_argument, "A buffer over the caller's memory has at least one byte.",
                    "give it memory, or make an empty buffer (Session::buffer)");
    if (reinterpret_cast<std::uintptr_t>(memory.data()) % wrapped_alignment != 0)
        return fail(ErrorCode::invalid_argument,
                    fmt::format("The memory begins at {}, which isn't a multiple of {}.",
                                static_cast<const void*>(memory.data()), wrapped_alignment),
                    fmt::format("align it to {} bytes, as new and std::vector do", wrapped_alignment));
    auto state = std::make_shared<Buffer::State>();
    state->bytes = memory.size();
    state->element_type = element;
    state->callers = memory;
    return Buffer(std::move(state));
} catch (const std::bad_alloc&) {
    return no_memory();
}

Result<void> Session::State::check_own_process() const {
    if (!made.is_from_parent()) return {};
    return std::unexpected(made_before_fork("The session"));
}

Result<void> Session::State::check_open() const {
    TRY(check_own_process());
    if (closed) return fail(ErrorCode::refused, "The session is closed.", "open a new one");
    return {};
}

void Session::State::close() {
    closed = true;
    if (made.is_from_parent()) return;  // its devices are quarantined
    const Moment deadline = deadline_after(close_timeout);
    std::optional<DeviceKey> before;
    while (const std::shared_ptr<DeviceContext> device = device_after(before))
        if (!device->quarantined() && !device->drain(deadline))
            device->quarantine("a dispatch on it still ran when its session closed");
}

Session::State::~State() {
    try {
        close();
    } catch (...) {  // out of memory, and a destructor can't report it
    }
}

/// Allocates nothing, because a destructor calls it.
std::shared_ptr<DeviceContext> Session::State::device_after(std::optional<DeviceKey>& key) {
    const std::lock_guard lock(devices_mutex);
    const auto next = key ? devices.upper_bound(*key) : devices.begin();
    if (next == devices.end()) return nullptr;
    key = next->first;
    return next->second;
}

void Session::close() { state_->close(); }

}  // namespace muster
