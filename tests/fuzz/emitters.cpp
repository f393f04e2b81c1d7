// From a text to the code of each backend, without a device: no program crashes a lowering, and what comes out is valid as far
// as it can be checked at once. SPIR-V passes its validator, LLVM IR its verifier; CUDA C++ and OpenCL C aren't compiled.
#include <muster/driver/routing/fit.hpp>
#include <muster/driver/routing/prepare.hpp>
#include <muster/foundation/ir/grid_barrier.hpp>
#include <muster/foundation/split/grid_split.hpp>
#include <muster/foundation/wgsl/print/print.hpp>

#include "target.hpp"

#ifdef MUSTER_FUZZ_CPU
#include <llvm/IR/Verifier.h>
#include <llvm/Support/raw_ostream.h>

#include <muster/backend-cpu/backend.hpp>
#include <muster/backend-cpu/compiler/lowering/lower.hpp>
#endif
#ifdef MUSTER_FUZZ_CUDA
#include <muster/backend-cuda/backend.hpp>
#endif
#ifdef MUSTER_FUZZ_OPENCL
#include <muster/backend-opencl/backend.hpp>
#include <muster/backend-opencl/lowering/lower.hpp>
#endif
#ifdef MUSTER_FUZZ_VULKAN
#include <muster/backend-vulkan/backend.hpp>
#include <muster/backend-vulkan/compile/tools.hpp>
#endif

namespace muster::fuzz {
namespace {

/// The program as it is lowered for the target, if it fits there.
std::optional<ValidProgram> prepared(const ValidProgram& program, const Result<Target>& target,
                                     CompileOptions& options) {
    expect(target.has_value(), "A backend describes its targets.");
    if (!fit(*program, *target, {.compile = options, .inexact_ok = true}).empty()) return std::nullopt;
    options = routing::with_subgroup_size(options, *program, target->subgroup_size);
    Result<ValidProgram> expanded = routing::expand_for(program, target->ops, target->exactness, options);
    if (expanded) return *std::move(expanded);
    expect(expanded.error().code == ErrorCode::limit_exceeded, "A small program can be expanded.",
           expanded.error().to_string());
    return std::nullopt;
}

template <class T>
void expect_lowered(const Result<T>& result, std::string_view what) {
    if (result || result.error().code == ErrorCode::limit_exceeded) return;
    expect(false, what, result.error().to_string());
}

#ifdef MUSTER_FUZZ_CUDA
void check_cuda(const ValidProgram& program, CompileOptions options, bool dispatched) {
    const auto ready = prepared(program, cuda::CudaBackend().describe("sm_90"), options);
    if (!ready) return;
    const cuda::LowerTarget target{.options = options, .dispatched = dispatched};
    const auto made = cuda::lower(*ready, target);
    expect_lowered(made, "A program that fits is lowered to CUDA C++.");
    if (made)
        expect(cuda::lower(*ready, target)->text == made->text, "The same program gives the same text.");
}
#endif

#ifdef MUSTER_FUZZ_OPENCL
void check_opencl(const ValidProgram& program, CompileOptions options, bool dispatched) {
    const auto ready = prepared(program, opencl::OpenClBackend().describe("1.2"), options);
    if (!ready) return;
    const opencl::LowerTarget target{.options = options, .dispatched = dispatched};
    const std::string text = opencl::lower(*ready, target).text;
    expect(opencl::lower(*ready, target).text == text, "The same program gives the same text.");
}
#endif

#ifdef MUSTER_FUZZ_VULKAN
void check_vulkan(const ValidProgram& program, CompileOptions options, vulkan::VulkanVersion version,
                  bool dispatched) {
    const auto ready = prepared(program, vulkan::VulkanBackend().describe(vulkan::name(version)), options);
    if (!ready) return;
    vulkan::LowerTarget target{.version = version, .options = options};
    target.float_controls =
        target.double_controls = {.signed_zero_inf_nan_preserve = true, .rounding_rte = true};
    if (dispatched) {
        target.folds_grid = target.one_set = true;
        target.push_constant_bytes = 128;
        target.long_loops = vulkan::LongLoops::watched;
        target.zero_initialize_workgroup_memory = version == vulkan::VulkanVersion::v1_3;
    }
    const auto module = vulkan::lower(*ready, target);
    expect_lowered(module, "A program that fits is lowered to SPIR-V.");
    if (!module) return;
    const Result<void> valid = vulkan::validate_words(module->words, version);
    expect(valid.has_value(), "A module passes SPIR-V's validator.",
           valid ? "" : valid.error().to_string() + "\n" + wgsl::print(**ready));
}
#endif

#ifdef MUSTER_FUZZ_CPU
void check_cpu(const ValidProgram& program, CompileOptions options, std::uint32_t width,
               bool may_choose_width) {
    if (program->needs().subgroups) options.subgroup_size = width;
    const auto ready = prepared(program, cpu::CpuBackend().describe("x86-64-v1"), options);
    if (!ready) return;
    if (options.subgroup_size != 0) width = options.subgroup_size;
    llvm::LLVMContext context;
    const auto kernel = cpu::lower(
        context, *ready, {.width = width, .may_choose_width = may_choose_width, .options = options});
    expect_lowered(kernel, "A program that fits is lowered to LLVM IR.");
    if (!kernel) return;
    std::string message;
    llvm::raw_string_ostream stream(message);
    const bool is_broken = llvm::verifyModule(*kernel->module, &stream);
    expect(!is_broken, "A module passes LLVM's verifier.", message + "\n" + wgsl::print(**ready));
}
#endif

void check_all(const ValidProgram& program) {
    for (const Precision precision : {Precision::exact, Precision::fast}) {
        const bool dispatched = precision == Precision::exact;
        const CompileOptions options{.precision = precision};
#ifdef MUSTER_FUZZ_CUDA
        check_cuda(program, options, dispatched);
#endif
#ifdef MUSTER_FUZZ_OPENCL
        check_opencl(program, options, dispatched);
#endif
#ifdef MUSTER_FUZZ_VULKAN
        check_vulkan(program, options, vulkan::VulkanVersion::v1_1, dispatched);
        check_vulkan(program, options, vulkan::VulkanVersion::v1_3, !dispatched);
#endif
#ifdef MUSTER_FUZZ_CPU
        check_cpu(program, options, dispatched ? 4 : 16, !dispatched);
#endif
    }
}

}  // namespace

void check(std::string_view text) {
    const std::optional<ValidProgram> program = small_program(text);
    if (!program) return;
    check_all(*program);
    if (!has_grid_barriers(**program)) return;
    const Result<SplitProgram> split = split_at_grid_barriers(**program);
    expect_lowered(split, "A program is split at its grid barriers.");
    if (!split) return;
    for (const SplitPart& part : split->parts) check_all(part.program);
}

}  // namespace muster::fuzz
