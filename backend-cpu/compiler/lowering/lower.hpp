// lower.hpp - a ValidProgram to vectorised LLVM IR: `width` invocations of a workgroup
// become one vector program.
//
// Pure: no device, no driver, no environment. Values that all lanes share stay scalar, others are
// vectors with one element per lane; divergent control flow is masked. Operations of the math group
// are calls (lower_math.hpp).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>

#include <muster/driver/contract/artifact.hpp>
#include <muster/foundation/base/result.hpp>
#include <muster/foundation/validate/validate.hpp>

namespace muster::cpu {

/// Instructions for dot products of the bytes in each 32-bit lane.
enum class PackedProducts : std::uint8_t {
    none,
    pairs,     // x86's pmaddwd: of pairs of 16-bit integers (SSSE3)
    mixed,     // x86's vpdpbusd: of unsigned by signed bytes, added to a sum
    widening,  // aarch64's products of bytes as 16 bits, and sums of pairs
    uniform,   // aarch64's sdot and udot, added to a sum
};

/// Properties of the machine that lowering depends on.
struct MachineTraits {
    std::uint32_t vector_bytes = 16;  // of its widest vector register
    std::uint32_t vector_registers = 16;
    bool has_fma = false;          // a fused multiply-add instruction
    bool has_rounding = false;     // floor, ceil, trunc, round to even as instructions (SSE4.1, aarch64)
    bool has_half = false;         // conversions between f16 and f32 as instructions (F16C, aarch64)
    bool extracts_slowly = false;  // lanes leave vector registers slower than by way of memory (aarch64)
    PackedProducts packed_products = PackedProducts::none;

    bool has_masks() const { return vector_bytes == 64; }  // mask registers
};

/// What DWARF calls things, instead of what the program does.
struct DebugNames {
    std::string function;  // empty: the entry point's name
    std::vector<std::string>
        sources;  // paths of the program's files; one that is missing or empty: the file's name
};

struct LowerOptions {
    std::uint32_t width = 4;  // lanes, a power of two; with subgroups, theirs are used: options.subgroup_size
    bool may_choose_width = false;  // may use another number of lanes where that is faster (choose_width.hpp)
    MachineTraits machine;
    CompileOptions options;
    bool debug = false;  // instructions record their node (debug_info.hpp)
    DebugNames debug_names = {};
};

struct LoweredKernel {
    std::unique_ptr<llvm::Module> module;  // defines kernel_symbol (kernel_abi.hpp), the only external symbol
    std::uint64_t scratch_bytes = 0;
    std::uint32_t cost = 0;   // ImageHeader::cost
    std::uint32_t width = 0;  // lanes in fact
};

Result<LoweredKernel> lower(llvm::LLVMContext& context, const ValidProgram& program,
                            const LowerOptions& options);

}  // namespace muster::cpu
