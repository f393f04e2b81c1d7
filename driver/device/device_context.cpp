#include <algorithm>
#include <cstddef>

#include <fmt/format.h>

#include <muster/driver/device/device_context.hpp>
#include <muster/driver/device/ticket_state.hpp>
#include <muster/driver/platform/probe_points.hpp>
#include <muster/driver/policy/log.hpp>
#include <muster/driver/probing/fleet.hpp>
#include <muster/driver/routing/compile_for.hpp>
#include <muster/driver/routing/given_code.hpp>
#include <muster/driver/routing/prepare.hpp>
#include <muster/driver/support/fork_ranks.hpp>
#include <muster/driver/support/guard.hpp>
#include <muster/foundation/base/printable.hpp>
#include <muster/foundation/base/try.hpp>
#include <muster/foundation/build/ir_builder.hpp>
#include <muster/foundation/ir/grid_barrier.hpp>

namespace muster {
namespace {

constexpr std::size_t most_in_flight = 1024;
constexpr std::size_t most_loaded = 1024;  // programs that stay loaded though no kernel uses them

std::atomic<std::uint64_t> lost_count{0}, exchanged_count{0};

/// Null if the work has ended.
const Submission* in_flight(const Submitted& submitted) {
    const auto* const runs = std::get_if<std::shared_ptr<Submission>>(&submitted);
    return runs != nullptr ? runs->get() : nullptr;
}

}  // namespace

/// The quarantined devices of this process and their memory: never freed, but still reachable. It also knows
/// the devices that are open, since a child of fork() quarantines them.
struct Quarantine {
    ForkSafeMutex mutex{fork_rank_of_quarantine};
    std::shared_ptr<DeviceContext> devices;
    std::unique_ptr<ResidentMemory::Node> memory;
    DeviceContext* open = nullptr;  // the last one that was opened

    /// Allocates nothing, because destructors call it.
    void add(std::shared_ptr<DeviceContext> device) {
        const std::lock_guard lock(mutex);
        device->next_quarantined_ = std::move(devices);
        devices = std::move(device);
    }
    void add(std::unique_ptr<ResidentMemory::Node> node) {
        const std::lock_guard lock(mutex);
        node->next = std::move(memory);
        memory = std::move(node);
    }

    bool has_another(const DeviceContext& device) {
        const std::lock_guard lock(mutex);
        for (const DeviceContext* one = devices.get(); one != nullptr; one = one->next_quarantined_.get())
            if (one->backend_ == device.backend_ && one->info_.ordinal == device.info_.ordinal) return true;
        return false;
    }
    void enter(DeviceContext& device) {
        const std::lock_guard lock(mutex);
        device.next_open_ = open;
        if (open != nullptr) open->previous_open_ = &device;
        open = &device;
    }
    void leave(DeviceContext& device) {
        const std::lock_guard lock(mutex);
        (device.previous_open_ != nullptr ? device.previous_open_->next_open_ : open) = device.next_open_;
        if (device.next_open_ != nullptr) device.next_open_->previous_open_ = device.previous_open_;
    }
    /// Quarantines, in the child of a fork, what its parent had open. Allocates nothing.
    void stay_in_parent() {
        for (DeviceContext* one = std::exchange(open, nullptr); one != nullptr;
             one = std::exchange(one->next_open_, nullptr)) {
            one->previous_open_ = nullptr;
            const bool is_kept = one->quarantined();
            one->stay_in_parent();
            // One that a thread of the parent was destroying has no owner, and isn't destroyed here.
            if (auto device = is_kept ? nullptr : one->weak_from_this().lock()) {
                device->next_quarantined_ = std::move(devices);
                devices = std::move(device);
            }
        }
    }

