#include <array>
#include <cstddef>

#include <muster/foundation/wgsl/print/print_ops.hpp>

namespace muster::wgsl {
namespace {

using enum Spelling;

// clang-format off
constexpr std::array<OpSpelling, op_count> table{{
    {Op::constant, special, ""}, {Op::builtin, special, ""}, {Op::ref_variable, special, ""},
    {Op::ref_index, special, ""}, {Op::ref_member, special, ""},
    {Op::compose, special, ""}, {Op::extract, special, ""}, {Op::extract_dynamic, special, ""},
    {Op::swizzle, special, ""}, {Op::splat, special, ""}, {Op::select, call, "select"},
    {Op::add, infix, "+"}, {Op::sub, infix, "-"}, {Op::mul, infix, "*"}, {Op::div, infix, "/"},
    {Op::rem, infix, "%"}, {Op::neg, prefix, "-"}, {Op::abs, call, "abs"}, {Op::min, call, "min"},
    {Op::max, call, "max"}, {Op::floor, call, "floor"}, {Op::ceil, call, "ceil"},
    {Op::trunc, call, "trunc"}, {Op::round, call, "round"}, {Op::sqrt, call, "sqrt"},
    {Op::fma, call, "fma"},
    {Op::eq, infix, "=="}, {Op::ne, infix, "!="}, {Op::lt, infix, "<"}, {Op::le, infix, "<="},
    {Op::gt, infix, ">"}, {Op::ge, infix, ">="}, {Op::logical_not, prefix, "!"}, {Op::all, call, "all"},
    {Op::any, call, "any"},
    {Op::bit_and, infix, "&"}, {Op::bit_or, infix, "|"}, {Op::bit_xor, infix, "^"},
    {Op::bit_not, prefix, "~"}, {Op::shift_left, infix, "<<"}, {Op::shift_right, infix, ">>"},
    {Op::count_one_bits, call, "countOneBits"}, {Op::count_leading_zeros, call, "countLeadingZeros"},
    {Op::count_trailing_zeros, call, "countTrailingZeros"}, {Op::reverse_bits, call, "reverseBits"},
    {Op::convert, special, ""}, {Op::bitcast, special, ""},
    {Op::dot4_u8_packed, call, "dot4U8Packed"}, {Op::dot4_i8_packed, call, "dot4I8Packed"},
    {Op::exp, call, "exp"}, {Op::exp2, call, "exp2"}, {Op::log, call, "log"}, {Op::log2, call, "log2"},
    {Op::sin, call, "sin"}, {Op::cos, call, "cos"}, {Op::tan, call, "tan"}, {Op::asin, call, "asin"},
    {Op::acos, call, "acos"}, {Op::atan, call, "atan"}, {Op::atan2, call, "atan2"},
    {Op::sinh, call, "sinh"}, {Op::cosh, call, "cosh"}, {Op::tanh, call, "tanh"},
    {Op::asinh, call, "asinh"}, {Op::acosh, call, "acosh"}, {Op::atanh, call, "atanh"},
    {Op::pow, call, "pow"}, {Op::inverse_sqrt, call, "inverseSqrt"},
    {Op::declare, special, ""}, {Op::load, special, ""}, {Op::store, special, ""},
    {Op::array_length, call, "arrayLength"},
    {Op::atomic_load, call, "atomicLoad"}, {Op::atomic_store, call, "atomicStore"},
    {Op::atomic_add, call, "atomicAdd"}, {Op::atomic_sub, call, "atomicSub"},
    {Op::atomic_max, call, "atomicMax"}, {Op::atomic_min, call, "atomicMin"},
    {Op::atomic_and, call, "atomicAnd"}, {Op::atomic_or, call, "atomicOr"},
    {Op::atomic_xor, call, "atomicXor"}, {Op::atomic_exchange, call, "atomicExchange"},
    {Op::atomic_compare_exchange, call, "atomicCompareExchangeWeak"},
    {Op::if_, special, ""}, {Op::loop, special, ""}, {Op::switch_, special, ""}, {Op::scope, special, ""},
    {Op::break_, special, ""}, {Op::continue_, special, ""}, {Op::break_if, special, ""},
    {Op::return_, special, ""},
    {Op::workgroup_barrier, call, "workgroupBarrier"}, {Op::storage_barrier, call, "storageBarrier"},
    {Op::subgroup_ballot, call, "subgroupBallot"}, {Op::subgroup_shuffle, call, "subgroupShuffle"},
    {Op::subgroup_broadcast, call, "subgroupBroadcast"},
    {Op::subgroup_broadcast_first, call, "subgroupBroadcastFirst"},
    {Op::subgroup_shuffle_up, call, "subgroupShuffleUp"}, {Op::subgroup_shuffle_down, call, "subgroupShuffleDown"},
    {Op::subgroup_shuffle_xor, call, "subgroupShuffleXor"},
    {Op::subgroup_add, call, "subgroupAdd"}, {Op::subgroup_mul, call, "subgroupMul"},
    {Op::subgroup_min, call, "subgroupMin"}, {Op::subgroup_max, call, "subgroupMax"},
    {Op::subgroup_and, call, "subgroupAnd"}, {Op::subgroup_or, call, "subgroupOr"},
    {Op::subgroup_xor, call, "subgroupXor"},
    {Op::subgroup_inclusive_add, call, "subgroupInclusiveAdd"},
    {Op::subgroup_inclusive_mul, call, "subgroupInclusiveMul"},
    {Op::subgroup_exclusive_add, call, "subgroupExclusiveAdd"},
    {Op::subgroup_exclusive_mul, call, "subgroupExclusiveMul"},
    {Op::extension, special, ""},
}};
// clang-format on

constexpr bool in_enum_order() {
    for (std::size_t i = 0; i < table.size(); ++i)
        if (static_cast<std::size_t>(table[i].op) != i) return false;
    return true;
}
static_assert(in_enum_order());

}  // namespace

const OpSpelling& spelling(Op op) { return table[static_cast<std::size_t>(op)]; }

}  // namespace muster::wgsl
