#include <array>

#include <muster/python/extension/api.hpp>
#include <muster/python/extension/handle.hpp>
#include <muster/python/extension/read.hpp>

namespace muster::python {
namespace {

struct Handle {
    PyObject_HEAD std::uint64_t id;
};

PyObject* type = nullptr;

std::uint64_t id_of_self(PyObject* self) { return reinterpret_cast<Handle*>(self)->id; }

void deallocate(PyObject* self) {
    const std::uint64_t id = std::exchange(reinterpret_cast<Handle*>(self)->id, 0);
    if (id > MUSTER_PROCESS) (void)waiting([&] { return api().release(id); });
    freed(self);
}

using Property = Ref (*)(std::uint64_t id, std::int32_t property, std::size_t index);
/// A method of property and index; None if there is no such thing.
template <Property property>
PyObject* property_of(PyObject* self, PyObject* const* first, Py_ssize_t count) noexcept {
    return guarded([&] {
        const Given given(first, count);
        return property(id_of_self(self), static_cast<std::int32_t>(number_of(given[0])),
                        number_of(given[1]));
    });
}

Ref text_property(std::uint64_t id, std::int32_t property, std::size_t index) {
    muster_string value{};
    const muster_status status = check(waiting([&] { return api().get_text(id, property, index, &value); }));
    return status == MUSTER_NONE ? none() : text(view(value));
}
Ref number_property(std::uint64_t id, std::int32_t property, std::size_t index) {
    std::uint64_t value = 0;
    const muster_status status =
        check(waiting([&] { return api().get_number(id, property, index, &value); }));
    return status == MUSTER_NONE ? none() : number(value);
}
Ref real_property(std::uint64_t id, std::int32_t property, std::size_t index) {
    double value = 0;
    if (check(api().get_real(id, property, index, &value)) == MUSTER_NONE) return none();
    return Ref::made(PyFloat_FromDouble(value));
}
Ref bytes_property(std::uint64_t id, std::int32_t property, std::size_t index) {
    muster_string value{};
    if (check(api().get_text(id, property, index, &value)) == MUSTER_NONE) return none();
    return bytes(view(value));
}
template <Property property>
Ref list_of(std::uint64_t id, std::int32_t which, std::size_t) {
    std::size_t count = 0;
    check(api().get_count(id, which, &count));
    const Ref list = Ref::made(PyList_New(0));
    for (std::size_t i = 0; i < count; ++i) ok(PyList_Append(list.get(), property(id, which, i).get()));
    return list;
}
Ref json(std::uint64_t id, std::int32_t, std::size_t) {
    muster_blob blob;
    check(waiting([&] { return api().get_json(id, &blob); }));
    return text_of_blob(blob.id);
}

/// <muster kernel 4294967298>
PyObject* described(PyObject* self) {
    static constexpr std::array kinds{"process",  "session", "backend", "device", "target", "program",
                                      "route",    "kernel",  "bound",   "buffer", "ticket", "sequence",
                                      "artifact", "blob",    "tensor",  "model",  "report"};
    return guarded([&] {
        const std::uint64_t id = id_of_self(self);
        std::int32_t kind = 0;
        const bool is_known = api().kind_of(id, &kind) == MUSTER_OK;
        const char* const name = !is_known ? "of another process"
                                 : kind >= 0 && static_cast<std::size_t>(kind) < kinds.size()
                                     ? kinds[static_cast<std::size_t>(kind)]
                                     : "object";
        return Ref::made(PyUnicode_FromFormat("<muster %s %llu>", name, static_cast<unsigned long long>(id)));
    });
}

PyObject* id_property(PyObject* self, void*) {
    return guarded([&] { return number(id_of_self(self)); });
}

template <Property property>
PyMethodDef row(const char* name, const char* what) {
    return {name, c_function(property_of<property>), METH_FASTCALL, what};
}

}  // namespace

void add_handle(PyObject* module) {
    static PyMethodDef methods[]{
        row<text_property>("text", "text(property, index=0): a property that is text"),
        row<number_property>("number", "number(property, index=0)"),
        row<real_property>("real", "real(property, index=0)"),
        row<bytes_property>("bytes", "bytes(property, index=0)"),
        row<list_of<text_property>>("texts", "texts(property): all of a list"),
        row<list_of<number_property>>("numbers", "numbers(property): all of a list"),
        row<list_of<real_property>>("reals", "reals(property): all of a list"),
        row<json>("json", "json(): as the tool's --json prints it"),
        {}};
    static PyGetSetDef getters[]{{"id", id_property, nullptr, "the handle's number", nullptr}, {}};
    static PyType_Slot slots[]{{Py_tp_dealloc, reinterpret_cast<void*>(deallocate)},
                               {Py_tp_repr, reinterpret_cast<void*>(described)},
                               {Py_tp_methods, methods},
                               {Py_tp_getset, getters},
                               {}};
    static PyType_Spec spec{"muster._muster.Handle", sizeof(Handle), 0,
                            Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};
    type = Ref::made(PyType_FromSpec(&spec)).release();
    ok(PyModule_AddObjectRef(module, "Handle", type));
}

Ref handle(std::uint64_t id) {
    PyObject* const object = reinterpret_cast<allocfunc>(PyType_GetSlot(
        reinterpret_cast<PyTypeObject*>(type), Py_tp_alloc))(reinterpret_cast<PyTypeObject*>(type), 0);
    if (object == nullptr) {
        (void)api().release(id);
        throw Raised();
    }
    reinterpret_cast<Handle*>(object)->id = id;
    return Ref::made(object);
}

std::uint64_t id_of(PyObject* object) {
    return cast<Handle>(object, type, "an object of muster's is expected")->id;
}

Ref bytes_of_blob(std::uint64_t blob) {
    const Ref owner = handle(blob);
    return bytes_property(blob, MUSTER_CONTENT, 0);
}
Ref text_of_blob(std::uint64_t blob) {
    const Ref owner = handle(blob);
    return text_property(blob, MUSTER_CONTENT, 0);
}

}  // namespace muster::python
