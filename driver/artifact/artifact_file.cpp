#include <utility>

#include <fmt/format.h>

#include <muster/driver/artifact/artifact_fields.hpp>
#include <muster/driver/artifact/artifact_file.hpp>
#include <muster/foundation/archive/program_archive.hpp>
#include <muster/foundation/base/byte_archive.hpp>
#include <muster/foundation/base/try.hpp>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace muster {
namespace {

constexpr std::uint64_t magic = 0x0a52455453554d7f;  // "\x7fMUSTER\n"
// The version: raised with every change of the format, of Artifact, of what backends load code with
// (load_data), and of how they call it.
constexpr std::uint32_t version = 2, most_sections = 65'536;
constexpr std::size_t head_bytes = 24, section_bytes = 24, checksum_bytes = 16;

enum class SectionKind : std::uint32_t { program = 1, code = 2 };

struct Section {
    std::uint32_t kind = 0, reserved = 0;
    std::uint64_t offset = 0, bytes = 0;
};

template <class Archive, class Fields>
void exchange_section(Archive& archive, Fields& value) {
    auto& [kind, reserved, offset, bytes] = value;
    archive.number("kind", kind);
    archive.number("reserved", reserved);
    archive.number("offset", offset);
    archive.number("bytes", bytes);
}

void add_checksum(ByteWriter& writer) {
    const XXH128_hash_t hash = XXH3_128bits(writer.bytes().data(), writer.bytes().size());
    writer.number("high", std::uint64_t{hash.high64});
    writer.number("low", std::uint64_t{hash.low64});
}

/// True if a file's last bytes are the checksum of those before.
bool checksum_fits(std::span<const std::byte> file) {
    const XXH128_hash_t hash = XXH3_128bits(file.data(), file.size() - checksum_bytes);
    std::uint64_t high = 0, low = 0;
    ByteReader reader(file.last(checksum_bytes));
    reader.number("high", high);
    reader.number("low", low);
    return high == hash.high64 && low == hash.low64;
}

std::unexpected<Error> refuse(std::string why,
                              std::string fix = "emit the artifact again, or copy it again") {
    return fail(ErrorCode::invalid_argument, std::move(why), std::move(fix));
}

/// The sections of a file whose checksum is right.
Result<std::vector<Section>> read_sections(std::span<const std::byte> bytes, std::uint32_t count) {
    ByteReader reader(bytes.subspan(head_bytes, section_bytes * count));
    std::vector<Section> sections(count);
    std::uint64_t at = head_bytes + section_bytes * count;
    for (Section& section : sections) {
        exchange_section(reader, section);
        const bool has_place = section.offset == at && section.bytes <= bytes.size() - checksum_bytes - at;
        const bool is_known = section.kind == static_cast<std::uint32_t>(SectionKind::program) ||
                              section.kind == static_cast<std::uint32_t>(SectionKind::code);
        if (!has_place || !is_known || section.reserved != 0)
            return refuse("The artifact is damaged: its table of sections is wrong.");
        at += section.bytes;
    }
    if (at != bytes.size() - checksum_bytes)
        return refuse("The artifact is damaged: it has bytes in no section.");
    return sections;
}

Result<Artifact> read_code(std::span<const std::byte> bytes) {
    Artifact code;
    ByteReader reader(bytes);
    exchange_artifact(reader, code);
    if (!reader.done())
        return refuse(fmt::format("The artifact's code is damaged: it has {}.", reader.fault()));
    return code;
}

}  // namespace

std::vector<std::byte> artifact_file_bytes(const ArtifactFile& file) {
    std::vector<std::vector<std::byte>> contents{program_bytes(file.program)};
    for (const Artifact& code : file.codes) {
        ByteWriter writer;
        exchange_artifact(writer, code);
        contents.push_back(std::move(writer).take());
    }
    const std::uint64_t first = head_bytes + section_bytes * contents.size();
    std::uint64_t length = first + checksum_bytes;
    for (const std::vector<std::byte>& content : contents) length += content.size();
    ByteWriter writer;
    writer.number("magic", magic);
    writer.number("version", version);
    writer.number("sections", static_cast<std::uint32_t>(contents.size()));
    writer.number("bytes", length);
    std::uint64_t offset = first;
    for (const std::vector<std::byte>& content : contents) {
        const SectionKind kind = &content == contents.data() ? SectionKind::program : SectionKind::code;
        const Section section{static_cast<std::uint32_t>(kind), 0, offset, content.size()};
        exchange_section(writer, section);
        offset += content.size();
    }
    for (const std::vector<std::byte>& content : contents) writer.raw(content);
    add_checksum(writer);
    return std::move(writer).take();
}

bool is_artifact_file(std::span<const std::byte> bytes) {
    std::uint64_t number = 0;
    ByteReader(bytes).number("magic", number);
    return number == magic;
}

Result<ArtifactFile> read_artifact_file(std::span<const std::byte> bytes) {
    if (!is_artifact_file(bytes))
        return refuse("This isn't an artifact of muster: it doesn't begin as one does.",
                      "give a file that muster emit wrote");
    if (bytes.size() < head_bytes + checksum_bytes)
        return refuse(fmt::format("The artifact is cut off: it has {} bytes.", bytes.size()));
    std::uint32_t its_version = 0, count = 0;
    std::uint64_t length = 0;
    ByteReader head(bytes.subspan(sizeof magic, head_bytes - sizeof magic));
    head.number("version", its_version);
    head.number("sections", count);
    head.number("bytes", length);
    if (its_version != version)
        return refuse(fmt::format("The artifact is of format version {}, and this muster reads version {}.",
                                  its_version, version),
                      "emit it again with this version of muster");
    if (length != bytes.size())
        return refuse(fmt::format("The artifact has {} bytes instead of {}.", bytes.size(), length));
    if (!checksum_fits(bytes)) return refuse("The artifact is damaged: its checksum is wrong.");
    if (count == 0 || count > most_sections ||
        section_bytes * count > bytes.size() - head_bytes - checksum_bytes)
        return refuse(fmt::format("The artifact is damaged: it has {} sections.", count));
    const std::vector<Section> sections = TRY(read_sections(bytes, count));
    const auto content = [&](const Section& section) {
        return bytes.subspan(static_cast<std::size_t>(section.offset),
                             static_cast<std::size_t>(section.bytes));
    };
    if (sections[0].kind != static_cast<std::uint32_t>(SectionKind::program))
        return refuse("The artifact is damaged: its first section isn't the program.");
    ArtifactFile file{TRY(read_program(content(sections[0]))), {}};
    for (const Section& section : std::span(sections).subspan(1)) {
        if (section.kind != static_cast<std::uint32_t>(SectionKind::code))
            return refuse("The artifact is damaged: it has two programs.");
        file.codes.push_back(TRY(read_code(content(section))));
    }
    return file;
}

}  // namespace muster
