#include <algorithm>
#include <charconv>
#include <cstring>
#include <ctime>

#include <fmt/format.h>

#include <muster/driver/cache/disk_cache.hpp>
#include <muster/driver/platform/entry_folder.hpp>
#include <muster/driver/policy/environment.hpp>
#include <muster/driver/policy/log.hpp>
#include <muster/foundation/base/byte_archive.hpp>
#include <muster/foundation/base/printable.hpp>
#include <muster/foundation/base/try.hpp>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace muster {
namespace {

// An entry's file: magic, label, length of the bytes, the bytes, and a checksum of the key
// and everything before it.
constexpr std::string_view magic = "MUSTER entry 2\n", old_magic = "MUSTER entry 1\n";
constexpr std::size_t most_label_bytes = 512, checksum_bytes = 16;
// A file's size is a number that costs nothing to write, so memory isn't taken for any.
constexpr std::uint64_t most_entry_bytes = std::uint64_t{1} << 30, most_file_bytes = most_entry_bytes + 4096;

std::string_view characters(const std::vector<std::byte>& bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

bool is_hexadecimal(std::string_view name, std::size_t digits) {
    return name.size() == digits && name.find_first_not_of("0123456789abcdef") == name.npos;
}

std::optional<CacheKey> key_of(std::string_view name) {
    CacheKey key;
    if (!is_hexadecimal(name, 64)) return std::nullopt;
    for (std::size_t i = 0; i < key.words.size(); ++i)
        std::from_chars(name.data() + 16 * i, name.data() + 16 * (i + 1), key.words[i], 16);
    return key;
}

/// True of an entry's name, also of one of earlier versions, whose keys had 128 bits.
bool is_entry(std::string_view name) { return is_hexadecimal(name, 64) || is_hexadecimal(name, 32); }

/// True of a file that a cache has made: by its name and by what is in it. Others may lie in the
/// folder, and aren't touched.
bool is_ours(const platform::EntryFolder& folder, const platform::EntryFolder::File& file) {
    const bool unfinished = platform::is_unfinished(file.name);
    if (!unfinished && !is_entry(file.name)) return false;
    const std::string beginning = folder.beginning(file.name, magic.size());
    if (beginning.empty() && file.bytes > 0) return false;  // it can't be read
    return beginning == magic || beginning == old_magic ||
           (unfinished && (magic.starts_with(beginning) || old_magic.starts_with(beginning)));
}

/// The text that follows an entry's bytes.
std::string checksum(const CacheKey& key, std::string_view before) {
    XXH3_state_t state;
    XXH3_128bits_reset(&state);
    const std::string name = to_string(key);
    XXH3_128bits_update(&state, name.data(), name.size());
    XXH3_128bits_update(&state, before.data(), before.size());
    const XXH128_hash_t hash = XXH3_128bits_digest(&state);
    ByteWriter writer;
    writer.number("high", std::uint64_t{hash.high64});
    writer.number("low", std::uint64_t{hash.low64});
    return std::string(characters(std::move(writer).take()));
}

std::string head(std::string_view label, std::size_t bytes) {
    ByteWriter writer;
    writer.text("label", label.substr(0, most_label_bytes));
    writer.number("bytes", std::uint64_t{bytes});
    return std::string(magic).append(characters(std::move(writer).take()));
}

std::string label_of(std::string_view beginning) {
    std::string label;
    if (!beginning.starts_with(magic)) return label;
    ByteReader reader(std::as_bytes(std::span(beginning.substr(magic.size()))));
    reader.text("label", label);
    return printable(label);
}

/// The bytes of an entry's file, if it is whole.
std::optional<std::string> bytes_of(CacheKey key, std::string file) {
    if (file.size() < checksum_bytes || !file.starts_with(magic)) return std::nullopt;
    const std::string_view before = std::string_view(file).substr(0, file.size() - checksum_bytes);
    if (file.substr(before.size()) != checksum(key, before)) return std::nullopt;
    ByteReader reader(std::as_bytes(std::span(before.substr(magic.size()))));
    std::string label, bytes;
    reader.text("label", label);
    reader.text("bytes", bytes);
    if (!reader.done()) return std::nullopt;
    return bytes;
}

/// Removes the entries used least recently until the rest has at most so many bytes, and unfinished ones of
/// an hour ago: their processes were ended.
void trim(const platform::EntryFolder& folder, std::uint64_t most_bytes) {
    auto files = folder.files();
    if (!files) return;
    std::erase_if(
        *files, [](const auto& file) { return !is_entry(file.name) && !platform::is_unfinished(file.name); });
    const std::time_t now = std::time(nullptr);
    std::uint64_t total = 0;
    for (const platform::EntryFolder::File& file : *files) {
        total += file.bytes;
        const bool is_old = now - file.used.tv_sec > 3600;
        if (platform::is_unfinished(file.name) && is_old && is_ours(folder, file)) folder.remove(file.name);
    }
    if (total <= most_bytes) return;
    std::ranges::sort(*files, {},
                      [](const auto& file) { return std::pair(file.used.tv_sec, file.used.tv_nsec); });
    for (const platform::EntryFolder::File& file : *files) {
        if (total <= most_bytes) return;
        if (platform::is_unfinished(file.name) || !is_ours(folder, file) || !folder.remove(file.name))
            continue;
        total -= file.bytes;
    }
}

/// Warns of a folder that isn't ours alone. Other faults cost no more than the cache.
void warn_of(const Error& error) {
    if (error.code == ErrorCode::refused)
        log_once(LogLevel::warning, "cache: " + error.message, error.message + " Fix: " + error.fix);
}

}  // namespace

const DiskCache& DiskCache::process() {
    // Never destroyed: probes may outlive main.
    static const auto* const shared =
        new DiskCache(cache_folder().value_or(""), cache_bytes().value_or(usual_most_bytes));
    return *shared;
}

std::optional<std::string> DiskCache::find(CacheKey key) const {
    if (folder_.empty()) return std::nullopt;
    const auto opened = platform::EntryFolder::open(folder_);
    if (!opened) {
        warn_of(opened.error());
        return std::nullopt;
    }
    auto file = opened->read(to_string(key), std::min(most_bytes_, most_file_bytes));
    if (!file) return std::nullopt;
    auto bytes = bytes_of(key, *std::move(file));
    if (!bytes) opened->remove(to_string(key));
    return bytes;
}

void DiskCache::keep(CacheKey key, std::string_view label, std::string_view bytes) const {
    if (folder_.empty() || bytes.size() > std::min(most_bytes_ / 4, most_entry_bytes)) return;
    const auto opened = platform::EntryFolder::make(folder_);
    if (!opened) return warn_of(opened.error());
    std::string file = head(label, bytes.size()).append(bytes);
    file += checksum(key, file);
    if (!opened->write(to_string(key), file)) return;
    // Looking at each file takes time; keys are random, so this looks after every sixteenth entry.
    if (key.words[0] % 16 == 0 || most_bytes_ < usual_most_bytes) trim(*opened, most_bytes_);
}

void DiskCache::drop(CacheKey key) const {
    if (folder_.empty()) return;
    if (const auto opened = platform::EntryFolder::open(folder_)) opened->remove(to_string(key));
}

Result<std::vector<DiskCache::Entry>> DiskCache::list() const {
    std::vector<Entry> entries;
    if (folder_.empty()) return entries;
    const auto opened = platform::EntryFolder::open(folder_);
    if (!opened && opened.error().code == ErrorCode::not_found) return entries;
    if (!opened) return std::unexpected(opened.error());
    for (const platform::EntryFolder::File& file : TRY(opened->files())) {
        const auto key = key_of(file.name);
        if (!key || !is_ours(*opened, file)) continue;
        const auto used =
            std::chrono::seconds(file.used.tv_sec) + std::chrono::nanoseconds(file.used.tv_nsec);
        entries.push_back({*key, label_of(opened->beginning(file.name, magic.size() + 8 + most_label_bytes)),
                           file.bytes,
                           std::chrono::system_clock::time_point(
                               std::chrono::duration_cast<std::chrono::system_clock::duration>(used))});
    }
    std::ranges::sort(entries, std::greater<>{}, &Entry::used);
    return entries;
}

Result<std::uint64_t> DiskCache::clear() const {
    std::uint64_t removed = 0;
    if (folder_.empty()) return removed;
    const auto opened = platform::EntryFolder::open(folder_);
    if (!opened && opened.error().code == ErrorCode::not_found) return removed;
    if (!opened) return std::unexpected(opened.error());
    for (const platform::EntryFolder::File& file : TRY(opened->files())) {
        if (!is_ours(*opened, file)) continue;
        if (!opened->remove(file.name))
            return fail(ErrorCode::io_failed,
                        fmt::format("The cache's file {}/entries/{} can't be removed.", folder_, file.name),
                        "remove it by hand");
        removed += is_entry(file.name) ? 1 : 0;
    }
    return removed;
}

}  // namespace muster
