#include <set>
#include <utility>

#include <muster/backend-cpu/compiler/lowering/assumptions.hpp>

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

bool Assumptions::is_proven(NodeId access) const {
    return options_.options.unchecked || holds(ranges_.in_bounds(access).known);
}

std::optional<bool> Assumptions::decided(NodeId branch) const {
    if (branch == taken_by_all_) return true;
    for (const bool way : {true, false})
        if (holds(ranges_.decided(branch, way).known)) return way;
    return {};
}

void Assumptions::around_workgroup(llvm::function_ref<void()> emit_body) {
    if ((ranges_.conditions().empty() && geometry_.packed_workgroups == 1) || options_.options.unchecked ||
        program_.node_count() > most_nodes)
        return emit_body();
    in_two_bodies(all_hold(position_.workgroup), [&] {
        std::optional<Ranges> own = assumed_ ? std::nullopt : ranges_of_subgroups();
        if (!own) return emit_body();
        std::swap(ranges_, *own);
        tests_subgroups_ = true;
        emit_body();
        tests_subgroups_ = false;
        std::swap(ranges_, *own);
    });
}

void Assumptions::around_subgroup(llvm::function_ref<void()> emit_body) {
    if (!tests_subgroups_) return emit_body();
    in_two_bodies(all_hold(subgroup_in_grid()), emit_body);
}

void Assumptions::in_two_bodies(Value* all_hold, llvm::function_ref<void()> emit_body) {
    BasicBlock *unguarded = b_.block("unguarded"), *guarded = b_.block("guarded");
    b_.CreateCondBr(all_hold, unguarded, guarded);
    b_.SetInsertPoint(unguarded);
    assumed_ = true;
    emit_body();
    b_.SetInsertPoint(guarded);
    assumed_ = false;
    emit_body();
}

// Ranges under conditions on a subgroup; none if they aren't worth testing, as for a
// workgroup of one subgroup.
std::optional<Ranges> Assumptions::ranges_of_subgroups() const {
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

Assumptions::Box Assumptions::subgroup_in_grid() {
    const Extent3 size = program_.workgroup_size(), box = *box_of(size, width_);
    const auto at = [&](std::size_t axis, std::uint32_t invocations, std::uint32_t of_box) {
        return b_.CreateAdd(b_.CreateMul(position_.workgroup[axis], b_.word(invocations / of_box)),
                            b_.CreateUDiv(position_.local[axis], b_.word(of_box)));
    };
    return {at(0, size.x, box.x), at(1, size.y, box.y), at(2, size.z, box.z)};
}

Value* Assumptions::all_hold(const Box& box) {
    std::vector<Value*> values;
    for (const RangeExpression& expression : ranges_.expressions())
        values.push_back(value_of(expression, values, box));
    Value* all = b_.getTrue();
    if (geometry_.packed_workgroups > 1)
        all = b_.CreateICmpEQ(position_.packed, b_.word(geometry_.packed_workgroups));
    for (const RangeCondition& condition : ranges_.conditions())
        for (const RangeComparison& one : condition.all_of)
            all = b_.CreateAnd(all, b_.CreateICmpSLE(values[one.low.index], values[one.high.index]));
    return all;
}

// Clamps to +-range_limit, unless the expression's own bounds show that it stays within.
Value* Assumptions::limited(Value* value, const RangeExpression& expression) {
    if (expression.low > -range_limit && expression.high < range_limit) return value;
    value = b_.CreateBinaryIntrinsic(llvm::Intrinsic::smin, value,
                                     b_.getInt64(static_cast<std::uint64_t>(range_limit)));
    return b_.CreateBinaryIntrinsic(llvm::Intrinsic::smax, value,
                                    b_.getInt64(static_cast<std::uint64_t>(-range_limit)));
}

Value* Assumptions::value_of(const RangeEntry& entry) {
    Value* there = b_.CreateICmpUGE(shared_.size_of(entry.variable), b_.getInt64(entry.bytes_needed));
    Value* from = b_.CreateSelect(there, shared_.at(entry.variable, entry.offset), shared_.zeros());
    Value* word = shared_.tagged(b_.CreateAlignedLoad(b_.getInt32Ty(), from, llvm::Align(4)), entry.variable);
    return entry.scalar == Scalar::i32 ? b_.CreateSExt(word, b_.getInt64Ty())
                                       : b_.CreateZExt(word, b_.getInt64Ty());
}

Value* Assumptions::value_of(const RangeExpression& expression, std::span<Value* const> before,
                             const Box& box) {
    const auto wide = [&](Value* word) { return b_.CreateZExt(word, b_.getInt64Ty()); };
    const auto of = [&](std::size_t k) { return before[expression.operands[k].index]; };
    Value* one = b_.getInt64(1);
    switch (expression.op) {
        case RangeOp::constant: return b_.getInt64(static_cast<std::uint64_t>(expression.value));
        case RangeOp::workgroup_low: return wide(box[expression.index]);
        case RangeOp::workgroup_high: {
            Value* low = wide(box[expression.index]);
            if (geometry_.packed_workgroups == 1 || expression.index != 0) return low;
            return b_.CreateSub(b_.CreateAdd(low, wide(position_.packed)), one);
        }
        case RangeOp::num_workgroups: return wide(position_.grid[expression.index]);
        case RangeOp::array_length: {
            const RangeArray& array = ranges_.arrays()[expression.index];
            Value* bytes = b_.CreateSub(shared_.size_of(array.variable), b_.getInt64(array.offset));
            return b_.CreateUDiv(bytes, b_.getInt64(array.stride));
        }
        case RangeOp::entry_value: return value_of(ranges_.entries()[expression.index]);
        case RangeOp::add: return limited(b_.CreateAdd(of(0), of(1)), expression);
        case RangeOp::sub: return limited(b_.CreateSub(of(0), of(1)), expression);
        case RangeOp::mul: {
            if (expression.low > -range_limit && expression.high < range_limit)
                return b_.CreateMul(of(0), of(1));
            Value* both =
                b_.CreateIntrinsic(llvm::Intrinsic::smul_with_overflow, {b_.getInt64Ty()}, {of(0), of(1)});
            Value* negative = b_.CreateICmpSLT(b_.CreateXor(of(0), of(1)), b_.getInt64(0));
            Value* most = b_.CreateSelect(negative, b_.getInt64(static_cast<std::uint64_t>(-range_limit)),
                                          b_.getInt64(static_cast<std::uint64_t>(range_limit)));
            Value* product =
                b_.CreateSelect(b_.CreateExtractValue(both, 1), most, b_.CreateExtractValue(both, 0));
            return limited(product, expression);
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
