// lower.hpp - a ValidProgram to CUDA C++: structured control flow mapped one to one, names and lines kept.
//
//     CudaSource source = TRY(lower(program, {}));   // source.text goes to NVRTC, nvcc, or a file
//
// Pure: the same program and target, the same text; no toolkit, no driver, no environment. What the target lacks has been
// expanded before (driver/routing/prepare.hpp). Exact mode's mathematics are functions of the text (lower_math.cpp). Threads: any.
//
// The text is C++17 with CUDA's built-in types, variables and functions, and includes nothing. It is exact where it is
// compiled with -fmad=false -prec-div=true -prec-sqrt=true -ftz=false (nvcc and NVRTC contract unless told not to).
//
//     extern "C" __global__ void __launch_bounds__(64)
//     saxpy(const float a, const float* __restrict__ x, const unsigned x_length, float* __restrict__ y, ...)
//
// Parameters, in the order of Program::bindings(): of a storage binding a pointer, aligned as its type is, and where its
// type is or ends in a run-time array, the array's length in elements (u32). Of a uniform its value, where all parameters
// fit into most_parameter_bytes so, else a pointer. All lie in one block, as cuLaunchKernel's
// CU_LAUNCH_PARAM_BUFFER_POINTER takes it, at the offsets that are told.
//
// Dispatched. A launch may bind the same uniform to memory or to a value. Where `dispatched`, a small uniform (most_value_bytes,
// no array in it) is therefore a structure of both, of which the pointer is null where the value counts; any other is a
// pointer. And the grid may be a part of a larger one: its origin and the size of the whole come as parameters, where the
// program asks for what depends on them. What has grid barriers is launched whole, in either form, and its last parameter
// leads to memory for them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <muster/driver/contract/artifact.hpp>
#include <muster/driver/contract/device_info.hpp>
#include <muster/foundation/base/result.hpp>
#include <muster/foundation/validate/validate.hpp>

namespace muster::cuda {

/// What every CUDA version lets a kernel have. Uniforms are passed by reference before it is exceeded; more bindings
/// than fit are refused.
inline constexpr std::uint32_t most_parameter_bytes = 4096;
/// Of a uniform that a dispatched kernel takes as a value, too.
inline constexpr std::uint32_t most_value_bytes = 256;
/// Of shared memory that is declared in the text; workgroup variables that need more are in dynamic shared memory.
inline constexpr std::uint32_t most_static_shared_bytes = 48 << 10;

/// Aligned to 4.
inline constexpr std::uint32_t barrier_state_bytes = 12;

struct LowerTarget {
    CompileOptions options = {};
    bool dispatched = false;
    bool debug = true;            // #line directives
    std::string entry_name = {};  // the kernel's; empty: the program's, made a legal name
};

/// storage: {T* memory;}, behind it {unsigned length;} where `array_stride` isn't 0.
/// uniform_value: {T value;}. uniform_memory: {const T* memory;}.
/// uniform_either: {const T* memory; T value;}: the value counts where memory is null.
enum class ParameterKind : std::uint8_t { storage, uniform_value, uniform_memory, uniform_either };

struct Parameter {
    ParameterKind kind = ParameterKind::storage;
    std::uint32_t offset = 0;         // in the block, bytes: of the pointer, or of uniform_value's value
    std::uint32_t value_offset = 0;   // uniform_value, uniform_either: of the value
    std::uint32_t value_bytes = 0;    // uniform_value, uniform_either
    std::uint32_t length_offset = 0;  // storage with a run-time array: of its length
    /// Of a run-time array: length = (bytes bound - array_offset) / array_stride. Stride 0: there is none.
    std::uint64_t array_offset = 0, array_stride = 0;
};

struct CudaSource {
    std::string text;
    std::string entry;  // the kernel's name; extern "C"
    Extent3 workgroup_size;
    std::vector<Parameter> parameters;  // in Program::bindings() order
    /// Offsets in the block of three u32 each: Launch::origin and Launch::grid. Only where `dispatched`, and where the
    /// program needs them.
    std::optional<std::uint32_t> origin_offset, grid_offset;
    /// Of a pointer to barrier_state_bytes of the device's memory: the kernel has grid barriers, and is to be launched
    /// cooperatively. They are zero before the first launch; a launch that has ended leaves them so that the next can begin.
    std::optional<std::uint32_t> barrier_state_offset;
    std::uint32_t parameter_bytes = 0;  // of the block
    std::uint64_t static_shared_bytes = 0;
    /// What a launch has to ask for; over 48 KiB the kernel has to be allowed it
    /// (CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES).
    std::uint32_t dynamic_shared_bytes = 0;
    std::vector<DebugEntry> debug_map;  // target: line of the text, counted from 1; ordered by it
};

/// Errors: limit_exceeded, where the parameters don't fit.
Result<CudaSource> lower(const ValidProgram& program, const LowerTarget& target);

/// The operations that lower() takes, with the math group and grid barriers.
const OpSet& supported_ops();
/// The exactness of its code, where that is compiled as it says.
inline constexpr Exactness exactness = [] {
    Exactness all = all_promised;
    all.mathematics = Promise::promised;
    return all;
}();

}  // namespace muster::cuda
