// read.hpp - reads what Python gives a function: positional arguments, text, numbers, lists of pairs.
//
//     Ref session_open(const Given& given) {
//         const Options options(given[0]);                     // [("backend", "cpu")], kept while they are used
//         ...number_of(given[1])...
//
// Everything raises TypeError, ValueError or OverflowError where it doesn't fit. Threads: the caller holds
// the GIL.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <muster/muster.h>
#include <muster/python/extension/python.hpp>

namespace muster::python {

/// The arguments of a function. One that isn't given is None.
class Given {
  public:
    Given(PyObject* const* first, Py_ssize_t count) : all_(first, static_cast<std::size_t>(count)) {}
    PyObject* operator[](std::size_t index) const { return index < all_.size() ? all_[index] : Py_None; }
    std::size_t size() const { return all_.size(); }

  private:
    std::span<PyObject* const> all_;
};

using Function = Ref (*)(const Given&);
/// A function of the module, for its table.
template <Function function>
PyObject* entry(PyObject*, PyObject* const* first, Py_ssize_t count) noexcept {
    return guarded([&] { return function(Given(first, count)); });
}
/// A row of a table of functions.
template <Function function>
PyMethodDef method(const char* name, const char* what) {
    return {name, c_function(entry<function>), METH_FASTCALL, what};
}

/// A str's text; None's is empty. It lives as long as the object.
inline muster_string text_of(PyObject* object) {
    if (object == Py_None) return {};
    Py_ssize_t size = 0;
    const char* const data = PyUnicode_AsUTF8AndSize(object, &size);
    if (data == nullptr) throw Raised();
    return {data, static_cast<std::size_t>(size)};
}
inline std::string_view view(muster_string text) { return {text.data, text.size}; }

/// A number that isn't negative; None is `otherwise`.
inline std::uint64_t number_of(PyObject* object, std::uint64_t otherwise = 0) {
    if (object == Py_None) return otherwise;
    const Ref index = Ref::made(PyNumber_Index(object));
    const std::uint64_t value = PyLong_AsUnsignedLongLong(index.get());
    if (value == ~std::uint64_t{0} && PyErr_Occurred() != nullptr) throw Raised();
    return value;
}
inline std::uint32_t small_number_of(PyObject* object) {
    const std::uint64_t value = number_of(object);
    if (value > UINT32_MAX) raise(PyExc_OverflowError, "a number doesn't fit 32 bits");
    return static_cast<std::uint32_t>(value);
}
/// Seconds as nanoseconds; None: forever.
std::uint64_t nanoseconds_of(PyObject* seconds);

/// The items of a sequence, kept. None has none.
class Items {
  public:
    explicit Items(PyObject* sequence);
    std::size_t size() const { return items_.size(); }
    PyObject* operator[](std::size_t index) const { return items_[index].get(); }

  private:
    std::vector<Ref> items_;
};

/// Pairs of name and value, as muster takes them.
class Options {
  public:
    explicit Options(PyObject* pairs);
    const muster_option* data() const { return all_.data(); }
    std::size_t size() const { return all_.size(); }

  private:
    Items pairs_;
    std::vector<Ref> kept_;
    std::vector<muster_option> all_;
};

/// Texts, as muster takes them.
class Texts {
  public:
    explicit Texts(PyObject* sequence);
    const muster_string* data() const { return all_.data(); }
    std::size_t size() const { return all_.size(); }

  private:
    Items items_;
    std::vector<muster_string> all_;
};

/// A tuple (precision, flags, subgroup size, specs), or None, as muster takes it.
class CompileOptions {
  public:
    explicit CompileOptions(PyObject* tuple);
    CompileOptions(const CompileOptions&) = delete;
    CompileOptions& operator=(const CompileOptions&) = delete;
    const muster_compile_options* get() const { return &options_; }

  private:
    Items fields_;
    Options specs_;
    muster_compile_options options_;
};

/// The bytes of an object with the buffer protocol, contiguous; kept while they are used.
class Contents {
  public:
    explicit Contents(PyObject* object, int flags = PyBUF_C_CONTIGUOUS | PyBUF_FORMAT) {
        ok(PyObject_GetBuffer(object, &view_, flags));
    }
    Contents(const Contents&) = delete;
    Contents& operator=(const Contents&) = delete;
    ~Contents() { PyBuffer_Release(&view_); }
    const Py_buffer& view() const { return view_; }
    std::size_t size() const { return static_cast<std::size_t>(view_.len); }

  private:
    Py_buffer view_;
};

}  // namespace muster::python
