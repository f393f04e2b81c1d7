// Programs: from text and bytes.
#include <muster/python/extension/api.hpp>
#include <muster/python/extension/functions.hpp>
#include <muster/python/extension/handle.hpp>
#include <muster/python/extension/read.hpp>

namespace muster::python {
namespace {

/// The arguments text, file, entry, overrides, enables.
class Wgsl {
  public:
    explicit Wgsl(const Given& given)
        : overrides_(given[3]), enables_(given[4]), wgsl_(sized<muster_wgsl>()) {
        wgsl_.text = text_of(given[0]);
        wgsl_.file = text_of(given[1]);
        wgsl_.entry = text_of(given[2]);
        wgsl_.overrides = overrides_.data();
        wgsl_.override_count = overrides_.size();
        wgsl_.enables = enables_.data();
        wgsl_.enable_count = enables_.size();
    }
    const muster_wgsl* get() const { return &wgsl_; }

  private:
    Options overrides_;
    Texts enables_;
    muster_wgsl wgsl_;
};

Ref program_from_wgsl(const Given& given) {
    const Wgsl wgsl(given);
    muster_program program;
    check(waiting([&] { return api().program_from_wgsl(wgsl.get(), &program); }));
    return handle(program.id);
}
Ref wgsl_interface(const Given& given) {
    const Wgsl wgsl(given);
    muster_blob json;
    check(waiting([&] { return api().wgsl_interface(wgsl.get(), &json); }));
    return text_of_blob(json.id);
}
Ref program_from_bytes(const Given& given) {
    const Contents contents(given[0]);
    muster_program program;
    check(waiting([&] { return api().program_from_bytes(contents.view().buf, contents.size(), &program); }));
    return handle(program.id);
}

Ref program_bytes(const Given& given) {
    const muster_program program{id_of(given[0])};
    muster_blob bytes;
    check(waiting([&] { return api().program_bytes(program, &bytes); }));
    return bytes_of_blob(bytes.id);
}
/// One of a program's stored codes; None past the end.
Ref program_code(const Given& given) {
    muster_artifact code;
    const muster_status status = api().program_code({id_of(given[0])}, number_of(given[1]), &code);
    return check(status) == MUSTER_NONE ? none() : handle(code.id);
}

}  // namespace

void add_program_functions(PyObject* module) {
    static PyMethodDef functions[]{
        method<program_from_wgsl>("program_from_wgsl",
                                  "program_from_wgsl(text, file, entry, overrides, enables)"),
        method<wgsl_interface>("wgsl_interface", "wgsl_interface(text, file, entry, overrides, enables)"),
        method<program_from_bytes>("program_from_bytes", "program_from_bytes(bytes)"),
        method<program_bytes>("program_bytes", "program_bytes(program)"),
        method<program_code>("program_code", "program_code(program, index): an artifact, or None"),
        {}};
    add_functions(module, functions);
}

}  // namespace muster::python
