// The process: backends, devices, targets, the policy below the environment's.
#include <vector>

#include <muster/python/extension/api.hpp>
#include <muster/python/extension/functions.hpp>
#include <muster/python/extension/handle.hpp>
#include <muster/python/extension/read.hpp>

namespace muster::python {
namespace {

Ref process(const Given&) { return handle(MUSTER_PROCESS); }

/// A list of handles, of which `list` fills as many as there is room for, and tells how many there are.
template <class Item, class List>
Ref handles(List&& list) {
    std::vector<Item> items(16);
    for (;;) {
        std::size_t count = 0;
        check(waiting([&] { return list(items.data(), items.size(), &count); }));
        const bool is_all = count <= items.size();
        const Ref made = Ref::made(PyList_New(0));
        for (std::size_t i = 0; i < count && i < items.size(); ++i)
            ok(PyList_Append(made.get(), handle(items[i].id).get()));
        if (is_all) return made;
        items.resize(count);
    }
}
Ref backends(const Given&) {
    return handles<muster_backend>([](auto... to) { return api().backends(to...); });
}
Ref devices(const Given& given) {
    const std::uint64_t of = id_of(given[0]);
    return handles<muster_device>([of](auto... to) { return api().devices(of, to...); });
}

Ref find_target(const Given& given) {
    const muster_string name = text_of(given[0]);
    muster_target target;
    check(waiting([&] { return api().find_target(name, &target); }));
    return handle(target.id);
}
Ref device_supports(const Given& given) {
    const CompileOptions options(given[2]);
    check(api().device_supports({id_of(given[0])}, {id_of(given[1])}, options.get()));
    return none();
}
Ref load_backend(const Given& given) {
    const muster_string which = text_of(given[0]);
    check(waiting([&] { return api().load_backend(which); }));
    return none();
}
Ref retire_backend(const Given& given) {
    check(api().retire_backend(text_of(given[0])));
    return none();
}
Ref is_loaded(const Given& given) {
    std::uint32_t is_loaded = 0;
    check(api().is_loaded(text_of(given[0]), &is_loaded));
    return boolean(is_loaded != 0);
}
Ref set_default_policy(const Given& given) {
    const Options options(given[0]);
    check(api().set_default_policy(options.data(), options.size()));
    return none();
}

Ref trace_start(const Given& given) {
    muster_blob used;
    check(api().trace_start(text_of(given[0]), &used));
    return text_of_blob(used.id);
}
Ref trace_end(const Given&) {
    std::uint64_t left_out = 0;
    check(api().trace_end(&left_out));
    return number(left_out);
}

Ref wait_until_optimized(const Given& given) {
    check(waiting_at_most(nanoseconds_of(given[0]),
                          [](std::uint64_t step) { return api().wait_until_optimized(step); }));
    return none();
}

}  // namespace

void add_process_functions(PyObject* module) {
    static PyMethodDef functions[]{
        method<process>("process", "process(): the process as an object"),
        method<backends>("backends", "backends()"),
        method<devices>("devices", "devices(session, backend or process)"),
        method<find_target>("find_target", "find_target(name)"),
        method<device_supports>("device_supports", "device_supports(device, program, compile)"),
        method<load_backend>("load_backend", "load_backend(id or path)"),
        method<retire_backend>("retire_backend", "retire_backend(id or path)"),
        method<is_loaded>("is_loaded", "is_loaded(id or path)"),
        method<set_default_policy>("set_default_policy", "set_default_policy(options)"),
        method<trace_start>("trace_start", "trace_start(path): the path that is used"),
        method<trace_end>("trace_end", "trace_end(): the number of events left out"),
        method<wait_until_optimized>("wait_until_optimized", "wait_until_optimized(timeout)"),
        {}};
    add_functions(module, functions);
}

}  // namespace muster::python
