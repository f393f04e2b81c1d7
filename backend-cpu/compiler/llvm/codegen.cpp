#include <algorithm>

#include <fmt/format.h>
#include <llvm/CodeGen/MachineModuleInfo.h>
#include <llvm/CodeGen/Passes.h>
#include <llvm/CodeGen/TargetPassConfig.h>
#include <llvm/IR/DiagnosticInfo.h>
#include <llvm/IR/DiagnosticPrinter.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Object/ObjectFile.h>
#include <llvm/Support/raw_ostream.h>

#include <muster/backend-cpu/compiler/llvm/codegen.hpp>
#include <muster/backend-cpu/compiler/llvm/cut_blocks.hpp>
#include <muster/foundation/base/try.hpp>

namespace muster::cpu {
namespace {

bool has_large_function(const llvm::Module& module) {
    return std::ranges::any_of(module, [](const llvm::Function& function) { return is_large(function); });
}

/// True if debuggers are shown values, not lines alone.
bool shows_values(const llvm::Module& module) {
    for (const llvm::Function& function : module)
        for (const llvm::Instruction& instruction : llvm::instructions(function))
            if (instruction.hasDbgRecords()) return true;
    return false;
}

/// Adds the passes of addPassesToEmitFile(), without the one that follows variables through registers if there
/// are none. Without two more for large code: hoisting out of
/// loops, which compares every constant with every other, and sinking, which would move code past the cuts
/// (cut_blocks.hpp) back into one block.
bool add_passes(const Machine& machine, llvm::legacy::PassManager& passes, llvm::raw_pwrite_stream& out,
                llvm::CodeGenFileType type, bool is_large, bool has_variables) {
    auto& target = static_cast<llvm::LLVMTargetMachine&>(*machine.llvm);
    auto* code = new llvm::MachineModuleInfoWrapperPass(&target);
    llvm::TargetPassConfig* config = target.createPassConfig(passes);
    if (!has_variables) config->disablePass(&llvm::LiveDebugValuesID);
    if (is_large) {
        config->disablePass(&llvm::EarlyMachineLICMID);
        config->disablePass(&llvm::MachineSinkingID);
    }
    passes.add(config);
    passes.add(code);
    if (config->addISelPasses()) return false;
    config->addMachinePasses();
    config->setInitialized();
    if (target.addAsmPrinter(passes, out, nullptr, type, code->getMMI().getContext())) return false;
    passes.add(llvm::createFreeMachineFunctionPass());
    return true;
}

Result<void> generate(llvm::Module& module, const Machine& machine, llvm::CodeGenFileType type,
                      llvm::SmallVectorImpl<char>& bytes) {
    const Diagnostics diagnostics(module.getContext());
    for (llvm::Function& function : module)
        if (!function.isDeclaration())
            function.addFnAttr("warn-stack-size", std::to_string(most_stack_bytes));
    llvm::raw_svector_ostream out(bytes);
    llvm::legacy::PassManager passes;
    // GNU as accepts a separate directory in .file only from DWARF 5 on.
    machine.llvm->Options.MCOptions.MCUseDwarfDirectory = llvm::MCTargetOptions::DisableDwarfDirectory;
    machine.llvm->Options.MCOptions.AsmVerbose = type == llvm::CodeGenFileType::AssemblyFile;
    if (!add_passes(machine, passes, out, type, has_large_function(module), shows_values(module)))
        return fail(ErrorCode::compile_failed,
                    fmt::format("LLVM emits no such file for {}.", module.getTargetTriple()));
    passes.run(module);
    return diagnostics.check();
}

}  // namespace

Diagnostics::Diagnostics(llvm::LLVMContext& context) : context_(context) {
    context_.setDiagnosticHandlerCallBack(collect, this);
}

void Diagnostics::collect(const llvm::DiagnosticInfo* diagnostic, void* diagnostics) {
    auto* all = static_cast<Diagnostics*>(diagnostics);
    if (const auto* stack = llvm::dyn_cast<llvm::DiagnosticInfoStackSize>(diagnostic))
        all->stack_bytes_ = stack->getStackSize();
    if (diagnostic->getSeverity() != llvm::DS_Error) return;
    llvm::raw_string_ostream out(all->errors_);
    llvm::DiagnosticPrinterRawOStream printer(out);
    diagnostic->print(printer);
    out << "; ";
}

Diagnostics::~Diagnostics() { context_.setDiagnosticHandlerCallBack(nullptr, nullptr); }

Result<void> Diagnostics::check() const {
    if (stack_bytes_ != 0)
        return fail(
            ErrorCode::limit_exceeded,
            fmt::format(
                "The kernel keeps so many values at once that it needs {} bytes of stack; the limit is {}.",
                stack_bytes_, most_stack_bytes),
            "keep fewer values between their definition and their use, or keep them in an array");
    if (errors_.empty()) return {};
    return fail(ErrorCode::compile_failed, fmt::format("LLVM refuses the kernel: {}", errors_));
}

Result<void> verify(const llvm::Module& module) {
    std::string faults;
    llvm::raw_string_ostream out(faults);
    if (!llvm::verifyModule(module, &out)) return {};
    return fail(ErrorCode::internal,
                fmt::format("The kernel was lowered to LLVM IR that isn't valid: {}", faults));
}

Result<std::unique_ptr<llvm::object::ObjectFile>> read_object(const ObjectFile& object) {
    const llvm::MemoryBufferRef buffer(llvm::StringRef(object.data(), object.size()), "kernel");
    auto file = llvm::object::ObjectFile::createObjectFile(buffer);
    if (!file)
        return fail(ErrorCode::internal, fmt::format("LLVM can't read the object file that it made: {}.",
                                                     llvm::toString(file.takeError())));
    return std::move(*file);
}

Result<ObjectFile> generate_object(llvm::Module& module, const Machine& machine) {
    ObjectFile object;
    TRY(generate(module, machine, llvm::CodeGenFileType::ObjectFile, object));
    return object;
}

Result<std::string> generate_assembly(llvm::Module& module, const Machine& machine) {
    llvm::SmallString<0> text;
    TRY(generate(module, machine, llvm::CodeGenFileType::AssemblyFile, text));
    return std::string(text.str());
}

}  // namespace muster::cpu
