#include <atomic>

#include <muster/c/answer.hpp>
#include <muster/c/given_memory.hpp>

namespace muster::c {
namespace {

constinit std::atomic<GivenMemory*> let_go_of{nullptr};
constinit thread_local int callbacks = 0;

}  // namespace

void let_go(GivenMemory* memory) noexcept {
    memory->next_ = let_go_of.load(std::memory_order_relaxed);
    while (!let_go_of.compare_exchange_weak(memory->next_, memory, std::memory_order_release,
                                            std::memory_order_relaxed)) {
    }
}

void return_memory() noexcept {
    if (let_go_of.load(std::memory_order_relaxed) == nullptr || callbacks != 0) return;
    GivenMemory* next = let_go_of.exchange(nullptr, std::memory_order_acquire);
    while (next != nullptr) {
        const std::unique_ptr<GivenMemory> memory(std::exchange(next, next->next_));
        if (memory->release_ != nullptr) memory->release_(memory->user_);
    }
}

std::shared_ptr<GivenMemory> give(muster_release_callback release, void* user) {
    return {new GivenMemory(release, user), let_go};
}

WithinCallback::WithinCallback() { ++callbacks; }
WithinCallback::~WithinCallback() { --callbacks; }

}  // namespace muster::c
