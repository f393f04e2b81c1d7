// fatal_signals.hpp - the signals that a program's own errors raise. Internal to driver/.
#pragma once

#include <array>
#include <csignal>
#include <string>
#include <string_view>

namespace muster {

struct FatalSignal {
    int number;
    std::string_view text;  // "segmentation fault"
};

#if !defined(_WIN32)
inline constexpr std::array fatal_signals{
    FatalSignal{SIGSEGV, "segmentation fault"}, FatalSignal{SIGABRT, "aborted"},
    FatalSignal{SIGBUS, "bus error"},           FatalSignal{SIGILL, "illegal instruction"},
    FatalSignal{SIGFPE, "arithmetic error"},    FatalSignal{SIGTRAP, "trap"},
    FatalSignal{SIGSYS, "bad system call"},
};
#endif

/// The signal in words: "signal 11 (segmentation fault)".
std::string signal_text(int signal);

}  // namespace muster
