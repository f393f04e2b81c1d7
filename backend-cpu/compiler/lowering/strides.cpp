#include <muster/backend-cpu/compiler/lowering/strides.hpp>

namespace muster::cpu {
namespace {

// Largest stride between iterations, in bytes, that processors prefetch by themselves.
constexpr std::uint64_t short_stride = 1024;

}  // namespace

// Finds variables whose only write is `i = i + step`, with a step from before the loop.
std::vector<Stride> find_strides(const Program& program, const Shapes& shapes) {
    std::vector<Stride> strides(program.variables().size());
    std::vector<std::uint32_t> stores(program.variables().size(), 0);
    std::vector<NodeId> loops;
    const auto loaded_from = [&](NodeId value, VariableId variable) {
        if (program.node(value).op != Op::load) return false;
        const NodeId place = program.operand(value, 0);
        return program.node(place).op == Op::ref_variable && program.root_variable(place) == variable;
    };
    const auto visit = [&](auto& self, BlockId block) -> void {
        for (const NodeId node : program.block(block)) {
            const Node& n = program.node(node);
            if (n.op == Op::store) {
                const NodeId value = program.operand(node, 1);
                const VariableId to = program.root_variable(program.operand(node, 0));
                ++stores[to.index];
                if (!loops.empty() && program.node(value).op == Op::add) {
                    const auto terms = program.operands(value);
                    const bool first = loaded_from(terms[0], to), second = loaded_from(terms[1], to);
                    if (first != second) strides[to.index] = {loops.back(), terms[first ? 1 : 0]};
                }
            }
            if (n.op == Op::loop) loops.push_back(node);
            for (const BlockId inner : program.blocks(node)) self(self, inner);
            if (n.op == Op::loop) loops.pop_back();
        }
    };
    visit(visit, program.body());
    for (std::size_t v = 0; v < strides.size(); ++v) {
        const NodeId step = strides[v].step;
        if (!step) continue;
        const bool before = program.node(step).op == Op::constant || step < strides[v].loop;
        if (stores[v] != 1 || !before || !shapes.of(step).is_uniform()) strides[v] = {};
    }
    return strides;
}

Stride stride_of(const Program& program, std::span<const Stride> strides, NodeId index) {
    if (program.node(index).op != Op::load) return {};
    return strides[program.root_variable(program.operand(index, 0)).index];
}

bool is_long(const Program& program, const Stride& stride, std::uint64_t bytes) {
    const auto known = constant_word(program, stride.step);
    return !known || *known * bytes >= short_stride;
}

}  // namespace muster::cpu
