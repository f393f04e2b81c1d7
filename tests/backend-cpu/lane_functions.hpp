// lane_functions.hpp - functions for tests of emit_operation: each applies one operation to `width` lanes of
// words. They are compiled for one machine and called.
//
//     LaneFunctions functions({.cpu = "x86-64-v3", .width = 8});
//     const std::size_t f = functions.add({.op = Op::div, .from = Scalar::u32, .to = Scalar::u32});
//     functions.compile();
//     functions.call(f, {a, b}, out);   // 8 words each
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <llvm/ExecutionEngine/Orc/LLJIT.h>

#include <muster/backend-cpu/compiler/lowering/lower_operation.hpp>

namespace muster::test {

struct Machine {
    std::string cpu;  // LLVM's name
    cpu::MachineTraits traits;
};
/// The machines whose code this machine can run, from the plainest on.
std::vector<Machine> machines();

struct LaneFunction {
    Op op;
    Scalar from, to;
    std::size_t operands = 2;
    std::optional<std::uint32_t> constant = {};  // replaces the last operand
};

using Arguments = std::array<const std::uint32_t*, 3>;

class LaneFunctions {
  public:
    LaneFunctions(const Machine& machine, std::uint32_t width, Precision precision);
    void add(const LaneFunction& function);  // functions are numbered from 0
    void compile();
    /// Reads and writes `width` words each, bool as 0 or 1.
    void call(std::size_t function, const Arguments& arguments, std::uint32_t* out) const {
        compiled_[function](arguments[0], arguments[1], arguments[2], out);
    }
    std::uint32_t width() const { return options_.width; }

  private:
    using Compiled = void (*)(const std::uint32_t*, const std::uint32_t*, const std::uint32_t*,
                              std::uint32_t*);
    cpu::LowerOptions options_;
    std::unique_ptr<llvm::orc::LLJIT> jit_;
    std::unique_ptr<llvm::LLVMContext> context_;
    std::unique_ptr<llvm::Module> module_;
    std::vector<Compiled> compiled_;
    std::size_t count_ = 0;
};

}  // namespace muster::test
