#include <algorithm>
#include <array>
#include <new>

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <muster/driver/platform/signals.hpp>

namespace muster::platform {
namespace {

struct FatalSignal {
    int number;
    std::string_view text;
};
constexpr std::array fatal_signals{
    FatalSignal{SIGSEGV, "segmentation fault"}, FatalSignal{SIGABRT, "aborted"},
    FatalSignal{SIGBUS, "bus error"},           FatalSignal{SIGILL, "illegal instruction"},
    FatalSignal{SIGFPE, "arithmetic error"},    FatalSignal{SIGTRAP, "trap"},
    FatalSignal{SIGSYS, "bad system call"},
};

constexpr std::size_t stack_bytes = 32 << 10;

void (*print_fatal)(int) = nullptr;

extern "C" void print_and_reset(int number, siginfo_t* about, void*) {
    print_fatal(number);
    ::signal(number, SIG_DFL);
    // A fault happens again when the handler returns; a signal that was sent must be raised again.
    if (about->si_code <= 0) raise(number);
}

bool is_ours(const struct sigaction& action) {
    return (action.sa_flags & SA_SIGINFO) != 0 && action.sa_sigaction == print_and_reset;
}
bool is_default(const struct sigaction& action) {
    return (action.sa_flags & SA_SIGINFO) == 0 && action.sa_handler == SIG_DFL;
}

volatile sig_atomic_t is_interrupted = 0;
struct sigaction interrupt_before, terminate_before;

void note_interruption(int /*number*/) { is_interrupted = 1; }

}  // namespace

std::string_view fatal_signal_name(int signal) {
    const auto* const known = std::ranges::find(fatal_signals, signal, &FatalSignal::number);
    return known == fatal_signals.end() ? "unknown" : known->text;
}

std::string signal_text(int signal) {
    const auto* const known = std::ranges::find(fatal_signals, signal, &FatalSignal::number);
    if (known == fatal_signals.end()) return fmt::format("signal {}", signal);
    return fmt::format("signal {} ({})", signal, known->text);
}

void watch_fatal_signals(void (*print)(int signal)) {
    if (print != nullptr) print_fatal = print;
    struct sigaction ours {
    }, none{};
    ours.sa_sigaction = print_and_reset;
    ours.sa_flags = SA_SIGINFO | SA_ONSTACK;
    none.sa_handler = SIG_DFL;
    for (const FatalSignal& one : fatal_signals) {
        struct sigaction now {};
        if (sigaction(one.number, nullptr, &now) != 0) continue;
        if (print != nullptr && is_default(now)) sigaction(one.number, &ours, nullptr);
        if (print == nullptr && is_ours(now)) sigaction(one.number, &none, nullptr);
    }
}

void print_at_once(std::string_view text) {
    [[maybe_unused]] const auto written = write(STDERR_FILENO, text.data(), text.size());
}

HandlerStack::HandlerStack() {
    stack_t now{};
    if (sigaltstack(nullptr, &now) != 0 || (now.ss_flags & SS_DISABLE) == 0) return;
    room_.reset(new (std::nothrow) char[stack_bytes]);
    if (!room_) return;
    stack_t own{};
    own.ss_sp = room_.get();
    own.ss_size = stack_bytes;
    if (sigaltstack(&own, nullptr) != 0) room_.reset();
}

HandlerStack::~HandlerStack() {
    if (!room_) return;
    stack_t now{};
    if (sigaltstack(nullptr, &now) != 0 || now.ss_sp != room_.get()) {
        (void)room_.release();  // leaked: other code has installed its own stack, and may restore this one
        return;
    }
    stack_t none{};
    none.ss_flags = SS_DISABLE;
    sigaltstack(&none, nullptr);
}

Interruption::Interruption() {
    is_interrupted = 0;
    struct sigaction noting {};
    noting.sa_handler = note_interruption;
    noting.sa_flags = static_cast<int>(SA_RESETHAND | SA_RESTART);  // a second signal ends the process
    sigaction(SIGINT, &noting, &interrupt_before);
    sigaction(SIGTERM, &noting, &terminate_before);
}

Interruption::~Interruption() {
    sigaction(SIGINT, &interrupt_before, nullptr);
    sigaction(SIGTERM, &terminate_before, nullptr);
}

bool Interruption::requested() { return is_interrupted != 0; }

void ignore_file_size_signal() { ::signal(SIGXFSZ, SIG_IGN); }

}  // namespace muster::platform
