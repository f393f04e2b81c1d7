// The module muster._muster: what the package muster needs of muster.h, and of speed. Not for users.
#include <array>

#include <muster/python/extension/api.hpp>
#include <muster/python/extension/array.hpp>
#include <muster/python/extension/functions.hpp>
#include <muster/python/extension/handle.hpp>
#include <muster/python/extension/hooks.hpp>
#include <muster/python/extension/kernel.hpp>
#include <muster/python/extension/prepared.hpp>
#include <muster/python/extension/ticket.hpp>

namespace muster::python {
namespace {

std::array<PyObject*, 4> hooks{};

Ref set_functions(const Given& given) {
    set_error_class(given[0]);
    for (std::size_t i = 0; i < hooks.size(); ++i) {
        PyObject* const before = std::exchange(hooks[i], Ref::of(given[i + 1]).release());
        Py_XDECREF(before);
    }
    return none();
}

int fill(PyObject* module) noexcept {
    return guarded(
        [&] {
            find_api();
            add_handle(module);
            add_array(module);
            add_prepared(module);
            add_kernel(module);
            add_ticket(module);
            static PyMethodDef functions[]{
                method<set_functions>(
                    "set_functions",
                    "set_functions(error, pack, take, result, awaited): what the package does in Python"),
                method<set_session>(
                    "set_session", "set_session(handle, is_default): whose devices calls of this thread use"),
                {}};
            add_functions(module, functions);
            add_process_functions(module);
            add_program_functions(module);
            add_session_functions(module);
            add_buffer_functions(module);
            add_dlpack_functions(module);
            add_sequence_functions(module);
            add_code_functions(module);
            add_model_functions(module);
            add_check_functions(module);
            add_bound_functions(module);
            add_log_functions(module);
            add_end_functions(module);
            return 0;
        },
        -1);
}

}  // namespace

PyObject* function_of(Hook hook) { return hooks[static_cast<std::size_t>(hook)]; }

void add_functions(PyObject* module, PyMethodDef* table) { ok(PyModule_AddFunctions(module, table)); }

}  // namespace muster::python

PyMODINIT_FUNC PyInit__muster() {
    static PyModuleDef definition{
        PyModuleDef_HEAD_INIT, "muster._muster", nullptr, -1, nullptr, nullptr, nullptr, nullptr, nullptr};
    PyObject* const module = PyModule_Create(&definition);
    if (module == nullptr || muster::python::fill(module) == 0) return module;
    Py_DECREF(module);
    return nullptr;
}
