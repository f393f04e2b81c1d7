// options.hpp - the backend's dependencies: the process's driver and NVRTC, or a test's.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include <muster/driver/contract/artifact.hpp>
#include <muster/driver/contract/device_info.hpp>
#include <muster/foundation/base/result.hpp>
#include <muster/foundation/validate/validate.hpp>

namespace muster::cuda {

class Instance;

/// Compiles for dispatch on a device of this architecture ("sm_90") whose driver supports this CUDA version
/// (12040: 12.4). The artifact's format is "cubin" or "ptx"; its in_process is a CudaSource without its text.
using Compiler = std::function<Result<Artifact>(const ValidProgram& program, const CompileOptions& options,
                                                const std::string& arch, int cuda_version)>;

/// For benchmarks, and for tests that substitute a driver of their own.
struct CudaOptions {
    std::string id = "cuda";
    std::function<Result<std::shared_ptr<Instance>>()> instance = {};  // empty: the process's
    Compiler compiler = {};                                            // empty: NVRTC
    std::function<std::optional<Missing>()> missing_compiler = {};     // of `compiler`; empty: nothing
    bool timestamps = true;                                            // device_ns is measured by the device
    bool cooperative = true;  // launch grid barriers cooperatively; otherwise the driver splits programs
};

}  // namespace muster::cuda
