// compile.hpp - program -> artifact (its WGSL text) -> executable (the interpreter's code).
#pragma once

#include <muster/driver/contract/backend.hpp>
#include <muster/foundation/interpreter/interpret.hpp>

namespace muster::reference {

struct CodeExecutable final : Executable {
    explicit CodeExecutable(InterpreterCode compiled) : code(std::move(compiled)) {}
    InterpreterCode code;
};

/// The program's text, as an artifact for `target`. Pure.
Result<Artifact> lower(const ValidProgram& program, std::string target, const CompileOptions& options);
/// Makes the artifact of lower(), with the interpreter's code attached. Errors: those of
/// InterpreterCode::compile.
Result<Artifact> compile(const ValidProgram& program, const CompileOptions& options);
/// Uses the artifact's code if it has any, otherwise parses its text. Errors: those of the WGSL front end.
Result<std::unique_ptr<Executable>> load_code(const Artifact& artifact);

}  // namespace muster::reference
