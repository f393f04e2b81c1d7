#include <array>
#include <cstddef>

#include <muster/foundation/ir/op_kind.hpp>
#include <muster/foundation/wgsl/print/print_ops.hpp>

namespace muster::wgsl {
namespace {

constexpr OpSpelling spelled(Op op, int operands) {
    const std::string_view text = spelling_of(op);
    if (text.empty()) return {op, Spelling::special, text};
    if (!is_operator(op)) return {op, Spelling::call, text};
    return {op, operands == 2 ? Spelling::infix : Spelling::prefix, text};
}

constexpr std::array<OpSpelling, op_count> table{{
#define MUSTER_OP(op, kind, operands, ...) spelled(Op::op, operands),
#include <muster/foundation/ir/op.def>
}};

}  // namespace

const OpSpelling& spelling(Op op) { return table[static_cast<std::size_t>(op)]; }

}  // namespace muster::wgsl
