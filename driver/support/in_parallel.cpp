#include <algorithm>
#include <atomic>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>
#include <vector>

#include <muster/driver/support/in_parallel.hpp>
#include <muster/foundation/base/out_of_memory.hpp>

namespace muster {
namespace {

/// A thread's exceptions would end the program.
Result<void> done_by(const std::function<Result<void>(std::size_t)>& task, std::size_t which) {
    try {
        return task(which);
    } catch (const std::bad_alloc&) {
        return std::unexpected(out_of_memory());
    }
}

}  // namespace

Result<void> in_parallel(std::size_t count, const std::function<Result<void>(std::size_t)>& task) {
    std::atomic<std::size_t> next = 0, failed = count;
    std::mutex mutex;
    Result<void> result;
    const auto work = [&] {
        // All tasks before the first that fails have begun when it fails, so its error is
        // known when all threads end.
        for (std::size_t i = next++; i < failed; i = next++) {
            Result<void> done = done_by(task, i);
            if (done) continue;
            const std::lock_guard lock(mutex);
            if (i >= failed) continue;
            failed = i;
            result = std::move(done);
        }
    };
    std::vector<std::jthread> threads;
    const std::size_t most = std::min<std::size_t>(count, std::thread::hardware_concurrency());
    try {
        for (std::size_t i = 1; i < most; ++i) threads.emplace_back(work);
    } catch (const std::system_error&) {  // those that there are do the work
    }
    work();
    threads.clear();
    return result;
}

}  // namespace muster
