// build.hpp - from a program to a text, and from text to what a device runs: by its driver's compiler, or
// from the driver's binary of an earlier build.
//
//     const Builder builder{physical, context};
//     auto built = TRY(builder.from_text(text, options));
//     built = TRY(other_builder.from_binary_of(*built, options));     // another context: in milliseconds
//
// Threads: any.
#pragma once

#include <muster/backend-opencl/lowering/lower.hpp>
#include <muster/backend-opencl/native/physical_device.hpp>

namespace muster::opencl {

/// Lowers a program to an artifact for this target, "opencl:1.2", without data in process. Pure. Errors:
/// unsupported (operations that lower() doesn't accept).
Result<Artifact> artifact_of(const ValidProgram& program, const std::string& target, const LowerTarget& how);

/// The options of clBuildProgram. Exact mode: correctly rounded division, if the device promises it. Fast
/// mode: everything that doesn't assume away NaN and infinity.
std::string build_options(const CompileOptions& options, const Exactness& exactness);

/// A program as built for a device: an artifact's data in process.
struct Built {
    std::shared_ptr<const Api> api;  // outlives the program
    cl_context context = nullptr;
    UniqueProgram program{*api};
};

struct Builder {
    const PhysicalDevice& device;
    cl_context context;

    // Errors of both: compile_failed (with the compiler's log), out_of_memory.

    Result<std::shared_ptr<const Built>> from_text(std::string_view text,
                                                   const CompileOptions& options) const;
    /// Takes the driver's binary of a program in another context.
    Result<std::shared_ptr<const Built>> from_binary_of(const Built& other,
                                                        const CompileOptions& options) const;

  private:
    Result<std::shared_ptr<const Built>> build(std::shared_ptr<const Built> built,
                                               const CompileOptions& options) const;
    std::string log_of(const Built& built) const;
};

}  // namespace muster::opencl
