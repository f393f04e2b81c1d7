// c_dialect.hpp - C for the system's compiler. docs/ir.md shows the class as a small dialect.
#pragma once

#include <string>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <muster/driver/c_text/c_atomics.hpp>
#include <muster/driver/c_text/lower.hpp>

namespace muster::test {

using c_text::c_atomics;

// clang-format off
/// A kernel is a function that runs one invocation. Where `meet` is called, all of the workgroup have to meet: so they run on
/// threads, or on stacks that the host switches. Workgroup memory is static: one workgroup runs at a time.
class CDialect : public c_text::Dialect {
  public:
    bool is_reserved(std::string_view name) const override {  // parameters
        return name == "memory" || name == "lengths" || name == "ids" || name == "meet";
    }
    c_text::Expression id(Builtin which, char axis) override {
        const int row = which == Builtin::local_invocation_id ? 0 : which == Builtin::workgroup_id ? 1 : 2;
        return {fmt::format("ids[{}][{}]", row, axis - 'x')};
    }
    std::string barrier(Op) override { return "meet();"; }
    std::string atomic(c_text::Kernel&, const c_text::AtomicCall& call) override {
        const std::string called = fmt::format("{}_{}({}", info(call.op).name, info(call.scalar).name, call.address);
        return call.operands.empty() ? called + ")" : fmt::format("{}, {})", called, fmt::join(call.operands, ", "));
    }
    bool declare_binding(c_text::Kernel& kernel, const c_text::Binding& binding) override {
        const std::string pointer = (binding.is_const ? "const " : "") + binding.type + "*";
        kernel.line(fmt::format("{0} {1} = ({0})memory[{2}];", pointer, binding.name, bindings_));
        if (!binding.length.empty())
            kernel.line(fmt::format("const unsigned {} = lengths[{}];", binding.length, bindings_));
        ++bindings_;
        return true;
    }
    void declare_workgroup(c_text::Kernel& kernel, VariableId variable) override {
        const TypeId type = kernel.program().variable(variable).type;
        kernel.line(fmt::format("static {} {};", kernel.type_name(type), kernel.name(variable)));
    }
    std::string head(const c_text::Kernel&) override {
        return std::string("#include <math.h>\n#include <stdbool.h>\n") + c_atomics;
    }
    std::string signature(const c_text::Kernel&, const std::string& entry) override {
        return fmt::format("void {}(void* const* memory, const unsigned* lengths, const unsigned (*ids)[3], "
                           "void (*meet)(void)) {{\n", entry);
    }

  private:
    int bindings_ = 0;
};
// clang-format on

}  // namespace muster::test
