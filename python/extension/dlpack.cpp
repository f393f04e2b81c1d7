// DLPack: tensors of other libraries as buffers, and arrays as tensors.
#include <memory>

#include <muster/python/extension/api.hpp>
#include <muster/python/extension/array.hpp>
#include <muster/python/extension/functions.hpp>
#include <muster/python/extension/handle.hpp>
#include <muster/python/extension/read.hpp>

// DLPack's structures, in both forms.
struct DLTensor {
    void* data;
    std::int32_t device_type, device_id;
    std::int32_t axes;
    std::uint8_t type_code, type_bits;
    std::uint16_t type_lanes;
    std::int64_t *sizes, *strides;
    std::uint64_t byte_offset;
};
struct DLManagedTensor {
    DLTensor tensor;
    void* producers;
    void (*deleter)(DLManagedTensor* self);
};
struct DLManagedTensorVersioned {
    std::uint32_t major, minor;
    void* producers;
    void (*deleter)(DLManagedTensorVersioned* self);
    std::uint64_t flags;
    DLTensor tensor;
};

namespace muster::python {
namespace {

constexpr const char *versioned = "dltensor_versioned", *plain = "dltensor";

template <class Managed>
void end(void* managed) {
    auto* const tensor = static_cast<Managed*>(managed);
    if (tensor->deleter != nullptr) tensor->deleter(tensor);
}

/// The tensor of a capsule, in the form that muster takes. Its end waits for the GIL, which its producer may
/// want.
std::unique_ptr<DLManagedTensorVersioned> tensor_of(PyObject* capsule) {
    auto tensor = std::make_unique<DLManagedTensorVersioned>();
    if (PyCapsule_IsValid(capsule, versioned) != 0) {
        auto* const its = static_cast<DLManagedTensorVersioned*>(PyCapsule_GetPointer(capsule, versioned));
        *tensor = *its;
        tensor->producers = lend(end<DLManagedTensorVersioned>, its);
    } else if (PyCapsule_IsValid(capsule, plain) != 0) {
        auto* const its = static_cast<DLManagedTensor*>(PyCapsule_GetPointer(capsule, plain));
        *tensor = {.major = 1, .minor = 0, .tensor = its->tensor};
        tensor->producers = lend(end<DLManagedTensor>, its);
    } else {
        raise(PyExc_TypeError, "a capsule with a DLPack tensor, which nobody has taken, is expected");
    }
    tensor->deleter = [](DLManagedTensorVersioned* self) {
        give_back(self->producers);
        delete self;
    };
    return tensor;
}

/// The sizes of a tensor, as a tuple.
Ref sizes_of(const DLTensor& tensor) {
    return tuple_of(static_cast<std::size_t>(tensor.axes),
                    [&](std::size_t i) { return Ref::made(PyLong_FromLongLong(tensor.sizes[i])); });
}

/// from_dlpack(session or None, capsule, copy): a buffer's handle, or a model's tensor, and the sizes.
Ref from_dlpack(const Given& given) {
    const std::uint64_t session = given[0] == Py_None ? 0 : id_of(given[0]);
    auto tensor = tensor_of(given[1]);
    auto options = sized<muster_import_options>();
    options.copy = small_number_of(given[2]);
    const Ref sizes = sizes_of(tensor->tensor);
    std::uint64_t made = 0;
    muster_status status;
    if (session != 0) {
        muster_buffer buffer{};
        status = api().buffer_from_dlpack({session}, tensor.get(), &options, &buffer);
        made = buffer.id;
    } else {
        muster_tensor taken{};
        status = api().tensor_from_dlpack(tensor.get(), &options, &taken);
        made = taken.id;
    }
    if (status != MUSTER_OK) {
        delete static_cast<Lent*>(tensor->producers);  // the tensor stays the capsule's
        raise_last_error();
    }
    (void)tensor.release();
    ok(PyCapsule_SetName(
        given[1], PyCapsule_IsValid(given[1], plain) != 0 ? "used_dltensor" : "used_dltensor_versioned"));
    const Ref owner = handle(made);
    return_lent_memory();
    return Ref::made(PyTuple_Pack(2, owner.get(), sizes.get()));
}

template <class Managed>
void end_capsule(PyObject* capsule, const char* name) {
    if (PyCapsule_IsValid(capsule, name) == 0) return;  // somebody took it
    end<Managed>(PyCapsule_GetPointer(capsule, name));
}

Ref versioned_capsule(DLManagedTensorVersioned* tensor) {
    PyObject* const capsule = PyCapsule_New(
        tensor, versioned, [](PyObject* self) { end_capsule<DLManagedTensorVersioned>(self, versioned); });
    if (capsule == nullptr) end<DLManagedTensorVersioned>(tensor);
    return Ref::made(capsule);
}

/// For consumers that know DLPack 0 alone.
Ref plain_capsule(DLManagedTensorVersioned* tensor) {
    auto* const made = new DLManagedTensor{
        .tensor = tensor->tensor, .producers = tensor, .deleter = [](DLManagedTensor* self) {
            end<DLManagedTensorVersioned>(self->producers);
            delete self;
        }};
    PyObject* const capsule =
        PyCapsule_New(made, plain, [](PyObject* self) { end_capsule<DLManagedTensor>(self, plain); });
    if (capsule == nullptr) end<DLManagedTensor>(made);
    return Ref::made(capsule);
}

/// to_dlpack(array or tensor, copy, is_versioned)
Ref to_dlpack(const Given& given) {
    auto options = sized<muster_export_options>();
    options.copy = small_number_of(given[1]);
    DLManagedTensorVersioned* made = nullptr;
    if (const Array* const array = array_of(given[0])) {
        std::int64_t sizes[most_axes];
        for (int i = 0; i < array->axes; ++i) sizes[i] = array->shape[i];
        static constexpr std::int64_t none_of_them = 0;
        options.sizes = array->axes > 0 ? sizes : &none_of_them;
        options.rank = static_cast<std::size_t>(array->axes);
        options.offset = array->offset;
        options.element = array->element;
        options.timeout_ns = MUSTER_FOREVER;
        if (!wait_in_place(*array, nullptr)) {
            if (options.copy == MUSTER_COPY_NEVER)
                raise(PyExc_BufferError, "the array isn't in the host's memory, and a copy isn't allowed");
            options.copy = MUSTER_COPY_ALWAYS;
        }
        check(waiting([&] { return api().buffer_to_dlpack(array->buffer, &options, &made); }));
    } else {
        const muster_tensor tensor{id_of(given[0])};
        check(api().tensor_to_dlpack(tensor, &options, &made));
    }
    return PyObject_IsTrue(given[2]) == 1 ? versioned_capsule(made) : plain_capsule(made);
}

}  // namespace

void add_dlpack_functions(PyObject* module) {
    static PyMethodDef functions[]{
        method<from_dlpack>("from_dlpack", "from_dlpack(session or None, capsule, copy): handle, sizes"),
        method<to_dlpack>("to_dlpack", "to_dlpack(array or tensor, copy, is_versioned): a capsule"),
        {}};
    add_functions(module, functions);
}

}  // namespace muster::python
