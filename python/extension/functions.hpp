// functions.hpp - the functions of the module, each table with those of its matter. Threads: the caller holds
// the GIL.
#pragma once

#include <muster/python/extension/python.hpp>

namespace muster::python {

/// Adds a table of functions, which ends with a null name, to the module.
void add_functions(PyObject* module, PyMethodDef* table);

void add_process_functions(PyObject* module);
void add_program_functions(PyObject* module);
void add_session_functions(PyObject* module);
void add_buffer_functions(PyObject* module);
void add_dlpack_functions(PyObject* module);
void add_sequence_functions(PyObject* module);
void add_code_functions(PyObject* module);
void add_model_functions(PyObject* module);
void add_check_functions(PyObject* module);
void add_bound_functions(PyObject* module);
void add_log_functions(PyObject* module);
void add_end_functions(PyObject* module);

}  // namespace muster::python
