// progress.hpp - one line on a terminal while long work runs; nothing in a pipe, nothing for short work.
#pragma once

#include <chrono>
#include <string_view>

namespace muster::cli {

/// Writes to standard error. The line is cleared at the end, so that nothing of it stays.
class Progress {
  public:
    Progress();
    ~Progress() { clear(); }
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;

    /// Shows `text` and the seconds so far, at most ten times a second and not in the first second.
    void show(std::string_view text);
    void clear();

  private:
    using Clock = std::chrono::steady_clock;
    bool is_terminal_;
    bool is_shown_ = false;
    Clock::time_point start_ = Clock::now();
    Clock::time_point last_ = start_;
};

}  // namespace muster::cli
