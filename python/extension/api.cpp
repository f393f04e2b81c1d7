#include <string>

#include <muster/python/extension/api.hpp>
#include <muster/python/extension/read.hpp>

namespace muster::python {
namespace {

const muster_api* table = nullptr;
PyObject* error_class = nullptr;

[[noreturn]] void raise_error(const Ref& arguments) {
    const Ref error = Ref::made(PyObject_CallObject(error_class, arguments.get()));
    PyErr_SetObject(error_class, error.get());
    throw Raised();
}

}  // namespace

void find_api() {
    auto offered = sized<muster_versions>();
    if (muster_get_api(MUSTER_API_VERSION, &table, &offered) == MUSTER_OK) return;
    raise(PyExc_ImportError, "muster's library is older than this package");
}

const muster_api& api() { return *table; }

void set_error_class(PyObject* type) {
    Py_INCREF(type);
    Py_XDECREF(std::exchange(error_class, type));
}

void raise_last_error() {
    auto error = sized<muster_error>();
    check(api().last_error(&error));
    const Ref steps = tuple_of(error.step_count, [&](std::size_t i) { return text(view(error.steps[i])); });
    raise_error(Ref::made(
        PyTuple_Pack(5, text(view(error.message)).get(), text(view(api().status_name(error.status))).get(),
                     text(view(error.fix)).get(), text(view(error.text)).get(), steps.get())));
}

void raise_error(const char* code, std::string_view message, std::string_view fix) {
    std::string story(message);
    if (!fix.empty()) story.append("\nFix: ").append(fix);
    raise_error(Ref::made(PyTuple_Pack(5, text(message).get(), text(code).get(), text(fix).get(),
                                       text(story).get(), Ref::made(PyTuple_New(0)).get())));
}

}  // namespace muster::python
