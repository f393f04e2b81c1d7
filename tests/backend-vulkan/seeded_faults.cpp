#include "backend-vulkan/seeded_faults.hpp"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <utility>

#include <spirv/unified1/GLSL.std.450.h>

namespace muster::vulkan::test {
namespace {

using spv::Op;

// True if the first operand is the result's type and the second the result; false if the first is the result.
bool has_typed_result(Op op) {
    bool has_result = false, has_type = false;
    spv::HasResultAndType(op, &has_result, &has_type);
    return has_result && has_type;
}

std::optional<std::uint32_t> result_of(const Instruction& one) {
    bool has_result = false, has_type = false;
    spv::HasResultAndType(one.op, &has_result, &has_type);
    if (!has_result) return std::nullopt;
    return one.operands[has_type ? 1 : 0];
}

Instead changed(Instruction one) { return std::vector{std::move(one)}; }
Instead nothing() { return std::vector<Instruction>{}; }

/// Replaces the instruction's result by this operand.
Instead its_operand(const Instruction& one, std::size_t which) {
    return changed({0, Op::OpCopyObject, {one.operands[0], one.operands[1], one.operands[which]}});
}

using Pairs = std::initializer_list<std::pair<Op, Op>>;

/// Replaces one operation of a pair by the other.
Instead exchange(const Instruction& one, Pairs pairs) {
    for (const auto& [a, b] : pairs) {
        if (one.op != a && one.op != b) continue;
        Instruction other = one;
        other.op = one.op == a ? b : a;
        return changed(other);
    }
    return std::nullopt;
}

Instead swap_operands(const Instruction& one, std::size_t a, std::size_t b) {
    if (one.operands[a] == one.operands[b]) return std::nullopt;
    Instruction other = one;
    std::swap(other.operands[a], other.operands[b]);
    return changed(other);
}

bool is_one_of(Op op, std::initializer_list<Op> all) { return std::ranges::find(all, op) != all.end(); }

// Order and comparison.

Instead other_order(const Module&, const Instruction& one) {
    return exchange(one, {{Op::OpULessThan, Op::OpSLessThan},
                          {Op::OpULessThanEqual, Op::OpSLessThanEqual},
                          {Op::OpUGreaterThan, Op::OpSGreaterThan},
                          {Op::OpUGreaterThanEqual, Op::OpSGreaterThanEqual}});
}
Instead other_strictness(const Module&, const Instruction& one) {
    return exchange(one, {{Op::OpULessThan, Op::OpULessThanEqual},
                          {Op::OpSLessThan, Op::OpSLessThanEqual},
                          {Op::OpUGreaterThan, Op::OpUGreaterThanEqual},
                          {Op::OpSGreaterThan, Op::OpSGreaterThanEqual},
                          {Op::OpFOrdLessThan, Op::OpFOrdLessThanEqual},
                          {Op::OpFOrdGreaterThan, Op::OpFOrdGreaterThanEqual}});
}
Instead other_answer_for_nan(const Module&, const Instruction& one) {
    return exchange(one, {{Op::OpFOrdEqual, Op::OpFUnordEqual},
                          {Op::OpFOrdNotEqual, Op::OpFUnordNotEqual},
                          {Op::OpFOrdLessThan, Op::OpFUnordLessThan},
                          {Op::OpFOrdLessThanEqual, Op::OpFUnordLessThanEqual},
                          {Op::OpFOrdGreaterThan, Op::OpFUnordGreaterThan},
                          {Op::OpFOrdGreaterThanEqual, Op::OpFUnordGreaterThanEqual}});
}
Instead other_equality(const Module&, const Instruction& one) {
    return exchange(one, {{Op::OpIEqual, Op::OpINotEqual},
                          {Op::OpFOrdEqual, Op::OpFUnordNotEqual},
                          {Op::OpLogicalEqual, Op::OpLogicalNotEqual}});
}

// Arithmetic.

Instead other_shift(const Module&, const Instruction& one) {
    return exchange(one, {{Op::OpShiftRightLogical, Op::OpShiftRightArithmetic}});
}
Instead other_division(const Module&, const Instruction& one) {
    return exchange(one, {{Op::OpSDiv, Op::OpUDiv}, {Op::OpSRem, Op::OpUMod}});
}
Instead other_conversion(const Module&, const Instruction& one) {
    return exchange(one, {{Op::OpConvertUToF, Op::OpConvertSToF}, {Op::OpConvertFToU, Op::OpConvertFToS}});
}
Instead other_sum(const Module&, const Instruction& one) {
    return exchange(one, {{Op::OpIAdd, Op::OpISub}, {Op::OpFAdd, Op::OpFSub}});
}
Instead other_bits(const Module&, const Instruction& one) {
    return exchange(one, {{Op::OpBitwiseAnd, Op::OpBitwiseOr}});
}
Instead sides_swapped(const Module&, const Instruction& one) {
    if (!is_one_of(one.op, {Op::OpISub, Op::OpFSub, Op::OpFDiv, Op::OpSDiv, Op::OpUDiv, Op::OpUMod,
                            Op::OpShiftLeftLogical, Op::OpShiftRightLogical, Op::OpShiftRightArithmetic}))
        return std::nullopt;
    return swap_operands(one, 2, 3);
}
Instead not_negated(const Module&, const Instruction& one) {
    if (!is_one_of(one.op, {Op::OpFNegate, Op::OpSNegate, Op::OpNot, Op::OpLogicalNot})) return std::nullopt;
    return its_operand(one, 2);
}

bool is_all(const Module& module, std::uint32_t id, std::uint32_t value) {
    if (const auto word = module.constant(id)) return *word == value;
    const Instruction* maker = module.maker(id);
    return maker && maker->op == Op::OpConstantComposite &&
           std::ranges::all_of(std::span(maker->operands).subspan(2),
                               [&](std::uint32_t part) { return module.constant(part) == value; });
}
Instead shift_not_masked(const Module& module, const Instruction& one) {
    if (one.op != Op::OpBitwiseAnd || !is_all(module, one.operands[3], 31)) return std::nullopt;
    return its_operand(one, 2);
}
Instead divisor_not_made_harmless(const Module& module, const Instruction& one) {
    if (!is_one_of(one.op, {Op::OpSDiv, Op::OpUDiv, Op::OpUMod})) return std::nullopt;
    const Instruction* select = module.maker(one.operands[3]);
    if (!select || select->op != Op::OpSelect) return std::nullopt;
    Instruction other = one;
    other.operands[3] = select->operands[4];
    return changed(other);
}
Instead may_be_contracted(const Module&, const Instruction& one) {
    const bool is_it = one.op == Op::OpDecorate &&
                       one.operands[1] == static_cast<std::uint32_t>(spv::Decoration::NoContraction);
    return is_it ? nothing() : std::nullopt;
}
Instead other_function(const Module&, const Instruction& one) {
    constexpr std::array<std::pair<GLSLstd450, GLSLstd450>, 6> pairs{
        {{GLSLstd450Floor, GLSLstd450Ceil},
         {GLSLstd450Trunc, GLSLstd450RoundEven},
         {GLSLstd450UMin, GLSLstd450UMax},
         {GLSLstd450SMin, GLSLstd450SMax},
         {GLSLstd450FindUMsb, GLSLstd450FindILsb},
         {GLSLstd450FAbs, GLSLstd450Trunc}}};
    if (one.op != Op::OpExtInst) return std::nullopt;
    for (const auto& [a, b] : pairs) {
        if (one.operands[3] != std::uint32_t{a} && one.operands[3] != std::uint32_t{b}) continue;
        Instruction other = one;
        other.operands[3] = one.operands[3] == std::uint32_t{a} ? b : a;
        return changed(other);
    }
    return std::nullopt;
}

// Values: selects, composites, constants.

Instead arms_swapped(const Module&, const Instruction& one) {
    return one.op == Op::OpSelect ? swap_operands(one, 3, 4) : std::nullopt;
}
Instead first_arm_always(const Module&, const Instruction& one) {
    return one.op == Op::OpSelect ? its_operand(one, 3) : std::nullopt;
}
Instead one_of_two_conditions(const Module&, const Instruction& one) {
    return is_one_of(one.op, {Op::OpLogicalAnd, Op::OpLogicalOr}) ? its_operand(one, 2) : std::nullopt;
}
Instead any_for_all(const Module&, const Instruction& one) {
    return exchange(one, {{Op::OpAny, Op::OpAll}, {Op::OpLogicalAnd, Op::OpLogicalOr}});
}
// For a guarded access, which yields the loaded value or a constant: the constant.
Instead value_of_one_path(const Module& module, const Instruction& one) {
    if (one.op != Op::OpPhi || one.operands.size() != 6) return std::nullopt;
    const Instruction* second = module.maker(one.operands[4]);
    // A constant, or a hidden constant.
    const bool is_known_before =
        second && is_one_of(second->op, {Op::OpConstant, Op::OpConstantNull, Op::OpConstantComposite,
                                         Op::OpConstantFalse, Op::OpCompositeConstruct, Op::OpBitcast});
    Instruction other = one;
    other.operands[is_known_before ? 2 : 4] = one.operands[is_known_before ? 4 : 2];
    return changed(other);
}
Instead other_element(const Module&, const Instruction& one) {
    if (one.op != Op::OpCompositeExtract) return std::nullopt;
    Instruction other = one;
    other.operands.back() ^= 1u;
    return changed(other);
}
Instead parts_swapped(const Module&, const Instruction& one) {
    if (one.op == Op::OpVectorShuffle && one.operands.size() > 5) return swap_operands(one, 4, 5);
    if (one.op == Op::OpCompositeConstruct && one.operands.size() > 3) return swap_operands(one, 2, 3);
    return std::nullopt;
}
Instead other_integer(const Module& module, const Instruction& one) {
    if (one.op != Op::OpConstant || module.is_float(one.operands[0])) return std::nullopt;
    if (module.is_used_by(one.operands[1], Op::OpTypeArray)) return std::nullopt;
    Instruction other = one;
    ++other.operands[2];
    return changed(other);
}
Instead other_sign_of_constant(const Module& module, const Instruction& one) {
    if (one.op != Op::OpConstant || !module.is_float(one.operands[0])) return std::nullopt;
    Instruction other = one;
    other.operands.back() ^= 0x80000000u;
    return changed(other);
}
Instead other_high_word(const Module&, const Instruction& one) {
    if (one.op != Op::OpConstant || one.operands.size() != 4) return std::nullopt;
    Instruction other = one;
    other.operands[3] ^= 1u;
    return changed(other);
}

// Memory.

Instead other_place(const Module& module, const Instruction& one) {
    if (one.op != Op::OpAccessChain) return std::nullopt;
    for (std::size_t i = 3; i < one.operands.size(); ++i) {
        const auto index = module.constant(one.operands[i]);
        if (!index) continue;
        const auto other = module.find_constant(module.maker(one.operands[i])->operands[0], *index ^ 1u);
        if (!other) continue;
        Instruction at = one;
        at.operands[i] = *other;
        return changed(at);
    }
    return std::nullopt;
}
Instead indices_swapped(const Module&, const Instruction& one) {
    if (one.op != Op::OpAccessChain || one.operands.size() < 5) return std::nullopt;
    return swap_operands(one, one.operands.size() - 2, one.operands.size() - 1);
}
Instead forgotten(const Module& module, const Instruction& one, std::initializer_list<spv::StorageClass> of) {
    if (one.op != Op::OpStore) return std::nullopt;
    const auto storage = module.storage(one.operands[0]);
    return storage && std::ranges::find(of, *storage) != of.end() ? nothing() : std::nullopt;
}
Instead own_store_forgotten(const Module& module, const Instruction& one) {
    return forgotten(module, one, {spv::StorageClass::Function, spv::StorageClass::Private});
}
Instead shared_store_forgotten(const Module& module, const Instruction& one) {
    return forgotten(module, one, {spv::StorageClass::Workgroup});
}
Instead storage_store_forgotten(const Module& module, const Instruction& one) {
    return forgotten(module, one, {spv::StorageClass::StorageBuffer, spv::StorageClass::Uniform});
}
Instead other_atomic(const Module&, const Instruction& one) {
    return exchange(one, {{Op::OpAtomicIAdd, Op::OpAtomicISub},
                          {Op::OpAtomicSMin, Op::OpAtomicSMax},
                          {Op::OpAtomicUMin, Op::OpAtomicUMax},
                          {Op::OpAtomicAnd, Op::OpAtomicOr},
                          {Op::OpAtomicXor, Op::OpAtomicExchange}});
}
Instead other_order_of_atomic(const Module&, const Instruction& one) {
    return exchange(one, {{Op::OpAtomicSMin, Op::OpAtomicUMin}, {Op::OpAtomicSMax, Op::OpAtomicUMax}});
}
Instead exchanged_whatever_is_there(const Module&, const Instruction& one) {
    if (one.op != Op::OpAtomicCompareExchange) return std::nullopt;
    const auto& all = one.operands;  // type, result, pointer, scope, equal, unequal, value, comparator
    return changed({0, Op::OpAtomicExchange, {all[0], all[1], all[2], all[3], all[4], all[6]}});
}

// Control.

Instead barrier_missed(const Module&, const Instruction& one) {
    return one.op == Op::OpControlBarrier ? nothing() : std::nullopt;
}
// Operands: condition, label if true, label if false.
bool ends_selection(const Module& module, const Instruction& one) {
    return one.op == Op::OpBranchConditional && &one != module.code().data() &&
           (&one - 1)->op == Op::OpSelectionMerge;
}
Instead lets_everything_through(const Module& module, const Instruction& one) {
    if (!ends_selection(module, one)) return std::nullopt;
    Instruction other = one;
    other.operands[2] = other.operands[1];
    return changed(other);
}
Instead branch_turned_round(const Module& module, const Instruction& one) {
    return ends_selection(module, one) ? swap_operands(one, 1, 2) : std::nullopt;
}
Instead end_of_loop_turned_round(const Module& module, const Instruction& one) {
    if (one.op != Op::OpBranchConditional || ends_selection(module, one)) return std::nullopt;
    return swap_operands(one, 1, 2);
}
Instead case_for_default(const Module&, const Instruction& one) {
    // Selector, default, then value and label of each case.
    return one.op == Op::OpSwitch && one.operands.size() > 3 ? swap_operands(one, 1, 3) : std::nullopt;
}
Instead case_of_another_value(const Module&, const Instruction& one) {
    if (one.op != Op::OpSwitch || one.operands.size() <= 3) return std::nullopt;
    Instruction other = one;
    other.operands[2] += 100;
    return changed(other);
}

// f16, integers of 8 and 16 bits, subgroups and views of buffers.

/// True if the id is the result of `op` with a constant second operand that `holds` is true for.
template <class Holds>
bool is_made_by(const Module& module, std::uint32_t id, Op op, Holds holds) {
    const Instruction* made = module.maker(id);
    return made && made->op == op && made->operands.size() == 4 && holds(made->operands[3]);
}

/// Rounding to f16 adds just under half of the last place, and 1 if the result would be odd.
Instead half_up_at_ties(const Module& module, const Instruction& one) {
    const auto is_bias = [&](std::uint32_t id) { return is_all(module, id, 0xfffu - 0x38000000u); };
    if (one.op != Op::OpIAdd || !is_made_by(module, one.operands[2], Op::OpIAdd, is_bias))
        return std::nullopt;
    return its_operand(one, 2);
}
Instead subnormal_half_as_normal(const Module& module, const Instruction& one) {
    const auto is_least = [&](std::uint32_t id) { return is_all(module, id, 0x38800000); };
    if (one.op != Op::OpSelect || !is_made_by(module, one.operands[2], Op::OpULessThan, is_least))
        return std::nullopt;
    return its_operand(one, 4);
}
Instead half_too_large_kept(const Module& module, const Instruction& one) {
    if (one.op != Op::OpSelect || !is_all(module, one.operands[3], 0x7c00)) return std::nullopt;
    return its_operand(one, 4);
}
Instead not_cut_to_narrow(const Module& module, const Instruction& one) {
    const auto is_mask = [&](std::uint32_t id) {
        return is_all(module, id, 0xff) || is_all(module, id, 0xffff);
    };
    if (one.op == Op::OpBitwiseAnd && is_mask(one.operands[3])) return its_operand(one, 2);
    const auto is_count = [&](std::uint32_t id) { return is_all(module, id, 24) || is_all(module, id, 16); };
    if (one.op != Op::OpShiftRightArithmetic ||
        !is_made_by(module, one.operands[2], Op::OpShiftLeftLogical, is_count))
        return std::nullopt;
    Instruction other = one;
    other.op = Op::OpCopyObject;
    other.operands = {one.operands[0], one.operands[1], module.maker(one.operands[2])->operands[2]};
    return changed(other);
}
Instead narrow_takes_other_sign(const Module&, const Instruction& one) {
    return exchange(one, {{Op::OpUConvert, Op::OpSConvert}});
}
Instead everyone_votes(const Module& module, const Instruction& one) {
    if (one.op != Op::OpGroupNonUniformBallot) return std::nullopt;
    for (const Instruction& other : module.code()) {
        if (other.op != Op::OpConstantTrue || other.operands[1] == one.operands[3]) continue;
        Instruction ballot = one;
        ballot.operands[3] = other.operands[1];
        return changed(ballot);
    }
    return std::nullopt;
}
Instead shuffle_of_own_value(const Module&, const Instruction& one) {
    return one.op == Op::OpGroupNonUniformShuffle ? its_operand(one, 3) : std::nullopt;
}
Instead view_not_aligned(const Module& module, const Instruction& one) {
    if (one.op != Op::OpBitwiseAnd) return std::nullopt;
    const bool rounds_down = is_all(module, one.operands[3], ~7u) || is_all(module, one.operands[3], ~15u);
    return rounds_down ? its_operand(one, 2) : std::nullopt;
}
/// A view of n bytes fits at an offset of at most size - n.
Instead view_ends_behind_buffer(const Module& module, const Instruction& one) {
    const auto is_constant = [&](std::uint32_t id) { return module.constant(id).has_value(); };
    if (one.op != Op::OpULessThanEqual || !is_made_by(module, one.operands[3], Op::OpISub, is_constant))
        return std::nullopt;
    Instruction other = one;
    other.operands[3] = module.maker(one.operands[3])->operands[2];
    return changed(other);
}

// The interface.

bool decorates(const Instruction& one, spv::Decoration decoration) {
    return one.op == Op::OpDecorate && one.operands[1] == static_cast<std::uint32_t>(decoration);
}
Instead other_builtin(const Module&, const Instruction& one) {
    if (!decorates(one, spv::Decoration::BuiltIn)) return std::nullopt;
    constexpr auto group = static_cast<std::uint32_t>(spv::BuiltIn::WorkgroupId),
                   local = static_cast<std::uint32_t>(spv::BuiltIn::LocalInvocationId),
                   global = static_cast<std::uint32_t>(spv::BuiltIn::GlobalInvocationId);
    Instruction other = one;
    std::uint32_t& builtin = other.operands[2];
    if (builtin != group && builtin != local && builtin != global) return std::nullopt;
    builtin = builtin == local ? group : local;
    return changed(other);
}
Instead axes_swapped(const Module&, const Instruction& one) {
    if (one.op != Op::OpExecutionMode ||
        one.operands[1] != static_cast<std::uint32_t>(spv::ExecutionMode::LocalSize))
        return std::nullopt;
    return swap_operands(one, 2, 3);
}
Instead other_stride(const Module&, const Instruction& one) {
    if (!decorates(one, spv::Decoration::ArrayStride)) return std::nullopt;
    Instruction other = one;
    other.operands[2] *= 2;
    return changed(other);
}
Instead other_offset(const Module&, const Instruction& one) {
    if (one.op != Op::OpMemberDecorate ||
        one.operands[2] != static_cast<std::uint32_t>(spv::Decoration::Offset))
        return std::nullopt;
    Instruction other = one;
    other.operands[3] += 16;
    return changed(other);
}
Instead other_binding(const Module&, const Instruction& one) {
    if (!decorates(one, spv::Decoration::Binding)) return std::nullopt;
    Instruction other = one;
    other.operands[2] ^= 1u;
    return changed(other);
}

constexpr std::array<FaultKind, 53> kinds{{
    {"a signed comparison for an unsigned one, or the other way", other_order},
    {"< for <=, or the other way", other_strictness},
    {"another answer where a side is NaN", other_answer_for_nan},
    {"== for !=, or the other way", other_equality},
    {"a signed shift, or an unsigned one", other_shift},
    {"a signed division, or an unsigned one", other_division},
    {"a signed conversion, or an unsigned one", other_conversion},
    {"+ for -, or the other way", other_sum},
    {"& for |, or the other way", other_bits},
    {"sides of an operation swapped", sides_swapped},
    {"a negation left out", not_negated},
    {"a shift's count not masked", shift_not_masked, "lavapipe masks the counts of shifts itself"},
    {"a divisor that isn't made harmless", divisor_not_made_harmless},
    {"arithmetic that may be contracted", may_be_contracted, "lavapipe contracts nothing"},
    {"another function, as ceil for floor", other_function},
    {"arms of a select swapped", arms_swapped},
    {"a select's first arm always", first_arm_always},
    {"one of two conditions left out", one_of_two_conditions},
    {"any for all, or the other way", any_for_all},
    {"the same value from either path", value_of_one_path},
    {"another element of a value", other_element},
    {"parts of a value swapped", parts_swapped},
    {"an integer constant one greater", other_integer},
    {"a float constant's sign", other_sign_of_constant},
    {"a high word of a constant", other_high_word},
    {"another place: a constant index", other_place},
    {"indices swapped", indices_swapped},
    {"a store to a variable of the invocation's left out", own_store_forgotten},
    {"a store to workgroup memory left out", shared_store_forgotten},
    {"a store to storage left out", storage_store_forgotten},
    {"another atomic operation", other_atomic},
    {"an atomic of the other signedness", other_order_of_atomic},
    {"an exchange that compares nothing", exchanged_whatever_is_there},
    {"a barrier missed", barrier_missed},
    {"a guard that lets everything through", lets_everything_through},
    {"a branch turned round", branch_turned_round},
    {"the end of a loop turned round", end_of_loop_turned_round},
    {"a switch's first case for its default", case_for_default},
    {"a switch's case of another value", case_of_another_value},
    {"another built-in value", other_builtin},
    {"a workgroup's axes swapped", axes_swapped},
    {"another stride of an array", other_stride},
    {"another offset of a member", other_offset},
    {"another binding", other_binding},
    {"an f16 between two others rounded up", half_up_at_ties},
    {"a subnormal f16 rounded as a normal one", subnormal_half_as_normal},
    {"a number too large for f16 not made infinite", half_too_large_kept},
    {"an integer not cut to its 8 or 16 bits", not_cut_to_narrow},
    {"an integer of 8 or 16 bits of the other sign", narrow_takes_other_sign},
    {"a ballot in which every invocation votes", everyone_votes},
    {"a shuffle of the invocation's own value", shuffle_of_own_value},
    {"an offset of a view not rounded down", view_not_aligned},
    {"a view that ends behind its buffer", view_ends_behind_buffer},
}};

}  // namespace

Module::Module(std::span<const std::uint32_t> words)
    : header_(words.begin(), words.begin() + 5), code_(instructions(words)) {
    for (std::size_t at = 0; at < code_.size(); ++at)
        if (const auto result = result_of(code_[at])) makers_.emplace(*result, at);
}

const Instruction* Module::maker(std::uint32_t id) const {
    const auto found = makers_.find(id);
    return found == makers_.end() ? nullptr : &code_[found->second];
}

std::optional<spv::StorageClass> Module::storage(std::uint32_t pointer) const {
    const Instruction* made = maker(pointer);
    if (!made || !has_typed_result(made->op)) return std::nullopt;
    const Instruction* type = maker(made->operands[0]);
    if (!type || type->op != Op::OpTypePointer) return std::nullopt;
    return spv::StorageClass(type->operands[1]);
}

std::optional<std::uint32_t> Module::constant(std::uint32_t id) const {
    const Instruction* made = maker(id);
    if (!made || made->op != Op::OpConstant) return std::nullopt;
    return made->operands[2];
}

bool Module::is_float(std::uint32_t type) const {
    const Instruction* made = maker(type);
    return made && made->op == Op::OpTypeFloat;
}

bool Module::is_used_by(std::uint32_t id, spv::Op op) const {
    return std::ranges::any_of(code_, [&](const Instruction& one) {
        return one.op == op && std::ranges::find(one.operands, id) != one.operands.end();
    });
}

std::optional<std::uint32_t> Module::find_constant(std::uint32_t type, std::uint32_t value) const {
    for (const Instruction& one : code_)
        if (one.op == Op::OpConstant && one.operands[0] == type && one.operands[2] == value)
            return one.operands[1];
    return std::nullopt;
}

std::vector<std::uint32_t> Module::with(std::size_t at, std::span<const Instruction> instead) const {
    std::vector<std::uint32_t> words = header_;
    const auto put = [&](const Instruction& one) {
        words.push_back(static_cast<std::uint32_t>(one.operands.size() + 1) << spv::WordCountShift |
                        static_cast<std::uint32_t>(one.op));
        words.insert(words.end(), one.operands.begin(), one.operands.end());
    };
    for (std::size_t i = 0; i < code_.size(); ++i)
        if (i != at)
            put(code_[i]);
        else
            std::ranges::for_each(instead, put);
    return words;
}

std::span<const FaultKind> fault_kinds() { return kinds; }

std::vector<std::size_t> places(const FaultKind& kind, const Module& module) {
    std::vector<std::size_t> all;
    for (std::size_t at = 0; at < module.code().size(); ++at)
        if (kind.at(module, module[at])) all.push_back(at);
    return all;
}

std::vector<std::uint32_t> planted(const FaultKind& kind, const Module& module, std::size_t place) {
    return module.with(place, *kind.at(module, module[place]));
}

}  // namespace muster::vulkan::test
