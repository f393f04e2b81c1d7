// lower.hpp - a ValidProgram to LLVM IR, vectorised: `width` invocations of a workgroup become one vector program.
//
// Pure: no device, no driver, no environment. Values that the lanes share stay scalar, others are vectors with one
// element per lane; divergent control flow is masked. The math group's operations are calls (lower_math.hpp).
#pragma once

#include <cstdint>
#include <memory>

#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>

#include <muster/driver/contract/artifact.hpp>
#include <muster/foundation/base/result.hpp>
#include <muster/foundation/validate/validate.hpp>

namespace muster::cpu {

/// What the lowering must know of the machine.
struct MachineTraits {
    std::uint32_t vector_bytes = 16;  // of its widest register
    bool has_fma = false;             // a fused multiply-add instruction
    bool has_rounding = false;        // floor, ceil, trunc, round to even as instructions (SSE4.1, aarch64)
};

struct LowerOptions {
    std::uint32_t width = 4;       // lanes, a power of two
    bool may_be_narrower = false;  // where the rows of a workgroup are, and that makes accesses consecutive
    MachineTraits machine;
    CompileOptions options;
    bool debug = false;  // instructions say which node they come from (debug_info.hpp); for what is emitted
};

struct LoweredKernel {
    std::unique_ptr<llvm::Module>
        module;  // defines kernel_symbol (kernel_abi.hpp), and nothing else that is seen
    std::uint64_t scratch_bytes = 0;
    std::uint32_t cost = 0;   // ImageHeader::cost
    std::uint32_t width = 0;  // lanes that it really has
};

Result<LoweredKernel> lower(llvm::LLVMContext& context, const ValidProgram& program,
                            const LowerOptions& options);

}  // namespace muster::cpu
