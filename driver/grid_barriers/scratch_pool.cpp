#include <algorithm>
#include <new>
#include <utility>

#include <muster/driver/grid_barriers/scratch_pool.hpp>
#include <muster/foundation/base/try.hpp>

namespace muster::grid_barriers {

Result<std::shared_ptr<Memory>> ScratchPool::take(Device& device, std::uint64_t bytes) {
    if (auto kept = take_kept(bytes)) return kept;
    clear();  // these blocks are too small, and may take up the memory that is needed
    return std::shared_ptr<Memory>(TRY(device.allocate(bytes)));
}

/// Returns the smallest kept block that is large enough, or null.
std::shared_ptr<Memory> ScratchPool::take_kept(std::uint64_t bytes) {
    const std::lock_guard lock(mutex_);
    auto best = free_.end();
    for (auto one = free_.begin(); one != free_.end(); ++one)
        if ((*one)->bytes() >= bytes && (best == free_.end() || (*one)->bytes() < (*best)->bytes()))
            best = one;
    if (best == free_.end()) return nullptr;
    std::shared_ptr<Memory> found = std::move(*best);
    free_.erase(best);
    return found;
}

bool ScratchPool::keeps_too_much() const {
    std::uint64_t bytes = 0;
    for (const auto& one : free_) bytes += one->bytes();
    return free_.size() > most_kept || (free_.size() > 1 && bytes > most_bytes_kept);
}

void ScratchPool::give(std::shared_ptr<Memory> memory) noexcept try {
    std::vector<std::shared_ptr<Memory>> let_go;  // freed after the lock is released: it may be slow
    const std::lock_guard lock(mutex_);
    let_go.reserve(free_.size() + 1);
    free_.push_back(std::move(memory));
    while (keeps_too_much()) {
        const auto smallest =
            std::ranges::min_element(free_, {}, [](const auto& one) { return one->bytes(); });
        let_go.push_back(std::move(*smallest));
        free_.erase(smallest);
    }
} catch (const std::bad_alloc&) {  // no room to keep the memory: it is freed
}

bool ScratchPool::clear() {
    std::vector<std::shared_ptr<Memory>> let_go;
    const std::lock_guard lock(mutex_);
    let_go.swap(free_);
    return !let_go.empty();
}

}  // namespace muster::grid_barriers
