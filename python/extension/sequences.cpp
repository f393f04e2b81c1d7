// Sequences: work that is recorded once.
#include <muster/python/extension/api.hpp>
#include <muster/python/extension/bound.hpp>
#include <muster/python/extension/dispatch.hpp>
#include <muster/python/extension/functions.hpp>
#include <muster/python/extension/handle.hpp>
#include <muster/python/extension/read.hpp>
#include <muster/python/extension/ticket.hpp>

namespace muster::python {
namespace {

Ref sequence_create(const Given& given) {
    muster_sequence sequence;
    check(api().sequence_create({id_of(given[0])}, &sequence));
    return handle(sequence.id);
}
Ref sequence_dispatch(const Given& given) {
    const muster_sequence sequence{id_of(given[0])};
    PreparedKernel& kernel = prepared_of(given[1]);
    const Dispatch dispatch(kernel, given[2], given[3]);
    dispatch.check_is_lasting("A sequence");
    const muster_dispatch asked = dispatch.get();
    check(api().sequence_dispatch(sequence, kernel.kernel, &asked));
    return none();
}
Ref sequence_dispatch_bound(const Given& given) {
    const muster_sequence sequence{id_of(given[0])};
    const BoundGrid grid(given[2], given[3]);
    check(api().sequence_dispatch_bound(sequence, {id_of(given[1])}, &grid.dispatch));
    return none();
}
Ref sequence_copy(const Given& given) {
    const muster_range from = range_of(given[1]), to = range_of(given[2]);
    check(api().sequence_copy({id_of(given[0])}, &from, &to));
    return none();
}
Ref sequence_fill(const Given& given) {
    const muster_range range = range_of(given[1]);
    check(api().sequence_fill({id_of(given[0])}, &range, small_number_of(given[2])));
    return none();
}
Ref sequence_submit(const Given& given) {
    const muster_sequence sequence{id_of(given[0])};
    muster_ticket ticket;
    check(waiting([&] { return api().sequence_submit(sequence, &ticket); }));
    return ticket_of(ticket, given[0]);
}

}  // namespace

void add_sequence_functions(PyObject* module) {
    static PyMethodDef functions[]{
        method<sequence_create>("sequence_create", "sequence_create(session)"),
        method<sequence_dispatch>("sequence_dispatch",
                                  "sequence_dispatch(sequence, prepared, arguments, keywords)"),
        method<sequence_dispatch_bound>("sequence_dispatch_bound",
                                        "sequence_dispatch_bound(sequence, bound, invocations, workgroups)"),
        method<sequence_copy>("sequence_copy", "sequence_copy(sequence, from, to)"),
        method<sequence_fill>("sequence_fill", "sequence_fill(sequence, array, word)"),
        method<sequence_submit>("sequence_submit", "sequence_submit(sequence)"),
        {}};
    add_functions(module, functions);
}

}  // namespace muster::python
