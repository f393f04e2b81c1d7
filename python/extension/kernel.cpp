#include <memory>

#include <muster/python/extension/api.hpp>
#include <muster/python/extension/dispatch.hpp>
#include <muster/python/extension/handle.hpp>
#include <muster/python/extension/kernel.hpp>
#include <muster/python/extension/ticket.hpp>

namespace muster::python {
namespace {

struct Kernel {
    PyObject_HEAD PyObject* prepared;  // for the session that was used last
    bool is_pinned;                    // it has a session of its own
};

// Sessions' handles, which muster.session keeps.
constinit thread_local PyObject* session_of_thread = nullptr;
PyObject* default_session = nullptr;

Kernel& self_of(PyObject* self) { return *reinterpret_cast<Kernel*>(self); }

void deallocate(PyObject* self) {
    Py_XDECREF(std::exchange(self_of(self).prepared, nullptr));
    freed(self);
}

/// The kernel for the session of this call. Prepares it if need be.
Ref prepared(PyObject* self) {
    const Kernel& kernel = self_of(self);
    PyObject* const session = session_of_thread != nullptr ? session_of_thread : default_session;
    if (kernel.prepared != nullptr &&
        (kernel.is_pinned ||
         (session != nullptr && prepared_of(kernel.prepared).session_handle.get() == session)))
        return Ref::of(kernel.prepared);
    return Ref::made(PyObject_CallMethod(self, "_prepare", nullptr));
}

PyObject* call(PyObject* self, PyObject* arguments, PyObject* keywords) {
    return guarded([&] {
        const Ref ready = prepared(self);
        auto dispatch = std::make_unique<Dispatch>(prepared_of(ready.get()), arguments, keywords);
        if (!dispatch->is_to_wait()) {
            dispatch->submit();
            return ticket_of(std::move(dispatch), ready.get());
        }
        dispatch->run();
        return dispatch->results();
    });
}

/// _use(prepared, is_pinned)
PyObject* use(PyObject* self, PyObject* const* first, Py_ssize_t count) {
    return guarded([&] {
        const Given given(first, count);
        Kernel& kernel = self_of(self);
        if (given[0] != Py_None) (void)prepared_of(given[0]);
        PyObject* const before =
            std::exchange(kernel.prepared, given[0] == Py_None ? nullptr : Ref::of(given[0]).release());
        Py_XDECREF(before);
        kernel.is_pinned = PyObject_IsTrue(given[1]) == 1;
        return none();
    });
}

/// _estimate(prepared, arguments, keywords): the route of a call, which isn't made.
PyObject* route(PyObject*, PyObject* const* first, Py_ssize_t count) {
    return guarded([&] {
        const Given given(first, count);
        PreparedKernel& kernel = prepared_of(given[0]);
        const Dispatch dispatch(kernel, given[1], given[2]);
        const muster_dispatch asked = dispatch.get();
        muster_route route;
        check(waiting([&] { return api().route_kernel(kernel.session, kernel.kernel, &asked, &route); }));
        return handle(route.id);
    });
}

PyObject* get_prepared(PyObject* self, void*) {
    PyObject* const prepared = self_of(self).prepared;
    return Ref::of(prepared != nullptr ? prepared : Py_None).release();
}

}  // namespace

Ref set_session(const Given& given) {
    PyObject* const session = given[0] == Py_None ? nullptr : given[0];
    (PyObject_IsTrue(given[1]) == 1 ? default_session : session_of_thread) = session;
    return none();
}

void add_kernel(PyObject* module) {
    name_keywords();
    static PyMethodDef methods[]{{"_use", c_function(use), METH_FASTCALL, nullptr},
                                 {"_route", c_function(route), METH_FASTCALL, nullptr},
                                 {}};
    static PyGetSetDef getters[]{{"_prepared", get_prepared, nullptr, nullptr, nullptr}, {}};
    static PyType_Slot slots[]{{Py_tp_dealloc, reinterpret_cast<void*>(deallocate)},
                               {Py_tp_call, reinterpret_cast<void*>(call)},
                               {Py_tp_methods, methods},
                               {Py_tp_getset, getters},
                               {}};
    static PyType_Spec spec{"muster._muster.Kernel", sizeof(Kernel), 0,
                            Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, slots};
    const Ref type = Ref::made(PyType_FromSpec(&spec));
    ok(PyModule_AddObjectRef(module, "Kernel", type.get()));
}

}  // namespace muster::python
