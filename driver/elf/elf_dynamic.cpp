// Checks a library's dynamic section against its section table.
#include <algorithm>
#include <bit>
#include <map>
#include <optional>

#include <muster/driver/elf/elf_checks.hpp>
#include <muster/foundation/base/try.hpp>

namespace muster::elf {
namespace {

// Tags of the dynamic section.
enum Tag : std::int64_t {
    needed = 1,
    plt_bytes = 2,
    hash = 4,
    strings = 5,
    symbols = 6,
    rela = 7,
    rela_bytes = 8,
    rela_entry = 9,
    string_bytes = 10,
    symbol_entry = 11,
    init = 12,
    fini = 13,
    own_name = 14,
    search_path = 15,
    plt_kind = 20,
    plt = 23,
    init_array = 25,
    fini_array = 26,
    init_array_bytes = 27,
    fini_array_bytes = 28,
    run_path = 29,
    relr_bytes = 35,
    relr = 36,
    gnu_hash = 0x6ffffef5,
    version_of_symbol = 0x6ffffff0,
    relative_count = 0x6ffffff9,
    version_definitions = 0x6ffffffc,
    versions_needed = 0x6ffffffe,
};

constexpr std::uint64_t relocation_bytes = 24, symbol_bytes = 24;

/// The values by tag; for a tag that occurs several times, the largest.
class DynamicValues {
  public:
    void add(const DynamicEntry& entry) {
        std::uint64_t& value = values_[entry.tag];
        value = std::max(value, entry.value);
    }
    std::optional<std::uint64_t> find(Tag tag) const {
        const auto found = values_.find(tag);
        return found == values_.end() ? std::nullopt : std::optional(found->second);
    }

