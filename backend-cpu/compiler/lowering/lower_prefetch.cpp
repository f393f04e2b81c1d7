// Prefetches for loops that stride far through memory, for example by the grid's size: each iteration touches a page
// that the processor couldn't foresee, so loads also request what later iterations read.
#include <muster/backend-cpu/compiler/lowering/lowering.hpp>

namespace muster::cpu {
namespace {

// Iterations ahead: an iteration of some dozen instructions compared with memory latency.
constexpr std::uint32_t turns_ahead = 8;
// Largest stride between iterations, in bytes, that processors prefetch by themselves.
constexpr std::uint64_t short_stride = 1024;

}  // namespace

// Finds variables whose only write is `i = i + step`, with a step from before the loop.
void Lowering::find_strides() {
    strides_.resize(program_.variables().size());
    std::vector<std::uint32_t> stores(program_.variables().size(), 0);
    std::vector<NodeId> loops;
    const auto loaded_from = [&](NodeId value, VariableId variable) {
        if (program_.node(value).op != Op::load) return false;
        const NodeId place = program_.operand(value, 0);
        return program_.node(place).op == Op::ref_variable && program_.root_variable(place) == variable;
    };
    const auto visit = [&](auto& self, BlockId block) -> void {
        for (const NodeId node : program_.block(block)) {
            const Node& n = program_.node(node);
            if (n.op == Op::store) {
                const NodeId value = program_.operand(node, 1);
                const VariableId to = program_.root_variable(program_.operand(node, 0));
                ++stores[to.index];
                if (!loops.empty() && program_.node(value).op == Op::add) {
                    const auto terms = program_.operands(value);
                    const bool first = loaded_from(terms[0], to), second = loaded_from(terms[1], to);
                    if (first != second) strides_[to.index] = {loops.back(), terms[first ? 1 : 0]};
                }
            }
            if (n.op == Op::loop) loops.push_back(node);
            for (const BlockId inner : program_.blocks(node)) self(self, inner);
            if (n.op == Op::loop) loops.pop_back();
        }
    };
    visit(visit, program_.body());
    for (std::size_t v = 0; v < strides_.size(); ++v) {
        const NodeId step = strides_[v].step;
        if (!step) continue;
        const bool before = program_.node(step).op == Op::constant || step < strides_[v].loop;
        if (stores[v] != 1 || !before || !shapes_.of(step).is_uniform()) strides_[v] = {};
    }
}

void Lowering::prefetch(const Place& place, const Address& address) {
    if (!program_.variable(place.variable).is_binding() || address.units || place.steps.size() != 1) return;
    const PlaceStep& at = place.steps[0];
    if (program_.node(at.index).op != Op::load) return;
    const Stride& stride = strides_[program_.root_variable(program_.operand(at.index, 0)).index];
    if (!stride.step) return;
    bool inside = false;
    for (const JumpTarget& target : targets_) inside = inside || target.construct == stride.loop;
    const auto known = constant_word(program_, stride.step);
    // A value of another region is available only if the program restores it here.
    const bool is_here = !plan_.has_barriers() || known || plan_.is_once(stride.step);
    if (!is_here) return;
    if (!inside || (known && *known * at.stride < short_stride)) return;
    llvm::Value* step = b_.CreateSExt(word_of(stride.step, 0).value, b_.getInt64Ty());
    llvm::Value* ahead = b_.CreateMul(step, b_.getInt64(turns_ahead * at.stride));
    b_.CreateIntrinsic(llvm::Intrinsic::prefetch, {b_.getPtrTy()},
                       {offset_pointer(address.pointer, ahead), word(0), word(3), word(1)});
}

}  // namespace muster::cpu
