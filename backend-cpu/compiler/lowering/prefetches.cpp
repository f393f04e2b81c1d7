#include <algorithm>
#include <map>
#include <set>

#include <muster/backend-cpu/compiler/lowering/prefetches.hpp>
#include <muster/foundation/base/round_up.hpp>

namespace muster::cpu {
namespace {

// Iterations ahead: an iteration of some dozen instructions compared with memory latency.
constexpr std::uint32_t turns_ahead = 8;
// Bytes of an iteration that are requested: the processor goes on by itself from there.
constexpr std::uint64_t most_ahead = 256;
// Distance from a workgroup's block to the one that it requests: measured, as far as a
// core reads in some 300 ns.
constexpr std::uint64_t block_distance = 8192;
constexpr std::uint64_t largest_block = 16384;
constexpr std::uint64_t line_bytes = 64, lines_per_turn = 8;

// An index of the form constant + per_workgroup * workgroup_id.x + per_lane *
// local_invocation_index, modulo 2^32.
struct AffineIndex {
    std::uint32_t constant = 0, per_workgroup = 0, per_lane = 0;
};

AffineIndex sum(const AffineIndex& a, const AffineIndex& b, std::uint32_t times_b) {
    return {a.constant + times_b * b.constant, a.per_workgroup + times_b * b.per_workgroup,
            a.per_lane + times_b * b.per_lane};
}

std::optional<AffineIndex> affine_id(Builtin builtin, Extent3 size) {
    if (builtin == Builtin::local_invocation_index) return AffineIndex{.per_lane = 1};
    if (builtin == Builtin::workgroup_id) return AffineIndex{.per_workgroup = 1};
    if (size.y != 1 || size.z != 1) return {};
    if (builtin == Builtin::local_invocation_id) return AffineIndex{.per_lane = 1};
    if (builtin == Builtin::global_invocation_id) return AffineIndex{.per_workgroup = size.x, .per_lane = 1};
    return {};
}

std::optional<AffineIndex> affine_index(const Program& program, NodeId value, int most_depth = 16) {
    if (most_depth == 0 || program.type(value) != u32_type) return {};
    if (const auto known = constant_word(program, value)) return AffineIndex{.constant = *known};
    const Node& node = program.node(value);
    const auto operands = program.operands(value);
    if (node.op == Op::builtin)
        return affine_id(static_cast<Builtin>(node.payload), program.workgroup_size());
    if (node.op == Op::extract && node.payload == 0 && program.node(operands[0]).op == Op::builtin)
        return affine_id(static_cast<Builtin>(program.node(operands[0]).payload), program.workgroup_size());
    if (node.op != Op::add && node.op != Op::sub && node.op != Op::mul) return {};
    const auto a = affine_index(program, operands[0], most_depth - 1),
               b = affine_index(program, operands[1], most_depth - 1);
    if (!a || !b) return {};
    const auto is_constant = [](const AffineIndex& of) { return of.per_workgroup == 0 && of.per_lane == 0; };
    if (node.op == Op::add) return sum(*a, *b, 1);
    if (node.op == Op::sub) return sum(*a, *b, 0u - 1);
    if (is_constant(*b)) return sum({}, *a, b->constant);
    if (is_constant(*a)) return sum({}, *b, a->constant);
    return {};
}

}  // namespace

// Finds the blocks that workgroups read in several runs, each of which all invocations read together. Loads
// in loops are left alone.
void Prefetches::for_workgroup() {
    if (geometry_.subgroups == 1) return;
    struct Array {
        std::uint32_t variable, per_workgroup;
        std::uint64_t offset, stride;
        auto operator<=>(const Array&) const = default;
    };
    std::map<Array, std::set<std::uint32_t>> runs;
    const auto visit = [&](auto& self, BlockId block) -> void {
        for (const NodeId node : program_.block(block)) {
            const Op op = program_.node(node).op;
            if (op != Op::loop)
                for (const BlockId inner : program_.blocks(node)) self(self, inner);
            if (op != Op::load) continue;
            const Place place = resolve(program_, program_.operand(node, 0));
            if (!program_.variable(place.variable).is_binding() || place.steps.size() != 1) continue;
            const auto index = affine_index(program_, place.steps[0].index);
            if (index && index->per_lane == 1)
                runs[{place.variable.index, index->per_workgroup, place.offset, place.steps[0].stride}]
                    .insert(index->constant);
        }
    };
    visit(visit, program_.body());
    const auto invocations = static_cast<std::uint32_t>(program_.workgroup_size().count());
    for (const auto& [array, starts] : runs) {
        const std::uint64_t bytes = std::uint64_t{array.per_workgroup} * array.stride;
        bool is_dense = starts.size() > 1 && array.per_workgroup == starts.size() * invocations;
        for (std::uint32_t expected = *starts.begin(); const std::uint32_t start : starts) {
            is_dense = is_dense && start == expected;
            expected += invocations;
        }
        if (is_dense && bytes <= largest_block)
            block_of_array({array.variable}, array.offset + *starts.begin() * array.stride, bytes);
    }
}

void Prefetches::block_of_array(VariableId variable, std::uint64_t offset, std::uint64_t bytes) {
    Value* start = b_.CreateMul(b_.CreateZExt(position_.workgroup[0], b_.getInt64Ty()), b_.getInt64(bytes));
    start = b_.offset_pointer(b_.offset_pointer(shared_.at(variable, 0), start),
                              offset + round_up(block_distance, bytes));
    BasicBlock *before = b_.GetInsertBlock(), *each = b_.block("prefetch"), *after = b_.block("prefetched");
    b_.CreateBr(each);
    b_.SetInsertPoint(each);
    PHINode* at = b_.CreatePHI(b_.getInt64Ty(), 2);
    at->addIncoming(b_.getInt64(0), before);
    // To the second cache: the first holds little more than this.
    for (std::uint64_t k = 0; k < lines_per_turn; ++k)
        line(b_.offset_pointer(b_.offset_pointer(start, at), k * line_bytes), 2);
    Value* next = b_.CreateAdd(at, b_.getInt64(lines_per_turn * line_bytes));
    at->addIncoming(next, each);
    b_.CreateCondBr(b_.CreateICmpULT(next, b_.getInt64(bytes)), each, after);
    b_.SetInsertPoint(after);
}

void Prefetches::for_load(const Place& place, Value* pointer, std::int64_t last_byte) {
    if (!program_.variable(place.variable).is_binding() || place.steps.size() != 1) return;
    const PlaceStep& at = place.steps[0];
    const Stride stride = stride_of(program_, facts_.strides, at.index);
    const auto around = targets_.outermost_first();
    if (stride.step && std::ranges::find(around, stride.loop, &JumpTarget::construct) != around.end()) {
        if (!is_long(program_, stride, at.stride) || !is_here(stride.step)) return;
        Value* ahead = b_.CreateMul(as_number(stride.step), b_.getInt64(turns_ahead * at.stride));
        return lines(pointer, ahead, last_byte, 3);
    }
    // A tile, as of a matrix, is read in rows that are far apart: the next turn's, to the second cache.
    const auto loop = std::ranges::find_if(around.rbegin(), around.rend(), &JumpTarget::of_workgroup);
    if (loop == around.rend() || program_.node(loop->construct).op != Op::loop) return;
    const auto change = change_per_turn(at.index, loop->construct);
    if (!change || !*change) return;
    lines(pointer, b_.CreateMul(*change, b_.getInt64(at.stride)), last_byte, 2);
}

// True if a value from before a loop can be used here: one of another region only if the program restores it.
bool Prefetches::is_here(NodeId value) const {
    return !plan_.has_barriers() || constant_word(program_, value) || plan_.is_once(value);
}

void Prefetches::lines(Value* from, Value* bytes, std::int64_t last_byte, std::uint32_t locality) {
    const std::uint64_t end =
        std::min(static_cast<std::uint64_t>(std::max<std::int64_t>(last_byte, 0)) + 1, most_ahead);
    for (std::uint64_t at = 0; at < end; at += line_bytes)
        line(b_.offset_pointer(b_.offset_pointer(from, bytes), at), locality);
}

// `locality`: 3 for the first cache, 2 for the second.
void Prefetches::line(Value* at, std::uint32_t locality) {
    b_.CreateIntrinsic(llvm::Intrinsic::prefetch, {b_.getPtrTy()},
                       {at, b_.word(0), b_.word(locality), b_.word(1)});
}

// The growth of an index, an i64, from one turn of a loop around barriers to the next one; null if it stays,
// nothing if that isn't known. Only requests of memory rely on it.
std::optional<Value*> Prefetches::change_per_turn(NodeId value, NodeId loop, int most_depth) {
    const Node& n = program_.node(value);
    const Stride stride = stride_of(program_, facts_.strides, value);
    if (stride.step && stride.loop == loop && is_here(stride.step)) return as_number(stride.step);
    if (n.op == Op::load || info(n.op).group == OpGroup::free) return nullptr;
    if (info(n.op).group != OpGroup::exact || most_depth == 0 || plan_.is_kept(value)) return {};
    std::vector<Value*> changes;
    for (const NodeId operand : program_.operands(value)) {
        const auto change = change_per_turn(operand, loop, most_depth - 1);
        if (!change) return {};
        changes.push_back(*change);
    }
    if (std::ranges::all_of(changes, [](Value* change) { return change == nullptr; })) return nullptr;
    if (n.op == Op::add) {
        if (!changes[0] || !changes[1]) return changes[0] ? changes[0] : changes[1];
        return b_.CreateAdd(changes[0], changes[1]);
    }
    if (n.op != Op::mul || (changes[0] && changes[1])) return {};
    const NodeId factor = program_.operand(value, changes[0] ? 1 : 0);
    if (!shapes_.of(factor).is_uniform()) return {};
    return b_.CreateMul(changes[0] ? changes[0] : changes[1], as_number(factor));
}

}  // namespace muster::cpu
