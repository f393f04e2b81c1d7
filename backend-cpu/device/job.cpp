#include <algorithm>
#include <cstring>
#include <utility>

#include <muster/backend-cpu/device/job.hpp>
#include <muster/backend-cpu/device/memory.hpp>
#include <muster/backend-cpu/device/scratch.hpp>
#include <muster/backend-cpu/native/host.hpp>
#include <muster/backend-cpu/native/spin.hpp>
#include <muster/foundation/base/out_of_memory.hpp>
#include <muster/foundation/base/round_up.hpp>

namespace muster::cpu {
namespace {

/// Least instructions in a chunk, if the cost is known (some microseconds): handing it
/// out is cheap in comparison.
constexpr std::uint64_t least_chunk_cost = 20'000;
/// Time that a chunk should take, so that a stop takes effect soon and a waiting thread can keep its timeout.
constexpr std::chrono::microseconds short_chunk(250), long_chunk(1000);
/// A waiting thread helps only while its deadline is further away than this, longer than a chunk can take,
/// and only if a workgroup costs at most waiter_cost instructions, so that even the first chunk is short.
constexpr auto waiter_margin = std::chrono::milliseconds(4);
constexpr std::uint64_t waiter_cost = 500'000;
/// Least number of chunks per thread, so that workgroups of uneven cost balance out.
constexpr std::uint64_t chunks_per_thread = 8;

}  // namespace

LaunchArguments::LaunchArguments(const Launch& launch, Values values) {
    KernelBinding* bindings = few_.data();
    if (launch.bindings.size() > few_.size()) {
        many_.resize(launch.bindings.size());
        bindings = many_.data();
    }
    arguments_ = {.bindings = bindings,
                  .origin = {launch.origin.x, launch.origin.y, launch.origin.z},
                  .extent = {launch.extent.x, launch.extent.y, launch.extent.z},
                  .grid = {launch.grid.x, launch.grid.y, launch.grid.z}};
    if (values == Values::copied) copy(launch.bindings);
    auto* copied = reinterpret_cast<std::byte*>(copies_.data());
    for (const BoundMemory& bound : launch.bindings) {
        if (bound.memory) {
            *bindings++ = {host_bytes(*bound.memory).data() + bound.offset, bound.bytes};
        } else if (values == Values::borrowed) {
            *bindings++ = {const_cast<std::byte*>(bound.value), bound.bytes};  // kernels only read values
        } else {
            *bindings++ = {copied, bound.bytes};
            copied += round_up(bound.bytes, 4);
        }
    }
}

void LaunchArguments::copy(std::span<const BoundMemory> bindings) {
    std::uint64_t words = 0;
    for (const BoundMemory& bound : bindings)
        if (!bound.memory) words += round_up(bound.bytes, 4) / 4;
    copies_ = InlineVector<std::uint32_t, 32>(words, 0);
    auto* to = reinterpret_cast<std::byte*>(copies_.data());
    for (const BoundMemory& bound : bindings) {
        if (bound.memory) continue;
        std::memcpy(to, bound.value, bound.bytes);
        to += round_up(bound.bytes, 4);
    }
}

std::optional<std::uint64_t> launch_cost(const Launch& launch) {
    const std::uint64_t each = executable_of(launch).cost;
    std::uint64_t cost = 0;
    if (each == 0 || __builtin_mul_overflow(launch.extent.count(), each, &cost)) return std::nullopt;
    return cost;
}

Job::Job(const Launch& launch, std::uint32_t threads)
    : arguments_(launch, LaunchArguments::Values::copied),
      kernel_(executable_of(launch).kernel),
      scratch_bytes_(executable_of(launch).scratch_bytes),
      cost_(executable_of(launch).cost),
      total_(launch.extent.count()),
      threads_(threads),
      least_chunk_(cost_ == 0 ? 1 : std::max<std::uint64_t>(1, least_chunk_cost / cost_)),
      most_chunk_(std::max(least_chunk_, total_ / (threads * chunks_per_thread))) {}

void Job::start() {
    if (started_.load(std::memory_order_relaxed)) return;
    started_at_ = std::chrono::steady_clock::now();
    started_.store(true, std::memory_order_release);
}

std::uint32_t Job::helpers() const {
    const std::uint64_t chunks = (total_ + least_chunk_ - 1) / least_chunk_;
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(chunks, threads_) - 1);
}

/// Takes the next chunk: large at first, smaller towards the end, so that all threads end together.
std::optional<Job::Chunk> Job::claim(std::uint64_t most) {
    std::uint64_t begin = next_.load(std::memory_order_relaxed), end = 0;
    do {
        if (begin >= total_) return std::nullopt;
        const std::uint64_t left = total_ - begin;
        const std::uint64_t fair =
            std::clamp(left / (std::uint64_t{threads_} * 4), least_chunk_, most_chunk_);
        end = begin + std::min({fair, left, most});
    } while (!next_.compare_exchange_weak(begin, end, std::memory_order_relaxed));
    return Chunk{begin, end};
}

