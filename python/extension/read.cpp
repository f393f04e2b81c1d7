#include <cmath>

#include <muster/python/extension/api.hpp>
#include <muster/python/extension/read.hpp>

namespace muster::python {
namespace {

/// The field of a tuple that may be shorter, or None.
PyObject* field(const Items& fields, std::size_t index) {
    return index < fields.size() ? fields[index] : Py_None;
}

}  // namespace

std::uint64_t nanoseconds_of(PyObject* seconds) {
    if (seconds == Py_None) return MUSTER_FOREVER;
    const double value = PyFloat_AsDouble(seconds);
    if (value == -1.0 && PyErr_Occurred() != nullptr) throw Raised();
    if (!(value >= 0)) raise(PyExc_ValueError, "a time is negative");
    return value >= 9e9 ? MUSTER_FOREVER : static_cast<std::uint64_t>(value * 1e9);
}

Items::Items(PyObject* sequence) {
    if (sequence == Py_None) return;
    const Py_ssize_t size = PySequence_Size(sequence);
    ok(static_cast<int>(size < 0 ? -1 : 0));
    items_.reserve(static_cast<std::size_t>(size));
    for (Py_ssize_t i = 0; i < size; ++i) items_.push_back(Ref::made(PySequence_GetItem(sequence, i)));
}

Options::Options(PyObject* pairs) : pairs_(pairs) {
    for (std::size_t i = 0; i < pairs_.size(); ++i) {
        kept_.push_back(Ref::made(PySequence_GetItem(pairs_[i], 0)));
        kept_.push_back(Ref::made(PySequence_GetItem(pairs_[i], 1)));
        all_.push_back({text_of(kept_[2 * i].get()), text_of(kept_[2 * i + 1].get())});
    }
}

Texts::Texts(PyObject* sequence) : items_(sequence) {
    for (std::size_t i = 0; i < items_.size(); ++i) all_.push_back(text_of(items_[i]));
}

CompileOptions::CompileOptions(PyObject* tuple)
    : fields_(tuple), specs_(field(fields_, 3)), options_(sized<muster_compile_options>()) {
    options_.precision = small_number_of(field(fields_, 0));
    options_.flags = small_number_of(field(fields_, 1));
    options_.subgroup_size = small_number_of(field(fields_, 2));
    options_.specs = specs_.data();
    options_.spec_count = specs_.size();
}

}  // namespace muster::python
