#include "lowering.hpp"

namespace backend_mine {

using namespace muster;

namespace {

// NEXT 2: write the program in the device's language instead: its bindings, the head of the kernel, and then
// program.body(), block by block. docs/ir.md says what each operation means, and which rules bind all of them: what is out
// of bounds, what is zero, what a NaN is.
std::string text_of(const Program& program) { return wgsl::print(program); }

}  // namespace

Result<Artifact> lower(const ValidProgram& program, std::string target, const CompileOptions& options) {
    Artifact artifact = make_artifact(*program, options);  // entry, workgroup size, bindings
    artifact.bytes = artifact_bytes(text_of(*program));
    artifact.format = text_format;
    artifact.target = std::move(target);
    return artifact;
}

}  // namespace backend_mine
