#include <algorithm>
#include <array>
#include <cstring>
#include <string>

#include <muster/backend-cpu/native/code_library.hpp>
#include <muster/driver/elf/elf_checks.hpp>
#include <muster/foundation/base/digest.hpp>
#include <muster/foundation/base/round_up.hpp>

namespace muster::cpu {
namespace {

using namespace elf;

// Numbers of the System V ABI, chapters 4 and 5.
enum FileType : std::uint16_t { shared_object = 3 };
enum Machine : std::uint16_t { x86_64 = 62, aarch64 = 183 };
enum SectionType : std::uint32_t {
    program_bits = 1,
    symbol_table = 2,
    string_table = 3,
    hash_table = 5,
    dynamic_bits = 6,
    note_bits = 7,
    dynamic_symbols = 11
};
enum DynamicTag : std::int64_t {
    tag_end = 0,
    tag_hash = 4,
    tag_strings = 5,
    tag_symbols = 6,
    tag_strings_bytes = 10,
    tag_symbol_bytes = 11
};
constexpr std::uint32_t gnu_stack = 0x6474e551;  // a segment: without it, stacks would be executable
constexpr unsigned char local_function = 0x02, global_function = 0x12;

struct Symbol {
    std::uint32_t name;
    unsigned char info, other;
    std::uint16_t section;
    std::uint64_t value, size;
};
static_assert(sizeof(Symbol) == 24);

/// A note that names the build: perf finds the file again by it.
struct BuildId {
    std::uint32_t name_bytes = 4, id_bytes = 20, type = 3;
    std::array<char, 4> name{'G', 'N', 'U', '\0'};
    std::array<std::byte, 20> id{};
};

/// Names one behind the other, each with its end.
class Names {
  public:
    std::uint32_t add(std::string_view name) {
        const auto at = static_cast<std::uint32_t>(text_.size());
        text_.append(name).push_back('\0');
        return at;
    }
    std::span<const std::byte> bytes() const { return std::as_bytes(std::span(text_)); }

  private:
    std::string text_ = std::string(1, '\0');
};

class Writer {
  public:
    Writer(std::span<const std::byte> code, std::string_view arch, const DebugData& debug)
        : code_(code),
          debug_(debug),
          machine_(arch.starts_with("aarch64") ? aarch64 : x86_64),
          code_address_(debug_code_address(arch)) {}

    std::vector<std::byte> write() && {
        file_.resize(sizeof(FileHeader) + segment_count * sizeof(ProgramHeader));
        sections_.emplace_back();
        const std::uint64_t note_at =
            add(".note.gnu.build-id", note_bits, allocated, as_bytes(build_id()), 4);
        const std::uint64_t hash_at = add(".hash", hash_table, allocated, as_bytes(one_symbol), 8);
        sections_.back().link = 3;  // the next section
        const std::uint64_t symbols_at = add_dynamic_symbols();
        const std::uint64_t strings_at = add(".dynstr", string_table, allocated, dynamic_names_.bytes(), 1);
        const std::uint64_t strings_bytes = dynamic_names_.bytes().size(), head_bytes = file_.size();
        const std::uint64_t code_at =
            add(".text", program_bits, allocated | section_executable, code_, code_address_);
        const std::array entries{DynamicEntry{tag_hash, hash_at},
                                 DynamicEntry{tag_strings, strings_at},
                                 DynamicEntry{tag_symbols, symbols_at},
                                 DynamicEntry{tag_strings_bytes, strings_bytes},
                                 DynamicEntry{tag_symbol_bytes, sizeof(Symbol)},
                                 DynamicEntry{tag_end, 0}};
        const std::uint64_t dynamic_at =
            add(".dynamic", dynamic_bits, allocated | section_writable, as_bytes(entries), code_address_);
        sections_.back().link = 4;
        for (const DebugSection& section : debug_.sections)
            add(section.name, program_bits, 0, section.bytes, 1);
        add_symbols();
        const std::uint32_t own_name = section_names_.add(".shstrtab");
        add({}, string_table, 0, section_names_.bytes(), 1);
        sections_.back().name = own_name;
        const std::array segments{
            segment(load, readable, 0, head_bytes, code_address_),
            segment(load, readable | executable, code_at, code_.size(), code_address_),
            segment(load, readable | writable, dynamic_at, sizeof entries, code_address_),
            segment(dynamic, readable | writable, dynamic_at, sizeof entries, 8),
            segment(note, readable, note_at, sizeof(BuildId), 4),
            segment(gnu_stack, readable | writable, 0, 0, 16)};
        static_assert(segments.size() == segment_count);
        std::memcpy(file_.data() + sizeof(FileHeader), segments.data(), sizeof segments);
        finish();
        return std::move(file_);
    }

