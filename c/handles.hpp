// handles.hpp - the objects that a program holds, by handle: a number of kind, process, generation and index.
//
//     HandleTable<std::shared_ptr<Thing>> things(kind);
//     const std::uint64_t id = TRY(things.add(thing));
//     std::shared_ptr<Thing> same = TRY(things.get(id));       // a copy, which lives on if another thread releases the handle
//
// A place that is released gets another generation, so that the old handle is an error. One whose
// generations are used up isn't used again. A child of fork() has tables of its own: handles of its
// parent say so. Threads: any.
#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <thread>
#include <type_traits>
#include <utility>

#include <muster/c/answer.hpp>
#include <muster/driver/platform/fork.hpp>

namespace muster::c {

/// The parts of a handle: kind 8 bits, process 8, generation 24, index 24, the highest first.
struct HandleParts {
    std::uint8_t kind = 0, process = 0;
    std::uint32_t generation = 0, index = 0;

    static constexpr HandleParts of(std::uint64_t id) {
        return {static_cast<std::uint8_t>(id >> 56), static_cast<std::uint8_t>(id >> 48),
                static_cast<std::uint32_t>(id >> 24) & 0xffffff, static_cast<std::uint32_t>(id) & 0xffffff};
    }
    constexpr std::uint64_t id() const {
        return std::uint64_t{kind} << 56 | std::uint64_t{process} << 48 | std::uint64_t{generation} << 24 |
               index;
    }
};

/// The error of a handle that names no object of this kind.
std::unexpected<Fault> invalid_handle(std::uint64_t id, std::uint8_t kind);
/// The error where no more handles of a kind can be given.
std::unexpected<Fault> too_many_handles(std::uint8_t kind);

template <class T>
class HandleTable {
    static_assert(std::is_nothrow_copy_constructible_v<T> && std::is_nothrow_move_constructible_v<T>);
    static constexpr std::uint32_t generations = 1 << 24;
    static constexpr std::uint32_t most_objects = 1 << 24;
    static constexpr unsigned first_chunk_bits = 6;
    static constexpr std::uint32_t none = UINT32_MAX;
    // A slot's state: its generation above these bits.
    static constexpr std::uint32_t is_locked = 1, is_taken = 2;

    struct Slot {
        std::atomic<std::uint32_t> state{1 << 2};  // no handle of generation 0
        std::uint32_t next_free = none;
        alignas(T) std::byte object[sizeof(T)];
        T* get() { return std::launder(reinterpret_cast<T*>(object)); }
    };
    static constexpr std::size_t chunk_count = 24 - first_chunk_bits + 1;

  public:
    explicit HandleTable(std::uint8_t kind) : kind_(kind) {}
    ~HandleTable() {
        for (std::uint32_t index = 0; index < made_; ++index)
            if (Slot& at = slot(index); at.state.load(std::memory_order_relaxed) & is_taken) at.get()->~T();
        for (const std::atomic<Slot*>& chunk : chunks_) delete[] chunk.load(std::memory_order_relaxed);
    }
    HandleTable(const HandleTable&) = delete;
    HandleTable& operator=(const HandleTable&) = delete;

    /// Errors: limit_exceeded. Throws std::bad_alloc.
    Answer<std::uint64_t> add(T object) {
        std::uint32_t index = none;
        {
            const std::lock_guard lock(mutex_);
            index = free_;
            if (index != none)
                free_ = slot(index).next_free;
            else if (made_ == most_objects)
                return too_many_handles(kind_);
            else
                index = make_slot();
            ++count_;
        }
        Slot& at = slot(index);
        new (at.object) T(std::move(object));
        const std::uint32_t state = at.state.load(std::memory_order_relaxed);
        at.state.store(state | is_taken, std::memory_order_release);
        return HandleParts{kind_, static_cast<std::uint8_t>(fork_count()), state >> 2, index}.id();
    }

    /// Returns what `project` makes of the object, while no other thread can release it: short, and throws nothing.
    template <class Project>
    auto get(std::uint64_t id, Project&& project) -> Answer<std::invoke_result_t<Project, const T&>> {
        Slot* const at = lock(id);
        if (at == nullptr) return invalid_handle(id, kind_);
        Answer<std::invoke_result_t<Project, const T&>> result(project(std::as_const(*at->get())));
        const std::uint32_t state =
            at->state.load(std::memory_order_relaxed);  // nobody else changes a locked slot
        at->state.store(state & ~is_locked, std::memory_order_release);
        return result;
    }
    Answer<T> get(std::uint64_t id) {
        return get(id, [](const T& object) { return object; });
    }

    /// Takes the object out.
    Answer<T> remove(std::uint64_t id) {
        Slot* const at = lock(id);
        if (at == nullptr) return invalid_handle(id, kind_);
        Answer<T> object(std::move(*at->get()));
        at->get()->~T();
        const HandleParts parts = HandleParts::of(id);
        const std::lock_guard lock(mutex_);
        --count_;
        if (parts.generation + 1 == generations) {  // never used again
            at->state.store(0, std::memory_order_release);
            return object;
        }
        at->next_free = std::exchange(free_, parts.index);
        at->state.store((parts.generation + 1) << 2, std::memory_order_release);
        return object;
    }

    std::size_t count() const { return count_.load(std::memory_order_relaxed); }

  private:
    static constexpr unsigned chunk_of(std::uint32_t index) {
        const auto bits = static_cast<unsigned>(std::bit_width(index));
        return bits <= first_chunk_bits ? 0 : bits - first_chunk_bits;
    }
    static constexpr std::uint32_t begin_of(unsigned chunk) {
        return chunk == 0 ? 0 : std::uint32_t{1} << (first_chunk_bits + chunk - 1);
    }
    Slot& slot(std::uint32_t index) const {
        const unsigned chunk = chunk_of(index);
        return chunks_[chunk].load(std::memory_order_acquire)[index - begin_of(chunk)];
    }
    /// Precondition: mutex_ is locked.
    std::uint32_t make_slot() {
        const std::uint32_t index = made_;
        const unsigned chunk = chunk_of(index);
        if (chunks_[chunk].load(std::memory_order_relaxed) == nullptr)
            chunks_[chunk].store(new Slot[begin_of(chunk + 1) - begin_of(chunk)], std::memory_order_release);
        ++made_;
        return index;
    }
    /// The slot, locked; null if the handle names no object.
    Slot* lock(std::uint64_t id) {
        const HandleParts parts = HandleParts::of(id);
        if (parts.kind != kind_ || parts.process != static_cast<std::uint8_t>(fork_count())) return nullptr;
        const unsigned chunk = chunk_of(parts.index);
        Slot* const slots = chunks_[chunk].load(std::memory_order_acquire);
        if (slots == nullptr) return nullptr;
        Slot& at = slots[parts.index - begin_of(chunk)];
        const std::uint32_t wanted = parts.generation << 2 | is_taken;
        for (unsigned tries = 0;; ++tries) {
            std::uint32_t state = wanted;
            if (at.state.compare_exchange_weak(state, wanted | is_locked, std::memory_order_acquire,
                                               std::memory_order_relaxed))
                return &at;
            if ((state & ~is_locked) != wanted) return nullptr;
            if (tries > 100) std::this_thread::yield();
        }
    }

    const std::uint8_t kind_;
    std::mutex mutex_;
    std::uint32_t free_ = none, made_ = 0;
    std::atomic<std::size_t> count_{0};
    std::array<std::atomic<Slot*>, chunk_count> chunks_{};
};

}  // namespace muster::c
