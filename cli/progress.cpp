#include <cstdio>

#include <fmt/format.h>
#include <unistd.h>

#include <muster/cli/exit.hpp>
#include <muster/cli/progress.hpp>

namespace muster::cli {

Progress::Progress() : is_terminal_(isatty(STDERR_FILENO) == 1) {}

void Progress::show(std::string_view text) {
    using namespace std::chrono_literals;
    if (!is_terminal_) return;
    const Clock::time_point now = Clock::now();
    if (now - start_ < 1s || now - last_ < 100ms) return;
    last_ = now;
    is_shown_ = true;
    complain(fmt::format("\r\x1b[K{} ({:.0f} s)", text, std::chrono::duration<double>(now - start_).count()));
    std::fflush(stderr);
}

void Progress::clear() {
    if (is_shown_) complain("\r\x1b[K");
    is_shown_ = false;
}

}  // namespace muster::cli
