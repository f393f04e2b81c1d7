// Sessions: opening, routing, preparing.
#include <muster/python/extension/api.hpp>
#include <muster/python/extension/functions.hpp>
#include <muster/python/extension/handle.hpp>
#include <muster/python/extension/read.hpp>

namespace muster::python {
namespace {

Ref session_open(const Given& given) {
    const Options options(given[0]);
    auto asked = sized<muster_session_options>();
    asked.options = options.data();
    asked.option_count = options.size();
    asked.flags = small_number_of(given[1]);
    asked.close_timeout_ns = given[2] == Py_None ? 0 : nanoseconds_of(given[2]);
    muster_session session;
    check(api().session_open(&asked, &session));
    return handle(session.id);
}
Ref session_close(const Given& given) {
    const muster_session session{id_of(given[0])};
    check(waiting([&] { return api().session_close(session); }));
    return none();
}
Ref route(const Given& given) {
    const muster_session session{id_of(given[0])};
    const muster_program program{id_of(given[1])};
    const CompileOptions options(given[2]);
    const std::uint32_t flags = small_number_of(given[3]);
    muster_route route;
    check(waiting([&] { return api().route(session, program, options.get(), nullptr, flags, &route); }));
    return handle(route.id);
}
Ref prepare(const Given& given) {
    const muster_session session{id_of(given[0])};
    const muster_program program{id_of(given[1])};
    const CompileOptions options(given[2]);
    muster_kernel kernel;
    check(waiting([&] { return api().prepare(session, program, options.get(), nullptr, &kernel); }));
    return handle(kernel.id);
}
Ref kernel_route(const Given& given) {
    muster_route route;
    check(api().kernel_route({id_of(given[0])}, &route));
    return handle(route.id);
}
Ref kernel_artifact(const Given& given) {
    muster_artifact artifact;
    check(api().kernel_artifact({id_of(given[0])}, &artifact));
    return handle(artifact.id);
}

}  // namespace

void add_session_functions(PyObject* module) {
    static PyMethodDef functions[]{
        method<session_open>("session_open", "session_open(options, flags, close_timeout)"),
        method<session_close>("session_close", "session_close(session)"),
        method<route>("route", "route(session, program, compile, flags)"),
        method<prepare>("prepare", "prepare(session, program, compile)"),
        method<kernel_route>("kernel_route", "kernel_route(kernel)"),
        method<kernel_artifact>("kernel_artifact", "kernel_artifact(kernel)"),
        {}};
    add_functions(module, functions);
}

}  // namespace muster::python