    static Quarantine& process() {
        static auto* const shared = [] {
            auto* const made = new Quarantine;
            (void)fork_count();  // its handlers come first, so that the mutex is free in the next one
            call_in_child([] { process().stay_in_parent(); });
            return made;
        }();
        return *shared;
    }
};

/// Adds to what the device holds; of a difference below 0, its two's complement.
void ResidentMemory::count(std::uint64_t bytes) const {
    const std::uint64_t sum = device_->resident_bytes_.fetch_add(bytes, std::memory_order_relaxed) + bytes;
    if (trace::is_recording()) trace::count("memory", device_->id(), sum);
}

ResidentMemory::~ResidentMemory() {
    count(0 - node_->memory->bytes());
    if (device_->quarantined()) Quarantine::process().add(std::move(node_));
}

void InFlight::push(std::shared_ptr<Ticket::State> ticket) {
    tickets_.push(std::move(ticket));
    size_.store(size() + 1, std::memory_order_relaxed);
}

void InFlight::pop() {
    (void)tickets_.pop();
    size_.store(size() - 1, std::memory_order_relaxed);
}

DeviceContext::DeviceContext(std::shared_ptr<Backend> backend, std::unique_ptr<Device> device,
                             Validation validation, Optimize optimize)
    : backend_(std::move(backend)),
      device_(std::move(device)),
      info_(printable(device_->info())),
      id_(device_id(backend_->id(), info_)),
      has_transfers_(device_->has_transfers()),
      validator_(make_validator(validation, id_)),
      optimize_(optimize) {
    Quarantine::process().enter(*this);
}

DeviceContext::~DeviceContext() { Quarantine::process().leave(*this); }

void DeviceContext::stay_in_parent() {
    stayed_in_parent_.store(true, std::memory_order_relaxed);
    quarantined_.store(true, std::memory_order_release);
    is_lost_.store(true, std::memory_order_release);
    lost_count.fetch_add(1, std::memory_order_release);
}

Result<std::shared_ptr<DeviceContext>> DeviceContext::open(std::shared_ptr<Backend> backend,
                                                           std::uint32_t ordinal, Validation validation,
                                                           Optimize optimize) {
    (void)Quarantine::process();  // so that quarantining a device allocates nothing
    const std::string what = fmt::format("opening {}:{}", backend->id(), ordinal);
    return during(
        what, guarded("Backend::open", [&]() -> Result<std::shared_ptr<DeviceContext>> {
            const trace::Span span(trace::Stage::open, backend->id());
            auto device = TRY(backend->open(ordinal));
            if (!device)
                return fail(ErrorCode::internal,
                            fmt::format("{} opens no device and gives no error.", backend->id()),
                            "report this to who wrote the backend");
            if (device->info().ordinal != ordinal)
                return fail(ErrorCode::internal,
                            fmt::format("{} opens device {} instead.", backend->id(), device->info().ordinal),
                            "report this to who wrote the backend");
            TRY(check_device_info(backend->id(), device->info()));
            const std::shared_ptr<DeviceContext> opened(
                new DeviceContext(std::move(backend), std::move(device), validation, optimize));
            if (Quarantine::process().has_another(*opened)) TRY(opened->check_answers());
            return opened;
        }));
}

Result<void> DeviceContext::check_answers() {
    const ValidProgram nothing = TRY(validate(TRY(IrBuilder("answer", {1, 1, 1}).finish())));
    const auto loaded = TRY(load(nothing, {}, answer_timeout));
    const Submitted submitted = TRY(
        submit(*loaded, {.executable = loaded->executable.get(), .extent = {1, 1, 1}, .grid = {1, 1, 1}}));
    const auto* const running = std::get_if<std::shared_ptr<Submission>>(&submitted);
    if (running == nullptr) return {};
    const auto ended =
        guarded("Submission::wait", [&] { return with_loss_recorded((*running)->wait(answer_timeout)); });
    if (ended) return {};
    if (ended.error().code != ErrorCode::timed_out) return std::unexpected(ended.error());
    quarantine("it doesn't answer");
    return fail(
        ErrorCode::unavailable,
        fmt::format("{} hasn't ended an empty kernel after {} s: a kernel that was given up in this process "
                    "still runs there, and nothing stops it.",
                    id_, answer_timeout.count()),
        fmt::format(
            "use another device, or exclude {} (Policy::exclude, MUSTER_EXCLUDE); the kernel ends with "
            "this process",
            id_));
}

std::uint64_t devices_lost() { return lost_count.load(std::memory_order_acquire); }
std::uint64_t codes_exchanged() { return exchanged_count.load(std::memory_order_acquire); }

void DeviceContext::lose(Error why) {
    lost_ = std::move(why);
    is_lost_.store(true, std::memory_order_release);
    lost_count.fetch_add(1, std::memory_order_release);
}

Error DeviceContext::why_lost() const {
    if (stayed_in_parent_.load(
            std::memory_order_relaxed)) {  // a thread of the parent may hold the lock for ever
        Error why = made_before_fork(id_);
        why.code = ErrorCode::device_lost;
        return why;
    }
    const std::lock_guard lock(health_mutex_);
    return *lost_;
}

Error DeviceContext::record_loss(Error error) {
    if (error.code == ErrorCode::device_lost && !stayed_in_parent_.load(std::memory_order_relaxed)) {
        const std::lock_guard lock(health_mutex_);
        if (!lost_) lose(error);
    }
    probe_points::fault(id_, std::string(name(error.code)), error.message);
    return std::move(error).during("using " + id_);
}

template <class T>
Result<T> DeviceContext::with_loss_recorded(Result<T> result) {
    if (!result) return std::unexpected(record_loss(std::move(result).error()));
    return result;
}

namespace {

/// Never throws, because destructors quarantine, too: without memory for the full text,
/// the error is a short one.
Error quarantine_error(const std::string& id, std::string_view why) noexcept {
    try {
        return {ErrorCode::device_lost,
                fmt::format("{} is quarantined: {}. What it holds is leaked.", id, why),
                "open a new session, and find out why the kernel doesn't end",
                {}};
    } catch (...) {
        return {ErrorCode::device_lost, "Quarantined.", {}, {}};
    }
}

}  // namespace

void DeviceContext::quarantine(std::string_view why) {
    if (quarantined()) return;
    {
        const std::lock_guard lock(health_mutex_);
        if (quarantined()) return;
        lose(quarantine_error(id_, why));
        quarantined_.store(true, std::memory_order_release);
    }
    Quarantine::process().add(shared_from_this());
    (void)guarded("Device::abandon", [&]() -> Result<void> {
        split_executor_.abandon();
        device_->abandon();
        return {};
    });
}

Result<void> DeviceContext::check_specs(const Specs& specs) {
    if (specs.empty()) return {};
    return guarded("Backend::specs",
                   [&] { return routing::check_specs(*backend_, specs, routing::SpecUse::to_run); });
}

std::shared_ptr<DeviceContext::CacheEntry> DeviceContext::cache_entry(const ValidProgram& program,
                                                                      const CompileOptions& options) {
    std::shared_ptr<CacheEntry> dropped;  // destroyed once the mutex is unlocked: that may take time
    const std::lock_guard lock(cache_mutex_);
    auto& slot = cache_[{program->fingerprint(), options}];
    if (!slot) slot = std::make_shared<CacheEntry>();
    slot->used = ++cache_uses_;
    const std::shared_ptr<CacheEntry> entry = slot;
    if (cache_.size() > most_loaded) dropped = drop_least_recently_used();
    return entry;
}

// Entries that a call works with are kept: they count as used more than once.
std::shared_ptr<DeviceContext::CacheEntry> DeviceContext::drop_least_recently_used() {
    auto oldest = cache_.end();
    for (auto one = cache_.begin(); one != cache_.end(); ++one)
        if (one->second.use_count() == 1 &&
            (oldest == cache_.end() || one->second->used < oldest->second->used))
            oldest = one;
    if (oldest == cache_.end()) return nullptr;
    std::shared_ptr<CacheEntry> dropped = std::move(oldest->second);
    cache_.erase(oldest);
    return dropped;
}

/// The codes that this device can load, and the reasons against the others.
routing::CodeSources DeviceContext::sources_from(std::span<const Artifact> codes) const {
    routing::FittingCodes fitting = routing::fitting_codes(*backend_, info_, codes);
    return {.given = std::make_shared<const std::vector<Artifact>>(std::move(fitting.codes)),
            .objections = std::move(fitting.objections)};
}

Result<DeviceContext::Made> DeviceContext::compile(const ValidProgram& program, const CompileOptions& options,
                                                   const routing::CodeSources& sources, Optimize optimize) {
    const auto compiled = [&](auto call) {
        const trace::Span span(trace::Stage::compile, program->entry(), id_);
        return with_loss_recorded(
            during(fmt::format("compiling {}", program->entry()), guarded("Device::compile", call)));
    };
    const auto loaded = [&](auto call) {
        const trace::Span span(trace::Stage::load, program->entry(), id_);
        return with_loss_recorded(
            during(fmt::format("loading {}", program->entry()), guarded("Device::load", call)));
    };
    auto made = std::make_shared<LoadedProgram>();
    probe_points::compile_start(std::string(program->entry()), id_);
    if (has_grid_barriers(*program)) {
        auto artifact = TRY(compiled([&] { return split_executor_.compile(program, options, sources); }));
        made->artifact = artifact.joined();
        made->split = TRY(loaded([&] { return split_executor_.load(std::move(artifact)); }));
    } else {
        routing::SoonestCode code = TRY(compiled([&]() -> Result<routing::SoonestCode> {
            if (optimize != Optimize::first)
                return routing::soonest_code_for(*device_, program, options, sources);
            return routing::SoonestCode{TRY(routing::compile_for(*device_, program, options, sources))};
        }));
        made->artifact = std::move(code.artifact);
        made->executable = TRY(loaded([&] {
            return split_executor_.with_room(
                [&] { return routing::load_for(*device_, program, options, made->artifact, sources); });
        }));
        if (!made->executable)
            return fail(ErrorCode::internal, fmt::format("{} loads nothing and gives no error.", id_));
        made->is_quick = code.is_quick;
        if (made->is_quick && optimize == Optimize::later) optimize_later(made, program, options, sources);
    }
    made->artifact.fingerprint = program->fingerprint();  // the user's program, not its expansion
    probe_points::compile_done(made->artifact.entry, id_);
    return made;
}

void DeviceContext::optimize_later(const Made& quick, const ValidProgram& program,
                                   const CompileOptions& options, const routing::CodeSources& sources) {
    trace::mark("quick code", program->entry());
    helper::compile_later([context = weak_from_this(), place = std::weak_ptr(quick), program, options,
                           sources] {
        const auto self = context.lock();
        if (!self || self->is_lost() || place.expired()) return;
        auto better =
            guarded("optimizing", [&] { return self->compile(program, options, sources, Optimize::first); });
        if (!better)
            return log_once(LogLevel::warning, fmt::format("{} of {}", program->entry(), self->id_),
                            fmt::format("{} goes on with quick code on {}: {}", program->entry(), self->id_,
                                        better.error().message));
        const Made quick = place.lock();
        if (!quick) return;
        quick->owned_better = *std::move(better);
        quick->better.store(quick->owned_better.get(), std::memory_order_release);
        exchanged_count.fetch_add(1, std::memory_order_release);
        trace::mark("optimised code", program->entry());
    });
}

Result<std::shared_ptr<const LoadedProgram>> DeviceContext::load(const ValidProgram& program,
                                                                 const CompileOptions& options,
                                                                 std::chrono::nanoseconds budget,
                                                                 std::span<const Artifact> codes) {
    if (auto why = lost()) return std::unexpected(*std::move(why));
    const std::shared_ptr<CacheEntry> entry = cache_entry(program, options);
    std::unique_lock lock(entry->mutex);
    if (entry->loaded) return entry->loaded;
    const helper::CallerWaits waits;
    if (budget ==
        std::chrono::nanoseconds(0)) {  // one thread compiles, others that load the same program wait
        entry->loaded = TRY(compile(program, options, sources_from(codes), optimize_));
        return entry->loaded;
    }
    const std::string what = fmt::format("{} on {}", program->entry(), id_);
    if (!entry->running)
        entry->running = TRY(Compilation<Loaded>::start(
            what, budget,
            [self = shared_from_this(), program, options, sources = sources_from(codes)]() -> Result<Loaded> {
                return self->compile(program, options, sources, self->optimize_);
            }));
    const std::shared_ptr<Compilation<Loaded>> running = entry->running;
    lock.unlock();
    auto made = running->wait(budget);
    if (!made) return std::unexpected(compile_timed_out(what, budget));
    lock.lock();
    if (entry->running == running) {
        entry->running.reset();
        if (*made) entry->loaded = **made;
    }
    return *std::move(made);
}

Result<std::unique_ptr<Memory>> DeviceContext::allocate(std::uint64_t bytes) {
    if (auto why = lost()) return std::unexpected(*std::move(why));
    trace::Span span(trace::Stage::allocate, {}, id_);
    span.bytes(bytes);
    auto memory = TRY(with_loss_recorded(
        during([&] { return fmt::format("allocating {} bytes", bytes); }, guarded("Device::allocate", [&] {
                   return split_executor_.with_room([&] { return device_->allocate(bytes); });
               }))));
    if (!memory)
        return fail(ErrorCode::internal, fmt::format("{} allocates nothing and gives no error.", id_));
    return memory;
}

Result<std::unique_ptr<Memory>> DeviceContext::wrap(std::span<std::byte> host) {
    if (auto why = lost()) return std::unexpected(*std::move(why));
    return with_loss_recorded(
        during([&] { return fmt::format("wrapping {} bytes of the host", host.size()); },
               guarded("Device::wrap", [&] { return device_->wrap(host); })));
}

Result<void> DeviceContext::write(Memory& memory, std::uint64_t offset, std::span<const std::byte> from) {
    if (auto why = lost()) return std::unexpected(*std::move(why));
    if (from.empty()) return {};
    trace::Span span(trace::Stage::write, {}, id_);
    span.bytes(from.size());
    return with_loss_recorded(
        during([&] { return fmt::format("writing {} bytes", from.size()); },
               guarded("Device::write", [&] { return device_->write(memory, offset, from); })));
}

Result<void> DeviceContext::read(const Memory& memory, std::uint64_t offset, std::span<std::byte> to) {
    if (auto why = lost()) return std::unexpected(*std::move(why));
    if (to.empty()) return {};
    trace::Span span(trace::Stage::read, {}, id_);
    span.bytes(to.size());
    return with_loss_recorded(
        during([&] { return fmt::format("reading {} bytes", to.size()); },
               guarded("Device::read", [&] { return device_->read(memory, offset, to); })));
}

Result<Submitted> DeviceContext::submit(const LoadedProgram& program, const Launch& launch) {
    if (auto why = lost()) return std::unexpected(*std::move(why));
    return submit_unless_lost(program, launch);
}

// Returns one variable, which isn't moved, since moving it takes a tenth of a small dispatch.
Result<Submitted> DeviceContext::submit_unless_lost(const LoadedProgram& program, const Launch& launch) {
    Result<Submitted> submitted = guarded("Device::submit", [&] {
        return program.split ? split_executor_.submit(*program.split, launch)
                             : split_executor_.submit(launch);
    });
    check_submitted(submitted);
    if (submitted)
        probe_points::submit(program.artifact.entry, id_, launch.extent.count(), in_flight(*submitted));
    return submitted;
}

Result<Submitted> DeviceContext::transfer(const MemoryTransfer& transfer) {
    if (auto why = lost()) return std::unexpected(*std::move(why));
    auto submitted = guarded("Device::transfer", [&] { return split_executor_.transfer(transfer); });
    check_submitted(submitted);
    if (submitted) probe_points::transfer(id_, transfer.bytes, in_flight(*submitted));
    return submitted;
}

void DeviceContext::check_submitted(Result<Submitted>& submitted) {
    if (!submitted)
        submitted = std::unexpected(record_loss(std::move(submitted).error()));
    else if (const auto* running = std::get_if<std::shared_ptr<Submission>>(&*submitted);
             running && !*running)
        submitted = fail(ErrorCode::internal, fmt::format("{} submits nothing and gives no error.", id_));
}

/// Removes the tickets that have ended. Submissions of one device end in order, so the first that runs ends
/// the search. Unlocks `flight` while a ticket settles, because that frees memory.
void DeviceContext::prune(std::unique_lock<std::mutex>& flight) {
    while (!quarantined()) {
        while (in_flight_.first() && in_flight_.first()->settled()) in_flight_.pop();
        if (!in_flight_.first() || in_flight_.first()->runs()) return;
        const std::shared_ptr<Ticket::State> first = in_flight_.first();
        flight.unlock();
        const bool ended = first->ended();
        flight.lock();
        if (!ended) return;
    }
}

Result<void> DeviceContext::make_room() {
    if (in_flight_.size() < most_in_flight) return {};
    std::unique_lock flight(flight_mutex_);
    const std::shared_ptr<Ticket::State> oldest = in_flight_.first();
    if (!oldest) return {};
    flight.unlock();
    const auto end = oldest->wait(default_timeout);
    if (!end && end.error().code == ErrorCode::timed_out) return std::unexpected(end.error());
    flight.lock();
    prune(flight);
    return {};
}

void DeviceContext::track(std::shared_ptr<Ticket::State> ticket) {
    std::unique_lock flight(flight_mutex_);
    in_flight_.push(std::move(ticket));
    prune(flight);
}

bool DeviceContext::drain(std::chrono::steady_clock::time_point deadline) {
    for (;;) {
        std::unique_lock flight(flight_mutex_);
        prune(flight);
        const std::shared_ptr<Ticket::State> first = in_flight_.first();
        if (!first || quarantined()) return true;
        flight.unlock();
        const auto left = deadline - std::chrono::steady_clock::now();
        if (left <= std::chrono::nanoseconds(0)) return false;
        (void)guarded("Ticket::wait", [&] { return first->wait(left); });
    }
}

}  // namespace muster
