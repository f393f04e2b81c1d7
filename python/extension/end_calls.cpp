// A thread that wants the GIL of an interpreter that ends is ended by Python, which a thread of muster's can't bear. So no
// call begins once the interpreter is about to end, and it waits for those that have begun.
#include <atomic>
#include <chrono>
#include <memory>
#include <thread>

#include <muster/python/extension/api.hpp>
#include <muster/python/extension/end_calls.hpp>
#include <muster/python/extension/functions.hpp>
#include <muster/python/extension/read.hpp>

namespace muster::python {
namespace {

constinit std::atomic<int> under_way{0};
constinit std::atomic<bool> is_over{false};

struct EndCall {
    Ref ticket, function;
};

void call_now(std::unique_ptr<EndCall> call) {
    const PyGILState_STATE state = PyGILState_Ensure();
    const bool is_called = guarded(
        [&] {
            (void)Ref::made(PyObject_CallFunctionObjArgs(call->function.get(), call->ticket.get(), nullptr));
            return true;
        },
        false);
    if (!is_called) PyErr_WriteUnraisable(call->function.get());
    call.reset();
    return_lent_memory();
    PyGILState_Release(state);
}

void at_end(void* user, const muster_error*, const muster_timing*) {
    ++under_way;
    std::unique_ptr<EndCall> call(static_cast<EndCall*>(user));
    if (is_over)
        (void)call.release();  // its objects are Python's, which is over
    else
        call_now(std::move(call));
    --under_way;
}

/// end_calls(is_fork): in the child of a fork nothing is under way; otherwise the interpreter ends.
Ref end_calls(const Given& given) {
    if (PyObject_IsTrue(given[0]) == 1) {
        under_way = 0;
        return none();
    }
    is_over = true;
    (void)waiting([] {
        for (int i = 0; i < 5000 && under_way > 0; ++i)
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        return MUSTER_OK;
    });
    return none();
}

}  // namespace

void call_at_end(muster_ticket of, PyObject* ticket, PyObject* function) {
    if (PyCallable_Check(function) == 0) raise(PyExc_TypeError, "a function of a ticket is expected");
    auto call = std::make_unique<EndCall>(Ref::of(ticket), Ref::of(function));
    check(waiting([&] { return api().on_end(of, at_end, call.get()); }));
    (void)call.release();
}

void add_end_functions(PyObject* module) {
    static PyMethodDef functions[]{
        method<end_calls>("end_calls", "end_calls(is_fork): the interpreter ends, or a child begins"), {}};
    add_functions(module, functions);
}

}  // namespace muster::python
