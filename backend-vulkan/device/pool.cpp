#include <algorithm>
#include <utility>

#include <muster/backend-vulkan/device/pool.hpp>
#include <muster/foundation/base/round_up.hpp>
#include <muster/foundation/base/try.hpp>

namespace muster::vulkan {
namespace {

constexpr std::uint64_t first_block_bytes = std::uint64_t{1} << 20;
constexpr std::uint64_t most_block_bytes = std::uint64_t{64} << 20;

}  // namespace

struct Pool::PoolBlock {
    explicit PoolBlock(std::unique_ptr<Block> made) : block(std::move(made)), free(block->bytes) {}
    std::unique_ptr<Block> block;
    FreeRanges free;
    bool leaves = false;         // to be freed once the device has reached last_use
    std::uint64_t last_use = 0;  // last possible use, on the timeline
};

Pool::Pool(const LogicalDevice& device, Timeline& timeline, const MemoryRequest& request)
    : device_(device), timeline_(timeline), request_(request), next_block_bytes_(first_block_bytes) {}

Pool::~Pool() = default;

Result<Pool::PoolBlock*> Pool::more(std::uint64_t bytes) {
    const bool fits = bytes <= next_block_bytes_ / 2;
    auto block = Block::make(device_, fits ? next_block_bytes_ : bytes, request_);
    if (!block && fits && block.error().code == ErrorCode::out_of_memory)
        block = Block::make(device_, bytes, request_);  // this much may fit even if a whole block doesn't
    if (!block) return std::unexpected(std::move(block).error());
    pool_blocks_.push_back(std::make_unique<PoolBlock>(*std::move(block)));
    if (fits) next_block_bytes_ = std::min(2 * next_block_bytes_, most_block_bytes);
    return pool_blocks_.back().get();
}

void Pool::free_leaving() {
    std::erase_if(pool_blocks_, [&](const auto& pool_block) {
        return pool_block->leaves && timeline_.state(pool_block->last_use) != Timeline::State::running;
    });
}

std::uint64_t Pool::last_use_of_leaving() const {
    std::uint64_t last = 0;
    for (const auto& pool_block : pool_blocks_)
        if (pool_block->leaves) last = std::max(last, pool_block->last_use);
    return last;
}

Result<Pool::PoolPart> Pool::take(std::uint64_t bytes) {
    bytes = round_up(std::max<std::uint64_t>(bytes, 1), part_align);
    std::unique_lock lock(mutex_);
    free_leaving();
    for (const auto& pool_block : pool_blocks_) {
        if (pool_block->leaves) continue;
        if (const auto offset = pool_block->free.take(bytes))
            return PoolPart{pool_block.get(), pool_block->block.get(), *offset, bytes};
    }
    auto pool_block = more(bytes);
    if (const std::uint64_t last = last_use_of_leaving();
        !pool_block && pool_block.error().code == ErrorCode::out_of_memory && last != 0) {
        lock.unlock();
        TRY(timeline_.wait(last));
        lock.lock();
        free_leaving();
        pool_block = more(bytes);
    }
    if (!pool_block) return std::unexpected(std::move(pool_block).error());
    return PoolPart{*pool_block, (*pool_block)->block.get(), *(*pool_block)->free.take(bytes), bytes};
}

void Pool::give(const PoolPart& part) {
    const std::lock_guard lock(mutex_);
    PoolBlock& pool_block = *part.pool_block;
    pool_block.free.give(part.offset, part.bytes);
    if (!pool_block.free.all_free()) return;
    const auto stays_empty = [](const auto& one) { return one->free.all_free() && !one->leaves; };
    pool_block.leaves =
        part.block->bytes > most_block_bytes || std::ranges::count_if(pool_blocks_, stays_empty) > 1;
    pool_block.last_use =
        part.block->mapped ? 0 : timeline_.last();  // mapped memory is accessed by the host only
    free_leaving();
}

}  // namespace muster::vulkan
