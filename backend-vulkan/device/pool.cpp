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

struct Pool::Room {
    explicit Room(std::unique_ptr<Block> made) : block(std::move(made)), free(block->bytes) {}
    std::unique_ptr<Block> block;
    FreeRanges free;
    bool leaves = false;         // to be freed once the device has reached last_use
    std::uint64_t last_use = 0;  // last possible use, on the timeline
};

Pool::Pool(const LogicalDevice& device, Timeline& timeline, const MemoryWish& wish)
    : device_(device), timeline_(timeline), wish_(wish), next_block_bytes_(first_block_bytes) {}

Pool::~Pool() = default;

Result<Pool::Room*> Pool::more(std::uint64_t bytes) {
    const bool fits = bytes <= next_block_bytes_ / 2;
    auto block = Block::make(device_, fits ? next_block_bytes_ : bytes, wish_);
    if (!block && fits && block.error().code == ErrorCode::out_of_memory)
        block = Block::make(device_, bytes, wish_);  // this much may fit even if a whole block doesn't
    if (!block) return std::unexpected(std::move(block).error());
    rooms_.push_back(std::make_unique<Room>(*std::move(block)));
    if (fits) next_block_bytes_ = std::min(2 * next_block_bytes_, most_block_bytes);
    return rooms_.back().get();
}

void Pool::free_leaving() {
    std::erase_if(rooms_, [&](const auto& room) {
        return room->leaves && timeline_.state(room->last_use) != Timeline::State::running;
    });
}

std::uint64_t Pool::last_use_of_leaving() const {
    std::uint64_t last = 0;
    for (const auto& room : rooms_)
        if (room->leaves) last = std::max(last, room->last_use);
    return last;
}

Result<Pool::Part> Pool::take(std::uint64_t bytes) {
    bytes = round_up(std::max<std::uint64_t>(bytes, 1), part_align);
    std::unique_lock lock(mutex_);
    free_leaving();
    for (const auto& room : rooms_) {
        if (room->leaves) continue;
        if (const auto offset = room->free.take(bytes))
            return Part{room.get(), room->block.get(), *offset, bytes};
    }
    auto room = more(bytes);
    if (const std::uint64_t last = last_use_of_leaving();
        !room && room.error().code == ErrorCode::out_of_memory && last != 0) {
        lock.unlock();
        TRY(timeline_.wait(last));
        lock.lock();
        free_leaving();
        room = more(bytes);
    }
    if (!room) return std::unexpected(std::move(room).error());
    return Part{*room, (*room)->block.get(), *(*room)->free.take(bytes), bytes};
}

void Pool::give(const Part& part) {
    const std::lock_guard lock(mutex_);
    Room& room = *part.room;
    room.free.give(part.offset, part.bytes);
    if (!room.free.all_free()) return;
    const auto stays_empty = [](const auto& one) { return one->free.all_free() && !one->leaves; };
    room.leaves = part.block->bytes > most_block_bytes || std::ranges::count_if(rooms_, stays_empty) > 1;
    room.last_use = part.block->mapped ? 0 : timeline_.last();  // mapped memory is accessed by the host only
    free_leaving();
}

}  // namespace muster::vulkan
