#include <algorithm>
#include <utility>

#include <muster/backend-vulkan/pool.hpp>
#include <muster/foundation/round_up.hpp>
#include <muster/foundation/try.hpp>

namespace muster::vulkan {
namespace {

constexpr std::uint64_t first_block_bytes = std::uint64_t{1} << 20;
constexpr std::uint64_t most_block_bytes = std::uint64_t{64} << 20;

}  // namespace

struct Pool::Room {
    explicit Room(std::unique_ptr<Block> made) : block(std::move(made)), free(block->bytes) {}
    std::unique_ptr<Block> block;
    FreeRanges free;
};

Pool::Pool(const LogicalDevice& device, const MemoryWish& wish)
    : device_(device), wish_(wish), next_block_bytes_(first_block_bytes) {}

Pool::~Pool() = default;

Result<Pool::Room*> Pool::more(std::uint64_t bytes) {
    const bool fits = bytes <= next_block_bytes_ / 2;
    auto block = Block::make(device_, fits ? next_block_bytes_ : bytes, wish_);
    if (!block && fits && block.error().code == ErrorCode::out_of_memory)
        block = Block::make(device_, bytes, wish_);  // what is asked for may fit where a whole block doesn't
    if (!block) return std::unexpected(std::move(block).error());
    rooms_.push_back(std::make_unique<Room>(*std::move(block)));
    if (fits) next_block_bytes_ = std::min(2 * next_block_bytes_, most_block_bytes);
    return rooms_.back().get();
}

Result<Pool::Part> Pool::take(std::uint64_t bytes) {
    bytes = round_up(std::max<std::uint64_t>(bytes, 1), part_align);
    const std::lock_guard lock(mutex_);
    for (const auto& room : rooms_)
        if (const auto offset = room->free.take(bytes))
            return Part{room.get(), room->block.get(), *offset, bytes};
    Room* const room = TRY(more(bytes));
    return Part{room, room->block.get(), *room->free.take(bytes), bytes};
}

void Pool::give(const Part& part) {
    const std::lock_guard lock(mutex_);
    part.room->free.give(part.offset, part.bytes);
    if (!part.room->free.all_free()) return;
    const auto is_empty = [](const auto& room) { return room->free.all_free(); };
    const bool is_large = part.block->bytes > most_block_bytes;
    if (is_large || std::ranges::count_if(rooms_, is_empty) > 1)
        std::erase_if(rooms_, [&](const auto& room) { return room.get() == part.room; });
}

}  // namespace muster::vulkan
