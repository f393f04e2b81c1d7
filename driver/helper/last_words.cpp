#include <muster/driver/helper/last_words.hpp>

#if !defined(_WIN32)

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <mutex>
#include <new>
#include <span>

#include <signal.h>
#include <unistd.h>

#include <muster/driver/helper/fatal_signals.hpp>
#include <muster/driver/policy/log.hpp>

namespace muster {
namespace {

constexpr std::size_t most_bytes = 200;
constexpr std::size_t stack_bytes = 32 << 10;
constexpr int nowhere = -1;

/// The text of one LastWords. Never freed, so that a handler can read it at any time.
struct MessageSlot {
    std::atomic<int> state{0};  // 0: free; 1: being written; 2: complete, to be printed
    std::array<char, most_bytes> text{};
    std::size_t bytes = 0;
    std::string_view fix;
};
std::array<MessageSlot, 32> slots;

std::mutex installing;
int active_count = 0;

/// A line built without heap memory, which a signal handler mustn't allocate.
class MessageWriter {
  public:
    MessageWriter& add(std::string_view text) {
        const std::size_t count = std::min(text.size(), bytes_.size() - size_);
        std::memcpy(bytes_.data() + size_, text.data(), count);
        size_ += count;
        return *this;
    }
    void print() const { (void)!write(STDERR_FILENO, bytes_.data(), size_); }

  private:
    std::array<char, 512> bytes_;
    std::size_t size_ = 0;
};

extern "C" void print_and_reset(int number, siginfo_t* about, void*) {
    const auto* known = std::ranges::find(fatal_signals, number, &FatalSignal::number);
    const std::array<char, 2> digits{static_cast<char>('0' + number / 10),
                                     static_cast<char>('0' + number % 10)};
    const std::string_view shown(digits.data() + (number < 10 ? 1 : 0), number < 10 ? 1 : 2);
    for (const MessageSlot& slot : slots)
        if (slot.state.load(std::memory_order_acquire) == 2)
            MessageWriter()
                .add("muster: error: the process ends by signal ")
                .add(shown)
                .add(" (")
                .add(known == fatal_signals.end() ? "unknown" : known->text)
                .add(") while ")
                .add({slot.text.data(), slot.bytes})
                .add(". Fix: ")
                .add(slot.fix)
                .add("\n")
                .print();
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

void set_handlers(bool on) {
    struct sigaction ours {
    }, none{};
    ours.sa_sigaction = print_and_reset;
    ours.sa_flags = SA_SIGINFO | SA_ONSTACK;
    none.sa_handler = SIG_DFL;
    for (const FatalSignal& one : fatal_signals) {
        struct sigaction now {};
        if (sigaction(one.number, nullptr, &now) != 0) continue;
        if (on && is_default(now)) sigaction(one.number, &ours, nullptr);
        if (!on && is_ours(now)) sigaction(one.number, &none, nullptr);
    }
}

}  // namespace

LastWords::LastWords(std::string_view doing, std::string_view fix) : slot_(nowhere) {
    if (log_level() == LogLevel::off) return;
    for (std::size_t i = 0; i < slots.size() && slot_ == nowhere; ++i) {
        int is_free = 0;
        if (slots[i].state.compare_exchange_strong(is_free, 1)) slot_ = static_cast<int>(i);
    }
    if (slot_ == nowhere) return;
    MessageSlot& slot = slots[static_cast<std::size_t>(slot_)];
    slot.bytes = std::min(doing.size(), most_bytes);
    std::memcpy(slot.text.data(), doing.data(), slot.bytes);
    slot.fix = fix;
    slot.state.store(2, std::memory_order_release);
    const std::lock_guard lock(installing);
    if (active_count++ == 0) set_handlers(true);
}

LastWords::~LastWords() {
    if (slot_ == nowhere) return;
    slots[static_cast<std::size_t>(slot_)].state.store(0, std::memory_order_release);
    const std::lock_guard lock(installing);
    if (--active_count == 0) set_handlers(false);
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

}  // namespace muster

#else

namespace muster {

LastWords::LastWords(std::string_view, std::string_view) : slot_(-1) {}
LastWords::~LastWords() { (void)slot_; }
HandlerStack::HandlerStack() = default;
HandlerStack::~HandlerStack() = default;

}  // namespace muster

#endif
