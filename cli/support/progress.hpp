// progress.hpp - shows a progress line on a terminal while long work runs; nothing in
// a pipe or for short work.
#pragma once

#include <chrono>
#include <string_view>

namespace muster::cli {

/// Writes to standard error; the destructor clears the line.
class Progress {
  public:
    Progress();
    ~Progress() { clear(); }
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;

    /// Shows `text` and the elapsed seconds, at most ten times a second and not within the first second.
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
