// prepared.hpp - a kernel that is ready on a session's device, with what its calls need to know of its
// bindings.
//
// Threads: the caller holds the GIL. Nothing of it changes, but for what the last call copied.
#pragma once

#include <cstdint>
#include <vector>

#include <muster/muster.h>
#include <muster/python/extension/python.hpp>

namespace muster::python {

struct Binding {
    Ref name;            // a str that is interned
    muster_string text;  // the same
    Ref type;            // "array<f32>"
    std::uint32_t element;
    std::uint64_t min_bytes;
    bool is_written, is_value;  // is_value: a uniform or an immediate
    bool is_run_time_array;     // its elements take min_bytes
    bool is_scalar;
};

struct PreparedKernel {
    Ref session_handle, kernel_handle, entry;
    muster_session session;
    muster_kernel kernel;
    std::vector<Binding> bindings;
    int workgroup_axes = 1;    // that are longer than 1, counted from the first
    std::uint64_t copied = 0;  // by the last call: a bit for each binding

    PreparedKernel(Ref session, Ref kernel);
};

/// A Prepared's kernel.
PreparedKernel& prepared_of(PyObject* prepared);
void add_prepared(PyObject* module);

}  // namespace muster::python
