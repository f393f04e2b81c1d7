// nvrtc.hpp - NVIDIA's compiler of CUDA C++, libnvrtc, opened when it is first needed; and its door.
//
//     const auto nvrtc = TRY(Nvrtc::process());
//     auto ptx = TRY(nvrtc->compile({.text = text, .name = "saxpy.cu", .options = {"--gpu-architecture=compute_75"}}));
//
// Looked for under its own names, newest first, wherever the system has libraries, and where the toolkit was when muster was
// built. Once opened it stays open; that there is none isn't remembered. Needs no driver and no device. Threads: any.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <nvrtc.h>

#include <muster/foundation/base/result.hpp>

namespace muster::cuda {

/// The functions that are called. A value, so that a test can put its own in their place.
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
        std::string text, name;  // the name stands in messages
        std::vector<std::string> options;
        bool cubin = false;  // else PTX
    };

    /// Errors: unavailable, where no library can be opened, or it is older than CUDA 12.
    static Result<std::shared_ptr<const Nvrtc>> open(std::span<const std::string> libraries);
    static Result<std::shared_ptr<const Nvrtc>> create(const NvrtcTable& table);
    /// The process's: of the libraries that are looked for.
    static Result<std::shared_ptr<const Nvrtc>> process();

    int major() const { return major_; }
    int minor() const { return minor_; }
    /// 75 for sm_75; ordered. What it compiles for.
    const std::vector<int>& archs() const { return archs_; }

    /// PTX as text, without the zero at its end, or a cubin. Errors: compile_failed, whose message is the log.
    Result<std::vector<std::byte>> compile(const Request& request) const;

  private:
    explicit Nvrtc(const NvrtcTable& table) : table_(table) {}
    Result<std::string> log(nvrtcProgram program) const;

    const NvrtcTable table_;
    int major_ = 0, minor_ = 0;
    std::vector<int> archs_;
};

}  // namespace muster::cuda
