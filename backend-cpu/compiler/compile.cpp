// The module's one door: a ValidProgram to an artifact. Each call has its own LLVM context, and so needs no lock.
#include <algorithm>
#include <bit>
#include <cstring>
#include <span>
#include <utility>

#include <muster/backend-cpu/compiler.hpp>
#include <muster/backend-cpu/compiler/build_image.hpp>
#include <muster/backend-cpu/compiler/emit.hpp>
#include <muster/backend-cpu/compiler/lower.hpp>
#include <muster/backend-cpu/compiler/target.hpp>
#include <muster/driver/binding.hpp>
#include <muster/driver/records.hpp>
#include <muster/foundation/try.hpp>

namespace muster::cpu {
namespace {

void set_bytes(Artifact& artifact, std::span<const std::byte> bytes) {
    artifact.bytes.assign(bytes.begin(), bytes.end());
}

Result<Artifact> compile(const ValidProgram& program, const CompileRequest& request) {
    const bool image = request.format == "image";
    const Machine machine = TRY(make_machine(request.target));
    llvm::LLVMContext context;
    LoweredKernel kernel = TRY(lower(context, program,
                                     {.width = request.width != 0 ? request.width : machine.default_width(),
                                      .may_be_narrower = request.width == 0,
                                      .machine = machine.traits,
                                      .options = request.options,
                                      .debug = !image}));
    const std::uint32_t width = kernel.width;
    Artifact artifact;
    if (image) {
        set_bytes(artifact, TRY(build_image(std::move(kernel), request.target, machine, width)));
    } else {
        Emission emission = TRY(emit(std::move(kernel), *program, machine, request));
        set_bytes(artifact, std::as_bytes(std::span(emission.bytes)));
        artifact.debug_map = std::move(emission.debug_map);
        artifact.side_files.emplace_back(std::move(emission.header_name), std::move(emission.header));
    }
    artifact.format = request.format;
    artifact.target = "cpu:" + request.target.arch;
    artifact.entry = program->entry();
    artifact.workgroup_size = program->workgroup_size();
    artifact.bindings = binding_layouts(*program);
    artifact.files.assign(program->files().begin(), program->files().end());
    artifact.fingerprint = program->fingerprint();
    artifact.options = request.options;
    return artifact;
}

constexpr auto fingerprint = abi_fingerprint();

}  // namespace

extern "C" const Compiler* muster_cpu_compiler() {
    static constexpr Compiler compiler{fingerprint.characters.data(), compile};
    return &compiler;
}

}  // namespace muster::cpu
