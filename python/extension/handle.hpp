// handle.hpp - an object of muster's, as Python holds it: the type Handle, which releases what it holds, and
// its properties.
//
//     Ref route = handle(id);                                  // owns the handle from now on
//     muster_route{id_of(object)}                              // raises TypeError for something else
//
// Threads: the caller holds the GIL.
#pragma once

#include <cstdint>

#include <muster/python/extension/python.hpp>

namespace muster::python {

/// Makes the type and adds it to the module.
void add_handle(PyObject* module);
/// Owns the handle, also if this raises.
Ref handle(std::uint64_t id);
std::uint64_t id_of(PyObject* handle);
/// A blob's content, after which it is released.
Ref bytes_of_blob(std::uint64_t blob);
Ref text_of_blob(std::uint64_t blob);

}  // namespace muster::python
