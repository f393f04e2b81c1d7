// verdicts.hpp - what was found out about a device, kept on disk for the next process.
//
//     if (auto known = Verdicts::process().find("vulkan sample of ...", circumstances)) ...
//     else Verdicts::process().keep("vulkan sample of ...", circumstances, what_was_found);
//
// A subject has one verdict, which counts as long as its circumstances are what they were: the driver's version, the device,
// what exactly was tried. The build (version and ABI of muster) is always among them. What can't be read isn't there, and what
// can't be written isn't kept: neither is an error. One file per subject, in the cache's folder (cache_folder in
// environment.hpp). Threads and processes: any; a file appears whole.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace muster {

class Verdicts {
  public:
    /// An empty folder: nothing is kept.
    explicit Verdicts(std::string folder) : folder_(std::move(folder)) {}
    /// Those of the cache's folder, as the environment says when this is first called.
    static const Verdicts& process();

    /// Texts are any bytes. A verdict has at most most_bytes.
    std::optional<std::string> find(std::string_view subject, std::string_view circumstances) const;
    void keep(std::string_view subject, std::string_view circumstances, std::string_view verdict) const;

    static constexpr std::size_t most_bytes = 1 << 20;

  private:
    std::string path(std::string_view subject) const;

    std::string folder_;
};

}  // namespace muster
