#include <array>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/TargetParser/Host.h>
#include <llvm/TargetParser/SubtargetFeature.h>

#include <muster/backend-cpu/compiler/llvm/target.hpp>
#include <muster/foundation/base/try.hpp>

namespace muster::cpu {
namespace {

struct Arch {
    std::string_view name;  // CompileTarget::arch
    std::string_view triple;
    std::string_view cpu;  // LLVM's name
};
constexpr std::array archs{
    Arch{"x86-64-v1", "x86_64-unknown-linux-gnu", "x86-64"},
    Arch{"x86-64-v2", "x86_64-unknown-linux-gnu", "x86-64-v2"},
    Arch{"x86-64-v3", "x86_64-unknown-linux-gnu", "x86-64-v3"},
    Arch{"x86-64-v4", "x86_64-unknown-linux-gnu", "x86-64-v4"},
    Arch{"aarch64", "aarch64-unknown-linux-gnu", "generic"},
};

Result<const Arch*> find_arch(std::string_view name) {
    std::vector<std::string_view> names;
    for (const Arch& arch : archs) {
        if (arch.name == name) return &arch;
        names.push_back(arch.name);
    }
    return fail(ErrorCode::not_found, fmt::format("The CPU backend compiles for no \"{}\".", name),
                fmt::format("compile for one of: {}", fmt::join(names, ", ")));
}

void initialise_targets() {
    [[maybe_unused]] static const bool once = [] {
        LLVMInitializeX86TargetInfo();
        LLVMInitializeX86Target();
        LLVMInitializeX86TargetMC();
        LLVMInitializeX86AsmPrinter();
        LLVMInitializeX86Disassembler();
        LLVMInitializeAArch64TargetInfo();
        LLVMInitializeAArch64Target();
        LLVMInitializeAArch64TargetMC();
        LLVMInitializeAArch64AsmPrinter();
        LLVMInitializeAArch64Disassembler();
        return true;
    }();
}

struct HostFeatures {
    std::string all;      // "+avx2,-sse4a": LLVM's own form
    std::string present;  // "avx2,fma"
};

HostFeatures host_features() {
    std::vector<std::string> present, all;
    for (const auto& feature : llvm::sys::getHostCPUFeatures()) {
        const std::string name = feature.first().str();
        all.push_back((feature.second ? "+" : "-") + name);
        if (feature.second) present.push_back(name);
    }
    std::ranges::sort(all);  // sorted: the map has no order, and the same request must give the same bytes
    std::ranges::sort(present);
    return {fmt::format("{}", fmt::join(all, ",")), fmt::format("{}", fmt::join(present, ","))};
}

MachineTraits traits_of(const llvm::TargetMachine& machine) {
    const llvm::MCSubtargetInfo& subtarget = *machine.getMCSubtargetInfo();
    const auto has = [&](const char* features) { return subtarget.checkFeatures(features); };
    if (machine.getTargetTriple().isAArch64())
        return {.vector_bytes = 16,
                .vector_registers = 32,
                .has_fma = true,
                .has_rounding = true,
                .has_half = true,
                .extracts_slowly = true,
                .packed_products = has("+dotprod") ? PackedProducts::uniform : PackedProducts::widening};
    MachineTraits traits;
    if (has("+avx2")) traits.vector_bytes = 32;
    if (has("+avx512f,+avx512bw,+avx512dq,+avx512vl")) {
        traits.vector_bytes = 64;
        traits.vector_registers = 32;
    }
    traits.has_fma = has("+fma") || traits.vector_bytes == 64;
    traits.has_rounding = has("+sse4.1");
    traits.has_half = has("+f16c");
    const bool is_mixed = traits.vector_bytes == 64 ? has("+avx512vnni") : has("+avxvnni");
    if (has("+ssse3")) traits.packed_products = is_mixed ? PackedProducts::mixed : PackedProducts::pairs;
    return traits;
}

}  // namespace

Result<FoundTarget> find_target(std::string_view name) {
    FoundTarget found{.triple = std::string(TRY(find_arch(name))->triple)};
    initialise_targets();
    std::string error;
    found.llvm = llvm::TargetRegistry::lookupTarget(found.triple, error);
    if (!found.llvm)
        return fail(ErrorCode::unavailable, fmt::format("This LLVM can't compile for {}: {}.", name, error),
                    "use an LLVM that was built with its X86 and AArch64 targets");
    return found;
}

Result<Machine> make_machine(const CompileTarget& target, bool quick) {
    const Arch& arch = *TRY(find_arch(target.arch));
    const FoundTarget found = TRY(find_target(target.arch));
    const HostFeatures host = target.host ? host_features() : HostFeatures{};
    const std::string cpu = target.host ? llvm::sys::getHostCPUName().str() : std::string(arch.cpu);
    Machine machine;
    machine.llvm.reset(found.llvm->createTargetMachine(
        found.triple, cpu, host.all, llvm::TargetOptions(), llvm::Reloc::PIC_, llvm::CodeModel::Small,
        quick ? llvm::CodeGenOptLevel::None : llvm::CodeGenOptLevel::Default));
    machine.traits = traits_of(*machine.llvm);
    machine.is_quick = quick;
    machine.features = host.present;
    return machine;
}

void prepare(llvm::Module& module, const Machine& machine) {
    module.setTargetTriple(machine.llvm->getTargetTriple().str());
    module.setDataLayout(machine.llvm->createDataLayout());
    llvm::AttrBuilder attributes(module.getContext());
    attributes.addAttribute("target-cpu", machine.llvm->getTargetCPU());
    attributes.addAttribute("target-features", machine.llvm->getTargetFeatureString());
    // Without these two attributes, LLVM splits 512-bit vectors on machines that it
    // considers slower with them.
    const std::string bits = fmt::to_string(machine.traits.vector_bytes * 8);
    attributes.addAttribute("prefer-vector-width", bits);
    attributes.addAttribute("min-legal-vector-width", bits);
    attributes.addAttribute("no-builtins");
    attributes.addAttribute(llvm::Attribute::NoUnwind);
    for (llvm::Function& function : module)
        if (!function.isDeclaration()) function.addFnAttrs(attributes);
}

}  // namespace muster::cpu
