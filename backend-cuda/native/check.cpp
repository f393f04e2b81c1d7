#include <string>

#include <fmt/format.h>

#include <muster/backend-cuda/native/check.hpp>

namespace muster::cuda {
namespace {

/// Results by number, since CUDA 12.0's headers don't name them all.
struct Meaning {
    int result;
    const char* name;
    ErrorCode code;
    const char* fix;
};
constexpr const char* less_memory = "use less memory at once";
constexpr const char* new_session = "open a new session";
constexpr const char* within_bounds =
    "run the kernel checked, on any backend, to find what it does wrong; then open a new session";
constexpr const char* newer_driver = "update NVIDIA's driver, or use another device";
constexpr const char* repair = "reinstall NVIDIA's driver, or restart the machine";
constexpr const char* smaller_kernel = "use a smaller workgroup, or fewer variables in the kernel";

constexpr Meaning meanings[] = {
    {2, "OUT_OF_MEMORY", ErrorCode::out_of_memory, less_memory},
    {3, "NOT_INITIALIZED", ErrorCode::unavailable, repair},
    {4, "DEINITIALIZED", ErrorCode::device_lost, "use no device while the process ends"},
    {34, "STUB_LIBRARY", ErrorCode::unavailable,
     "take the Toolkit's stubs folder, whose libcuda has nothing in it, out of LD_LIBRARY_PATH"},
    {36, "CALL_REQUIRES_NEWER_DRIVER", ErrorCode::unavailable, newer_driver},
    {46, "DEVICE_UNAVAILABLE", ErrorCode::unavailable, "end the process that has the device for itself"},
    {100, "NO_DEVICE", ErrorCode::unavailable, "use a machine with an NVIDIA device"},
    {101, "INVALID_DEVICE", ErrorCode::unavailable, "look at CUDA_VISIBLE_DEVICES"},
    {102, "DEVICE_NOT_LICENSED", ErrorCode::unavailable, "license the device"},
    {200, "INVALID_IMAGE", ErrorCode::compile_failed, newer_driver},
    {201, "INVALID_CONTEXT", ErrorCode::device_lost, new_session},
    {209, "NO_BINARY_FOR_GPU", ErrorCode::compile_failed, "compile for the device's own architecture"},
    {214, "ECC_UNCORRECTABLE", ErrorCode::device_lost, "replace the device if this comes again"},
    {215, "UNSUPPORTED_LIMIT", ErrorCode::unsupported, newer_driver},
    {218, "INVALID_PTX", ErrorCode::compile_failed, newer_driver},
    {220, "NVLINK_UNCORRECTABLE", ErrorCode::device_lost, "replace the device if this comes again"},
    {221, "JIT_COMPILER_NOT_FOUND", ErrorCode::compile_failed, "install libnvidia-ptxjitcompiler.so.1"},
    {222, "UNSUPPORTED_PTX_VERSION", ErrorCode::compile_failed, newer_driver},
    {223, "JIT_COMPILATION_DISABLED", ErrorCode::compile_failed, "unset CUDA_DISABLE_JIT"},
    {226, "CONTAINED", ErrorCode::device_lost, new_session},
    {300, "INVALID_SOURCE", ErrorCode::compile_failed, newer_driver},
    {500, "NOT_FOUND", ErrorCode::not_found, "load what was compiled for this"},
    {600, "NOT_READY", ErrorCode::timed_out, "wait longer"},
    {700, "ILLEGAL_ADDRESS", ErrorCode::device_lost, within_bounds},
    {701, "LAUNCH_OUT_OF_RESOURCES", ErrorCode::limit_exceeded, smaller_kernel},
    {702, "LAUNCH_TIMEOUT", ErrorCode::device_lost,
     "let a launch do less: this device also draws the screen"},
    {709, "CONTEXT_IS_DESTROYED", ErrorCode::device_lost, new_session},
    {710, "ASSERT", ErrorCode::device_lost, new_session},
    {714, "HARDWARE_STACK_ERROR", ErrorCode::device_lost, new_session},
    {715, "ILLEGAL_INSTRUCTION", ErrorCode::device_lost, new_session},
    {716, "MISALIGNED_ADDRESS", ErrorCode::device_lost, within_bounds},
    {717, "INVALID_ADDRESS_SPACE", ErrorCode::device_lost, within_bounds},
    {718, "INVALID_PC", ErrorCode::device_lost, new_session},
    {719, "LAUNCH_FAILED", ErrorCode::device_lost, within_bounds},
    {720, "COOPERATIVE_LAUNCH_TOO_LARGE", ErrorCode::limit_exceeded, "dispatch fewer workgroups"},
    {721, "TENSOR_MEMORY_LEAK", ErrorCode::device_lost, new_session},
    {801, "NOT_SUPPORTED", ErrorCode::unsupported, newer_driver},
    {802, "SYSTEM_NOT_READY", ErrorCode::unavailable, "start what the system needs (nvidia-fabricmanager)"},
    {803, "SYSTEM_DRIVER_MISMATCH", ErrorCode::unavailable, repair},
    {804, "COMPAT_NOT_SUPPORTED_ON_DEVICE", ErrorCode::unavailable,
     "take CUDA's compatibility libraries out of LD_LIBRARY_PATH"},
    {805, "MPS_CONNECTION_FAILED", ErrorCode::unavailable,
     "start the MPS server, or stop its control daemon"},
    {806, "MPS_RPC_FAILURE", ErrorCode::unavailable, "restart the MPS server"},
    {807, "MPS_SERVER_NOT_READY", ErrorCode::unavailable, "wait for the MPS server"},
    {808, "MPS_MAX_CLIENTS_REACHED", ErrorCode::unavailable, "end another client of the MPS server"},
    {809, "MPS_MAX_CONNECTIONS_REACHED", ErrorCode::unavailable, "end another client of the MPS server"},
    {810, "MPS_CLIENT_TERMINATED", ErrorCode::device_lost, new_session},
    {909, "TIMEOUT", ErrorCode::timed_out, "wait longer"},
    {911, "EXTERNAL_DEVICE", ErrorCode::device_lost, new_session},
    {999, "UNKNOWN", ErrorCode::unavailable, repair},
};

}  // namespace

std::optional<Error> translate(CUresult result) {
    if (result == CUDA_SUCCESS) return std::nullopt;
    for (const Meaning& row : meanings)
        if (row.result == static_cast<int>(result))
            return Error{row.code, fmt::format("CUDA says: CUDA_ERROR_{}.", row.name), row.fix, {}};
    return Error{ErrorCode::internal,
                 fmt::format("CUDA says: CUresult {}.", static_cast<int>(result)),
                 newer_driver,
                 {}};
}

}  // namespace muster::cuda
