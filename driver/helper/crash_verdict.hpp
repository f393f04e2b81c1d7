// crash_verdict.hpp - remembers for later processes that a backend crashed its helper. Internal to driver/ and probe/.
//
// The verdict's circumstances are what can be known without the native driver. As it crashes, the helper also lists the
// files that are mapped into it, such as driver libraries; the verdict counts only while these are unchanged. Without that
// list nothing is kept.
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

    /// The signal of a remembered crash that must be expected again; none if there isn't one.
    std::optional<int> find() const;
    /// Remembers a crash. `report`: the text that the helper wrote as it crashed. Signals that the backend's own code didn't
    /// raise (those not in fatal_signals) aren't kept.
    void keep(int signal, std::string_view report) const;

  private:
    const Verdicts& verdicts_;
    std::string subject_, circumstances_;
};

/// The line that the crashing helper writes before the lines of /proc/self/maps.
inline constexpr std::string_view crash_heading = "muster crash 1\n";

/// The signal in words: "signal 11 (segmentation fault)".
std::string signal_text(int signal);

}  // namespace muster
