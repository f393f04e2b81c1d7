// grid.hpp - the grid of a dispatch, as a call gives it: grid=, the invocations of each axis, or workgroups=, a
// number, one for each axis, or an array of muster's with three u32.
//
//     if (const auto grid = Grid::given(invocations, workgroups)) grid->put(dispatch);
//
// Threads: the caller holds the GIL.
#pragma once

#include <cstdint>
#include <optional>

#include <muster/muster.h>
#include <muster/python/extension/python.hpp>

namespace muster::python {

struct Grid {
    std::uint32_t kind = MUSTER_GRID_INVOCATIONS, axes = 1;
    std::uint64_t size[3]{1, 1, 1};
    Ref array;  // of MUSTER_GRID_IN_BUFFER

    /// None if both are null or None. Raises what is wrong with them.
    static std::optional<Grid> given(PyObject* invocations, PyObject* workgroups);
    /// Sets the members of a dispatch, which is used no longer than this.
    void put(muster_dispatch& dispatch) const;
    /// The two values that give it: (invocations or None, workgroups or None).
    Ref as_arguments() const;
};

}  // namespace muster::python
