// Emission, artifacts, listings.
#include <deque>
#include <vector>

#include <muster/python/extension/api.hpp>
#include <muster/python/extension/functions.hpp>
#include <muster/python/extension/handle.hpp>
#include <muster/python/extension/read.hpp>

namespace muster::python {
namespace {

/// A tuple (backend, target, format, compile, flags).
class EmitOptions {
  public:
    explicit EmitOptions(PyObject* tuple)
        : fields_(tuple), compile_(fields_[3]), options_(sized<muster_emit_options>()) {
        options_.backend = text_of(fields_[0]);
        options_.target = text_of(fields_[1]);
        options_.format = text_of(fields_[2]);
        options_.compile = compile_.get();
        options_.flags = small_number_of(fields_[4]);
    }
    const muster_emit_options& get() const { return options_; }

  private:
    Items fields_;
    CompileOptions compile_;
    muster_emit_options options_;
};

Ref emit(const Given& given) {
    const muster_session session{id_of(given[0])};
    const muster_program program{id_of(given[1])};
    const EmitOptions options(given[2]);
    muster_artifact artifact;
    check(waiting([&] { return api().emit(session, program, &options.get(), &artifact); }));
    return handle(artifact.id);
}
Ref package(const Given& given) {
    const muster_session session{id_of(given[0])};
    const muster_program program{id_of(given[1])};
    const Items targets(given[2]);
    std::deque<EmitOptions> kept;
    std::vector<muster_emit_options> all;
    for (std::size_t i = 0; i < targets.size(); ++i) all.push_back(kept.emplace_back(targets[i]).get());
    muster_blob bytes;
    check(waiting([&] { return api().package(session, program, all.data(), all.size(), &bytes); }));
    return bytes_of_blob(bytes.id);
}
Ref disassemble(const Given& given) {
    const muster_artifact artifact{id_of(given[0])};
    muster_blob listing;
    check(waiting([&] { return api().disassemble(artifact, &listing); }));
    return text_of_blob(listing.id);
}

}  // namespace

void add_code_functions(PyObject* module) {
    static PyMethodDef functions[]{
        method<emit>("emit", "emit(session, program, (backend, target, format, compile, flags))"),
        method<package>("package",
                        "package(session, program, [(backend, target, format, compile, flags), ...])"),
        method<disassemble>("disassemble", "disassemble(artifact)"),
        {}};
    add_functions(module, functions);
}

}  // namespace muster::python
