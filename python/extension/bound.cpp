// Kernels with their arguments, and arguments that are moved beforehand.
#include <muster/python/extension/api.hpp>
#include <muster/python/extension/bound.hpp>
#include <muster/python/extension/dispatch.hpp>
#include <muster/python/extension/functions.hpp>
#include <muster/python/extension/handle.hpp>
#include <muster/python/extension/read.hpp>
#include <muster/python/extension/ticket.hpp>

namespace muster::python {
namespace {

/// (the handle, the grid's invocations or None, its workgroups or None)
Ref bind(const Given& given) {
    PreparedKernel& kernel = prepared_of(given[0]);
    const Dispatch dispatch(kernel, given[1], given[2]);
    dispatch.check_is_lasting("A bound kernel");
    const muster_dispatch asked = dispatch.get();
    muster_bound bound;
    check(api().bind(kernel.session, kernel.kernel, &asked, &bound));
    const Ref made = handle(bound.id), grid = dispatch.grid().as_arguments();
    return Ref::made(PyTuple_Pack(2, made.get(), grid.get()));
}
Ref dispatch_bound(const Given& given) {
    const muster_session session{id_of(given[0])};
    const muster_bound bound{id_of(given[1])};
    const BoundGrid grid(given[2], given[3]);
    muster_ticket ticket;
    check(waiting([&] { return api().dispatch_bound(session, bound, &grid.dispatch, &ticket); }));
    return ticket_of(ticket, given[1]);
}
Ref place(const Given& given) {
    PreparedKernel& kernel = prepared_of(given[0]);
    const Dispatch dispatch(kernel, given[1], given[2]);
    dispatch.check_is_lasting("A place on a device");
    const muster_dispatch asked = dispatch.get();
    check(waiting([&] { return api().place(kernel.session, kernel.kernel, &asked); }));
    return none();
}

}  // namespace

BoundGrid::BoundGrid(PyObject* invocations, PyObject* workgroups) : dispatch(sized<muster_dispatch>()) {
    if (auto given = Grid::given(invocations, workgroups)) grid = std::move(*given);
    grid.put(dispatch);
}

void add_bound_functions(PyObject* module) {
    static PyMethodDef functions[]{
        method<bind>("bind", "bind(prepared, arguments, keywords): handle, (invocations, workgroups)"),
        method<dispatch_bound>("dispatch_bound", "dispatch_bound(session, bound, invocations, workgroups)"),
        method<place>("place", "place(prepared, arguments, keywords)"),
        {}};
    add_functions(module, functions);
}

}  // namespace muster::python
