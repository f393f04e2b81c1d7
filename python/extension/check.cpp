// The conformance suite.
#include <muster/python/extension/api.hpp>
#include <muster/python/extension/functions.hpp>
#include <muster/python/extension/handle.hpp>
#include <muster/python/extension/read.hpp>

namespace muster::python {
namespace {

/// Calls (device, what, outcome, done, total) on the thread that makes the long call. False: stop.
Ref told(const muster_progress& progress) {
    return Ref::made(PyTuple_Pack(5, text(view(progress.device)).get(), text(view(progress.what)).get(),
                                  text(view(progress.outcome)).get(), number(progress.done).get(),
                                  number(progress.total).get()));
}
std::int32_t tell(void* user, const muster_progress* progress) {
    const PyGILState_STATE state = PyGILState_Ensure();
    const std::int32_t stops = guarded(
        [&]() -> std::int32_t {
            ok(PyErr_CheckSignals());
            if (user == nullptr) return 0;
            const Ref answer =
                Ref::made(PyObject_CallObject(static_cast<PyObject*>(user), told(*progress).get()));
            return answer.get() == Py_False ? 1 : 0;
        },
        1);
    PyGILState_Release(state);
    return stops;
}

/// check(options, cases, gaps, timeout, progress, flags, reduction)
Ref check_devices(const Given& given) {
    const Options options(given[0]);
    const Texts cases(given[1]);
    auto asked = sized<muster_check_options>();
    asked.options = options.data();
    asked.option_count = options.size();
    asked.cases = cases.data();
    asked.case_count = cases.size();
    asked.gaps = text_of(given[2]);
    asked.timeout_ns = given[3] == Py_None ? 0 : nanoseconds_of(given[3]);
    asked.progress = tell;
    asked.user = given[4] == Py_None ? nullptr : given[4];
    asked.flags = small_number_of(given[5]);
    asked.reduction_ns = given[6] == Py_None ? 0 : nanoseconds_of(given[6]);
    muster_report report;
    const muster_status status = waiting([&] { return api().check(&asked, &report); });
    if (PyErr_Occurred() != nullptr) {  // of the callback, which stopped it
        if (status == MUSTER_OK) (void)api().release(report.id);
        throw Raised();
    }
    check(status);
    return handle(report.id);
}

}  // namespace

void add_check_functions(PyObject* module) {
    static PyMethodDef functions[]{
        method<check_devices>("check", "check(options, cases, gaps, timeout, progress, flags, reduction)"),
        {}};
    add_functions(module, functions);
}

}  // namespace muster::python
