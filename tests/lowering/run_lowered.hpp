// run_lowered.hpp - runs a program through the CPU backend's lowering, code generation and image, without a
// device.
//
// Bindings and scratch are guarded (guarded_memory.hpp), scratch isn't zero at first, and the grid runs in
// parts, as on a device of several threads.
#pragma once

#include <cstdint>
#include <memory>

#include <muster/backend-cpu/compiler/lowering/lower.hpp>
#include <muster/backend-cpu/compiler/output/build_image.hpp>
#include <muster/backend-cpu/native/image.hpp>
#include <muster/conformance/case.hpp>

namespace muster::test {

/// A kernel between lowering and optimisation: a test may change its module.
class Lowered {
  public:
    /// Expands a program as the driver does, and lowers it: for this machine, or for the oldest of its architecture. `width`:
    /// lanes; if the kernel `may_choose_width`, what is fastest by choose_width.hpp. Errors: those of lowering.
    static Result<Lowered> make(const ValidProgram& program, std::uint32_t width,
                                bool may_choose_width = false, bool for_this_machine = true);
    llvm::Module& module() { return *kernel_.module; }
    /// Builds the image. Call it once. Errors: those of the image.
    Result<cpu::MappedImage> build() &&;

  private:
    Lowered(cpu::CompileTarget target, cpu::Machine machine, std::uint32_t width);
    cpu::CompileTarget target_;
    cpu::Machine machine_;
    std::uint32_t width_;
    std::unique_ptr<llvm::LLVMContext> context_;
    cpu::LoweredKernel kernel_;  // destroyed before its context
};

/// The bindings' contents after the run. Errors: the case's; internal if the kernel wrote before a binding or
/// scratch.
Result<conformance::Outputs> run_image(const cpu::MappedImage& image, const conformance::Case& test,
                                       const ValidProgram& program);

/// Lowers, builds and runs.
Result<conformance::Outputs> run_lowered(const conformance::Case& test, const ValidProgram& program,
                                         std::uint32_t width, bool may_choose_width = false);

}  // namespace muster::test
