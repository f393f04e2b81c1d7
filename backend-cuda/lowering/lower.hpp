// lower.hpp - lowers a ValidProgram to CUDA C++: control flow is mapped one to one, names and lines are kept.
//
//     CudaSource source = TRY(lower(program, {}));   // source.text goes to NVRTC, nvcc, or a file
//
// Pure: the same program and target give the same text; no toolkit, no driver, no environment. Operations
// that the target lacks have been expanded before (driver/routing/prepare.hpp). In exact mode, mathematical
// operations become functions in the text. Threads: any.
//
// The text is C++17 with CUDA's built-in types, variables and functions, and includes nothing. It is exact if
// compiled with -fmad=false -prec-div=true -prec-sqrt=true -ftz=false (by default nvcc and NVRTC contract
// a * b + c to fma).
//
//     extern "C" __global__ void __launch_bounds__(64)
//     saxpy(const float a, const float* __restrict__ x, const unsigned x_length, float* __restrict__ y, ...)
//
// Parameters are in the order of Program::bindings(). A storage binding is a pointer, aligned as its type; if
// the type is or ends in a run-time array, the array's length in elements follows (u32). A uniform is passed
// by value if all parameters fit into most_parameter_bytes that way, otherwise as a pointer. All parameters
// form one block for cuLaunchKernel's CU_LAUNCH_PARAM_BUFFER_POINTER, at the offsets in CudaSource.
//
// Dispatched kernels (`dispatched`) differ. A launch may bind the same uniform to memory or to a value, so a
// small uniform (most_value_bytes, no array in it) is a structure of a pointer and a value, where the value
// counts if the pointer is null; any other uniform is a pointer. The grid may be a part of a larger
// one, so the part's origin and the size of the whole are parameters if the program uses built-in
// values that depend on them.
//
// A kernel with grid barriers is always launched whole, and its last parameter points to the barriers' state.
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

/// Parameter bytes that every CUDA version supports. Uniforms become pointers before it is exceeded; if the
/// parameters still don't fit, lower() fails.
inline constexpr std::uint32_t most_parameter_bytes = 4096;
/// Largest uniform that a dispatched kernel can take as a value.
inline constexpr std::uint32_t most_value_bytes = 256;
/// Most shared memory that is declared statically; workgroup variables that need more are
/// in dynamic shared memory.
inline constexpr std::uint32_t most_static_shared_bytes = 48 << 10;

/// The size of a subgroup, on every device so far.
inline constexpr std::uint32_t warp_size = 32;
/// Size of the grid barriers' state in device memory, aligned to 4.
inline constexpr std::uint32_t barrier_state_bytes = 12;

struct LowerTarget {
    CompileOptions options = {};
    bool dispatched = false;
    bool debug = true;            // #line directives
    std::string entry_name = {};  // the kernel's name; empty: the program's entry point, made a legal name
};

/// Form of a parameter.
/// storage: {T* memory;}, followed by {unsigned length;} if `array_stride` isn't 0.
/// uniform_value: {T value;}. uniform_memory: {const T* memory;}.
/// uniform_either: {const T* memory; T value;}: the value counts if memory is null.
enum class ParameterKind : std::uint8_t { storage, uniform_value, uniform_memory, uniform_either };

struct Parameter {
    ParameterKind kind = ParameterKind::storage;
    std::uint32_t offset = 0;        // in bytes from the block's start: the pointer, or uniform_value's value
    std::uint32_t value_offset = 0;  // uniform_value, uniform_either: the value
    std::uint32_t value_bytes = 0;   // uniform_value, uniform_either
    std::uint32_t length_offset = 0;  // storage with a run-time array: its length
    /// Run-time array: length = (bytes bound - array_offset) / array_stride. Stride 0: the binding has no
    /// run-time array.
    std::uint64_t array_offset = 0, array_stride = 0;
};

struct CudaSource {
    std::string text;
    std::string entry;  // the kernel's name; extern "C"
    Extent3 workgroup_size;
    std::vector<Parameter> parameters;  // in Program::bindings() order
    /// Offsets in the block of Launch::origin and Launch::grid, three u32 each. Set if `dispatched` and the
    /// program needs them.
    std::optional<std::uint32_t> origin_offset, grid_offset;
    /// Offset in the block of a pointer to barrier_state_bytes of device memory. Set if the kernel has grid
    /// barriers; it must then be launched cooperatively. The state is zero before the first launch, and each
    /// launch leaves it ready for the next.
    std::optional<std::uint32_t> barrier_state_offset;
    std::uint32_t parameter_bytes = 0;  // size of the block
    std::uint64_t static_shared_bytes = 0;
    /// Dynamic shared memory to request at launch; above 48 KiB it has to be enabled first
    /// (CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES).
    std::uint32_t dynamic_shared_bytes = 0;
    std::vector<DebugEntry> debug_map;  // target: line of the text, counted from 1; ascending
};

/// Errors: limit_exceeded (the parameters don't fit).
Result<CudaSource> lower(const ValidProgram& program, const LowerTarget& target);

/// Operations that lower() accepts, including the math group, grid barriers, and the two of subgroups with
/// which the others are written.
const OpSet& supported_ops();
/// Exactness of the code if compiled with the options above.
inline constexpr Exactness exactness = [] {
    Exactness all = all_promised;
    all.mathematics = Promise::promised;
    return all;
}();

}  // namespace muster::cuda
