// end_calls.hpp - functions of Python's that are called once work has ended. Threads: the caller holds the GIL.
#pragma once

#include <muster/muster.h>
#include <muster/python/extension/python.hpp>

namespace muster::python {

/// Calls function(ticket), on a thread of muster's, or within this call if the work has ended. Both are kept until
/// then. What it raises is printed.
void call_at_end(muster_ticket of, PyObject* ticket, PyObject* function);

}  // namespace muster::python