  private:
    std::map<std::int64_t, std::uint64_t> values_;
};

Result<DynamicValues> read_dynamic(OpenFile& file, const ProgramHeader& s) {
    DynamicValues values;
    const auto entries =
        TRY(file.file.read<DynamicEntry>(s.offset, s.file_bytes / sizeof(DynamicEntry), "dynamic section"));
    for (const DynamicEntry& entry : entries) {
        if (entry.tag == 0) return values;
        values.add(entry);
    }
    return damaged("Its dynamic section, of {} entries, doesn't end.", entries.size());
}

/// A table that the dynamic section locates, and the type of the section that holds it.
struct Table {
    const char* name;
    Tag address;
    std::optional<Tag> bytes;
    std::uint32_t section = 0;  // none: code
};
constexpr std::uint32_t plain_section = 1, relocation_section = 4;
constexpr Table tables[] = {{"strings", strings, string_bytes, 3},
                            {"symbols", symbols, {}, 11},
                            {"hash table", hash, {}, 5},
                            {"GNU hash table", gnu_hash, {}, 0x6ffffff6},
                            {"relocations", rela, rela_bytes, relocation_section},
                            {"relocations of calls", plt, plt_bytes, relocation_section},
                            {"relative relocations", relr, relr_bytes, 19},
                            {"initialisers", init_array, init_array_bytes, 14},
                            {"finalisers", fini_array, fini_array_bytes, 15},
                            {"initialiser", init, {}},
                            {"finaliser", fini, {}},
                            {"versions of symbols", version_of_symbol, {}, 0x6fffffff},
                            {"versions that it defines", version_definitions, {}, 0x6ffffffd},
                            {"versions that it needs", versions_needed, {}, 0x6ffffffe}};

/// Checks that a table begins and ends where sections of its type do. check_section()
/// checks that those are loaded.
Result<void> check_table(const OpenFile& file, Segments segments, const Table& table,
                         const DynamicValues& values) {
    const auto address = values.find(table.address);
    const std::optional<std::uint64_t> bytes = table.bytes ? values.find(*table.bytes) : 0;
    const auto is_its = [&](const SectionHeader& section) {
        return section.type == table.section && (section.flags & allocated) != 0 && section.size > 0;
    };
    const auto may_be_its =
        [&](const SectionHeader& section) {  // some assemblers give arrays no type of their own
            const bool is_array = table.address == init_array || table.address == fini_array;
            return is_its(section) || (is_array && section.type == plain_section && section.size > 0);
        };
    if (!address) {
        const bool has_section = table.section != relocation_section && table.section != 0 &&
                                 std::ranges::any_of(file.sections, is_its);
        return has_section ? damaged("Its dynamic section doesn't say where its {} are.", table.name)
                           : Result<void>();
    }
    if (!bytes) return damaged("Its dynamic section doesn't say how long its {} are.", table.name);
    if (table.section == 0)
        return load_at(segments, *address, 1, executable)
                   ? Result<void>()
                   : damaged("Its {} at address {:#x} isn't code.", table.name, *address);
    if (table.bytes && *bytes == 0) return {};
    bool begins = false, ends = !table.bytes;
    for (const SectionHeader& section : file.sections) {
        if (!may_be_its(section)) continue;
        begins = begins || section.address == *address;
        ends = ends || section.address + section.size == *address + bytes.value_or(0);
    }
    if (begins && ends) return {};
    return damaged("Its dynamic section has its {} at address {:#x}, where the section table has none.",
                   table.name, *address);
}

/// Checks that the dynamic section covers every loaded relocation section, because the loader applies only
/// those that it covers, and that the count of relative relocations, which the loader trusts, is possible.
Result<void> check_relocations(const OpenFile& file, const DynamicValues& values) {
    const auto value = [&](Tag tag) { return values.find(tag).value_or(0); };
    for (const SectionHeader& section : file.sections) {
        if (section.type != relocation_section || (section.flags & allocated) == 0) continue;
        if (!is_within(section.address, section.size, value(rela), value(rela_bytes)) &&
            !is_within(section.address, section.size, value(plt), value(plt_bytes)))
            return damaged("Its dynamic section leaves out the relocations at address {:#x}.",
                           section.address);
    }
    if (value(relative_count) <= value(rela_bytes) / relocation_bytes) return {};
    return damaged("It states {} relative relocations, but has only {} relocations.", value(relative_count),
                   value(rela_bytes) / relocation_bytes);
}

/// Checks the entries that have one value on every 64-bit machine.
Result<void> check_fixed(const DynamicValues& values) {
    struct Fixed {
        Tag tag, beside;
        std::uint64_t is;
    };
    for (const Fixed& one : {Fixed{rela_entry, rela, relocation_bytes},
                             Fixed{symbol_entry, symbols, symbol_bytes}, Fixed{plt_kind, plt, rela}})
        if (values.find(one.beside) && values.find(one.tag) != one.is)
            return damaged("Its dynamic section has {} for tag {}, which is always {}.",
                           values.find(one.tag).value_or(0), static_cast<std::int64_t>(one.tag), one.is);
    if (!values.find(strings) || !values.find(symbols)) return damaged("It has no table of symbols.");
    const std::uint64_t bytes = values.find(string_bytes).value_or(0);
    for (const Tag tag : {needed, own_name, search_path, run_path})
        if (const auto at = values.find(tag); at && *at >= bytes)
            return damaged("A name of its dynamic section is at {}, behind its {} bytes of strings.", *at,
                           bytes);
    return {};
}

/// Checks that the Bloom filter and the buckets of GNU's symbol hash table lie in the file.
Result<void> check_hash(OpenFile& file, Segments segments, std::uint64_t address) {
    struct Head {
        std::uint32_t buckets, first_symbol, filter_words, shift;
    };
    const ProgramHeader* const s = load_at(segments, address, sizeof(Head));
    if (s == nullptr) return damaged("No segment loads its hash table, at address {:#x}.", address);
    const Head head = TRY(file.file.read<Head>(s->offset + (address - s->address), 1, "hash table")).front();
    const std::uint64_t bytes =
        sizeof(Head) + 8 * std::uint64_t{head.filter_words} + 4 * std::uint64_t{head.buckets};
    if (head.buckets > 0 && std::has_single_bit(head.filter_words) && load_at(segments, address, bytes))
        return {};
    return damaged("Its hash table of {} buckets and {} words of filter can't be right.", head.buckets,
                   head.filter_words);
}

}  // namespace

Result<void> check_dynamic(OpenFile& file, Segments segments) {
    const ProgramHeader* const s = find(segments, dynamic);
    if (s == nullptr) return damaged("It has no dynamic section.");
    for (const SectionHeader& section : file.sections)
        if (section.type == dynamic_section) TRY(check_is_section(file, *s, file.name(section)));
    if ((s->flags & writable) != 0 && !load_at(segments, s->address, s->file_bytes, writable))
        return damaged("Its dynamic section is writable, but no writable segment loads it.");
    const DynamicValues values = TRY(read_dynamic(file, *s));
    for (const Table& table : tables) TRY(check_table(file, segments, table, values));
    TRY(check_relocations(file, values));
    TRY(check_fixed(values));
    const auto hashed = values.find(gnu_hash);
    return hashed ? check_hash(file, segments, *hashed) : Result<void>();
}

}  // namespace muster::elf
