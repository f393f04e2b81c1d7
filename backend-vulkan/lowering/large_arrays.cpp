#include <algorithm>

#include <muster/backend-vulkan/lowering/large_arrays.hpp>

namespace muster::vulkan {
namespace {

std::vector<std::uint32_t> count_uses(const Program& program) {
    std::vector<std::uint32_t> uses(program.node_count());
    for (std::uint32_t i = 0; i < program.node_count(); ++i)
        for (const NodeId operand : program.operands({i})) ++uses[operand.index];
    return uses;
}

/// True if the operation changes no memory.
bool is_quiet(Op op) {
    return op == Op::load || info(op).group == OpGroup::exact || info(op).group == OpGroup::math;
}

bool is_zero(const Program& program, NodeId value) {
    return program.node(value).op == Op::constant && program.constant_words(value).empty();
}

}  // namespace

LargeArrays::LargeArrays(const Program& program)
    : program_(program),
      large_(program.types().count()),
      in_place_(program.node_count()),
      in_memory_(program.node_count()) {
    find_large();
    find_places();
}

void LargeArrays::find_large() {
    const TypeTable& types = program_.types();
    const auto mark = [&](NodeId whole) {
        const TypeId type = program_.type(whole);
        large_[type.index] = !types.has_runtime_array(type) && !types.contains_atomic(type) &&
                             types.scalar_words(type) > 4 * words_at_once;
    };
    // Marks also every value and reference that the indexed one is part of.
    const auto mark_all = [&](NodeId whole) {
        mark(whole);
        for (Op op = program_.node(whole).op; op == Op::ref_index || op == Op::ref_member || op == Op::load ||
                                              op == Op::extract || op == Op::extract_dynamic;
             op = program_.node(whole).op) {
            whole = program_.operand(whole, 0);
            mark(whole);
        }
    };
    for (std::uint32_t i = 0; i < program_.node_count(); ++i) {
        const Op op = program_.node({i}).op;
        if (op != Op::ref_index && op != Op::extract_dynamic) continue;
        if (program_.node(program_.operand({i}, 1)).op != Op::constant) mark_all(program_.operand({i}, 0));
    }
}

void LargeArrays::find_places() {
    const std::vector<std::uint32_t> uses = count_uses(program_);
    for (std::uint32_t i = 0; i < program_.node_count(); ++i) {
        if (program_.node({i}).op != Op::extract_dynamic) continue;
        const NodeId whole = program_.operand({i}, 0);
        const bool is_array = program_.types()[program_.type(whole)].kind == TypeKind::array;
        if (is_array && program_.node(whole).op != Op::constant) in_memory_[whole.index] = true;
    }
    for (std::uint32_t b = 0; b < program_.block_count(); ++b)
        for (std::size_t at = 0; at < program_.block({b}).size(); ++at) find_read_in_place({b}, at, uses);
}

void LargeArrays::find_read_in_place(BlockId block, std::size_t at, const std::vector<std::uint32_t>& uses) {
    const auto nodes = program_.block(block);
    const NodeId load = nodes[at];
    if (program_.node(load).op != Op::load || !is_large(program_.type(load))) return;
    in_memory_[load.index] = true;
    std::uint32_t left = uses[load.index];
    for (++at; left > 0 && at < nodes.size(); ++at) {
        const Op op = program_.node(nodes[at]).op;
        const auto operands = program_.operands(nodes[at]);
        const auto used = static_cast<std::uint32_t>(std::ranges::count(operands, load));
        const bool is_part = op == Op::extract || op == Op::extract_dynamic;
        if (used > 0 && !is_part && op != Op::store && op != Op::declare) return;
        left -= used;
        if (left > 0 && !is_quiet(op)) return;
    }
    in_place_[load.index] = left == 0;
}

std::uint64_t LargeArrays::iterations(TypeId type) const {
    const TypeTable& types = program_.types();
    if (types.scalar_words(type) <= words_at_once) return 0;
    const Type& of = types[type];
    std::uint64_t sum = 0;
    for (const Member& member : of.members) sum += iterations(member.type);
    if (of.kind != TypeKind::array) return sum;
    const std::uint64_t each = iterations(of.element), at_once = elements_at_once(types, type);
    return of.count / at_once + 1 + of.count * each;
}

std::uint64_t LargeArrays::iterations(NodeId node) const {
    const Node& what = program_.node(node);
    const auto operands = program_.operands(node);
    if (what.op == Op::load)
        return is_large(what.type) && !is_read_in_place(node) ? iterations(what.type) : 0;
    if (what.op != Op::declare && what.op != Op::store) return 0;
    const bool is_zeroed = what.op == Op::declare && operands.empty();
    const TypeId type = is_zeroed ? program_.variable({what.payload}).type : program_.type(operands.back());
    if (!is_large(type)) return 0;
    const bool by_loops =
        is_zeroed || is_zero(program_, operands.back()) || program_.node(operands.back()).op == Op::load;
    return by_loops ? iterations(type) : 0;
}

bool LargeArrays::is_zeroed_by_loops(const Variable& variable) const {
    return variable.space == AddressSpace::private_ && is_large(variable.type) &&
           (!variable.initial || is_zero(program_, variable.initial));
}

std::uint64_t LargeArrays::iterations_at_start() const {
    std::uint64_t sum = 0;
    for (const Variable& variable : program_.variables())
        if (is_zeroed_by_loops(variable)) sum += iterations(variable.type);
    return sum;
}

}  // namespace muster::vulkan