/// Chunks start small and grow until each takes long enough: the cost of a workgroup may be unknown.
template <class GoOn>
void Job::run(GoOn&& go_on) {
    auto scratch = [&]() -> Result<Scratch> {
        try {
            return Scratch::of_this_thread(scratch_bytes_);
        } catch (const std::bad_alloc&) {  // an exception must not leave the queue's thread
            return std::unexpected(out_of_memory());
        }
    }();
    if (!scratch) return cancel(std::move(scratch).error());
    const KernelFloats floats;
    std::uint64_t most = least_chunk_;
    for (auto now = std::chrono::steady_clock::now(); go_on(now);) {
        const auto chunk = claim(most);
        if (!chunk) return;
        kernel_(&arguments_.get(), chunk->begin, chunk->end, scratch->data());
        finish(chunk->end - chunk->begin);
        const auto before = std::exchange(now, std::chrono::steady_clock::now());
        if (now - before < short_chunk) most = std::min(most * 4, most_chunk_);
        if (now - before > long_chunk) most = std::max<std::uint64_t>(most / 2, 1);
    }
}

template <class GoOn>
void Job::run_counted(GoOn&& go_on) {
    working_threads_.fetch_add(1, std::memory_order_relaxed);
    run(go_on);
    working_threads_.fetch_sub(1, std::memory_order_relaxed);
}

void Job::work() {
    run_counted([](auto) { return true; });
}

bool Job::work_if_joined() {
    const auto end = std::chrono::steady_clock::now() + spin_time;
    run_counted([&](auto now) { return now < end || working_threads_.load(std::memory_order_relaxed) > 1; });
    return next_.load(std::memory_order_relaxed) >= total_;
}

bool Job::try_join() {
    if (working_threads_.fetch_add(1, std::memory_order_relaxed) < threads_) return true;
    working_threads_.fetch_sub(1, std::memory_order_relaxed);
    return false;
}

void Job::help() {
    if (!try_join()) return;
    run([](auto) { return true; });
    working_threads_.fetch_sub(1, std::memory_order_relaxed);
}

void Job::wait_and_help(std::chrono::steady_clock::time_point deadline) {
    if (cost_ == 0 || cost_ > waiter_cost) return;
    had_waiter_.store(true, std::memory_order_relaxed);
    // In a sequence, the job starts when the one before it, for which the thread has just waited, has ended.
    if (threads_ > 1) spin(spin_time, [&] { return started_.load(std::memory_order_acquire); });
    if (!started_.load(std::memory_order_acquire) || !try_join()) return;
    run([&](auto now) { return now + waiter_margin < deadline; });
    working_threads_.fetch_sub(1, std::memory_order_relaxed);
}

Result<Timing> Job::wait(std::chrono::nanoseconds timeout) {
    if (!done()) {
        const auto most = std::min<std::chrono::nanoseconds>(timeout, std::chrono::hours(1));
        const auto deadline = std::chrono::steady_clock::now() + most;
        if (most > waiter_margin) wait_and_help(deadline);
        if (threads_ > 1) spin(std::min<std::chrono::nanoseconds>(most, spin_time), [&] { return done(); });
        std::unique_lock lock(mutex_);
        if (!end_.wait_until(lock, deadline, [&] { return done(); }))
            return fail(ErrorCode::timed_out, "The kernel still runs.");
    }
    return outcome_.get();
}

void Job::wait_until_ended() {
    if (threads_ > 1) spin(spin_time, [&] { return done(); });
    std::unique_lock lock(mutex_);
    end_.wait(lock, [&] { return done(); });
}

void Job::cancel(Error why) {
    {
        const std::lock_guard lock(mutex_);
        if (!error_) error_ = std::move(why);
    }
    const std::uint64_t claimed = next_.exchange(total_, std::memory_order_relaxed);
    if (claimed < total_) finish(total_ - claimed);
}

void Job::finish(std::uint64_t workgroups) {
    // acq_rel: all that each thread wrote happens before the end.
    if (finished_.fetch_add(workgroups, std::memory_order_acq_rel) + workgroups == total_) end();
}

void Job::end() {
    const Timing timing = Timing::since(started_at_);
    const std::lock_guard lock(mutex_);
    if (error_)
        outcome_.settle(std::unexpected(*error_));
    else
        outcome_.settle(timing);
    end_.notify_all();
}

}  // namespace muster::cpu
