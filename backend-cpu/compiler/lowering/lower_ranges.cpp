// A second body without bounds checks, for workgroups that meet the conditions of
// foundation/analysis/ranges/ranges.hpp; these are tested once per workgroup. In a grid of several axes many
// workgroups may lie at an edge, so there each subgroup of one that doesn't meet them tests its own.
#include <set>
#include <utility>

#include <muster/backend-cpu/compiler/lowering/lowering.hpp>

namespace muster::cpu {
namespace {

// Largest kernel, in nodes, that is built twice; larger ones, always with checks, would
// take too long to compile.
constexpr std::uint32_t most_nodes = 4000;
// Largest one whose subgroups test the conditions, which builds it once more.
constexpr std::uint32_t most_nodes_of_subgroups = 500;

// The invocations of a subgroup as a box, if all subgroups are equal ones.
std::optional<Extent3> box_of(Extent3 workgroup, std::uint32_t width) {
    if (workgroup.x % width == 0) return Extent3{width, 1, 1};
    if (width % workgroup.x != 0 || workgroup.y % (width / workgroup.x) != 0) return {};
    return Extent3{workgroup.x, width / workgroup.x, 1};
}

// True if the conditions concern several axes of workgroups.
bool has_several_axes(const Ranges& ranges) {
    std::set<std::uint32_t> axes;
    for (const RangeExpression& each : ranges.expressions())
        if (each.op == RangeOp::workgroup_low || each.op == RangeOp::workgroup_high) axes.insert(each.index);
    return axes.size() > 1;
}

}  // namespace

std::optional<bool> Lowering::decided(NodeId branch) const {
    if (branch == taken_by_all_) return true;
    for (const bool way : {true, false}) {
        const RangeKnown known = ranges_.decided(branch, way).known;
        if (known == RangeKnown::always || (assumes_ && known == RangeKnown::under_condition)) return way;
    }
    return {};
}

void Lowering::guarded_or_not() {
    if ((ranges_.conditions().empty() && geometry_.packed_workgroups == 1) || options_.options.unchecked ||
        program_.node_count() > most_nodes)
        return one_workgroup();
    in_two_bodies(all_assumed(workgroup_), [&] {
        std::optional<Ranges> own = assumes_ ? std::nullopt : ranges_of_subgroups();
        if (!own) return one_workgroup();
        std::swap(ranges_, *own);
        tests_subgroups_ = true;
        one_workgroup();
        tests_subgroups_ = false;
        std::swap(ranges_, *own);
    });
}

// Emits a body that relies on the conditions of ranges_, for where they hold, and one with checks.
void Lowering::in_two_bodies(llvm::Value* all_hold, llvm::function_ref<void()> emit_body) {
    llvm::BasicBlock *unguarded = block("unguarded"), *guarded = block("guarded");
    b_.CreateCondBr(all_hold, unguarded, guarded);
    b_.SetInsertPoint(unguarded);
    assumes_ = true;
    emit_body();
    b_.SetInsertPoint(guarded);
    assumes_ = false;
    slots_of_.clear();
    emit_body();
}

// The ranges of each subgroup's ids, if they are worth testing: a workgroup has several.
std::optional<Ranges> Lowering::ranges_of_subgroups() const {
    if (plan_.has_barriers() || geometry_.subgroups == 1 || geometry_.ragged ||
        geometry_.packed_workgroups > 1 || program_.node_count() > most_nodes_of_subgroups ||
        !has_several_axes(ranges_))
        return {};
    const auto box = box_of(program_.workgroup_size(), width_);
    if (!box) return {};
    Ranges made = analyse_ranges(program_, *box);
    if (!has_several_axes(made)) return {};
    return made;
}

Lowering::Box Lowering::subgroup_in_grid() {
    const Extent3 size = program_.workgroup_size(), box = *box_of(size, width_);
    const auto at = [&](std::size_t axis, std::uint32_t invocations, std::uint32_t of_box) {
        return b_.CreateAdd(b_.CreateMul(workgroup_[axis], word(invocations / of_box)),
                            b_.CreateUDiv(local_[axis], word(of_box)));
    };
    return {at(0, size.x, box.x), at(1, size.y, box.y), at(2, size.z, box.z)};
}

llvm::Value* Lowering::all_assumed(const Box& box) {
    std::vector<llvm::Value*> values;
    for (const RangeExpression& expression : ranges_.expressions())
        values.push_back(range_value(expression, values, box));
    llvm::Value* all = b_.getTrue();
    if (geometry_.packed_workgroups > 1)
        all = b_.CreateICmpEQ(packed_now_, word(geometry_.packed_workgroups));
    for (const RangeCondition& condition : ranges_.conditions())
        for (const RangeComparison& one : condition.all_of)
            all = b_.CreateAnd(all, b_.CreateICmpSLE(values[one.low.index], values[one.high.index]));
    return all;
}

// Clamps to +-range_limit, unless the expression's own bounds show that it stays within.
llvm::Value* Lowering::range_limited(llvm::Value* value, const RangeExpression& expression) {
    if (expression.low > -range_limit && expression.high < range_limit) return value;
    value = b_.CreateBinaryIntrinsic(llvm::Intrinsic::smin, value,
                                     b_.getInt64(static_cast<std::uint64_t>(range_limit)));
    return b_.CreateBinaryIntrinsic(llvm::Intrinsic::smax, value,
                                    b_.getInt64(static_cast<std::uint64_t>(-range_limit)));
}

llvm::Value* Lowering::entry_value(const RangeEntry& entry) {
    const std::uint32_t v = entry.variable.index;
    llvm::Value* there = b_.CreateICmpUGE(bytes_[v], b_.getInt64(entry.bytes_needed));
    llvm::Value* from = b_.CreateSelect(there, offset_pointer(data_[v], entry.offset), zeros_);
    llvm::Value* word = tagged(b_.CreateAlignedLoad(b_.getInt32Ty(), from, llvm::Align(4)), entry.variable);
    return entry.scalar == Scalar::i32 ? b_.CreateSExt(word, b_.getInt64Ty())
                                       : b_.CreateZExt(word, b_.getInt64Ty());
}

llvm::Value* Lowering::range_value(const RangeExpression& expression, std::span<llvm::Value* const> before,
                                   const Box& box) {
    const auto wide = [&](llvm::Value* word) { return b_.CreateZExt(word, b_.getInt64Ty()); };
    const auto of = [&](std::size_t k) { return before[expression.operands[k].index]; };
    llvm::Value* one = b_.getInt64(1);
    switch (expression.op) {
        case RangeOp::constant: return b_.getInt64(static_cast<std::uint64_t>(expression.value));
        case RangeOp::workgroup_low: return wide(box[expression.index]);
        case RangeOp::workgroup_high: {
            llvm::Value* low = wide(box[expression.index]);
            if (geometry_.packed_workgroups == 1 || expression.index != 0) return low;
            return b_.CreateSub(b_.CreateAdd(low, wide(packed_now_)), one);
        }
        case RangeOp::num_workgroups: return wide(grid_[expression.index]);
        case RangeOp::array_length: {
            const RangeArray& array = ranges_.arrays()[expression.index];
            llvm::Value* bytes = b_.CreateSub(bytes_[array.variable.index], b_.getInt64(array.offset));
            return b_.CreateUDiv(bytes, b_.getInt64(array.stride));
        }
        case RangeOp::entry_value: return entry_value(ranges_.entries()[expression.index]);
        case RangeOp::add: return range_limited(b_.CreateAdd(of(0), of(1)), expression);
        case RangeOp::sub: return range_limited(b_.CreateSub(of(0), of(1)), expression);
        case RangeOp::mul: {
            if (expression.low > -range_limit && expression.high < range_limit)
                return b_.CreateMul(of(0), of(1));
            llvm::Value* both =
                b_.CreateIntrinsic(llvm::Intrinsic::smul_with_overflow, {b_.getInt64Ty()}, {of(0), of(1)});
            llvm::Value* negative = b_.CreateICmpSLT(b_.CreateXor(of(0), of(1)), b_.getInt64(0));
            llvm::Value* most =
                b_.CreateSelect(negative, b_.getInt64(static_cast<std::uint64_t>(-range_limit)),
                                b_.getInt64(static_cast<std::uint64_t>(range_limit)));
            llvm::Value* product =
                b_.CreateSelect(b_.CreateExtractValue(both, 1), most, b_.CreateExtractValue(both, 0));
            return range_limited(product, expression);
        }
        case RangeOp::div:
            return b_.CreateSDiv(of(0), b_.CreateBinaryIntrinsic(llvm::Intrinsic::smax, of(1), one));
        case RangeOp::shift_right: return b_.CreateAShr(of(0), of(1));
        case RangeOp::min: return b_.CreateBinaryIntrinsic(llvm::Intrinsic::smin, of(0), of(1));
        case RangeOp::max: return b_.CreateBinaryIntrinsic(llvm::Intrinsic::smax, of(0), of(1));
        case RangeOp::select_le: return b_.CreateSelect(b_.CreateICmpSLE(of(0), of(1)), of(2), of(3));
    }
    return nullptr;
}

}  // namespace muster::cpu
