#include <muster/backend-cuda/native/check.hpp>

namespace muster::cuda {
namespace {

using enum ErrorCode;

constexpr const char* less_memory = "use less memory at once";
constexpr const char* new_session = "open a new session";
constexpr const char* within_bounds =
    "run the kernel checked, on any backend, to find what it does wrong; then open a new session";
constexpr const char* newer_driver = "update NVIDIA's driver, or use another device";
constexpr const char* repair = "reinstall NVIDIA's driver, or restart the machine";
constexpr const char* smaller_kernel = "use a smaller workgroup, or fewer variables in the kernel";

// By number, since CUDA 12.0's headers don't name them all.
constexpr NativeCode codes[] = {
    {2, "CUDA_ERROR_OUT_OF_MEMORY", out_of_memory, less_memory},
    {3, "CUDA_ERROR_NOT_INITIALIZED", unavailable, repair},
    {4, "CUDA_ERROR_DEINITIALIZED", device_lost, "use no device while the process ends"},
    {34, "CUDA_ERROR_STUB_LIBRARY", unavailable,
     "take the Toolkit's stubs folder, whose libcuda has nothing in it, out of LD_LIBRARY_PATH"},
    {36, "CUDA_ERROR_CALL_REQUIRES_NEWER_DRIVER", unavailable, newer_driver},
    {46, "CUDA_ERROR_DEVICE_UNAVAILABLE", unavailable, "end the process that has the device for itself"},
    {100, "CUDA_ERROR_NO_DEVICE", unavailable, "use a machine with an NVIDIA device"},
    {101, "CUDA_ERROR_INVALID_DEVICE", unavailable, "look at CUDA_VISIBLE_DEVICES"},
    {102, "CUDA_ERROR_DEVICE_NOT_LICENSED", unavailable, "license the device"},
    {200, "CUDA_ERROR_INVALID_IMAGE", compile_failed, newer_driver},
    {201, "CUDA_ERROR_INVALID_CONTEXT", device_lost, new_session},
    {209, "CUDA_ERROR_NO_BINARY_FOR_GPU", compile_failed, "compile for the device's own architecture"},
    {214, "CUDA_ERROR_ECC_UNCORRECTABLE", device_lost, "replace the device if this comes again"},
    {215, "CUDA_ERROR_UNSUPPORTED_LIMIT", unsupported, newer_driver},
    {218, "CUDA_ERROR_INVALID_PTX", compile_failed, newer_driver},
    {220, "CUDA_ERROR_NVLINK_UNCORRECTABLE", device_lost, "replace the device if this comes again"},
    {221, "CUDA_ERROR_JIT_COMPILER_NOT_FOUND", compile_failed, "install libnvidia-ptxjitcompiler.so.1"},
    {222, "CUDA_ERROR_UNSUPPORTED_PTX_VERSION", compile_failed, newer_driver},
    {223, "CUDA_ERROR_JIT_COMPILATION_DISABLED", compile_failed, "unset CUDA_DISABLE_JIT"},
    {226, "CUDA_ERROR_CONTAINED", device_lost, new_session},
    {300, "CUDA_ERROR_INVALID_SOURCE", compile_failed, newer_driver},
    {500, "CUDA_ERROR_NOT_FOUND", not_found, "load what was compiled for this"},
    {600, "CUDA_ERROR_NOT_READY", timed_out, "wait longer"},
    {700, "CUDA_ERROR_ILLEGAL_ADDRESS", device_lost, within_bounds},
    {701, "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES", limit_exceeded, smaller_kernel},
    {702, "CUDA_ERROR_LAUNCH_TIMEOUT", device_lost,
     "let a launch do less: this device also draws the screen"},
    {709, "CUDA_ERROR_CONTEXT_IS_DESTROYED", device_lost, new_session},
    {710, "CUDA_ERROR_ASSERT", device_lost, new_session},
    {714, "CUDA_ERROR_HARDWARE_STACK_ERROR", device_lost, new_session},
    {715, "CUDA_ERROR_ILLEGAL_INSTRUCTION", device_lost, new_session},
    {716, "CUDA_ERROR_MISALIGNED_ADDRESS", device_lost, within_bounds},
    {717, "CUDA_ERROR_INVALID_ADDRESS_SPACE", device_lost, within_bounds},
    {718, "CUDA_ERROR_INVALID_PC", device_lost, new_session},
    {719, "CUDA_ERROR_LAUNCH_FAILED", device_lost, within_bounds},
    {720, "CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE", limit_exceeded, "dispatch fewer workgroups"},
    {721, "CUDA_ERROR_TENSOR_MEMORY_LEAK", device_lost, new_session},
    {801, "CUDA_ERROR_NOT_SUPPORTED", unsupported, newer_driver},
    {802, "CUDA_ERROR_SYSTEM_NOT_READY", unavailable, "start what the system needs (nvidia-fabricmanager)"},
    {803, "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH", unavailable, repair},
    {804, "CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE", unavailable,
     "take CUDA's compatibility libraries out of LD_LIBRARY_PATH"},
    {805, "CUDA_ERROR_MPS_CONNECTION_FAILED", unavailable,
     "start the MPS server, or stop its control daemon"},
    {806, "CUDA_ERROR_MPS_RPC_FAILURE", unavailable, "restart the MPS server"},
    {807, "CUDA_ERROR_MPS_SERVER_NOT_READY", unavailable, "wait for the MPS server"},
    {808, "CUDA_ERROR_MPS_MAX_CLIENTS_REACHED", unavailable, "end another client of the MPS server"},
    {809, "CUDA_ERROR_MPS_MAX_CONNECTIONS_REACHED", unavailable, "end another client of the MPS server"},
    {810, "CUDA_ERROR_MPS_CLIENT_TERMINATED", device_lost, new_session},
    {909, "CUDA_ERROR_TIMEOUT", timed_out, "wait longer"},
    {911, "CUDA_ERROR_EXTERNAL_DEVICE", device_lost, new_session},
    {999, "CUDA_ERROR_UNKNOWN", unavailable, repair},
};

}  // namespace

std::optional<Error> translate(CUresult result) {
    if (result == CUDA_SUCCESS) return std::nullopt;
    return native_error("CUDA", codes, result, "CUresult", newer_driver);
}

}  // namespace muster::cuda
