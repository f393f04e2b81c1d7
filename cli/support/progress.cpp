#include <cstdio>

#include <fmt/format.h>

#include <muster/cli/support/progress.hpp>
#include <muster/driver/platform/process.hpp>

namespace muster::cli {

Progress::Progress() : is_terminal_(platform::has_terminal()) {}

void Progress::show(std::string_view text) {
    using namespace std::chrono_literals;
    if (!is_terminal_) return;
    const Clock::time_point now = Clock::now();
    if (now - start_ < 1s || now - last_ < 100ms) return;
    last_ = now;
    is_shown_ = true;
    const std::string line =
        fmt::format("\r\x1b[K{} ({:.0f} s)", text, std::chrono::duration<double>(now - start_).count());
    std::fputs(line.c_str(), stderr);
    std::fflush(stderr);
}

void Progress::clear() {
    if (is_shown_) std::fputs("\r\x1b[K", stderr);
    is_shown_ = false;
}

}  // namespace muster::cli
