#include "lane_functions.hpp"

#include <doctest/doctest.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/TargetParser/Host.h>

namespace muster::test {
namespace {

using llvm::Value;

template <class T>
T must(llvm::Expected<T> expected) {
    if (!expected) FAIL(llvm::toString(expected.takeError()));
    return std::move(*expected);
}

// Conversion between an argument's words and the lanes of a scalar type.
struct Words {
    cpu::Builder& builder;
    std::uint32_t width;

    llvm::Type* type(llvm::Type* element) const {
        return width == 1 ? element : llvm::FixedVectorType::get(element, width);
    }
    Value* as(Scalar scalar, Value* words) const {
        if (scalar == Scalar::f32) return builder.CreateBitCast(words, type(builder.getFloatTy()));
        return scalar == Scalar::boolean ? builder.CreateICmpNE(words, constant(0)) : words;
    }
    Value* from(Scalar scalar, Value* lanes) const {
        if (scalar == Scalar::f32) return builder.CreateBitCast(lanes, type(builder.getInt32Ty()));
        return scalar == Scalar::boolean ? builder.CreateZExt(lanes, type(builder.getInt32Ty())) : lanes;
    }
    Value* load(Value* at) const {
        return builder.CreateAlignedLoad(type(builder.getInt32Ty()), at, llvm::Align(4));
    }
    void store(Value* words, Value* at) const { builder.CreateAlignedStore(words, at, llvm::Align(4)); }
    Value* constant(std::uint32_t word) const {
        return llvm::ConstantInt::get(type(builder.getInt32Ty()), word);
    }
};

Scalar scalar_of_operand(const LaneFunction& function, std::size_t operand) {
    if (function.op == Op::select && operand == 2) return Scalar::boolean;
    const bool shift = function.op == Op::shift_left || function.op == Op::shift_right;
    return shift && operand == 1 ? Scalar::u32 : function.from;
}

void optimise(llvm::Module& module) {
    llvm::LoopAnalysisManager loops;
    llvm::FunctionAnalysisManager functions;
    llvm::CGSCCAnalysisManager cycles;
    llvm::ModuleAnalysisManager modules;
    llvm::PassBuilder builder;
    builder.registerModuleAnalyses(modules);
    builder.registerCGSCCAnalyses(cycles);
    builder.registerFunctionAnalyses(functions);
    builder.registerLoopAnalyses(loops);
    builder.crossRegisterProxies(loops, functions, cycles, modules);
    builder.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O2).run(module, modules);
}

}  // namespace

std::vector<Machine> machines() {
    std::vector<Machine> all;
#if defined(__x86_64__)
    all.push_back({"x86-64", {.vector_bytes = 16}});
    if (__builtin_cpu_supports("sse4.2"))
        all.push_back({"x86-64-v2", {.vector_bytes = 16, .has_rounding = true}});
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        all.push_back(
            {"x86-64-v3", {.vector_bytes = 32, .has_fma = true, .has_rounding = true, .has_half = true}});
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw"))
        all.push_back(
            {"x86-64-v4", {.vector_bytes = 64, .has_fma = true, .has_rounding = true, .has_half = true}});
#elif defined(__aarch64__)
    all.push_back({"generic", {.vector_bytes = 16, .has_fma = true, .has_rounding = true, .has_half = true}});
#endif
    return all;
}

LaneFunctions::LaneFunctions(const Machine& machine, std::uint32_t width, Precision precision)
    : options_{.width = width, .machine = machine.traits, .options = {.precision = precision}} {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
    llvm::orc::JITTargetMachineBuilder target{llvm::Triple(llvm::sys::getProcessTriple())};
    target.setCPU(machine.cpu);
    jit_ = must(llvm::orc::LLJITBuilder().setJITTargetMachineBuilder(target).create());
    context_ = std::make_unique<llvm::LLVMContext>();
    module_ = std::make_unique<llvm::Module>("lanes", *context_);
    module_->setDataLayout(jit_->getDataLayout());
}

void LaneFunctions::add(const LaneFunction& function) {
    cpu::Builder builder(*context_);
    const std::vector<llvm::Type*> parameters(4, builder.getPtrTy());
    auto* type = llvm::FunctionType::get(builder.getVoidTy(), parameters, false);
    auto* code = llvm::Function::Create(type, llvm::Function::ExternalLinkage, "f" + std::to_string(count_++),
                                        *module_);
    cpu::prepare_function(*code, options_);
    builder.SetInsertPoint(llvm::BasicBlock::Create(*context_, "", code));
    const Words words{builder, options_.width};
    std::vector<Value*> operands;
    for (std::size_t i = 0; i < function.operands; ++i) {
        const bool constant = function.constant && i + 1 == function.operands;
        Value* word = constant ? words.constant(*function.constant)
                               : words.load(code->getArg(static_cast<unsigned>(i)));
        operands.push_back(words.as(scalar_of_operand(function, i), word));
    }
    Value* result = cpu::emit_operation(builder, options_, function.op, function.from, function.to, operands);
    words.store(words.from(function.to, result), code->getArg(3));
    builder.CreateRetVoid();
}

void LaneFunctions::compile() {
    REQUIRE(!llvm::verifyModule(*module_, &llvm::errs()));
    optimise(*module_);
    llvm::cantFail(jit_->addIRModule(llvm::orc::ThreadSafeModule(std::move(module_), std::move(context_))));
    for (std::size_t i = 0; i < count_; ++i)
        compiled_.push_back(must(jit_->lookup("f" + std::to_string(i))).toPtr<Compiled>());
}

}  // namespace muster::test
