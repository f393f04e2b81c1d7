// last_words.hpp - prints what muster was calling when a fatal signal ends the process, on standard error.
//
//     const LastWords words("probing cuda");   // lives while third-party code runs
//
//     muster: error: the process ends by signal 6 (aborted) while probing cuda.
//
// A driver that crashes in this process ends it; the printed line is all that can be reported. While at least
// one object lives, the fatal signals that have their default action get a handler, which writes the line and
// lets the default action follow. A signal that is handled or ignored by other code is left alone, and with
// MUSTER_LOG=off all are. Threads: any. Internal to driver/, the tool and conformance/.
#pragma once

#include <string_view>

#include <muster/foundation/base/api.hpp>

namespace muster::helper {
MUSTER_API_BEGIN

class LastWords {
  public:
    /// The fix to suggest if a probe crashes.
    static constexpr std::string_view exclude_or_isolate =
        "exclude that backend (MUSTER_EXCLUDE), or set MUSTER_PROBE=isolated";

    /// `doing`: the text to print after "while"; cut at 200 bytes. `fix`: the text after "Fix:", a literal.
    explicit LastWords(std::string_view doing, std::string_view fix = exclude_or_isolate);
    ~LastWords();
    LastWords(const LastWords&) = delete;
    LastWords& operator=(const LastWords&) = delete;

  private:
    int slot_;
};

MUSTER_API_END
}  // namespace muster::helper
