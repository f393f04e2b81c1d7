#include <algorithm>
#include <charconv>
#include <memory>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <muster/backend-cuda/compile/compile.hpp>
#include <muster/backend-cuda/compile/debug_map.hpp>
#include <muster/backend-cuda/compile/load_data.hpp>
#include <muster/backend-cuda/lowering/arch.hpp>
#include <muster/driver/contract/binding_layout.hpp>
#include <muster/foundation/base/try.hpp>

namespace muster::cuda {
namespace {

std::string file_name(const CudaSource& source) { return source.entry + ".cu"; }

bool knows(const Nvrtc& nvrtc, std::string_view arch) {
    return std::ranges::count(nvrtc.archs(), number_of(arch).value_or(0)) != 0;
}

std::string_view line_of(std::string_view text, std::uint64_t number) {
    for (std::uint64_t n = 1; n < number; ++n) {
        const std::size_t end = text.find('\n');
        if (end == text.npos) return {};
        text.remove_prefix(end + 1);
    }
    return text.substr(0, text.find('\n'));
}

/// Returns the line of the text that the log's first error ("saxpy.wgsl(9): error: ...") refers to.
std::string complaint(const Program& program, const CudaSource& source, std::string_view log) {
    const std::size_t at = log.find("): error");
    const std::size_t open = at == log.npos ? at : log.rfind('(', at);
    if (open == log.npos) return {};
    const std::size_t line_break = log.rfind('\n', open);
    const std::size_t begin = line_break == log.npos ? 0 : line_break + 1;
    const std::string_view file = log.substr(begin, open - begin);
    std::uint64_t number = 0;
    std::from_chars(log.data() + open + 1, log.data() + at, number);
    if (file == file_name(source))
        return fmt::format("\nLine {} of the text: {}", number, line_of(source.text, number));
    for (const DebugEntry& entry : source.debug_map)
        if (entry.source.line == number && program.file(entry.source).name == file)
            return fmt::format("\nLine {} of the text, from {}:{}: {}", entry.target, file, number,
                               line_of(source.text, entry.target));
    return {};
}

}  // namespace

std::vector<std::string> compile_options(const CompileOptions& options, std::string_view arch,
                                         ImageFormat format) {
    const std::string number(arch.substr(std::min(arch.size(), std::string_view("sm_").size())));
    std::vector<std::string> all{
        fmt::format("--gpu-architecture={}{}", format == ImageFormat::ptx ? "compute_" : "sm_", number),
        "--std=c++17", "-lineinfo"};
    if (options.precision == Precision::fast) {
        all.emplace_back("--use_fast_math");
    } else {
        for (const char* one : {"-fmad=false", "-prec-div=true", "-prec-sqrt=true", "-ftz=false"})
            all.emplace_back(one);
    }
    return all;
}

Result<std::vector<std::byte>> compile_text(const Nvrtc& nvrtc, const Program& program,
                                            const CudaSource& source, const CompileOptions& options,
                                            std::string_view arch, ImageFormat format) {
    if (!knows(nvrtc, arch))
        return fail(ErrorCode::unsupported,
                    fmt::format("NVRTC {}.{} doesn't compile for {}; it does for sm_{}.", nvrtc.major(),
                                nvrtc.minor(), arch, fmt::join(nvrtc.archs(), ", sm_")),
                    "ask for one of these, for --format cuda, or install another NVRTC");
    auto made = nvrtc.compile({.text = source.text,
                               .name = file_name(source),
                               .options = compile_options(options, arch, format),
                               .cubin = format == ImageFormat::cubin});
    if (made || made.error().code != ErrorCode::compile_failed) return made;
    Error error = std::move(made).error();
    error.message = fmt::format("NVRTC {}.{} refuses the text of {}:\n{}{}", nvrtc.major(), nvrtc.minor(),
                                source.entry, error.message, complaint(program, source, error.message));
    error.fix = "look at the text (--format cuda); if muster made it so, this is an error of muster's";
    return std::unexpected(std::move(error));
}

Artifact artifact_of(const ValidProgram& program, const CudaSource& source, const CompileOptions& options) {
    Artifact artifact = make_artifact(program, options);
    artifact.entry = source.entry;
    return artifact;
}

Result<Artifact> compile_for_device(const ValidProgram& program, const CompileOptions& options,
                                    const std::string& arch, int cuda_version) {
    const auto nvrtc = TRY(Nvrtc::process());
    auto source = std::make_shared<CudaSource>(TRY(lower(program, {.options = options, .dispatched = true})));
    const bool is_known = knows(*nvrtc, arch);
    const bool cubin = is_known && nvrtc->major() <= cuda_version / 1000;
    // PTX runs on later architectures too: take the newest one that NVRTC knows and that isn't newer than the
    // device.
    std::string target = arch;
    if (!is_known)
        for (const int one : nvrtc->archs())
            if (one <= number_of(arch).value_or(0)) target = fmt::format("sm_{}", one);
    Artifact artifact = artifact_of(program, *source, options);
    artifact.bytes = TRY(compile_text(*nvrtc, *program, *source, options, target,
                                      cubin ? ImageFormat::cubin : ImageFormat::ptx));
    artifact.format = cubin ? "cubin" : "ptx";
    artifact.target = "cuda:" + target;
    if (!cubin) artifact.debug_map = map_ptx(*program, *source, artifact.text());
    source->text.clear();
    artifact.load_data = load_data(*source);
    artifact.in_process = std::move(source);
    return artifact;
}

}  // namespace muster::cuda
