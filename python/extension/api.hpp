// api.hpp - the table of muster.h, its errors as exceptions of Python, and calls that wait while other
// threads of Python run.
//
//     muster_route route;
//     check(waiting([&] { return api().route(session, program, nullptr, nullptr, 0, &route); }));
//
// Threads: the caller holds the GIL, before and after.
#pragma once

#include <muster/muster.h>
#include <muster/python/extension/lent_memory.hpp>
#include <muster/python/extension/python.hpp>

namespace muster::python {

/// Finds the table. Raises ImportError.
void find_api();
const muster_api& api();

/// A structure of zeros with its size.
template <class T>
T sized() {
    T structure{};
    structure.struct_size = sizeof(T);
    return structure;
}

/// The class of the exceptions that are raised: called with message, code, fix, story and steps.
void set_error_class(PyObject* type);
/// Raises this thread's last error. Precondition: a call has failed.
[[noreturn]] void raise_last_error();
/// Raises an error of this extension's own, of the form that muster's have.
[[noreturn]] void raise_error(const char* code, std::string_view message, std::string_view fix);

/// Raises if a call has failed.
inline muster_status check(muster_status status) {
    if (status < 0) raise_last_error();
    return status;
}

/// Makes a call that may take long, without the GIL: `call` touches no object of Python's, and throws
/// nothing.
template <class Call>
muster_status waiting(Call&& call) {
    PyThreadState* const state = PyEval_SaveThread();
    const muster_status status = call();
    PyEval_RestoreThread(state);
    return_lent_memory();
    return status;
}

/// Makes a call that takes a timeout until it has ended, in steps, between which Ctrl-C is heeded. Returns
/// its status; it is timed out only if `nanoseconds` are over.
template <class Call>
muster_status waiting_at_most(std::uint64_t nanoseconds, Call&& call) {
    constexpr std::uint64_t step = 50'000'000;
    for (;;) {
        const std::uint64_t turn = nanoseconds < step ? nanoseconds : step;
        const muster_status status = waiting([&] { return call(turn); });
        if (status != MUSTER_ERROR_TIMED_OUT) return status;
        ok(PyErr_CheckSignals());
        if (nanoseconds == turn) return status;
        if (nanoseconds != MUSTER_FOREVER) nanoseconds -= turn;
    }
}

}  // namespace muster::python
