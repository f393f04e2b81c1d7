#include <algorithm>

#include <muster/foundation/interpreter/layout.hpp>

namespace muster::interpreter {
namespace {

constexpr std::size_t max_word_ranges = std::size_t{1} << 22;

Cell cell_of(Scalar scalar) {
    if (scalar == Scalar::i8) return Cell::signed_byte;
    if (scalar == Scalar::i16) return Cell::signed_half;
    const std::uint32_t bytes = info(scalar).bytes;
    return bytes == 1 ? Cell::byte : bytes == 2 ? Cell::half : Cell::word;
}

}  // namespace

Result<std::uint32_t> Layouts::layout(TypeId type, bool packed) {
    for (const KnownLayout& known : known_)
        if (known.type == type && known.packed == packed) return known.layout;
    const auto first = static_cast<std::uint32_t>(code_.word_ranges.size());
    const auto words = static_cast<std::uint32_t>(types_.scalar_words(type));
    if (packed) {
        code_.word_ranges.push_back({0, 0, words});
    } else if (unit_ = types_.least_bytes(type); !add(type, 0, 0, first)) {
        return fail(
            ErrorCode::limit_exceeded,
            "A value of type " + types_.name(type) +
                " is loaded or stored as a whole; its padding splits it into more than 4194304 segments.",
            "load and store its elements one by one.");
    }
    const auto layout = static_cast<std::uint32_t>(code_.layouts.size());
    code_.layouts.push_back({first, static_cast<std::uint32_t>(code_.word_ranges.size()) - first, words});
    known_.push_back({type, packed, layout});
    return layout;
}

// Appends the word ranges of a value in WGSL's layout, at a byte offset in memory; one that is contiguous
// with its predecessor on both sides extends it.
bool Layouts::add(TypeId id, std::uint64_t value, std::uint64_t memory, std::uint32_t first) {
    const Type& type = types_[id];
    if (type.kind == TypeKind::array) {
        const std::uint64_t words = types_.scalar_words(type.element);
        for (std::uint64_t i = 0; i < type.count; ++i)
            if (!add(type.element, value + i * words, memory + i * type.stride, first)) return false;
        return true;
    }
    if (type.kind == TypeKind::structure) {
        for (const Member& member : type.members) {
            if (!add(member.type, value, memory + member.offset, first)) return false;
            value += types_.scalar_words(member.type);
        }
        return true;
    }
    auto& word_ranges = code_.word_ranges;
    const Cell cell = cell_of(type.scalar);
    const auto words = static_cast<std::uint32_t>(type.words);
    const auto at = static_cast<std::uint32_t>(memory / unit_);
    if (word_ranges.size() > first) {
        WordRange& last = word_ranges.back();
        const std::uint32_t units = last.count * std::min(info(type.scalar).bytes, 4u) / unit_;
        if (last.cell == cell && last.value + last.count == value && last.memory + units == at) {
            last.count += words;
            return true;
        }
    }
    word_ranges.push_back({static_cast<std::uint32_t>(value), at, words, cell});
    return word_ranges.size() < max_word_ranges;
}

}  // namespace muster::interpreter
