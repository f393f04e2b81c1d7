// python.hpp - Python's C interface as the extension uses it: references that count themselves, and errors as
// exceptions of C++.
//
//     Ref list = Ref::made(PyList_New(0));                     // throws if Python has raised
//     PyObject* function(PyObject* self, ...) { return guarded([&] { return list; }); }
//
// The limited interface of Python 3.11: one library serves that version and every later one. Threads: the
// caller holds the GIL.
#pragma once

#ifndef Py_LIMITED_API
#define Py_LIMITED_API 0x030B0000
#endif
#include <new>
#include <string_view>
#include <utility>

#include <Python.h>

namespace muster::python {

/// Thrown while Python has an exception set.
struct Raised {};

/// Throws if Python has raised.
inline void ok(int status) {
    if (status < 0) throw Raised();
}

/// A reference that is owned.
class Ref {
  public:
    Ref() = default;
    /// Takes over a reference that a call made; throws Raised if there is none.
    static Ref made(PyObject* object) {
        if (object == nullptr) throw Raised();
        Ref ref;
        ref.object_ = object;
        return ref;
    }
    /// One more reference of an object, which may be null.
    static Ref of(PyObject* object) {
        Py_XINCREF(object);
        Ref ref;
        ref.object_ = object;
        return ref;
    }
    Ref(Ref&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
    Ref& operator=(Ref&& other) noexcept {
        std::swap(object_, other.object_);
        return *this;
    }
    Ref(const Ref& other) : Ref(of(other.object_)) {}
    ~Ref() { Py_XDECREF(object_); }

    PyObject* get() const { return object_; }
    PyObject* release() { return std::exchange(object_, nullptr); }
    explicit operator bool() const { return object_ != nullptr; }

  private:
    PyObject* object_ = nullptr;
};

inline Ref none() { return Ref::of(Py_None); }
inline Ref boolean(bool value) { return Ref::of(value ? Py_True : Py_False); }
inline Ref number(unsigned long long value) { return Ref::made(PyLong_FromUnsignedLongLong(value)); }
inline Ref text(std::string_view value) {
    return Ref::made(PyUnicode_DecodeUTF8(value.data(), static_cast<Py_ssize_t>(value.size()), "replace"));
}
inline Ref bytes(std::string_view value) {
    return Ref::made(PyBytes_FromStringAndSize(value.data(), static_cast<Py_ssize_t>(value.size())));
}

/// A tuple of what item(0), item(1), ... make.
template <class Item>
Ref tuple_of(std::size_t count, Item&& item) {
    const Ref tuple = Ref::made(PyTuple_New(static_cast<Py_ssize_t>(count)));
    for (std::size_t i = 0; i < count; ++i)
        ok(PyTuple_SetItem(tuple.get(), static_cast<Py_ssize_t>(i), Ref(item(i)).release()));
    return tuple;
}

/// A function of another signature, as a row of a table of methods has it.
template <class Function>
PyCFunction c_function(Function* function) {
    return reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(function));
}

/// A new object of a type of the extension's, all zeros.
inline Ref allocated(PyTypeObject* type) {
    return Ref::made(reinterpret_cast<allocfunc>(PyType_GetSlot(type, Py_tp_alloc))(type, 0));
}
/// Frees an object of such a type, as the last thing that its deallocation does.
inline void freed(PyObject* self) {
    PyTypeObject* const type = Py_TYPE(self);
    reinterpret_cast<freefunc>(PyType_GetSlot(type, Py_tp_free))(self);
    Py_DECREF(type);
}

/// Raises an exception of Python's own.
[[noreturn]] inline void raise(PyObject* type, const char* message) {
    PyErr_SetString(type, message);
    throw Raised();
}

/// Runs what a function of Python's does; `otherwise` is its answer if something was raised.
template <class Body, class Otherwise>
auto guarded(Body&& body, Otherwise otherwise) noexcept -> Otherwise {
    try {
        return body();
    } catch (const Raised&) {
    } catch (const std::bad_alloc&) {
        PyErr_NoMemory();
    }
    return otherwise;
}
template <class Body>
PyObject* guarded(Body&& body) noexcept {
    return guarded([&] { return Ref(body()).release(); }, static_cast<PyObject*>(nullptr));
}

/// The object of a type of the extension's; raises TypeError for another one.
template <class T>
T* cast(PyObject* object, PyObject* type, const char* expected) {
    if (PyType_IsSubtype(Py_TYPE(object), reinterpret_cast<PyTypeObject*>(type)) == 0)
        raise(PyExc_TypeError, expected);
    return reinterpret_cast<T*>(object);
}

}  // namespace muster::python
