// Checks a library's program headers before the dynamic loader, which doesn't check them, opens it.
#include <algorithm>
#include <bit>

#include <muster/driver/elf/elf_checks.hpp>
#include <muster/driver/elf/elf_file.hpp>
#include <muster/foundation/base/try.hpp>

namespace muster {

namespace elf {

const ProgramHeader* find(Segments segments, SegmentType type) {
    const auto found = std::ranges::find(segments, type, &ProgramHeader::type);
    return found == segments.end() ? nullptr : &*found;
}

Result<void> check_is_section(const OpenFile& file, const ProgramHeader& segment, std::string_view name) {
    for (const SectionHeader& section : file.sections)
        if (file.name(section) == name &&
            (section.address != segment.address || section.size != segment.memory_bytes))
            return damaged("A segment has {} bytes at address {:#x}; its section {} has {} at {:#x}.",
                           segment.memory_bytes, segment.address, printable(name), section.size,
                           section.address);
    return {};
}

}  // namespace elf

using namespace elf;

namespace {

class Loadable {
  public:
    Loadable(OpenFile& file, std::vector<ProgramHeader> segments)
        : file_(file), segments_(std::move(segments)) {}

    Result<void> check() {
        TRY(check_loads());
        for (const SectionHeader& section : file_.sections) TRY(check_section(section));
        for (const ProgramHeader& segment : segments_) TRY(check_segment(segment));
        TRY(check_tls());
        return check_dynamic(file_, segments_);
    }

  private:
    std::size_t index(const ProgramHeader& segment) const {
        return static_cast<std::size_t>(&segment - segments_.data());
    }

    /// Checks that load segments are in the file, in order of address, and don't overlap.
    Result<void> check_loads() const {
        std::uint64_t end = 0;
        for (const ProgramHeader& s : segments_) {
            if (s.type != load) continue;
            if (!is_within(s.offset, s.file_bytes, 0, file_.file.size()))
                return damaged("Segment {} has bytes {} to {} of a file of {}.", index(s), s.offset,
                               s.offset + s.file_bytes, file_.file.size());
            if (s.memory_bytes < s.file_bytes)
                return damaged("Segment {} takes {} bytes of memory for the {} that it has in the file.",
                               index(s), s.memory_bytes, s.file_bytes);
            if (s.alignment > most_alignment || (s.alignment > 1 && !std::has_single_bit(s.alignment)) ||
                (s.alignment > 1 && (s.address - s.offset) % s.alignment != 0))
                return damaged("Segment {}, of byte {} at address {:#x}, can't be aligned to {}.", index(s),
                               s.offset, s.address, s.alignment);
            if (s.address < end || s.address + s.memory_bytes < s.address)
                return damaged("Segment {}, of {} bytes at address {:#x}, overlaps another one.", index(s),
                               s.memory_bytes, s.address);
            end = s.address + s.memory_bytes;
        }
        return end != 0 ? Result<void>() : damaged("No segment of it is to be loaded.");
    }

    /// Checks that an allocated section lies in a load segment that has the permissions it needs.
    Result<void> check_section(const SectionHeader& section) const {
        if ((section.flags & allocated) == 0 || section.size == 0) return {};
        const bool has_bytes = section.type != no_bits;
        if (!has_bytes && (section.flags & in_tls) != 0) return {};
        const bool runs = (section.flags & section_executable) != 0;
        const std::uint32_t flags =
            (runs ? executable : readable) | ((section.flags & section_writable) != 0 ? writable : 0u);
        const bool is_loaded = load_that(segments_, [&](const ProgramHeader& s) {
            return (s.flags & flags) == flags &&
                   (has_bytes ? maps(s, section.offset, section.address, section.size)
                              : is_within(section.address, section.size, s.address, s.memory_bytes));
        });
        if (is_loaded) return {};
        return damaged("No segment loads its section {} as the section table says.",
                       printable(file_.name(section)));
    }

    Result<void> check_segment(const ProgramHeader& s) const {
        switch (s.type) {
            case dynamic:
            case note:
            case property:
            case eh_frame:
            case headers:
                if (!load_that(segments_, [&](const ProgramHeader& l) {
                        return maps(l, s.offset, s.address, s.file_bytes);
                    }))
                    return damaged("No segment loads the {} bytes of segment {} at address {:#x}.",
                                   s.file_bytes, index(s), s.address);
                if (s.type == headers && s.offset != file_.header.segments_offset)
                    return damaged("Segment {} says that the program headers are at byte {}; they are at {}.",
                                   index(s), s.offset, file_.header.segments_offset);
                if (s.type == eh_frame) return check_is_section(file_, s, ".eh_frame_hdr");
                return {};
            case relro: return check_relro(s);
            default: return {};
        }
    }

    /// Checks that memory made read-only after relocation contains no data that is written later.
    Result<void> check_relro(const ProgramHeader& s) const {
        bool is_right = load_that(segments_, [&](const ProgramHeader& l) {
            return is_within(s.address, s.file_bytes, l.address, l.memory_bytes) && (l.flags & writable) != 0;
        });
        for (const SectionHeader& section : file_.sections) {
            const std::string_view name = file_.name(section);
            if (name != ".data" && name != ".bss") continue;
            if (s.address < section.address + section.size && section.address < s.address + s.memory_bytes)
                is_right = false;
        }
        if (is_right) return {};
        return damaged("Segment {} makes {} bytes at address {:#x} read-only, which others write.", index(s),
                       s.memory_bytes, s.address);
    }

    /// Checks that the TLS segment covers exactly the thread-local sections, up to alignment.
    Result<void> check_tls() const {
        const ProgramHeader* const s = elf::find(segments_, tls);
        std::uint64_t begin = UINT64_MAX, end = 0;
        for (const SectionHeader& section : file_.sections) {
            if ((section.flags & in_tls) == 0 || section.size == 0) continue;
            begin = std::min(begin, section.address);
            end = std::max(end, section.address + section.size);
        }
        if (s == nullptr)
            return end == 0 ? Result<void>() : damaged("No segment has its thread-local variables.");
        const bool is_aligned =
            s->alignment <= most_alignment && (s->alignment == 0 || std::has_single_bit(s->alignment));
        const bool is_right =
            is_aligned && s->file_bytes <= s->memory_bytes &&
            (s->file_bytes == 0 || load_at(segments_, s->address, s->file_bytes)) &&
            (s->memory_bytes == 0 ||
             (s->address <= begin && begin - s->address <= s->alignment &&
              s->address + s->memory_bytes >= end && s->address + s->memory_bytes - end <= s->alignment));
        if (is_right) return {};
        return damaged(
            "Segment {} has {} bytes of thread-local variables at address {:#x}, unlike its sections.",
            index(*s), s->memory_bytes, s->address);
    }

    OpenFile& file_;
    std::vector<ProgramHeader> segments_;
};

}  // namespace

Result<void> check_loadable_elf(const std::string& path) {
    OpenFile file = TRY(open_elf(path));
    if (file.header.segment_bytes != sizeof(ProgramHeader))
        return damaged("Its program headers are {} bytes each instead of {}.", file.header.segment_bytes,
                       sizeof(ProgramHeader));
    auto segments = TRY(file.file.read<ProgramHeader>(file.header.segments_offset, file.header.segment_count,
                                                      "program headers"));
    return Loadable(file, std::move(segments)).check();
}

}  // namespace muster
