#include <memory>

#include <muster/python/extension/api.hpp>
#include <muster/python/extension/elements.hpp>
#include <muster/python/extension/handle.hpp>
#include <muster/python/extension/prepared.hpp>
#include <muster/python/extension/read.hpp>

namespace muster::python {
namespace {

struct Prepared {
    PyObject_HEAD PreparedKernel* kernel;
};

PyObject* type = nullptr;

std::string_view text_of(std::uint64_t object, std::int32_t property, std::size_t index) {
    muster_string value{};
    check(api().get_text(object, property, index, &value));
    return view(value);
}
std::uint64_t number_of(std::uint64_t object, std::int32_t property, std::size_t index) {
    std::uint64_t value = 0;
    check(api().get_number(object, property, index, &value));
    return value;
}

/// True for array<T>, false for array<T, 4>.
bool is_run_time_array(std::string_view type) {
    if (!type.starts_with("array<")) return false;
    int depth = 0;
    for (const char c : type) {
        depth += c == '<' ? 1 : c == '>' ? -1 : 0;
        if (c == ',' && depth == 1) return false;
    }
    return true;
}

Binding binding_of(std::uint64_t kernel, std::size_t index) {
    Ref name = text(text_of(kernel, MUSTER_BINDING_NAME, index));
    PyObject* interned = name.release();
    PyUnicode_InternInPlace(&interned);
    name = Ref::made(interned);
    const muster_string its_text = python::text_of(name.get());
    const std::string_view type = text_of(kernel, MUSTER_BINDING_TYPE, index);
    const std::uint64_t min_bytes = number_of(kernel, MUSTER_BINDING_MIN_BYTES, index);
    const auto element = static_cast<std::uint32_t>(number_of(kernel, MUSTER_BINDING_ELEMENT, index));
    const bool is_run_time = is_run_time_array(type);
    return {.name = std::move(name),
            .text = its_text,
            .type = text(type),
            .element = element,
            .min_bytes = min_bytes,
            .is_written = number_of(kernel, MUSTER_BINDING_IS_WRITTEN, index) != 0,
            .is_value = text_of(kernel, MUSTER_BINDING_SPACE, index) != "storage",
            .is_run_time_array = is_run_time,
            .is_scalar = !is_run_time && element != MUSTER_BYTES && min_bytes == bytes_of(element)};
}

/// Prepared(session, kernel)
PyObject* make(PyTypeObject* cls, PyObject* arguments, PyObject*) {
    return guarded([&] {
        const Items given(arguments);
        if (given.size() != 2) raise(PyExc_TypeError, "a session and a kernel are expected");
        auto kernel = std::make_unique<PreparedKernel>(Ref::of(given[0]), Ref::of(given[1]));
        const Ref made = allocated(cls);
        reinterpret_cast<Prepared*>(made.get())->kernel = kernel.release();
        return made;
    });
}

void deallocate(PyObject* self) {
    delete reinterpret_cast<Prepared*>(self)->kernel;
    freed(self);
}

PyObject* handle_of(PyObject* self, void*) {
    return guarded([&] { return prepared_of(self).kernel_handle; });
}
PyObject* session_of(PyObject* self, void*) {
    return guarded([&] { return prepared_of(self).session_handle; });
}
PyObject* copied(PyObject* self, void*) {
    return guarded([&] {
        const PreparedKernel& kernel = prepared_of(self);
        const Ref names = Ref::made(PyList_New(0));
        for (std::size_t i = 0; i < kernel.bindings.size() && i < 64; ++i)
            if ((kernel.copied >> i & 1) != 0) ok(PyList_Append(names.get(), kernel.bindings[i].name.get()));
        return names;
    });
}

}  // namespace

PreparedKernel::PreparedKernel(Ref of_session, Ref of_kernel)
    : session_handle(std::move(of_session)),
      kernel_handle(std::move(of_kernel)),
      session{id_of(session_handle.get())},
      kernel{id_of(kernel_handle.get())} {
    std::size_t count = 0;
    check(api().get_count(kernel.id, MUSTER_BINDING_NAME, &count));
    for (std::size_t i = 0; i < count; ++i) bindings.push_back(binding_of(kernel.id, i));
    for (std::size_t axis = 1; axis < 3; ++axis)
        if (number_of(kernel.id, MUSTER_WORKGROUP_SIZE, axis) > 1)
            workgroup_axes = static_cast<int>(axis) + 1;
    entry = text(text_of(kernel.id, MUSTER_NAME, 0));
}

PreparedKernel& prepared_of(PyObject* prepared) {
    return *cast<Prepared>(prepared, type, "a kernel that is ready is expected")->kernel;
}

void add_prepared(PyObject* module) {
    static PyGetSetDef getters[]{
        {"handle", handle_of, nullptr, nullptr, nullptr},
        {"session", session_of, nullptr, nullptr, nullptr},
        {"copied", copied, nullptr, "names of the arrays that the last call copied", nullptr},
        {}};
    static PyType_Slot slots[]{{Py_tp_new, reinterpret_cast<void*>(make)},
                               {Py_tp_dealloc, reinterpret_cast<void*>(deallocate)},
                               {Py_tp_getset, getters},
                               {}};
    static PyType_Spec spec{"muster._muster.Prepared", sizeof(Prepared), 0, Py_TPFLAGS_DEFAULT, slots};
    type = Ref::made(PyType_FromSpec(&spec)).release();
    ok(PyModule_AddObjectRef(module, "Prepared", type));
}

}  // namespace muster::python
