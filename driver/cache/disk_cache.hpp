// disk_cache.hpp - entries on disk for later processes: found by key, checksummed, bounded in size.
//
//     const DiskCache& cache = DiskCache::process();
//     if (auto code = cache.find(key)) use(*code);
//     else cache.keep(key, "saxpy for cpu", made);
//
// One file for each entry, written under a temporary name and renamed, so that a process that is ended at
// any moment leaves each entry whole. A damaged entry is removed and counts as missing; so does everything
// where the folder can't be read or written. When the entries together exceed the limit, those that were
// used least recently are removed. Other files that lie in the folder aren't touched: an entry has a name
// and a beginning of its own.
//
// The folder is "entries" in the cache's folder (cache_folder() in environment.hpp). It holds native code: it
// is made with mode 0700, and ignored with a warning if it is a link, belongs to another user, or can be read
// or written by others. Threads and processes: any.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <muster/foundation/base/api.hpp>
#include <muster/foundation/base/digest.hpp>
#include <muster/foundation/base/result.hpp>

namespace muster {
MUSTER_API_BEGIN

/// The digest of all that an entry depends on.
using CacheKey = Digest;

class DiskCache {
  public:
    static constexpr std::uint64_t usual_most_bytes = std::uint64_t{256} << 20;

    /// `folder` is the cache's folder; with an empty one, nothing is kept.
    explicit DiskCache(std::string folder, std::uint64_t most_bytes = usual_most_bytes)
        : folder_(std::move(folder)), most_bytes_(most_bytes) {}
    /// The cache that the environment names at the first call: MUSTER_CACHE_DIR, MUSTER_CACHE_BYTES.
    static const DiskCache& process();

    std::optional<std::string> find(CacheKey key) const;
    /// Keeps an entry, and replaces an earlier one with this key. The label tells people what it is. An entry
    /// of more than a quarter of the limit, or than 1 GiB, isn't kept.
    void keep(CacheKey key, std::string_view label, std::string_view bytes) const;
    void drop(CacheKey key) const;

    struct Entry {
        CacheKey key;
        std::string label;
        std::uint64_t bytes = 0;  // of the file
        std::chrono::system_clock::time_point used;
    };
    /// All entries, the last used first; none if there is no folder yet. Errors: io_failed (the folder isn't
    /// ours, or can't be read).
    Result<std::vector<Entry>> list() const;
    /// Removes all entries, also those of earlier versions. Returns how many there were. Errors: as list(),
    /// and if one can't be removed.
    Result<std::uint64_t> clear() const;

    const std::string& folder() const { return folder_; }
    std::uint64_t most_bytes() const { return most_bytes_; }

  private:
    std::string folder_;
    std::uint64_t most_bytes_;
};

MUSTER_API_END
}  // namespace muster
