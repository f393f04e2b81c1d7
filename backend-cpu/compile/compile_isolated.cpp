#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include <fmt/format.h>

#include <muster/backend-cpu/compile/abort_on_out_of_memory.hpp>
#include <muster/backend-cpu/compile/compile_isolated.hpp>
#include <muster/backend-cpu/compile/compile_message.hpp>
#include <muster/backend-cpu/compile/compiler_module.hpp>
#include <muster/backend-cpu/native/image.hpp>
#include <muster/backend-cpu/native/source_paths.hpp>
#include <muster/driver/helper/compile_budget.hpp>
#include <muster/driver/helper/helper_call.hpp>
#include <muster/driver/policy/environment.hpp>
#include <muster/driver/policy/log.hpp>
#include <muster/driver/trace/recorder.hpp>
#include <muster/foundation/base/try.hpp>
#include <muster/foundation/wgsl/print/print.hpp>

namespace muster::cpu {
namespace {

Result<Artifact> compile_here(const ValidProgram& program, CompileRequest request) {
    if (request.debug_info) request.sources = source_paths(program->files(), code_group(program->files()));
    const AbortOnOutOfMemory while_llvm_works;
    class Recorded final : public StageObserver {
      public:
        void enter(trace::Stage stage, std::uint64_t instructions) override {
            span_.reset();
            span_.emplace(stage);
            if (instructions != 0) trace::count("instructions of LLVM", {}, instructions);
        }

      private:
        std::optional<trace::Span> span_;
    } recorded;
    return TRY(compiler())->compile(program, request, trace::is_recording() ? &recorded : nullptr);
}

/// The program's text as the other process gets it, in a file of the program's name.
SourceFile file_of(const Program& program, const std::string& text) {
    const std::string name =
        program.files().empty() ? std::string(program.entry()) + ".wgsl" : program.files()[0].name;
    return {std::filesystem::path(name).filename().string(), std::make_shared<const std::string>(text)};
}

/// Compiles in a helper process; none if the program can't be passed there as text.
Result<std::optional<Artifact>> compile_isolated(const ValidProgram& program, const CompileRequest& request) {
    CompileMessage message{wgsl::print(program), std::string(program->entry()), program->fingerprint(),
                           request};
    const SourceFile printed = file_of(*program, message.text);
    if (request.debug_info) message.request.sources = source_paths({&printed, 1}, code_group({&printed, 1}));
    FieldWriter writer;
    exchange_message(writer, message);
    const std::string text = TRY(call_in_helper({.file = compiler_file(),
                                                 .function = compile_function,
                                                 .what = "The CPU backend's compiler",
                                                 .limit = compile_limit()},
                                                std::move(writer).take()));
    FieldReader reader(text);
    CompileAnswer answer;
    exchange_answer(reader, answer);
    if (!reader.done())
        return fail(ErrorCode::internal,
                    fmt::format("The CPU backend's compiler gave an answer that can't be read: it has {}.",
                                reader.fault()),
                    "install the compiler, muster-probe and the backend from the same build");
    switch (answer.state) {
        case CompileAnswer::State::image: {
            Artifact artifact = artifact_of(program, request, std::as_bytes(std::span(answer.image)));
            artifact.load_data = artifact_bytes(answer.debug_data);
            if (request.debug_info) artifact.files = {printed};
            return artifact;
        }
        case CompileAnswer::State::error: return std::unexpected(std::move(answer.error));
        case CompileAnswer::State::text_differs: break;
    }
    log_once(LogLevel::warning, "compiled here: " + answer.error.message,
             fmt::format("{} is compiled in this process, although MUSTER_PROBE asks for another: it can't "
                         "be sent there as text. {}",
                         program->entry(), answer.error.message));
    return std::nullopt;
}

}  // namespace

Result<Artifact> compile(const ValidProgram& program, const CompileRequest& request) {
    const auto probing = environment_probing();
    const bool isolated = !probing || *probing == Probing::isolated;
    if (isolated && request.format == "image")
        if (auto artifact = TRY(compile_isolated(program, request))) return *std::move(artifact);
    return compile_here(program, request);
}

Result<std::string> disassemble(const Artifact& code) {
    std::optional<ImageCode> image;
    if (code.format == "image") {
        const auto header = TRY(read_image_header(code.bytes));
        image = ImageCode{header->arch.data(),
                          std::span(code.bytes).subspan(header->code_offset, header->code_bytes),
                          header->entry_offset};
    }
    const AbortOnOutOfMemory while_llvm_works;
    return TRY(compiler())->disassemble(code, image ? &*image : nullptr);
}

}  // namespace muster::cpu
