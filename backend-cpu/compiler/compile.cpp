// The module's entry point: a ValidProgram to an artifact, an artifact to a listing. Each call has its own
// LLVM context and so needs no lock.
#include <algorithm>
#include <bit>
#include <cstring>
#include <span>
#include <utility>

#include <muster/backend-cpu/compile/compile_message.hpp>
#include <muster/backend-cpu/compile/compiler.hpp>
#include <muster/backend-cpu/compiler/llvm/llvm_handlers.hpp>
#include <muster/backend-cpu/compiler/llvm/target.hpp>
#include <muster/backend-cpu/compiler/lowering/lower.hpp>
#include <muster/backend-cpu/compiler/output/build_image.hpp>
#include <muster/backend-cpu/compiler/output/c_interface.hpp>
#include <muster/backend-cpu/compiler/output/disassemble.hpp>
#include <muster/backend-cpu/compiler/output/emit.hpp>
#include <muster/driver/helper/helper_call.hpp>
#include <muster/foundation/base/try.hpp>
#include <muster/foundation/wgsl/wgsl.hpp>

namespace muster::cpu {
namespace {

Result<Artifact> compile(const ValidProgram& program, const CompileRequest& request,
                         StageObserver* observer) {
    const LlvmHandlers while_llvm_works;
    if (observer != nullptr) observer->enter(trace::Stage::lower, 0);
    const bool image = request.format == "image";
    const bool runs_here = image && request.target.host;
    const bool debug = !runs_here || request.debug_info;
    const std::string debug_name =
        image && request.debug_info ? c_name(program->entry(), program->files()) : std::string();
    const Machine machine = TRY(make_machine(request.target, request.quick));
    llvm::LLVMContext context;
    LoweredKernel kernel = TRY(lower(context, program,
                                     {.width = request.width != 0 ? request.width : machine.default_width(),
                                      .may_choose_width = request.width == 0,
                                      .machine = machine.traits,
                                      .options = request.options,
                                      .debug = debug,
                                      .debug_names = {debug_name, request.sources}}));
    const std::uint32_t width = kernel.width;
    if (image) {
        BuiltImage built = TRY(build_image(std::move(kernel), request.target, machine, width,
                                           debug ? &*program : nullptr, debug_name, observer));
        Artifact artifact = artifact_of(program, request, built.bytes);
        artifact.debug_map = std::move(built.debug_map);
        artifact.load_data = std::move(built.debug_data);
        return artifact;
    }
    Emission emission = TRY(emit(std::move(kernel), *program, machine, request));
    Artifact artifact = artifact_of(program, request, std::as_bytes(std::span(emission.bytes)));
    artifact.debug_map = std::move(emission.debug_map);
    artifact.side_files.emplace_back(std::move(emission.header_name), std::move(emission.header));
    return artifact;
}

Result<std::string> disassemble_any(const Artifact& code, const ImageCode* image) {
    const LlvmHandlers while_llvm_works;
    return image != nullptr ? disassemble_image(code, *image) : disassemble_object(code);
}

constexpr auto fingerprint = compiler_fingerprint();

/// Parses the message's text; an error unless the program is the same as before it was printed.
Result<ValidProgram> read_back(const CompileMessage& message) {
    wgsl::ParseOptions options{.entry = message.entry};
    if (!message.request.sources.empty()) options.file = message.request.sources[0];
    ValidProgram program = TRY(validate(TRY(wgsl::parse(message.text, options))));
    if (program->fingerprint() != message.fingerprint)
        return fail(ErrorCode::internal, "The program's text reads back as another program.");
    return program;
}

CompileAnswer answer_to(std::string_view request) {
    using State = CompileAnswer::State;
    FieldReader reader(request);
    CompileMessage message;
    exchange_message(reader, message);
    if (!reader.done())
        return {State::error,
                {},
                {},
                {ErrorCode::internal,
                 "The compiler can't read its request: it has " + reader.fault() + ".",
                 {},
                 {}}};
    const auto program = read_back(message);
    if (!program) return {State::text_differs, {}, {}, program.error()};
    const auto artifact = compile(*program, message.request, nullptr);
    if (!artifact) return {State::error, {}, {}, artifact.error()};
    const auto text = [](const std::vector<std::byte>& bytes) {
        return std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    };
    return {State::image, text(artifact->bytes), text(artifact->load_data), {}};
}

}  // namespace

/// Runs in the helper process (driver/helper/helper_call.hpp).
extern "C" __attribute__((visibility("default"))) void muster_cpu_compile_for_another(const char* request,
                                                                                      std::size_t bytes,
                                                                                      HelperAnswer answer) {
    FieldWriter writer;
    const CompileAnswer made = answer_to({request, bytes});
    exchange_answer(writer, made);
    const std::string text = std::move(writer).take();
    answer(text.data(), text.size());
}

extern "C" const Compiler* muster_cpu_compiler() {
    static constexpr Compiler compiler{fingerprint.characters.data(), compile, disassemble_any};
    return &compiler;
}

}  // namespace muster::cpu
