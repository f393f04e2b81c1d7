// Entries of the cache on disk: a file of any bytes is an entry as it was kept, or none; and verdicts likewise.
#include <optional>

#include <muster/driver/cache/disk_cache.hpp>
#include <muster/driver/helper/verdicts.hpp>

#include "mutate.hpp"
#include "target.hpp"
#include "temporary_folder.hpp"

namespace muster::fuzz {
namespace {

namespace fs = std::filesystem;

std::string bytes_of(const fs::path& file) {
    std::ifstream stream(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
}

/// The only file of the folder.
fs::path only_file(const fs::path& folder) {
    std::optional<fs::path> found;
    for (const auto& each : fs::directory_iterator(folder)) {
        expect(!found, "there is one entry");
        found = each.path();
    }
    expect(found.has_value(), "an entry is kept");
    return *found;
}

}  // namespace

/// The text is the file of an entry, and what another entry has.
void check(std::string_view text) {
    static const TemporaryFolder folder;
    static const DiskCache cache(folder.path().string());
    const CacheKey key{{1, 2, 3, 4}};
    cache.keep(key, text.substr(0, 20), text);
    expect(cache.find(key) == std::string(text), "an entry is found as it was kept");
    const fs::path file = only_file(folder.path() / "entries");
    const std::string whole = bytes_of(file);
    const auto read = [&](std::string_view bytes) {
        std::ofstream(file, std::ios::binary | std::ios::trunc)
            .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
        (void)cache.list();
        const auto found = cache.find(key);
        expect(!found || bytes == whole, "an entry that was changed isn't found");
    };
    read(text);
    interpreter::Random random(text.size());
    for (int i = 0; i < 8; ++i) read(mutated(whole + '\0', random));
    cache.drop(key);

    const Verdicts verdicts(cache);
    verdicts.keep("subject", text, "verdict");
    expect(verdicts.find("subject", text) == "verdict", "a verdict is found as it was kept");
    expect(!verdicts.find("subject", "others"), "a verdict counts for its circumstances alone");
    (void)cache.clear();
}

}  // namespace muster::fuzz
