// linked_queue.hpp - a queue of items that point to the next one, oldest first: adding
// an item allocates nothing.
//
//     struct Job { ...; std::shared_ptr<Job> next; };     // null while it is in no queue
//     LinkedQueue<std::shared_ptr<Job>> jobs;             // LinkedQueue<Job*> doesn't own its items
//
// Threads: one at a time.
#pragma once

#include <memory>
#include <type_traits>
#include <utility>

#include <muster/foundation/base/api.hpp>

namespace muster {
MUSTER_API_BEGIN

template <class Pointer>
class LinkedQueue {
  public:
    using Item = typename std::pointer_traits<Pointer>::element_type;

    LinkedQueue() = default;
    LinkedQueue(const LinkedQueue&) = delete;
    LinkedQueue& operator=(const LinkedQueue&) = delete;
    /// Lets go of one item at a time: destroying the first would destroy the rest by recursion.
    ~LinkedQueue() {
        if constexpr (!std::is_pointer_v<Pointer>)
            while (pop()) continue;
    }

    /// Null if the queue is empty, like last().
    const Pointer& first() const { return first_; }
    Item* last() const { return last_; }
    void push(Pointer item) {
        Item* const added = std::to_address(item);
        (last_ ? last_->next : first_) = std::move(item);
        last_ = added;
    }
    /// Removes and returns the first item; null if there is none.
    Pointer pop() {
        return take([](const Item&) { return true; });
    }
    /// Removes and returns the first item for which `fits` returns true; null if there is none.
    template <class Fits>
    Pointer take(Fits&& fits) {
        Item* before = nullptr;
        for (Pointer* at = &first_; *at; before = std::to_address(*at), at = &before->next) {
            if (!fits(std::as_const(**at))) continue;
            Pointer taken = std::move(*at);
            *at = std::exchange(taken->next, nullptr);
            if (!*at) last_ = before;
            return taken;
        }
        return nullptr;
    }

  private:
    Pointer first_ = nullptr;
    Item* last_ = nullptr;
};

MUSTER_API_END
}  // namespace muster
