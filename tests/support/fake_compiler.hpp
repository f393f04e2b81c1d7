// fake_compiler.hpp - compiles for the fake driver: a program becomes a kernel that the interpreter runs, with
// the actual parameters of its launch.
//
//     FakeDriver fake;
//     CudaBackend backend({.instance = instance_of(fake), .compiler = fake_compiler(fake)});
//
// Parameters are laid out as lower() does it, or by rules of the fake's own, so that a test can choose their
// kind.
#pragma once

#include <string>

#include <support/fake_driver.hpp>

#include <muster/backend-cuda/backend.hpp>

namespace muster::test {

struct FakeCompilerOptions {
    std::string format = "cubin";     // or "ptx"
    std::string ptx_version = "9.0";  // the version of its PTX
    int static_shared_bytes = 0;      // of each kernel
    std::uint32_t dynamic_shared_bytes = 0;
    bool endless = false;                  // each kernel
    CUresult outcome = CUDA_SUCCESS;       // of each kernel
    bool lowered = false;                  // lay out parameters as lower() does; else
    std::uint32_t most_value_bytes = 256;  // the largest uniform passed by value
};

/// lower()'s description of the program for a dispatch, without the text.
cuda::CudaSource fake_source(const ValidProgram& program, std::uint32_t most_value_bytes);

/// `fake` and `options` outlive it; options may change.
cuda::Compiler fake_compiler(FakeDriver& fake, const FakeCompilerOptions& options);

}  // namespace muster::test
