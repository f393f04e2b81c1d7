#include <algorithm>

#include <fmt/format.h>

#include <muster/driver/helper/fatal_signals.hpp>

namespace muster {

std::string signal_text(int signal) {
#if !defined(_WIN32)
    const auto known = std::ranges::find(fatal_signals, signal, &FatalSignal::number);
    if (known != fatal_signals.end()) return fmt::format("signal {} ({})", signal, known->text);
#endif
    return fmt::format("signal {}", signal);
}

}  // namespace muster
