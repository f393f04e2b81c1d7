#include <atomic>
#include <memory>

#include <muster/python/extension/lent_memory.hpp>

namespace muster::python {
namespace {

constinit std::atomic<Lent*> came_back{nullptr};

}  // namespace

Lent* lend(PyObject* object) {
    auto lent = std::make_unique<Lent>();
    ok(PyObject_GetBuffer(object, &lent->view, PyBUF_STRIDES | PyBUF_FORMAT));
    return lent.release();
}

Lent* lend(void (*end)(void* of), void* of) { return new Lent{.end = end, .of = of}; }

void take_back(Lent* lent) {
    if (lent->end != nullptr)
        lent->end(lent->of);
    else
        PyBuffer_Release(&lent->view);
    delete lent;
}

void give_back(void* user) noexcept {
    auto* const lent = static_cast<Lent*>(user);
    lent->next = came_back.load(std::memory_order_relaxed);
    while (!came_back.compare_exchange_weak(lent->next, lent, std::memory_order_release,
                                            std::memory_order_relaxed)) {
    }
}

void return_lent_memory() noexcept {
    if (came_back.load(std::memory_order_relaxed) == nullptr) return;
    Lent* next = came_back.exchange(nullptr, std::memory_order_acquire);
    while (next != nullptr) take_back(std::exchange(next, next->next));
}

}  // namespace muster::python
