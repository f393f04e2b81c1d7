#include <algorithm>

#include <muster/foundation/ir/op.hpp>

namespace muster {
namespace {

using enum OpGroup;

// clang-format off
constexpr std::array<OpInfo, op_count> table{{
    {Op::constant, "constant", free, 0, true}, {Op::builtin, "builtin", free, 0, true},
    {Op::ref_variable, "ref_variable", free, 0, true}, {Op::ref_index, "ref_index", free, 2, true},
    {Op::ref_member, "ref_member", free, 1, true},

    {Op::compose, "compose", exact, -1, true}, {Op::extract, "extract", exact, 1, true},
    {Op::extract_dynamic, "extract_dynamic", exact, 2, true}, {Op::swizzle, "swizzle", exact, 1, true},
    {Op::splat, "splat", exact, 1, true}, {Op::select, "select", exact, 3, true},

    {Op::add, "add", exact, 2, true}, {Op::sub, "sub", exact, 2, true}, {Op::mul, "mul", exact, 2, true},
    {Op::div, "div", exact, 2, true}, {Op::rem, "rem", exact, 2, true}, {Op::neg, "neg", exact, 1, true},
    {Op::abs, "abs", exact, 1, true}, {Op::min, "min", exact, 2, true}, {Op::max, "max", exact, 2, true},
    {Op::floor, "floor", exact, 1, true}, {Op::ceil, "ceil", exact, 1, true}, {Op::trunc, "trunc", exact, 1, true},
    {Op::round, "round", exact, 1, true}, {Op::sqrt, "sqrt", exact, 1, true}, {Op::fma, "fma", exact, 3, true},

    {Op::eq, "eq", exact, 2, true}, {Op::ne, "ne", exact, 2, true}, {Op::lt, "lt", exact, 2, true},
    {Op::le, "le", exact, 2, true}, {Op::gt, "gt", exact, 2, true}, {Op::ge, "ge", exact, 2, true},
    {Op::logical_not, "logical_not", exact, 1, true}, {Op::all, "all", exact, 1, true},
    {Op::any, "any", exact, 1, true},

    {Op::bit_and, "bit_and", exact, 2, true}, {Op::bit_or, "bit_or", exact, 2, true},
    {Op::bit_xor, "bit_xor", exact, 2, true}, {Op::bit_not, "bit_not", exact, 1, true},
    {Op::shift_left, "shift_left", exact, 2, true}, {Op::shift_right, "shift_right", exact, 2, true},
    {Op::count_one_bits, "count_one_bits", exact, 1, true},
    {Op::count_leading_zeros, "count_leading_zeros", exact, 1, true},
    {Op::count_trailing_zeros, "count_trailing_zeros", exact, 1, true},
    {Op::reverse_bits, "reverse_bits", exact, 1, true},

    {Op::convert, "convert", exact, 1, true}, {Op::bitcast, "bitcast", exact, 1, true},

    {Op::dot4_u8_packed, "dot4_u8_packed", packed, 2, true},
    {Op::dot4_i8_packed, "dot4_i8_packed", packed, 2, true},

    {Op::exp, "exp", math, 1, true}, {Op::exp2, "exp2", math, 1, true}, {Op::log, "log", math, 1, true},
    {Op::log2, "log2", math, 1, true}, {Op::sin, "sin", math, 1, true}, {Op::cos, "cos", math, 1, true},
    {Op::tan, "tan", math, 1, true}, {Op::asin, "asin", math, 1, true}, {Op::acos, "acos", math, 1, true},
    {Op::atan, "atan", math, 1, true}, {Op::atan2, "atan2", math, 2, true}, {Op::sinh, "sinh", math, 1, true},
    {Op::cosh, "cosh", math, 1, true}, {Op::tanh, "tanh", math, 1, true}, {Op::asinh, "asinh", math, 1, true},
    {Op::acosh, "acosh", math, 1, true}, {Op::atanh, "atanh", math, 1, true}, {Op::pow, "pow", math, 2, true},
    {Op::inverse_sqrt, "inverse_sqrt", math, 1, true},

    {Op::declare, "declare", memory, -1, false}, {Op::load, "load", memory, 1, true},
    {Op::store, "store", memory, 2, false}, {Op::array_length, "array_length", memory, 1, true},

    {Op::atomic_load, "atomic_load", atomic, 1, false}, {Op::atomic_store, "atomic_store", atomic, 2, false},
    {Op::atomic_add, "atomic_add", atomic, 2, false}, {Op::atomic_sub, "atomic_sub", atomic, 2, false},
    {Op::atomic_max, "atomic_max", atomic, 2, false}, {Op::atomic_min, "atomic_min", atomic, 2, false},
    {Op::atomic_and, "atomic_and", atomic, 2, false}, {Op::atomic_or, "atomic_or", atomic, 2, false},
    {Op::atomic_xor, "atomic_xor", atomic, 2, false},
    {Op::atomic_exchange, "atomic_exchange", atomic, 2, false},
    {Op::atomic_compare_exchange, "atomic_compare_exchange", atomic, 3, false},

    {Op::if_, "if", control, 1, false}, {Op::loop, "loop", control, 0, false},
    {Op::switch_, "switch", control, 1, false}, {Op::scope, "scope", control, 0, false},
    {Op::break_, "break", control, 0, false}, {Op::continue_, "continue", control, 0, false},
    {Op::break_if, "break_if", control, 1, false}, {Op::return_, "return", control, 0, false},

    {Op::workgroup_barrier, "workgroup_barrier", sync, 0, false},
    {Op::storage_barrier, "storage_barrier", sync, 0, false},

    {Op::subgroup_ballot, "subgroup_ballot", subgroup, 1, true},
    {Op::subgroup_shuffle, "subgroup_shuffle", subgroup, 2, true},
    {Op::subgroup_broadcast, "subgroup_broadcast", subgroup, 2, true},
    {Op::subgroup_broadcast_first, "subgroup_broadcast_first", subgroup, 1, true},
    {Op::subgroup_shuffle_up, "subgroup_shuffle_up", subgroup, 2, true},
    {Op::subgroup_shuffle_down, "subgroup_shuffle_down", subgroup, 2, true},
    {Op::subgroup_shuffle_xor, "subgroup_shuffle_xor", subgroup, 2, true},
    {Op::subgroup_add, "subgroup_add", subgroup, 1, true},
    {Op::subgroup_mul, "subgroup_mul", subgroup, 1, true},
    {Op::subgroup_min, "subgroup_min", subgroup, 1, true},
    {Op::subgroup_max, "subgroup_max", subgroup, 1, true},
    {Op::subgroup_and, "subgroup_and", subgroup, 1, true},
    {Op::subgroup_or, "subgroup_or", subgroup, 1, true},
    {Op::subgroup_xor, "subgroup_xor", subgroup, 1, true},
    {Op::subgroup_inclusive_add, "subgroup_inclusive_add", subgroup, 1, true},
    {Op::subgroup_inclusive_mul, "subgroup_inclusive_mul", subgroup, 1, true},
    {Op::subgroup_exclusive_add, "subgroup_exclusive_add", subgroup, 1, true},
    {Op::subgroup_exclusive_mul, "subgroup_exclusive_mul", subgroup, 1, true},

    {Op::extension, "extension", OpGroup::extension, -1, false},
}};
// clang-format on

constexpr bool in_enum_order() {
    for (std::size_t i = 0; i < op_count; ++i) {
        if (static_cast<std::size_t>(table[i].op) != i) return false;
    }
    return true;
}
static_assert(in_enum_order());

}  // namespace

const OpInfo& info(Op op) { return table[static_cast<std::size_t>(op)]; }

std::optional<Op> op_by_name(std::string_view name) {
    for (const OpInfo& row : table) {
        if (row.name == name) return row.op;
    }
    return std::nullopt;
}

bool OpSet::contains(const OpSet& other) const {
    return (other.core & ~core).none() && std::ranges::includes(extensions, other.extensions);
}

OpSet& OpSet::insert(std::string_view extension) {
    auto place = std::ranges::lower_bound(extensions, extension);
    if (place == extensions.end() || *place != extension) extensions.emplace(place, extension);
    return *this;
}

OpSet& OpSet::insert(OpGroup group) {
    for (const OpInfo& row : table) {
        if (row.group == group) insert(row.op);
    }
    return *this;
}

std::vector<std::string> OpSet::missing(const OpSet& other) const {
    std::vector<std::string> names;
    for (const OpInfo& row : table) {
        if (other.contains(row.op) && !contains(row.op)) names.emplace_back(row.name);
    }
    std::ranges::set_difference(other.extensions, extensions, std::back_inserter(names));
    return names;
}

const OpSet& OpSet::all_exact() {
    static const OpSet set = [] {
        OpSet all = all_core();
        for (const OpInfo& row : table) {
            if (row.group == math) all.core.reset(static_cast<std::size_t>(row.op));
        }
        return all;
    }();
    return set;
}

const OpSet& OpSet::all_core() {
    static const OpSet set = [] {
        OpSet all;
        for (const OpInfo& row : table)
            if (row.group != packed && row.group != subgroup && row.group != OpGroup::extension)
                all.insert(row.op);
        return all;
    }();
    return set;
}

std::string_view name(Builtin builtin) {
    switch (builtin) {
        case Builtin::global_invocation_id: return "global_invocation_id";
        case Builtin::local_invocation_id: return "local_invocation_id";
        case Builtin::local_invocation_index: return "local_invocation_index";
        case Builtin::workgroup_id: return "workgroup_id";
        case Builtin::num_workgroups: return "num_workgroups";
        case Builtin::subgroup_invocation_id: return "subgroup_invocation_id";
        case Builtin::subgroup_size: return "subgroup_size";
        case Builtin::subgroup_id: return "subgroup_id";
        case Builtin::num_subgroups: return "num_subgroups";
    }
    return "unknown";
}

}  // namespace muster
