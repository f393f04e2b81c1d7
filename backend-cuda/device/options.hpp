// options.hpp - what the backend works with: the process's driver and NVRTC, or a test's.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include <muster/driver/contract/artifact.hpp>
#include <muster/foundation/base/result.hpp>
#include <muster/foundation/validate/validate.hpp>

namespace muster::cuda {

class Instance;

/// For dispatch, on a device of this architecture ("sm_90") whose driver is for this CUDA (12040: 12.4): an artifact of
/// format "cubin" or "ptx" whose in_process is a CudaSource, without its text.
using Compiler = std::function<Result<Artifact>(const ValidProgram& program, const CompileOptions& options,
                                                const std::string& arch, int cuda_version)>;

/// For tests, which put a driver of their own into its place, and benchmarks.
struct CudaOptions {
    std::string id = "cuda";
    std::function<Result<std::shared_ptr<Instance>>()> instance = {};  // empty: the process's
    Compiler compiler = {};                                            // empty: NVRTC
    bool timestamps = true;                                            // device_ns is the device's own time
    bool cooperative = true;  // launches, for grid barriers; else the driver splits programs at them
};

}  // namespace muster::cuda
