// elements.hpp - types of elements: as muster numbers them, as the buffer protocol writes them, as values of
// Python.
//
//     element_of("f") == MUSTER_F32;  bytes_of(MUSTER_F32) == 4;  format_of(MUSTER_F32) == "f"
//
// Threads: pure.
#pragma once

#include <cstdint>
#include <optional>

#include <muster/python/extension/python.hpp>

namespace muster::python {

/// The element of a buffer protocol's format, null being bytes; MUSTER_BYTES for a structure's. None: muster
/// has no such element.
std::optional<std::uint32_t> element_of(const char* format, Py_ssize_t item_bytes);
/// 1 for MUSTER_BYTES.
std::size_t bytes_of(std::uint32_t element);
/// As the buffer protocol writes it, for one that muster gives.
const char* format_of(std::uint32_t element);
/// As WGSL names it; "bytes" for MUSTER_BYTES.
const char* name_of(std::uint32_t element);

/// Writes a number of Python's as an element, to at least 8 bytes. False: muster.values does that, for f16
/// and others. Raises OverflowError where an integer doesn't fit.
bool write_number(PyObject* number, std::uint32_t element, void* to);

}  // namespace muster::python
