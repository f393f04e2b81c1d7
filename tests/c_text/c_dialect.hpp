// c_dialect.hpp - C for the system's compiler. docs/ir.md shows the class as a small dialect.
#pragma once

#include <string>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <muster/driver/c_text/lower.hpp>

namespace muster::test {

/// Atomic operations of one thread.
constexpr const char* c_atomics = R"(
#define ATOMIC(NAME, VALUE) \
    static inline int NAME##_i32(int* at, int a) { const int old = *at; *at = VALUE; return old; } \
    static inline unsigned NAME##_u32(unsigned* at, unsigned a) { const unsigned old = *at; *at = VALUE; return old; }
ATOMIC(atomic_add, (unsigned)old + (unsigned)a)
ATOMIC(atomic_sub, (unsigned)old - (unsigned)a)
ATOMIC(atomic_min, a < old ? a : old)
ATOMIC(atomic_max, a > old ? a : old)
ATOMIC(atomic_and, old & a)
ATOMIC(atomic_or, old | a)
ATOMIC(atomic_xor, old ^ a)
ATOMIC(atomic_exchange, a)
static inline int atomic_compare_exchange_i32(int* at, int expected, int a) {
    const int old = *at;
    if (old == expected) *at = a;
    return old;
}
static inline unsigned atomic_compare_exchange_u32(unsigned* at, unsigned expected, unsigned a) {
    const unsigned old = *at;
    if (old == expected) *at = a;
    return old;
}
)";

// clang-format off
/// A kernel is a function that runs one invocation. For programs without workgroup memory and barriers.
class CDialect : public c_text::Dialect {
  public:
    bool is_reserved(std::string_view name) const override {  // parameters
        return name == "memory" || name == "lengths" || name == "ids";
    }
    c_text::Expression id(Builtin which, char axis) override {
        const int row = which == Builtin::local_invocation_id ? 0 : which == Builtin::workgroup_id ? 1 : 2;
        return {fmt::format("ids[{}][{}]", row, axis - 'x')};
    }
    std::string barrier(Op) override { return ""; }
    std::string atomic(c_text::Kernel&, const c_text::AtomicCall& call) override {
        if (call.op == Op::atomic_load) return "*" + call.address;
        if (call.op == Op::atomic_store) return "*" + call.address + " = " + call.operands[0];
        return fmt::format("{}_{}({}, {})", info(call.op).name, info(call.scalar).name, call.address,
                           fmt::join(call.operands, ", "));
    }
    bool declare_binding(c_text::Kernel& kernel, const c_text::Binding& binding) override {
        const std::string pointer = (binding.is_const ? "const " : "") + binding.type + "*";
        kernel.line(fmt::format("{0} {1} = ({0})memory[{2}];", pointer, binding.name, bindings_));
        if (!binding.length.empty())
            kernel.line(fmt::format("const unsigned {} = lengths[{}];", binding.length, bindings_));
        ++bindings_;
        return true;
    }
    std::string head(const c_text::Kernel&) override {
        return std::string("#include <math.h>\n#include <stdbool.h>\n") + c_atomics;
    }
    std::string signature(const c_text::Kernel&, const std::string& entry) override {
        return fmt::format("void {}(void* const* memory, const unsigned* lengths, const unsigned (*ids)[3]) {{\n", entry);
    }

  private:
    int bindings_ = 0;
};
// clang-format on

}  // namespace muster::test
