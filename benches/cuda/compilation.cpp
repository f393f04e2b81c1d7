// Our time to compile, beyond NVRTC's time for the same text with the same options. No GPU is needed.
#include <array>
#include <cstdlib>
#include <string>
#include <vector>

#include <dlfcn.h>
#include <fmt/core.h>
#include <nvrtc.h>

#include "bench.hpp"

namespace muster::bench {
namespace {

struct Nvrtc {
    decltype(&nvrtcCreateProgram) create = nullptr;
    decltype(&nvrtcCompileProgram) compile = nullptr;
    decltype(&nvrtcDestroyProgram) destroy = nullptr;
    decltype(&nvrtcGetCUBINSize) cubin_bytes = nullptr;
    decltype(&nvrtcGetCUBIN) cubin = nullptr;
};

/// False if there is no NVRTC.
bool open_nvrtc(Nvrtc& nvrtc) {
    void* library = nullptr;
    for (const char* name : {"libnvrtc.so.13", "libnvrtc.so.12", MUSTER_BENCH_TOOLKIT "/lib64/libnvrtc.so"})
        if (library == nullptr) library = dlopen(name, RTLD_NOW);
    if (library == nullptr) return false;
    const auto load = [&](const char* name, auto& function) {
        function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, name));
        return function != nullptr;
    };
    return load("nvrtcCreateProgram", nvrtc.create) && load("nvrtcCompileProgram", nvrtc.compile) &&
           load("nvrtcDestroyProgram", nvrtc.destroy) && load("nvrtcGetCUBINSize", nvrtc.cubin_bytes) &&
           load("nvrtcGetCUBIN", nvrtc.cubin);
}

void must_nvrtc(const char* call, nvrtcResult result) {
    if (result == NVRTC_SUCCESS) return;
    fmt::print(stderr, "{} fails: {}.\n", call, static_cast<int>(result));
    std::exit(1);
}

void compile(const Nvrtc& nvrtc, const std::string& text) {
    static constexpr std::array options{"-arch=sm_90",     "-fmad=false", "-prec-div=true",
                                        "-prec-sqrt=true", "-ftz=false",  "-std=c++17"};
    nvrtcProgram program = nullptr;
    must_nvrtc("nvrtcCreateProgram", nvrtc.create(&program, text.c_str(), "kernel.cu", 0, nullptr, nullptr));
    must_nvrtc("nvrtcCompileProgram",
               nvrtc.compile(program, static_cast<int>(options.size()), options.data()));
    std::size_t bytes = 0;
    must_nvrtc("nvrtcGetCUBINSize", nvrtc.cubin_bytes(program, &bytes));
    std::vector<char> cubin(bytes);
    must_nvrtc("nvrtcGetCUBIN", nvrtc.cubin(program, cubin.data()));
    nvrtc.destroy(&program);
}

}  // namespace

void print_compilation(int rounds) {
    Nvrtc nvrtc;
    if (!open_nvrtc(nvrtc)) {
        fmt::print("There is no NVRTC: compiling isn't measured.\n");
        return;
    }
    Session session = must(Session::open({.policy = {.backends = {{"cuda"}}}, .use_environment = false}));
    for (const char* path : {"examples/saxpy/saxpy.wgsl", "examples/kernels/matmul.wgsl"}) {
        const std::string source = read_text(path);
        const auto emit = [&](const char* format) {
            const ValidProgram program = must(validate(must(wgsl::parse(source))));
            return must(
                session.emit(program, {.backend = "cuda", .arch = "sm_90", .request = {.format = format}}));
        };
        const Artifact written = emit("cuda");
        const std::string text(reinterpret_cast<const char*>(written.bytes.data()), written.bytes.size());
        const Times times = time_in_turns(
            {{"muster", [&] { (void)emit("cubin"); }, {}}, {"NVRTC", [&] { compile(nvrtc, text); }, {}}},
            rounds);
        const double beyond = (times.seconds[0] - times.seconds[1]) * 1e3;
        fmt::print("| compile {} to a cubin | {:.2f} ms | {:.2f} ms | {:.2f} ms more | <= 2 ms more | {} |\n",
                   path, times.seconds[0] * 1e3, times.seconds[1] * 1e3, beyond,
                   beyond <= 2 ? "met" : "missed");
    }
}

}  // namespace muster::bench
