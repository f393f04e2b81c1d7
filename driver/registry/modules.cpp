#include <cstring>

#include <muster/driver/registry/modules.hpp>

namespace muster {

const std::uint64_t driver_identity = 1;

namespace {

constexpr std::size_t step = 8;
constexpr std::size_t smallest_record = sizeof(RecordHeader) + sizeof(Id);

// True if a record's magic is at this address. Not sanitized: there may be red zones between records, and
// reading them here is harmless.
__attribute__((no_sanitize_address, no_sanitize_thread)) bool is_magic(const std::byte* at) {
    std::uint64_t word = 0;
    __builtin_memcpy(&word, at, sizeof(word));
    return word == __builtin_bit_cast(std::uint64_t, record_magic);
}

/// True if this record, which is in `rest` with all its bytes, reaches over the beginning of another one.
bool overlaps_another(std::span<const std::byte> rest, std::size_t size) {
    for (std::size_t at = step; at < size && at + step <= rest.size(); at += step)
        if (is_magic(rest.data() + at)) return true;
    return false;
}

}  // namespace

void scan_records(std::span<const std::byte> section, Inventory& inventory) {
    std::size_t offset = 0;
    while (section.size() - offset >= smallest_record) {
        const std::byte* at = section.data() + offset;
        if (!is_magic(at)) {
            offset += step;
            continue;
        }
        const auto* header = reinterpret_cast<const RecordHeader*>(at);
        if (header->size < smallest_record || header->size > section.size() - offset ||
            overlaps_another(section.subspan(offset), header->size)) {
            inventory.damaged.push_back(offset);
            offset += step;
            continue;
        }
        inventory.records.push_back(header);
        offset += (header->size + step - 1) / step * step;
        if (offset > section.size()) break;
    }
}

}  // namespace muster
