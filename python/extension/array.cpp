#include <muster/python/extension/api.hpp>
#include <muster/python/extension/array.hpp>
#include <muster/python/extension/elements.hpp>
#include <muster/python/extension/handle.hpp>
#include <muster/python/extension/read.hpp>

namespace muster::python {
namespace {

PyObject* type = nullptr;

Array* self_of(PyObject* self) { return reinterpret_cast<Array*>(self); }

/// Fills in shape and strides, row-major. Raises ValueError.
void set_shape(Array& array, const Items& shape) {
    if (shape.size() > most_axes) raise(PyExc_ValueError, "an array has at most 32 axes");
    array.axes = static_cast<int>(shape.size());
    std::uint64_t bytes = bytes_of(array.element);
    for (int i = array.axes; i-- > 0;) {
        const std::uint64_t size = number_of(shape[static_cast<std::size_t>(i)]);
        array.shape[i] = static_cast<Py_ssize_t>(size);
        array.strides[i] = static_cast<Py_ssize_t>(bytes);
        if (__builtin_mul_overflow(bytes, size, &bytes) || bytes > PY_SSIZE_T_MAX)
            raise(PyExc_ValueError, "an array's size doesn't fit 63 bits");
    }
    array.bytes = bytes;
}

/// Array(handle, element, shape, offset)
PyObject* make(PyTypeObject* cls, PyObject* arguments, PyObject*) {
    return guarded([&] {
        const Items given(arguments);
        if (given.size() != 4) raise(PyExc_TypeError, "use muster.asarray, zeros or empty");
        const muster_buffer buffer{id_of(given[0])};
        const Ref made = allocated(cls);
        Array& array = *self_of(made.get());
        array.owner = Ref::of(given[0]).release();
        array.buffer = buffer;
        array.element = small_number_of(given[1]);
        array.offset = number_of(given[3]);
        set_shape(array, Items(given[2]));
        std::uint64_t whole = 0;
        check(api().get_number(buffer.id, MUSTER_SIZE_BYTES, 0, &whole));
        if (array.offset > whole || array.bytes > whole - array.offset)
            raise(PyExc_ValueError, "the array doesn't lie within its buffer");
        return made;
    });
}

void deallocate(PyObject* self) {
    Py_XDECREF(std::exchange(self_of(self)->owner, nullptr));
    freed(self);
}

/// The buffer protocol: the memory itself, once the work that uses it has ended.
int get_buffer(PyObject* self, Py_buffer* view, int flags) {
    return guarded(
        [&] {
            view->obj = nullptr;
            const Array& array = *self_of(self);
            void* memory = nullptr;
            const bool is_in_place = wait_in_place(array, &memory);
            if ((memory == nullptr || !is_in_place) && array.bytes > 0)
                raise(PyExc_BufferError, "the array isn't in the host's memory; numpy() copies it");
            view->obj = Ref::of(self).release();
            view->buf = static_cast<char*>(memory) + array.offset;
            view->len = static_cast<Py_ssize_t>(array.bytes);
            view->itemsize = static_cast<Py_ssize_t>(bytes_of(array.element));
            view->readonly = 0;
            view->ndim = array.axes;
            view->format =
                (flags & PyBUF_FORMAT) != 0 ? const_cast<char*>(format_of(array.element)) : nullptr;
            view->shape = (flags & PyBUF_ND) != 0 ? self_of(self)->shape : nullptr;
            view->strides = (flags & PyBUF_STRIDES) == PyBUF_STRIDES ? self_of(self)->strides : nullptr;
            view->suboffsets = nullptr;
            view->internal = nullptr;
            return 0;
        },
        -1);
}

using Getter = Ref (*)(const Array&);
template <Getter getter>
PyObject* get(PyObject* self, void*) {
    return guarded([&] { return getter(*self_of(self)); });
}
Ref shape(const Array& array) {
    return tuple_of(static_cast<std::size_t>(array.axes),
                    [&](std::size_t i) { return Ref::made(PyLong_FromSsize_t(array.shape[i])); });
}
Ref element(const Array& array) { return number(array.element); }
Ref offset(const Array& array) { return number(array.offset); }
Ref size_bytes(const Array& array) { return number(array.bytes); }
Ref owner(const Array& array) { return Ref::of(array.owner); }

/// _read(object): copies the elements into a writable object of as many bytes.
PyObject* read(PyObject* self, PyObject* into) {
    return guarded([&] {
        const Array& array = *self_of(self);
        const Contents contents(into, PyBUF_C_CONTIGUOUS | PyBUF_WRITABLE);
        if (contents.size() != array.bytes)
            raise(PyExc_ValueError, "the object hasn't as many bytes as the array");
        check(waiting_at_most(MUSTER_FOREVER, [&](std::uint64_t step) {
            return api().buffer_read(array.buffer, array.offset, contents.view().buf, array.bytes, step);
        }));
        return none();
    });
}

/// _write(object): copies elements from an object of as many bytes.
PyObject* write(PyObject* self, PyObject* from) {
    return guarded([&] {
        const Array& array = *self_of(self);
        const Contents contents(from);
        if (contents.size() != array.bytes)
            raise(PyExc_ValueError, "the object hasn't as many bytes as the array");
        check(waiting_at_most(MUSTER_FOREVER, [&](std::uint64_t step) {
            return api().buffer_write(array.buffer, array.offset, contents.view().buf, array.bytes, step);
        }));
        return none();
    });
}

}  // namespace

void add_array(PyObject* module) {
    static PyGetSetDef getters[]{
        {"shape", get<shape>, nullptr, "the number of elements of each axis", nullptr},
        {"nbytes", get<size_bytes>, nullptr, "the bytes of all elements", nullptr},
        {"_element", get<element>, nullptr, nullptr, nullptr},
        {"_offset", get<offset>, nullptr, nullptr, nullptr},
        {"_buffer", get<owner>, nullptr, nullptr, nullptr},
        {}};
    static PyMethodDef methods[]{{"_read", read, METH_O, nullptr}, {"_write", write, METH_O, nullptr}, {}};
    static PyType_Slot slots[]{{Py_tp_new, reinterpret_cast<void*>(make)},
                               {Py_tp_dealloc, reinterpret_cast<void*>(deallocate)},
                               {Py_bf_getbuffer, reinterpret_cast<void*>(get_buffer)},
                               {Py_tp_methods, methods},
                               {Py_tp_getset, getters},
                               {}};
    static PyType_Spec spec{"muster._muster.Array", sizeof(Array), 0,
                            Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, slots};
    type = Ref::made(PyType_FromSpec(&spec)).release();
    ok(PyModule_AddObjectRef(module, "Array", type));
}

bool wait_in_place(const Array& array, void** memory) {
    check(waiting_at_most(MUSTER_FOREVER,
                          [&](std::uint64_t step) { return api().buffer_sync(array.buffer, step, memory); }));
    std::uint64_t is_in_place = 0;
    check(api().get_number(array.buffer.id, MUSTER_IS_IN_PLACE, 0, &is_in_place));
    return is_in_place != 0;
}

muster_range range_of(PyObject* object) {
    const Array* const array = array_of(object);
    if (array == nullptr) raise(PyExc_TypeError, "an array of muster's is expected");
    return {array->buffer, array->offset, array->bytes};
}

Array* array_of(PyObject* object) {
    return PyType_IsSubtype(Py_TYPE(object), reinterpret_cast<PyTypeObject*>(type)) != 0 ? self_of(object)
                                                                                         : nullptr;
}

}  // namespace muster::python