  private:
    static constexpr std::size_t segment_count = 6;
    /// One bucket with one symbol: number 1.
    static constexpr std::array<std::uint32_t, 5> one_symbol{1, 2, 1, 0, 0};

    template <class T>
    static std::span<const std::byte> as_bytes(const T& value) {
        return std::as_bytes(std::span(&value, 1));
    }
    // Every part lies in memory where it lies in the file.
    static ProgramHeader segment(std::uint32_t type, std::uint32_t flags, std::uint64_t at,
                                 std::uint64_t bytes, std::uint64_t alignment) {
        return {type, flags, at, at, at, bytes, bytes, alignment};
    }

    BuildId build_id() const {
        Hasher hash;
        hash.number(code_.size());
        hash.bytes(code_);
        hash.bytes(bytes_of(debug_));
        const Digest digest = hash.digest();
        BuildId note;
        std::memcpy(note.id.data(), digest.words.data(), note.id.size());
        return note;
    }

    /// Appends a section's bytes. Returns where they begin.
    std::uint64_t add(std::string_view name, SectionType type, std::uint64_t flags,
                      std::span<const std::byte> bytes, std::uint64_t alignment) {
        file_.resize(round_up(file_.size(), alignment));
        SectionHeader header{};
        header.name = name.empty() ? 0 : section_names_.add(name);
        header.type = type;
        header.flags = flags;
        header.offset = file_.size();
        header.address = (flags & allocated) != 0 ? header.offset : 0;
        header.size = bytes.size();
        header.alignment = alignment;
        if (type == dynamic_bits) header.entry_bytes = sizeof(DynamicEntry);
        if (type == dynamic_symbols || type == symbol_table) header.entry_bytes = sizeof(Symbol);
        sections_.push_back(header);
        file_.insert(file_.end(), bytes.begin(), bytes.end());
        return header.offset;
    }

    Symbol symbol_of(const CodeSymbol& symbol, Names& names, unsigned char info) const {
        return {names.add(symbol.name), info, 0, text_section, code_address_ + symbol.offset, symbol.bytes};
    }
    std::uint64_t add_dynamic_symbols() {
        const std::array symbols{Symbol{}, symbol_of(debug_.symbols[0], dynamic_names_, global_function)};
        const std::uint64_t at = add(".dynsym", dynamic_symbols, allocated, as_bytes(symbols), 8);
        sections_.back().link = 4;
        sections_.back().info = 1;  // the first that isn't local
        return at;
    }
    /// All functions, the local ones first.
    void add_symbols() {
        Names names;
        std::vector<Symbol> symbols(1);
        for (std::size_t i = debug_.symbols.size(); i-- > 0;)
            symbols.push_back(symbol_of(debug_.symbols[i], names, i == 0 ? global_function : local_function));
        add(".symtab", symbol_table, 0, std::as_bytes(std::span(symbols)), 8);
        sections_.back().link = static_cast<std::uint32_t>(sections_.size());
        sections_.back().info = static_cast<std::uint32_t>(symbols.size() - 1);
        add(".strtab", string_table, 0, names.bytes(), 1);
    }

    void finish() {
        file_.resize(round_up(file_.size(), std::uint64_t{8}));
        FileHeader header{};
        header.ident = {0x7f, 'E', 'L', 'F', 2, 1, 1};  // 64 bits, little-endian, version 1
        header.type = shared_object;
        header.machine = machine_;
        header.version = 1;
        header.segments_offset = sizeof(FileHeader);
        header.sections_offset = file_.size();
        header.header_bytes = sizeof(FileHeader);
        header.segment_bytes = sizeof(ProgramHeader);
        header.segment_count = segment_count;
        header.section_bytes = sizeof(SectionHeader);
        header.section_count = static_cast<std::uint16_t>(sections_.size());
        header.names_index = static_cast<std::uint16_t>(sections_.size() - 1);
        std::memcpy(file_.data(), &header, sizeof header);
        const auto table = std::as_bytes(std::span(sections_));
        file_.insert(file_.end(), table.begin(), table.end());
    }

    static constexpr std::uint16_t text_section = 5;  // .note, .hash, .dynsym and .dynstr come before
    std::span<const std::byte> code_;
    const DebugData& debug_;
    Machine machine_;
    std::uint64_t code_address_;  // and where it lies in the file: a multiple of a page's size
    std::vector<std::byte> file_;
    std::vector<SectionHeader> sections_;
    Names section_names_, dynamic_names_;
};

}  // namespace

std::vector<std::byte> code_library(std::span<const std::byte> code, std::string_view arch,
                                    const DebugData& debug) {
    return Writer(code, arch, debug).write();
}

}  // namespace muster::cpu
