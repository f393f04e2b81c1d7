// array.hpp - Array: elements in a buffer of muster's, with a shape; slices along the first axis share the
// buffer. muster.Array adds to it what needs no speed.
//
//     Array* array = array_of(object);                         // null for something else
//     argument.buffer = array->buffer; argument.offset = array->offset; argument.bytes = array->bytes;
//
// Threads: the caller holds the GIL.
#pragma once

#include <cstdint>

#include <muster/muster.h>
#include <muster/python/extension/python.hpp>

namespace muster::python {

inline constexpr int most_axes = 32;

struct Array {
    PyObject_HEAD PyObject* owner;  // the buffer's Handle
    muster_buffer buffer;
    std::uint64_t offset, bytes;
    std::uint32_t element;
    int axes;
    Py_ssize_t shape[most_axes], strides[most_axes];  // in elements; in bytes
};

void add_array(PyObject* module);
Array* array_of(PyObject* object);
/// The bytes of an array. Raises TypeError for something else.
muster_range range_of(PyObject* object);
/// Waits for the work that uses the array. False if its memory isn't the host's; otherwise `memory`, which
/// may be null, gets where its buffer begins.
bool wait_in_place(const Array& array, void** memory);

}  // namespace muster::python
