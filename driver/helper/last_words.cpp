#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <mutex>
#include <new>
#include <string_view>

#include <muster/driver/helper/last_words.hpp>
#include <muster/driver/platform/signals.hpp>
#include <muster/driver/policy/log.hpp>

namespace muster::helper {
namespace {

constexpr std::size_t most_bytes = 200;
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
    void print() const { platform::print_at_once({bytes_.data(), size_}); }

  private:
    std::array<char, 512> bytes_;
    std::size_t size_ = 0;
};

void print_slots(int number) {
    const std::array<char, 2> digits{static_cast<char>('0' + number / 10),
                                     static_cast<char>('0' + number % 10)};
    const std::string_view shown(digits.data() + (number < 10 ? 1 : 0), number < 10 ? 1 : 2);
    for (const MessageSlot& slot : slots)
        if (slot.state.load(std::memory_order_acquire) == 2)
            MessageWriter()
                .add("muster: error: the process ends by signal ")
                .add(shown)
                .add(" (")
                .add(platform::fatal_signal_name(number))
                .add(") while ")
                .add({slot.text.data(), slot.bytes})
                .add(". Fix: ")
                .add(slot.fix)
                .add("\n")
                .print();
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
    if (active_count++ == 0) platform::watch_fatal_signals(print_slots);
}

LastWords::~LastWords() {
    if (slot_ == nowhere) return;
    slots[static_cast<std::size_t>(slot_)].state.store(0, std::memory_order_release);
    const std::lock_guard lock(installing);
    if (--active_count == 0) platform::watch_fatal_signals(nullptr);
}

}  // namespace muster::helper
