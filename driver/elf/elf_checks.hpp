// elf_checks.hpp - helpers shared by the checks of program headers and of the dynamic section. Internal to
// elf_segments.cpp and elf_dynamic.cpp.
#pragma once

#include <cstdint>
#include <span>
#include <utility>

#include <fmt/format.h>

#include <muster/driver/elf/elf_format.hpp>

namespace muster::elf {

enum SegmentType : std::uint32_t {
    load = 1,
    dynamic = 2,
    note = 4,
    headers = 6,
    tls = 7,
    eh_frame = 0x6474e550,
    relro = 0x6474e552,
    property = 0x6474e553
};
enum SegmentFlags : std::uint32_t { executable = 1, writable = 2, readable = 4 };
enum SectionFlags : std::uint64_t {
    section_writable = 1,
    allocated = 2,
    section_executable = 4,
    in_tls = 0x400
};
constexpr std::uint32_t dynamic_section = 6;  // a section's type
constexpr std::uint64_t most_alignment = std::uint64_t{1} << 30;

inline bool is_within(std::uint64_t begin, std::uint64_t bytes, std::uint64_t outer,
                      std::uint64_t outer_bytes) {
    return begin >= outer && begin - outer <= outer_bytes && bytes <= outer_bytes - (begin - outer);
}

template <class... Values>
std::unexpected<Error> damaged(fmt::format_string<Values...> what, Values&&... values) {
    return fail(ErrorCode::io_failed, fmt::format(what, std::forward<Values>(values)...),
                "the file is cut short or damaged: build or copy it again");
}

/// True if the segment maps these bytes of the file to this address.
inline bool maps(const ProgramHeader& segment, std::uint64_t offset, std::uint64_t address,
                 std::uint64_t bytes) {
    return is_within(offset, bytes, segment.offset, segment.file_bytes) &&
           address - offset == segment.address - segment.offset;
}

using Segments = std::span<const ProgramHeader>;

template <class Is>
const ProgramHeader* load_that(Segments segments, Is is) {
    for (const ProgramHeader& segment : segments)
        if (segment.type == load && is(segment)) return &segment;
    return nullptr;
}
/// The load segment whose file bytes cover this range of addresses, or null.
inline const ProgramHeader* load_at(Segments segments, std::uint64_t address, std::uint64_t bytes,
                                    std::uint32_t flags = 0) {
    return load_that(segments, [&](const ProgramHeader& s) {
        return is_within(address, bytes, s.address, s.file_bytes) && (s.flags & flags) == flags;
    });
}

/// The first segment of this type, or null.
const ProgramHeader* find(Segments segments, SegmentType type);
/// Refuses a segment whose address or size differs from that of a section of this name.
Result<void> check_is_section(const OpenFile& file, const ProgramHeader& segment, std::string_view name);
/// Refuses a dynamic section that contradicts the section table.
Result<void> check_dynamic(OpenFile& file, Segments segments);

}  // namespace muster::elf
