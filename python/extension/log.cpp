// The log's messages, for a function of Python's. muster tells them on any thread, also while another one holds
// the GIL and waits for that thread; so they wait in a queue until Python's main thread takes them.
#include <atomic>
#include <memory>
#include <string>

#include <muster/python/extension/api.hpp>
#include <muster/python/extension/functions.hpp>
#include <muster/python/extension/read.hpp>

namespace muster::python {
namespace {

struct Message {
    std::int32_t level;
    std::string text;
    Message* next = nullptr;
};
constinit std::atomic<Message*> newest{nullptr};
constinit std::atomic<bool> is_asked_for{false};
PyObject* receiver = nullptr;

/// The messages that wait, the oldest first.
Message* taken() {
    Message *first = nullptr, *next = newest.exchange(nullptr, std::memory_order_acquire);
    while (next != nullptr) {
        Message* const after = std::exchange(next->next, first);
        first = std::exchange(next, after);
    }
    return first;
}

int deliver(void*) {
    is_asked_for.store(false);
    for (Message* next = taken(); next != nullptr;) {
        const std::unique_ptr<Message> message(next);
        next = message->next;
        if (receiver == nullptr) continue;
        const Ref to = Ref::of(receiver);
        const bool is_told = guarded(
            [&] {
                const Ref level = number(static_cast<unsigned long long>(message->level)),
                          said = text(message->text);
                (void)Ref::made(PyObject_CallFunctionObjArgs(to.get(), level.get(), said.get(), nullptr));
                return true;
            },
            false);
        if (!is_told) PyErr_WriteUnraisable(to.get());
    }
    return 0;
}

void receive(void*, std::int32_t level, muster_string text) {
    try {
        auto message = std::make_unique<Message>(level, std::string(view(text)));
        message->next = newest.load(std::memory_order_relaxed);
        while (!newest.compare_exchange_weak(message->next, message.get(), std::memory_order_release,
                                             std::memory_order_relaxed)) {
        }
        (void)message.release();
    } catch (const std::bad_alloc&) {  // one message less
        return;
    }
    if (!is_asked_for.exchange(true) && Py_AddPendingCall(deliver, nullptr) != 0) is_asked_for.store(false);
}

/// set_log(function of level and text, or None: standard error)
Ref set_log(const Given& given) {
    const bool is_none = given[0] == Py_None;
    check(api().set_log(is_none ? nullptr : receive, nullptr));
    PyObject* const before = std::exchange(receiver, is_none ? nullptr : Ref::of(given[0]).release());
    Py_XDECREF(before);
    return none();
}

}  // namespace

void add_log_functions(PyObject* module) {
    static PyMethodDef functions[]{method<set_log>("set_log", "set_log(function of level and text, or None)"),
                                   {}};
    add_functions(module, functions);
}

}  // namespace muster::python
