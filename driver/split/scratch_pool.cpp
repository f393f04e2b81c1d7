#include <algorithm>
#include <utility>

#include <muster/driver/split/scratch_pool.hpp>
#include <muster/foundation/try.hpp>

namespace muster::split {

Result<std::shared_ptr<Memory>> ScratchPool::take(Device& device, std::uint64_t bytes) {
    {
        const std::lock_guard lock(mutex_);
        auto best = free_.end();
        for (auto one = free_.begin(); one != free_.end(); ++one)
            if ((*one)->bytes() >= bytes && (best == free_.end() || (*one)->bytes() < (*best)->bytes()))
                best = one;
        if (best != free_.end()) {
            std::shared_ptr<Memory> found = std::move(*best);
            free_.erase(best);
            return found;
        }
    }
    auto fresh = device.allocate(bytes);
    if (!fresh && fresh.error().code == ErrorCode::out_of_memory) {  // what is kept may be what is missing
        const std::lock_guard lock(mutex_);
        free_.clear();
        fresh = device.allocate(bytes);
    }
    if (!fresh) return std::unexpected(std::move(fresh).error());
    return std::shared_ptr<Memory>(*std::move(fresh));
}

void ScratchPool::give(std::shared_ptr<Memory> memory) {
    const std::lock_guard lock(mutex_);
    free_.push_back(std::move(memory));
    if (free_.size() <= most_kept) return;
    const auto smallest = std::ranges::min_element(free_, {}, [](const auto& one) { return one->bytes(); });
    free_.erase(smallest);
}

}  // namespace muster::split
