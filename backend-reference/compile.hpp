// compile.hpp - program -> artifact (its text) -> executable (the interpreter's code).
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
/// The same, and the interpreter's code with it. Errors: those of InterpreterCode::compile.
Result<Artifact> compile(const ValidProgram& program, const CompileOptions& options);
/// From the code where the artifact has it, else from its text. Errors: those of the front end.
Result<std::unique_ptr<Executable>> load_code(const Artifact& artifact);

}  // namespace muster::reference
