#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include <muster/driver/contract/grid.hpp>
#include <muster/driver/grid_barriers/split_run.hpp>
#include <muster/driver/support/deadline.hpp>
#include <muster/driver/support/guard.hpp>
#include <muster/foundation/base/try.hpp>

namespace muster::grid_barriers {
namespace {

/// The number of parts of one dispatch that are submitted within the call; afterwards the most that may be in
/// flight before the submitting thread waits.
constexpr std::size_t most_ahead = 256;

/// The host's steps between two checks of `abandoned`. They are bounded because a loop may contain no part.
constexpr std::uint64_t most_steps = 4096;

/// The largest binding, in bytes, that is read once and as a whole.
constexpr std::uint64_t read_as_a_whole = 4096;

Error given_up() {
    return {ErrorCode::device_lost,
            "The device was given up before the dispatch ended.",
            "open a new session",
            {}};
}

std::vector<std::uint64_t> sizes(const Launch& launch) {
    std::vector<std::uint64_t> all;
    for (const BoundMemory& one : launch.bindings) all.push_back(one.bytes);
    return all;
}

}  // namespace

OwnedLaunch::OwnedLaunch(const Launch& launch)
    : bindings_(launch.bindings.begin(), launch.bindings.end()), launch_(launch) {
    for (BoundMemory& one : bindings_) {
        if (one.memory != nullptr) continue;
        auto& copy = values_.emplace_back((one.bytes + 3) / 4);
        std::memcpy(copy.data(), one.value, one.bytes);
        one.value = reinterpret_cast<const std::byte*>(copy.data());
    }
    launch_.bindings = bindings_;
}

SplitRun::SplitRun(Device& device, ScratchPool& pool, const LoadedParts& parts, const Launch& launch)
    : device_(device),
      pool_(pool),
      parts_(parts),
      launch_(launch),
      walk_(parts.program, launch.grid, sizes(launch)),
      work_(std::make_shared<PartsInFlight>(std::string(parts.program.program.entry()), parts.parts.size())) {
}

/// Gives the scratch back only if no part was submitted: a submitted part may still write
/// words for the host to it.
SplitRun::~SplitRun() {
    if (scratch_ && !work_->has_added()) pool_.give(std::move(scratch_));
}

Result<std::unique_ptr<SplitRun>> SplitRun::make(Device& device, ScratchPool& pool, const LoadedParts& parts,
                                                 const Launch& launch) {
    std::unique_ptr<SplitRun> made(new SplitRun(device, pool, parts, launch));
    TRY(made->take_scratch());
    return made;
}

Result<void> SplitRun::take_scratch() {
    const SplitProgram& program = parts_.program;
    if (!program.uses_scratch) return {};
    const std::uint64_t words = scratch_words(program, launch_->grid);
    const bool is_countable = words <= UINT64_MAX / 4;
    scratch_bytes_ = is_countable ? words * 4 : UINT64_MAX;
    const DeviceInfo& info = device_.info();
    const std::uint64_t addressable = std::uint64_t{UINT32_MAX} * 4;
    std::uint64_t most = std::min(info.limits.max_storage_binding_bytes, addressable);
    if (info.memory_bytes != 0) most = std::min(most, info.memory_bytes);
    if (scratch_bytes_ > most)
        return fail(
            ErrorCode::limit_exceeded,
            fmt::format(
                "A grid of {}x{}x{} workgroups takes {} bytes of scratch for what lives across the grid "
                "barriers of {} ({} bytes per invocation, {} per workgroup), more than the {} that {} has "
                "for it.",
                launch_->grid.x, launch_->grid.y, launch_->grid.z,
                is_countable ? fmt::to_string(scratch_bytes_) : "2^64 or more", program.program.entry(),
                program.invocation_words * 4, program.workgroup_words * 4, most, info.name),
            "dispatch a smaller grid, or let less live across grid barriers");
    auto taken = during([&] { return fmt::format("taking {} bytes of scratch", scratch_bytes_); },
                        pool_.take(device_, scratch_bytes_));
    scratch_ = TRY(std::move(taken));
    work_->keep(scratch_);
    return {};
}

bool SplitRun::must_wait() const {
    return parts_.program.waits || std::ranges::any_of(parts_.program.host_reads, [&](std::uint32_t binding) {
               return launch_->bindings[binding].memory != nullptr;
           });
}

void SplitRun::close(std::optional<Error> why) {
    const bool is_well = !why;
    work_->close(std::move(why));
    if (is_well && scratch_) pool_.give(std::move(scratch_));  // its next user runs after this dispatch
    scratch_.reset();
}

/// Walks a bounded number of parts and steps. Returns true if the walk has ended, with or without an error.
bool SplitRun::advance() {
    auto ended =
        guarded("walking a split program", [&] { return walk_.go_on(*this, most_ahead, most_steps); });
    if (!ended) {
        close(std::move(ended).error());
        return true;
    }
    if (*ended) close({});
    return *ended;
}

bool SplitRun::start() { return advance(); }

bool SplitRun::keeps_deadlines() const {
    return std::ranges::all_of(parts_.program.host_reads, [&](std::uint32_t binding) {
        return launch_->bindings[binding].memory == nullptr ||
               launch_->bindings[binding].bytes <= read_as_a_whole;
    });
}

bool SplitRun::run(const std::atomic<bool>& abandoned, Moment deadline) {
    abandoned_ = &abandoned;
    deadline_ = deadline;
    auto done = advance_until_deadline();
    if (done) return *done;
    close(std::move(done).error());
    return true;
}

Result<bool> SplitRun::advance_until_deadline() {
    if (!has_read_ahead_ && !TRY(read_ahead())) return false;
    while (!abandoned_->load(std::memory_order_acquire)) {
        if (advance()) return true;
        if (!TRY(work_->make_room(most_ahead, *abandoned_, deadline_))) return false;
        if (left_until(deadline_) == std::chrono::nanoseconds(0)) return false;
    }
    return std::unexpected(given_up());
}

Result<void> SplitRun::run(std::uint32_t part, std::span<const std::uint32_t> host_values) {
    std::vector<BoundMemory> bindings;
    for (const SplitBinding& one : parts_.program.parts[part].bindings) {
        using Source = SplitBinding::Source;
        switch (one.source) {
            case Source::program: bindings.push_back(launch_->bindings[one.index]); break;
            case Source::scratch:
                bindings.push_back({.memory = scratch_.get(), .bytes = scratch_bytes_});
                break;
            case Source::host_values:
                bindings.push_back({.bytes = host_values.size_bytes(),
                                    .value = reinterpret_cast<const std::byte*>(host_values.data())});
                break;
        }
    }
    return submit(part, bindings);
}

/// Fails with device_lost once the device is given up. Called before each call to the device.
Result<void> SplitRun::check_not_given_up() const {
    if (abandoned_ != nullptr && abandoned_->load(std::memory_order_acquire))
        return std::unexpected(given_up());
    return {};
}

/// Submits the workgroups of a part that have work to do, in pieces that fit the device's limits. Later
/// submissions wait for all of the pieces, as for any submission.
Result<void> SplitRun::submit(std::uint32_t part, std::span<const BoundMemory> bindings) {
    const Extent3 workgroups = part_grid(parts_.program.parts[part], launch_->grid);
    const FoldedGrid pieces = TRY(fold_grid(workgroups, device_.info().limits.max_workgroups));
    for (std::uint32_t i = 0; i < pieces.size(); ++i) {
        TRY(check_not_given_up());
        const GridPart piece = pieces[i];
        auto submitted = device_.submit({.executable = parts_.parts[part].get(),
                                         .bindings = bindings,
                                         .origin = piece.origin,
                                         .extent = piece.extent,
                                         .grid = launch_->grid});
        if (!submitted) return std::unexpected(work_->in_part(std::move(submitted).error(), part));
        work_->add(part, *std::move(submitted));
    }
    return {};
}

/// Waits also for work that was submitted before this dispatch. Returns false at the
/// deadline, or if it may not wait.
Result<bool> SplitRun::is_settled() {
    if (abandoned_ == nullptr) return false;
    TRY(check_not_given_up());
    if (!work_->has_added()) {
        auto submitted = device_.submit({.executable = parts_.idle_kernel.get(),
                                         .bindings = {},
                                         .origin = {0, 0, 0},
                                         .extent = {1, 1, 1},
                                         .grid = {1, 1, 1}});
        if (!submitted) return std::unexpected(std::move(submitted).error());
        work_->add(0, *std::move(submitted));
    }
    return work_->make_room(0, *abandoned_, deadline_);
}

/// Reads the small bindings that the host loads from and that never change. Returns false if
/// earlier work still runs.
Result<bool> SplitRun::read_ahead() {
    for (const std::uint32_t binding : parts_.program.host_reads) {
        const BoundMemory& from = launch_->bindings[binding];
        if (from.memory == nullptr || from.bytes > read_as_a_whole || read_.contains(binding)) continue;
        if (!TRY(is_settled())) return false;
        std::vector<std::uint32_t> words(from.bytes / 4);
        TRY(read_device(*from.memory, from.offset, words));
        read_.emplace(binding, std::move(words));
    }
    has_read_ahead_ = true;
    return true;
}

Result<void> SplitRun::read(std::uint32_t binding, std::uint64_t offset, std::span<std::uint32_t> into) {
    const BoundMemory& from = launch_->bindings[binding];
    if (from.memory == nullptr) {
        std::memcpy(into.data(), from.value + offset, into.size_bytes());
        return {};
    }
    if (const auto words = read_.find(binding); words != read_.end()) {
        std::copy_n(words->second.begin() + static_cast<std::ptrdiff_t>(offset / 4), into.size(),
                    into.begin());
        return {};
    }
    while (!TRY(is_settled())) {
    }  // a large binding that never changes can be read at any step
    return read_device(*from.memory, from.offset + offset, into);
}

Result<void> SplitRun::read_device(const Memory& memory, std::uint64_t offset,
                                   std::span<std::uint32_t> into) {
    TRY(check_not_given_up());
    return device_.read(memory, offset, std::as_writable_bytes(into));
}

Result<std::optional<std::uint32_t>> SplitRun::fetch() {
    static_assert(static_cast<int>(ScratchWord::fetched) == 0 && static_cast<int>(ScratchWord::value) == 1);
    std::array<std::uint32_t, 2> words{};
    TRY(read_device(*scratch_, 0, words));
    if (words[0] == 0) return std::nullopt;
    TRY(check_not_given_up());
    constexpr std::array<std::uint32_t, 1> none{};
    TRY(device_.write(*scratch_, 0, std::as_bytes(std::span(none))));
    return words[1];
}

bool QueuedWork::run(const std::atomic<bool>& abandoned, Moment) {
    auto submitted = abandoned.load(std::memory_order_acquire)
                         ? std::unexpected(given_up())
                         : guarded("Device::submit", [&] { return submit(); });
    if (!submitted) {
        work_->close(std::move(submitted).error());
        return true;
    }
    work_->add(0, *std::move(submitted));
    work_->close();
    return true;
}

}  // namespace muster::grid_barriers
