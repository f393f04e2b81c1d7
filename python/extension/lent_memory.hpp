// lent_memory.hpp - memory of Python's objects while muster uses it: the object is kept until muster gives
// the memory back.
//
//     Lent* lent = lend(object);                               // the buffer protocol's view of it
//     options.over = lent->view.buf; options.release = give_back; options.user = lent;
//
// muster gives memory back within one of its calls, which may be made without the GIL. So what comes back
// waits in a queue until the call's thread has the GIL again (return_lent_memory). Threads: give_back any;
// the others hold the GIL.
#pragma once

#include <muster/python/extension/python.hpp>

namespace muster::python {

struct Lent {
    Py_buffer view{};
    void (*end)(void* of) = nullptr;  // instead of ending the view
    void* of = nullptr;
    Lent* next = nullptr;
};

/// Raises if the object has no buffer protocol, or none that says how its elements lie. The caller owns it,
/// until it lends it.
Lent* lend(PyObject* object);
/// Something else that is ended as memory is, under the GIL.
Lent* lend(void (*end)(void* of), void* of);
/// Ends the view at once.
void take_back(Lent* lent);

/// muster_release_callback of memory that was lent.
void give_back(void* lent) noexcept;
/// Ends the views of memory that came back.
void return_lent_memory() noexcept;

}  // namespace muster::python
