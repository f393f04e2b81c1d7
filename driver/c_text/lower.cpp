#include <muster/driver/c_text/lowering.hpp>
#include <muster/driver/contract/binding_layout.hpp>

namespace muster::c_text {

Lowering::Lowering(const Program& program, Dialect& dialect, const Request& request)
    : ControlWalk(program),
      program_(program),
      dialect_(dialect),
      request_(request),
      syntax_(dialect),
      names_(dialect),
      prelude_(dialect, syntax_),
      types_(program.types(), dialect, syntax_, names_, prelude_),
      operations_(types_, prelude_, dialect, syntax_, request.options.precision == Precision::exact,
                  count_math_uses(program)),
      uses_(program),
      loops_(program),
      ranges_(request.options.unchecked ? Ranges{} : analyse_ranges(program)),
      writer_(program),
      values_(program.node_count()),
      ahead_(program.node_count()),
      reads_(program.node_count()),
      roots_(program.variables().size()) {}

Text Lowering::run() && {
    for (std::string& name : declared_names(dialect_.head(*this))) names_.reserve(std::move(name));
    const std::string entry = names_.unique_name(
        kernel_name(dialect_, request_.entry_name.empty() ? program_.entry() : request_.entry_name));
    const std::vector<Line> body = writer_.captured([&] {
        name_variables();
        declare_bindings();
        dialect_.declare_parameters(*this);
        declare_builtins();
        declare_workgroup_memory();
        declare_privates();
        block(program_.body());
        writer_.at({});
        if (!ends_in_jump(program_.body())) dialect_.leave(*this);
    });
    const std::string prelude = prelude_.text().empty() ? "" : prelude_.text() + "\n";
    Assembled made = assemble(program_, dialect_.head(*this) + prelude + dialect_.signature(*this, entry),
                              body, request_.debug);
    return {std::move(made.text) + "}\n", entry, std::move(made.debug_map)};
}

Text lower(const ValidProgram& program, Dialect& dialect, const Request& request) {
    return Lowering(*program, dialect, request).run();
}

Artifact make_artifact(const ValidProgram& program, const CompileOptions& options, Text text) {
    Artifact artifact = muster::make_artifact(program, options);
    artifact.bytes = artifact_bytes(text.text);
    artifact.entry = std::move(text.entry);
    artifact.debug_map = std::move(text.debug_map);
    return artifact;
}

}  // namespace muster::c_text
