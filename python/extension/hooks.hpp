// hooks.hpp - what the extension leaves to functions of the package in Python: rare, and shorter there.
// Threads: the caller holds the GIL.
#pragma once

#include <muster/python/extension/python.hpp>

namespace muster::python {

enum class Hook {
    pack,     // (value, element, type, bytes, name) -> bytes: a value in WGSL's layout
    take,     // (object, is_written) -> Array: an object with __dlpack__
    result,   // (like, its type, element, type, bytes, name) -> an array for a binding that gets a new one
    awaited,  // (ticket) -> an iterator, as __await__ returns it
};

PyObject* function_of(Hook hook);

template <class... Refs>
Ref call(Hook hook, const Refs&... arguments) {
    return Ref::made(
        PyObject_CallFunctionObjArgs(function_of(hook), arguments.get()..., static_cast<PyObject*>(nullptr)));
}

}  // namespace muster::python
