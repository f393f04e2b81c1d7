// verdicts.hpp - findings about drivers and devices, kept on disk for later processes.
//
//     if (auto known = Verdicts::process().find("vulkan sample of ...", circumstances)) ...
//     else Verdicts::process().keep("vulkan sample of ...", circumstances, what_was_found);
//
// A subject has one verdict, which counts as long as its circumstances are unchanged: the driver's version,
// the device, what exactly was tried. The build (version and ABI of muster) is always one of them. Failing to
// read or write a verdict isn't an error: it then counts as missing. Each subject has one entry of the cache.
// Threads and processes: any.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <muster/driver/cache/disk_cache.hpp>
#include <muster/foundation/base/api.hpp>

namespace muster {
MUSTER_API_BEGIN

class Verdicts {
  public:
    explicit Verdicts(DiskCache cache) : cache_(std::move(cache)) {}
    /// The verdicts in the process's cache.
    static const Verdicts& process();

    /// The verdict of this subject, if it has one for these circumstances. Texts may be any bytes.
    std::optional<std::string> find(std::string_view subject, std::string_view circumstances) const;
    /// True if the subject has a verdict for some circumstances: what there are now may take long to find out.
    bool has(std::string_view subject) const;
    /// Keeps a verdict and replaces an earlier one of the subject. A verdict longer
    /// than most_bytes isn't kept.
    void keep(std::string_view subject, std::string_view circumstances, std::string_view verdict) const;

    static constexpr std::size_t most_bytes = 1 << 20;

  private:
    DiskCache cache_;
};

MUSTER_API_END
}  // namespace muster
