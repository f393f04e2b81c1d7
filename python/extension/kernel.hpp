// kernel.hpp - Kernel, the type that muster.Kernel extends: calling it is what has to be quick. Threads: the
// caller holds the GIL.
#pragma once

#include <muster/python/extension/python.hpp>
#include <muster/python/extension/read.hpp>

namespace muster::python {

void add_kernel(PyObject* module);

/// set_session(handle or None, is_default): the session of this thread's calls, or of all threads that have
/// none.
Ref set_session(const Given& given);

}  // namespace muster::python
