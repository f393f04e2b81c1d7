// crash_verdict.hpp - that a backend crashed its helper, kept for the next process. Internal to isolation.cpp.
//
// What a crash depends on that can be known without the driver is the verdict's circumstances. What else it depended on,
// the helper says as it crashes: the files that are mapped into it, driver libraries among them. Without that list nothing is
// kept.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <muster/driver/helper/verdicts.hpp>

namespace muster {

class CrashVerdict {
  public:
    CrashVerdict(const Verdicts& verdicts, const std::string& id, const std::string& module,
                 const std::string& helper);

    /// The signal, where the crash is to be expected again.
    std::optional<int> find() const;
    /// `report`: what the helper wrote as it crashed. Nothing is kept of a signal that the backend's own code didn't raise.
    void keep(int signal, std::string_view report) const;

  private:
    const Verdicts& verdicts_;
    std::string subject_, circumstances_;
};

/// What the helper writes before the lines of /proc/self/maps when it crashes.
inline constexpr std::string_view crash_heading = "muster crash 1\n";

/// "signal 11 (segmentation fault)".
std::string signal_text(int signal);

}  // namespace muster
