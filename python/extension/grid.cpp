#include <algorithm>

#include <muster/python/extension/array.hpp>
#include <muster/python/extension/grid.hpp>
#include <muster/python/extension/read.hpp>

namespace muster::python {

std::optional<Grid> Grid::given(PyObject* invocations, PyObject* workgroups) {
    if (invocations == Py_None) invocations = nullptr;
    if (workgroups == Py_None) workgroups = nullptr;
    if (invocations != nullptr && workgroups != nullptr)
        raise(PyExc_TypeError, "give grid or workgroups, not both");
    PyObject* const value = invocations != nullptr ? invocations : workgroups;
    if (value == nullptr) return std::nullopt;
    Grid grid;
    grid.kind = invocations != nullptr ? MUSTER_GRID_INVOCATIONS : MUSTER_GRID_WORKGROUPS;
    if (const Array* const array = workgroups != nullptr ? array_of(workgroups) : nullptr) {
        if (array->element != MUSTER_U32 || array->bytes != 3 * sizeof(std::uint32_t))
            raise(PyExc_ValueError, "an array with workgroups has three u32");
        grid.kind = MUSTER_GRID_IN_BUFFER;
        grid.array = Ref::of(workgroups);
    } else if (PyIndex_Check(value) != 0) {
        grid.size[0] = number_of(value);
    } else {
        const Items axes(value);
        if (axes.size() < 1 || axes.size() > 3) raise(PyExc_ValueError, "a grid has 1 to 3 axes");
        grid.axes = static_cast<std::uint32_t>(axes.size());
        for (std::size_t i = 0; i < axes.size(); ++i) grid.size[i] = number_of(axes[i]);
    }
    return grid;
}

void Grid::put(muster_dispatch& dispatch) const {
    dispatch.grid = kind;
    if (kind == MUSTER_GRID_IN_BUFFER) {
        const Array& values = *array_of(array.get());
        dispatch.grid_buffer = values.buffer;
        dispatch.grid_offset = values.offset;
        return;
    }
    dispatch.axes = axes;
    std::ranges::copy(size, dispatch.size);
}

Ref Grid::as_arguments() const {
    const Ref sizes = kind == MUSTER_GRID_IN_BUFFER
                          ? array
                          : tuple_of(axes, [&](std::size_t i) { return number(size[i]); });
    const bool is_workgroups = kind != MUSTER_GRID_INVOCATIONS;
    return Ref::made(
        PyTuple_Pack(2, is_workgroups ? Py_None : sizes.get(), is_workgroups ? sizes.get() : Py_None));
}

}  // namespace muster::python
