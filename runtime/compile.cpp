// backend-cpu/compile/ of programs that link muster::runtime: there is no compiler.
#include <muster/backend-cpu/compile/compile_isolated.hpp>
#include <muster/backend-cpu/compile/compiler_module.hpp>

namespace muster::cpu {

namespace {

std::unexpected<Error> no_compiler() {
    return fail(ErrorCode::unavailable,
                "This program links muster::runtime, which compiles nothing and disassembles nothing.",
                "link muster::muster and muster::backend_cpu instead");
}

}  // namespace

Result<Artifact> compile(const ValidProgram&, const CompileRequest&) { return no_compiler(); }
Result<std::string> disassemble(const Artifact&) { return no_compiler(); }

const std::optional<Missing>& missing_compiler() {
    static const std::optional<Missing> missing = Missing{
        "This program links muster::runtime, which compiles nothing.",
        "store code for this machine in the artifact (muster emit --target), made with the same options, or "
        "link muster::muster and muster::backend_cpu instead"};
    return missing;
}

/// The empty identity of no compiler: nothing is kept on the disk.
const std::string& compiler_identity() {
    static const std::string none;
    return none;
}

}  // namespace muster::cpu
