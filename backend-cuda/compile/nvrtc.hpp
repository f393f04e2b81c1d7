// nvrtc.hpp - opens NVIDIA's CUDA C++ compiler, libnvrtc, when it is first needed, and checks its calls.
//
//     const auto nvrtc = TRY(Nvrtc::process());
//     auto ptx = TRY(nvrtc->compile({.text = text, .name = "saxpy.cu", .options = {"--gpu-architecture=compute_75"}}));
//
// The library is looked for by its own names, newest first, in the system's library folders and then in the
// toolkit folder that muster was built with. Once opened it stays open; a failure to open it isn't cached.
// Needs no driver and no device. Threads: any.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <nvrtc.h>

#include <muster/driver/contract/device_info.hpp>
#include <muster/foundation/base/result.hpp>

namespace muster::cuda {

/// The NVRTC functions in use. A plain value, so that a test can substitute its own.
struct NvrtcTable {
    decltype(&nvrtcVersion) version = nullptr;
    decltype(&nvrtcGetErrorString) error_string = nullptr;
    decltype(&nvrtcGetNumSupportedArchs) arch_count = nullptr;
    decltype(&nvrtcGetSupportedArchs) archs = nullptr;
    decltype(&nvrtcCreateProgram) create = nullptr;
    decltype(&nvrtcDestroyProgram) destroy = nullptr;
    decltype(&nvrtcCompileProgram) compile = nullptr;
    decltype(&nvrtcGetProgramLogSize) log_size = nullptr;
    decltype(&nvrtcGetProgramLog) log = nullptr;
    decltype(&nvrtcGetPTXSize) ptx_size = nullptr;
    decltype(&nvrtcGetPTX) ptx = nullptr;
    decltype(&nvrtcGetCUBINSize) cubin_size = nullptr;
    decltype(&nvrtcGetCUBIN) cubin = nullptr;
};

class Nvrtc {
  public:
    struct Request {
        std::string text, name;  // the name appears in messages
        std::vector<std::string> options;
        bool cubin = false;  // else PTX
    };

    /// Errors: unavailable (no library can be opened, or it is older than CUDA 12).
    static Result<std::shared_ptr<const Nvrtc>> open(std::span<const std::string> libraries);
    static Result<std::shared_ptr<const Nvrtc>> create(const NvrtcTable& table);
    /// The process's instance, opened from the default libraries.
    static Result<std::shared_ptr<const Nvrtc>> process();

    /// Why process() can't open NVRTC, if so. Looks at files, and opens it only if it is missing there.
    static std::optional<Missing> missing();
    /// The same of these libraries.
    static std::optional<Missing> missing(std::span<const std::string> libraries);

    int major() const { return major_; }
    int minor() const { return minor_; }
    /// Architectures that NVRTC compiles for, ascending: 75 is sm_75.
    const std::vector<int>& archs() const { return archs_; }

    /// PTX as text, without its terminating zero, or a cubin. Errors: compile_failed,
    /// whose message is the log.
    Result<std::vector<std::byte>> compile(const Request& request) const;

  private:
    explicit Nvrtc(const NvrtcTable& table) : table_(table) {}
    Result<std::string> log(nvrtcProgram program) const;

    const NvrtcTable table_;
    int major_ = 0, minor_ = 0;
    std::vector<int> archs_;
};

}  // namespace muster::cuda
