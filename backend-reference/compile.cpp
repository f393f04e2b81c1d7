#include <string>
#include <utility>

#include <muster/backend-reference/compile.hpp>
#include <muster/driver/contract/binding_layout.hpp>
#include <muster/foundation/base/try.hpp>
#include <muster/foundation/wgsl/print/print.hpp>
#include <muster/foundation/wgsl/wgsl.hpp>

namespace muster::reference {

Result<Artifact> lower(const ValidProgram& program, std::string target, const CompileOptions& options) {
    Artifact artifact = make_artifact(program, options);
    artifact.bytes = artifact_bytes(wgsl::print(program));
    artifact.format = "wgsl";
    artifact.target = std::move(target);
    return artifact;
}

namespace {

InterpreterCode::Variant variant_for(const CompileOptions& options) {
    InterpreterCode::Variant variant;
    if (options.subgroup_size != 0) variant.subgroup_size = options.subgroup_size;
    return variant;
}

}  // namespace

Result<Artifact> compile(const ValidProgram& program, const CompileOptions& options) {
    Artifact artifact = TRY(lower(program, "reference:wgsl", options));
    artifact.in_process =
        std::make_shared<const InterpreterCode>(TRY(InterpreterCode::compile(program, variant_for(options))));
    return artifact;
}

Result<std::unique_ptr<Executable>> load_code(const Artifact& artifact) {
    if (artifact.in_process)
        return std::make_unique<CodeExecutable>(
            *static_cast<const InterpreterCode*>(artifact.in_process.get()));
    const Program program = TRY(wgsl::parse(artifact.text(), {.entry = artifact.entry}));
    return std::make_unique<CodeExecutable>(
        TRY(InterpreterCode::compile(TRY(validate(program)), variant_for(artifact.options))));
}

}  // namespace muster::reference
