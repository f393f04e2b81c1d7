#include <muster/python/extension/api.hpp>
#include <muster/python/extension/end_calls.hpp>
#include <muster/python/extension/handle.hpp>
#include <muster/python/extension/hooks.hpp>
#include <muster/python/extension/read.hpp>
#include <muster/python/extension/ticket.hpp>

namespace muster::python {
namespace {

struct Ticket {
    PyObject_HEAD Dispatch* dispatch;  // null of a sequence's
    PyObject* handle;                  // a sequence's
    PyObject* keeps;
    muster_timing timing;
};

PyObject* type = nullptr;

Ticket& self_of(PyObject* self) { return *reinterpret_cast<Ticket*>(self); }

void deallocate(PyObject* self) {
    Ticket& ticket = self_of(self);
    delete std::exchange(ticket.dispatch, nullptr);
    Py_XDECREF(std::exchange(ticket.handle, nullptr));
    Py_XDECREF(std::exchange(ticket.keeps, nullptr));
    freed(self);
}

muster_ticket handle_of(const Ticket& ticket) {
    return ticket.dispatch != nullptr ? ticket.dispatch->ticket() : muster_ticket{id_of(ticket.handle)};
}

PyObject* wait(PyObject* self, PyObject* arguments, PyObject* keywords) {
    return guarded([&] {
        static const char* names[]{"timeout", nullptr};
        PyObject* timeout = Py_None;
        if (PyArg_ParseTupleAndKeywords(arguments, keywords, "|O", const_cast<char**>(names), &timeout) == 0)
            throw Raised();
        const std::uint64_t nanoseconds = nanoseconds_of(timeout);
        Ticket& ticket = self_of(self);
        if (ticket.dispatch == nullptr) {
            const muster_ticket handle = handle_of(ticket);
            ticket.timing = sized<muster_timing>();
            check(waiting_at_most(
                nanoseconds, [&](std::uint64_t step) { return api().wait(handle, step, &ticket.timing); }));
            return none();
        }
        ticket.dispatch->finish(nanoseconds);
        ticket.timing = ticket.dispatch->timing();
        return ticket.dispatch->results();
    });
}

PyObject* abandon(PyObject* self, PyObject*) {
    return guarded([&] {
        const muster_ticket handle = handle_of(self_of(self));
        check(waiting([&] { return api().abandon(handle); }));
        return none();
    });
}

PyObject* add_done_callback(PyObject* self, PyObject* function) {
    return guarded([&] {
        call_at_end(handle_of(self_of(self)), self, function);
        return none();
    });
}

PyObject* awaited(PyObject* self) {
    return guarded([&] { return call(Hook::awaited, Ref::of(self)); });
}

PyObject* done(PyObject* self, void*) {
    return guarded([&] {
        std::uint64_t is_done = 0;
        check(api().get_number(handle_of(self_of(self)).id, MUSTER_IS_DONE, 0, &is_done));
        return boolean(is_done != 0);
    });
}

PyObject* seconds(PyObject* self, void*) {
    return guarded([&] {
        const muster_timing& timing = self_of(self).timing;
        if (timing.is_measured == 0) return none();
        return Ref::made(PyFloat_FromDouble(static_cast<double>(timing.device_ns) * 1e-9));
    });
}

Ref make(Dispatch* dispatch, PyObject* handle, PyObject* keeps) {
    const Ref made = allocated(reinterpret_cast<PyTypeObject*>(type));
    Ticket& ticket = self_of(made.get());
    ticket.dispatch = dispatch;
    ticket.handle = Ref::of(handle).release();
    ticket.keeps = Ref::of(keeps).release();
    return made;
}

}  // namespace

void add_ticket(PyObject* module) {
    static PyMethodDef methods[]{
        {"wait", c_function(wait), METH_VARARGS | METH_KEYWORDS,
         "wait(timeout=None)\n--\n\nWaits until the work has ended, at most "
         "`timeout` seconds, and puts results into NumPy's arrays. Returns the new\n"
         "arrays, if the call asked for some. Ctrl-C stops waiting, not the "
         "work.\n\nRaises Error with code \"timed_out\" (the work goes "
         "on: wait again), \"device_lost\"."},
        {"abandon", abandon, METH_NOARGS,
         "abandon()\n--\n\nGives up on the work: if it still runs, its session "
         "doesn't use its device any more."},
        {"add_done_callback", add_done_callback, METH_O,
         "add_done_callback(function)\n--\n\nCalls function(ticket) once the work has "
         "ended, on a thread of muster's, or at once if it has. Keep\nit short. Results are in "
         "NumPy's arrays, and errors are raised, only in wait(), which waits no more then.\nA "
         "process that ends may leave the call out."},
        {}};
    static PyGetSetDef getters[]{
        {"done", done, nullptr, "True once the work has ended. It doesn't wait.", nullptr},
        {"seconds", seconds, nullptr, "How long the device took, after wait(); None if it wasn't measured.",
         nullptr},
        {}};
    static PyType_Slot slots[]{
        {Py_tp_dealloc, reinterpret_cast<void*>(deallocate)},
        {Py_tp_methods, methods},
        {Py_am_await, reinterpret_cast<void*>(awaited)},
        {Py_tp_getset, getters},
        {Py_tp_doc, const_cast<char*>("Work in flight, as kernel(..., wait=False) returns it. `await ticket` "
                                      "waits in asyncio, and returns "
                                      "what wait() does.")},
        {}};
    static PyType_Spec spec{"muster.Ticket", sizeof(Ticket), 0,
                            Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};
    type = Ref::made(PyType_FromSpec(&spec)).release();
    ok(PyModule_AddObjectRef(module, "Ticket", type));
}

Ref ticket_of(std::unique_ptr<Dispatch> dispatch, PyObject* prepared) {
    Ref made = make(dispatch.get(), nullptr, prepared);
    (void)dispatch.release();
    return made;
}

Ref ticket_of(muster_ticket ticket, PyObject* keeps) { return make(nullptr, handle(ticket.id).get(), keeps); }

}  // namespace muster::python
