#include <algorithm>
#include <iterator>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <muster/driver/c_table/dialect.hpp>
#include <muster/driver/c_text/c_atomics.hpp>

namespace muster::c_table {
namespace {

constexpr std::string_view parameters[] = {"memory", "lengths", "ids", "meet", "self"};

constexpr std::string_view head_of_both = R"(#include <math.h>
#include <stdbool.h>
#ifndef MUSTER_WORKGROUP
#define MUSTER_WORKGROUP static
#endif
)";

// CUDA's vectors, which texts in C++ use.
constexpr std::string_view head_of_cxx = R"(#define MUSTER_VECTORS(T, N, A) \
    struct alignas(2 * A) N##2 { T x, y; }; \
    struct N##3 { T x, y, z; }; \
    struct alignas(4 * A) N##4 { T x, y, z, w; }; \
    static inline N##2 make_##N##2(T x, T y) { return {x, y}; } \
    static inline N##3 make_##N##3(T x, T y, T z) { return {x, y, z}; } \
    static inline N##4 make_##N##4(T x, T y, T z, T w) { return {x, y, z, w}; }
MUSTER_VECTORS(float, float, 4)
MUSTER_VECTORS(int, int, 4)
MUSTER_VECTORS(unsigned, uint, 4)
MUSTER_VECTORS(short, short, 2)
MUSTER_VECTORS(unsigned short, ushort, 2)
MUSTER_VECTORS(signed char, char, 1)
MUSTER_VECTORS(unsigned char, uchar, 1)
#pragma GCC visibility push(hidden)
)";

}  // namespace

bool HostDialect::is_reserved(std::string_view name) const {
    return std::ranges::find(parameters, name) != std::end(parameters) || name.starts_with("MUSTER_");
}

c_text::Expression HostDialect::id(Builtin which, char axis) {
    const int row = which == Builtin::local_invocation_id ? 0 : which == Builtin::workgroup_id ? 1 : 2;
    return {fmt::format("ids[{}][{}]", row, axis - 'x')};
}

std::string HostDialect::barrier(Op) {
    meets_ = true;
    return "meet(self);";
}

std::string HostDialect::atomic(c_text::Kernel&, const c_text::AtomicCall& call) {
    const std::string called =
        fmt::format("{}_{}({}", info(call.op).name, info(call.scalar).name, call.address);
    return call.operands.empty() ? called + ")"
                                 : fmt::format("{}, {})", called, fmt::join(call.operands, ", "));
}

bool HostDialect::declare_binding(c_text::Kernel& kernel, const c_text::Binding& binding) {
    const std::string pointer = (binding.is_const ? "const " : "") + binding.type + "*";
    kernel.line(fmt::format("{0} {1} = ({0})memory[{2}];", pointer, binding.name, bindings_));
    if (!binding.length.empty())
        kernel.line(fmt::format("const unsigned {} = lengths[{}];", binding.length, bindings_));
    ++bindings_;
    return true;
}

void HostDialect::declare_workgroup(c_text::Kernel& kernel, VariableId variable) {
    const TypeId type = kernel.program().variable(variable).type;
    kernel.line(fmt::format("MUSTER_WORKGROUP {} {};", kernel.type_name(type), kernel.name(variable)));
}

std::string HostDialect::head(const c_text::Kernel&) {
    return fmt::format("{}{}{}", head_of_both, c_text::c_atomics,
                       language_ == c_text::Language::cpp ? head_of_cxx : "");
}

std::string HostDialect::signature(const c_text::Kernel&, const std::string& entry) {
    const std::string_view linkage =
        language_ == c_text::Language::cpp ? "#pragma GCC visibility pop\nextern \"C\" " : "";
    return fmt::format(
        "{}void {}(void* const* memory, const unsigned* lengths, const unsigned (*ids)[3], "
        "void (*meet)(void*), void* self) {{\n"
        "    (void)memory, (void)lengths, (void)ids, (void)meet, (void)self;\n",
        linkage, entry);
}

}  // namespace muster::c_table
