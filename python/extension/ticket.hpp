// ticket.hpp - Ticket: a kernel's work in flight, with the arrays that it uses. Threads: the caller holds the
// GIL.
#pragma once

#include <memory>

#include <muster/muster.h>
#include <muster/python/extension/dispatch.hpp>

namespace muster::python {

void add_ticket(PyObject* module);
/// A ticket of work that was submitted.
Ref ticket_of(std::unique_ptr<Dispatch> dispatch, PyObject* prepared);
/// A ticket of a sequence's, which owns the handle; `keeps` lives as long.
Ref ticket_of(muster_ticket ticket, PyObject* keeps);

}  // namespace muster::python
