// run_lowered.hpp - a program through the CPU backend's lowering, code generation and image, without a device.
//
// Bindings and scratch are guarded (guarded_memory.hpp), scratch isn't zero at first, and the grid is run in pieces, as
// on a device of several threads.
#pragma once

#include <cstdint>
#include <memory>

#include <muster/backend-cpu/compiler/lowering/lower.hpp>
#include <muster/backend-cpu/compiler/output/build_image.hpp>
#include <muster/backend-cpu/native/image.hpp>

#include "conformance/case.hpp"

namespace muster::test {

/// A kernel between lowering and optimisation: a test may change its module.
class Lowered {
  public:
    /// `width`: lanes, or, where the kernel `may_be_narrower`, as many as a row has. Errors: of lowering.
    static Result<Lowered> make(const ValidProgram& program, std::uint32_t width,
                                bool may_be_narrower = false);
    llvm::Module& module() { return *kernel_.module; }
    /// Errors: of the image. Once.
    Result<cpu::MappedImage> build() &&;

  private:
    Lowered(cpu::Machine machine, std::uint32_t width);
    cpu::Machine machine_;
    std::uint32_t width_;
    std::unique_ptr<llvm::LLVMContext> context_;
    cpu::LoweredKernel kernel_;  // goes before its context
};

/// What each binding holds afterwards. Errors: the case's; internal where the kernel wrote before a binding or scratch.
Result<conformance::Outputs> run_image(const cpu::MappedImage& image, const conformance::Case& test,
                                       const ValidProgram& program);

/// All of that.
Result<conformance::Outputs> run_lowered(const conformance::Case& test, const ValidProgram& program,
                                         std::uint32_t width, bool may_be_narrower = false);

}  // namespace muster::test
