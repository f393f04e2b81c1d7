// bound.hpp - the grid that a bound kernel is dispatched over. Threads: the caller holds the GIL.
#pragma once

#include <muster/muster.h>
#include <muster/python/extension/grid.hpp>

namespace muster::python {

/// A dispatch without arguments, for the slots that take a bound kernel.
struct BoundGrid {
    /// Both may be None, but not both at once.
    BoundGrid(PyObject* invocations, PyObject* workgroups);
    Grid grid;
    muster_dispatch dispatch;
};

}  // namespace muster::python
