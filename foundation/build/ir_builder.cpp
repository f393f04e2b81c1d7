#include <algorithm>
#include <bit>

#include <muster/foundation/build/ir_builder.hpp>
#include <muster/foundation/build/ir_builder_state.hpp>
#include <muster/foundation/ir/grid_barrier.hpp>
#include <muster/foundation/semantics/fold.hpp>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace muster {

NodeId IrBuilder::State::add(Op op, TypeId type, std::span<const NodeId> with, std::uint32_t payload) {
    Node node;
    node.op = op;
    node.type = type;
    node.first_operand = static_cast<std::uint32_t>(operands.size());
    node.operand_count = static_cast<std::uint32_t>(with.size());
    node.payload = payload;
    operands.insert(operands.end(), with.begin(), with.end());
    nodes.push_back(node);
    locations.push_back(here);
    return NodeId{static_cast<std::uint32_t>(nodes.size() - 1)};
}

NodeId IrBuilder::State::place(Op op, TypeId type, std::span<const NodeId> with, std::uint32_t payload) {
    if (placed >= max_nodes) {
        too_many_nodes = true;  // finish() reports it; until then nothing grows
        return free_node(Op::constant, type, {}, zero_constant);
    }
    ++placed;
    const NodeId id = add(op, type, with, payload);
    if (!frames.back().ended) blocks[frames.back().block.index].push_back(id);
    return id;
}

NodeId IrBuilder::State::free_node(Op op, TypeId type, std::span<const NodeId> with, std::uint32_t payload) {
    std::uint64_t hash = XXH3_64bits_withSeed(with.data(), with.size_bytes(), hash_seed());
    const std::uint32_t key[] = {static_cast<std::uint32_t>(op), type.index, payload};
    hash = XXH3_64bits_withSeed(key, sizeof key, hash);
    const auto next = static_cast<std::uint32_t>(nodes.size());
    const NodeId at{interned.find_or_add(hash, next, [&](std::uint32_t i) {
        const Node& node = nodes[i];
        return node.op == op && node.type == type && node.payload == payload &&
               std::ranges::equal(operands_of(node), with);
    })};
    return at.index == next ? add(op, type, with, payload) : at;
}

IrBuilder::IrBuilder(std::string entry, Extent3 workgroup_size, std::uint32_t subgroup_size)
    : state_(std::make_unique<State>()) {
    state_->entry = std::move(entry);
    state_->workgroup_size = workgroup_size;
    state_->subgroup_size = subgroup_size;
    state_->open(State::FrameKind::body, {});
}

IrBuilder::IrBuilder(IrBuilder&&) noexcept = default;
IrBuilder& IrBuilder::operator=(IrBuilder&&) noexcept = default;
IrBuilder::~IrBuilder() = default;

TypeTable& IrBuilder::types() { return state_->types; }
const TypeTable& IrBuilder::types() const { return state_->types; }
TypeId IrBuilder::type(NodeId id) const { return state_->nodes[id.index].type; }
const Node& IrBuilder::node(NodeId id) const { return state_->nodes[id.index]; }
std::span<const NodeId> IrBuilder::operands(NodeId id) const { return state_->operands_of(node(id)); }
std::uint32_t IrBuilder::placed_count() const { return state_->placed; }
std::uint32_t IrBuilder::node_count() const { return static_cast<std::uint32_t>(state_->nodes.size()); }

std::uint32_t IrBuilder::file(SourceFile file) {
    const auto found = std::ranges::find(state_->files, file.name, &SourceFile::name);
    if (found != state_->files.end()) return static_cast<std::uint32_t>(found - state_->files.begin());
    state_->files.push_back(std::move(file));
    return static_cast<std::uint32_t>(state_->files.size() - 1);
}

void IrBuilder::at(SourceLocation where) { state_->here = where; }
SourceLocation IrBuilder::here() const { return state_->here; }

void IrBuilder::name(NodeId id, std::string_view name) {
    if (!name.empty() && info(node(id).op).group != OpGroup::free) state_->names.try_emplace(id.index, name);
}

VariableId IrBuilder::variable(Variable variable) {
    state_->variables.push_back(std::move(variable));
    return VariableId{static_cast<std::uint32_t>(state_->variables.size() - 1)};
}
const Variable& IrBuilder::variable(VariableId id) const { return state_->variables[id.index]; }

// Free nodes.

NodeId IrBuilder::constant(float value) {
    return constant(f32_type, std::array{std::bit_cast<std::uint32_t>(value)});
}
NodeId IrBuilder::constant(f16 value) {
    return constant(f16_type, std::array<std::uint32_t, 1>{value.bits()});
}
NodeId IrBuilder::constant(std::int32_t value) {
    return constant(i32_type, std::array{static_cast<std::uint32_t>(value)});
}
NodeId IrBuilder::constant(std::uint32_t value) { return constant(u32_type, std::array{value}); }
NodeId IrBuilder::constant(bool value) { return constant(bool_type, std::array{std::uint32_t{value}}); }

NodeId IrBuilder::constant(std::uint64_t value) {
    return constant(u64_type,
                    std::array{static_cast<std::uint32_t>(value), static_cast<std::uint32_t>(value >> 32)});
}
NodeId IrBuilder::constant(std::int64_t value) {
    const auto bits = static_cast<std::uint64_t>(value);
    return constant(i64_type,
                    std::array{static_cast<std::uint32_t>(bits), static_cast<std::uint32_t>(bits >> 32)});
}
NodeId IrBuilder::constant(double value) {
    const auto bits = std::bit_cast<std::uint64_t>(value);
    return constant(f64_type,
                    std::array{static_cast<std::uint32_t>(bits), static_cast<std::uint32_t>(bits >> 32)});
}
NodeId IrBuilder::constant(TypeId type, std::span<const std::uint32_t> words) {
    if (std::ranges::all_of(words, [](std::uint32_t word) { return word == 0; })) return zero(type);
    // Interned by contents; the payload is only the words' offset.
    const std::uint64_t hash =
        XXH3_64bits_withSeed(words.data(), words.size_bytes(), hash_seed() ^ type.index);
    const auto next = static_cast<std::uint32_t>(state_->nodes.size());
    const NodeId at{state_->interned.find_or_add(hash, next, [&](std::uint32_t i) {
        const Node& node = state_->nodes[i];
        return node.op == Op::constant && node.type == type && node.payload != zero_constant &&
               std::ranges::equal(state_->words_of(node), words);
    })};
    if (at.index != next) return at;
    const auto offset = static_cast<std::uint32_t>(state_->words.size());
    state_->words.insert(state_->words.end(), words.begin(), words.end());
    return state_->add(Op::constant, type, {}, offset);
}

NodeId IrBuilder::zero(TypeId type) { return state_->free_node(Op::constant, type, {}, zero_constant); }

NodeId IrBuilder::builtin(Builtin builtin) {
    return state_->free_node(Op::builtin, type_of(Scalar::u32, width(builtin)), {},
                             static_cast<std::uint32_t>(builtin));
}

NodeId IrBuilder::ref(VariableId variable) {
    return state_->free_node(Op::ref_variable, this->variable(variable).type, {}, variable.index);
}

NodeId IrBuilder::ref_index(NodeId place, NodeId index) {
    return state_->free_node(Op::ref_index, types().element(type(place)), std::array{place, index}, 0);
}

NodeId IrBuilder::ref_member(NodeId place, std::uint32_t member) {
    return state_->free_node(Op::ref_member, types()[type(place)].members[member].type, std::array{place},
                             member);
}

bool IrBuilder::is_constant(NodeId id) const { return node(id).op == Op::constant; }

std::vector<std::uint32_t> IrBuilder::constant_words(NodeId id) const {
    const Node& of = node(id);
    if (of.payload == zero_constant) return std::vector<std::uint32_t>(types().scalar_words(of.type));
    const std::span<const std::uint32_t> words = state_->words_of(of);
    return {words.begin(), words.end()};
}

// Placed nodes.

namespace {

bool is_comparison(Op op) {
    return op == Op::eq || op == Op::ne || op == Op::lt || op == Op::le || op == Op::gt || op == Op::ge;
}

}  // namespace

NodeId IrBuilder::pure(Op op, TypeId type, std::span<const NodeId> operands, std::uint32_t payload) {
    const auto foldable = [&](NodeId id) {
        return is_constant(id) && types().scalar_words(this->type(id)) <= max_folded_words;
    };
    if (is_exact(op) && std::ranges::all_of(operands, foldable)) {
        std::vector<std::vector<std::uint32_t>> words;
        words.reserve(operands.size());
        std::vector<ConstantValue> values;
        for (NodeId id : operands) {
            words.push_back(constant_words(id));
            values.push_back({this->type(id), words.back()});
        }
        if (auto folded = fold(op, types(), type, values, payload)) return constant(type, *folded);
    }
    return state_->place(op, type, operands, payload);
}

NodeId IrBuilder::unary(Op op, NodeId a) {
    const bool to_bool = op == Op::all || op == Op::any;
    return pure(op, to_bool ? bool_type : type(a), std::array{a}, 0);
}

NodeId IrBuilder::binary(Op op, NodeId a, NodeId b) {
    const std::uint32_t width = std::max(types()[type(a)].width, types()[type(b)].width);
    a = splat(a, width);
    b = splat(b, width);
    const TypeId result = is_comparison(op)          ? type_of(Scalar::boolean, width)
                          : op == Op::dot4_i8_packed ? i32_type
                                                     : type(a);
    return pure(op, result, std::array{a, b}, 0);
}

NodeId IrBuilder::fma(NodeId a, NodeId b, NodeId c) { return pure(Op::fma, type(a), std::array{a, b, c}, 0); }

NodeId IrBuilder::select(NodeId if_false, NodeId if_true, NodeId condition) {
    return pure(Op::select, type(if_false), std::array{if_false, if_true, condition}, 0);
}

NodeId IrBuilder::convert(Scalar to, NodeId a) {
    const Type& from = types()[type(a)];
    if (from.scalar == to) return a;
    if (is_narrow(from.scalar) && to != widened(from.scalar))
        return convert(to, convert(widened(from.scalar), a));
    if (is_narrow(to) && from.scalar != widened(to)) return convert(to, convert(widened(to), a));
    return pure(Op::convert, type_of(to, from.width), std::array{a}, 0);
}

NodeId IrBuilder::bitcast(Scalar to, NodeId a) {
    const Type& from = types()[type(a)];
    if (from.scalar == to) return a;
    const std::uint32_t width = from.width * info(from.scalar).bytes / info(to).bytes;
    return pure(Op::bitcast, type_of(to, width), std::array{a}, 0);
}

NodeId IrBuilder::splat(NodeId scalar, std::uint32_t width) {
    const Type& from = types()[type(scalar)];
    if (from.width == width) return scalar;
    return pure(Op::splat, type_of(from.scalar, width), std::array{scalar}, 0);
}

NodeId IrBuilder::compose(TypeId type, std::span<const NodeId> parts) {
    return pure(Op::compose, type, parts, 0);
}

NodeId IrBuilder::extract(NodeId composite, std::uint32_t which) {
    const Type& from = types()[type(composite)];
    // A part of a structure that was just composed is the operand itself.
    if (from.kind == TypeKind::structure && node(composite).op == Op::compose)
        return operands(composite)[which];
    const TypeId part = from.kind == TypeKind::structure ? from.members[which].type : from.element;
    return pure(Op::extract, part, std::array{composite}, which);
}

NodeId IrBuilder::extract_dynamic(NodeId composite, NodeId index) {
    return pure(Op::extract_dynamic, types().element(type(composite)), std::array{composite, index}, 0);
}

NodeId IrBuilder::swizzle(NodeId vector, std::span<const std::uint8_t> components) {
    if (components.size() == 1) return extract(vector, components[0]);
    std::uint32_t payload = 0;
    for (std::size_t i = 0; i < components.size(); ++i) payload |= std::uint32_t{components[i]} << (2 * i);
    const TypeId result =
        type_of(types()[type(vector)].scalar, static_cast<std::uint32_t>(components.size()));
    return pure(Op::swizzle, result, std::array{vector}, payload);
}

NodeId IrBuilder::declare(VariableId variable, NodeId initial) {
    const std::span<const NodeId> with =
        initial ? std::span<const NodeId>(&initial, 1) : std::span<const NodeId>{};
    return state_->place(Op::declare, no_type, with, variable.index);
}

NodeId IrBuilder::load(NodeId place) { return state_->place(Op::load, type(place), std::array{place}); }

NodeId IrBuilder::store(NodeId place, NodeId value) {
    return state_->place(Op::store, no_type, std::array{place, value});
}

NodeId IrBuilder::array_length(NodeId place) {
    return state_->place(Op::array_length, u32_type, std::array{place});
}

NodeId IrBuilder::atomic(Op op, NodeId place, NodeId value, NodeId expected) {
    const TypeId result = op == Op::atomic_store ? no_type : types().element(type(place));
    if (op == Op::atomic_load) return state_->place(op, result, std::array{place});
    if (op == Op::atomic_compare_exchange)
        return state_->place(op, result, std::array{place, expected, value});
    return state_->place(op, result, std::array{place, value});
}

NodeId IrBuilder::barrier(Op op) { return state_->place(op, no_type, {}); }

NodeId IrBuilder::subgroup(Op op, NodeId value, NodeId lane) {
    const TypeId result = op == Op::subgroup_ballot ? type_of(Scalar::u32, 4) : type(value);
    const std::array with{value, lane};
    return state_->place(op, result, std::span(with).first(lane ? 2 : 1), state_->subgroup_flow);
}

void IrBuilder::set_subgroup_flow(std::uint32_t flow) { state_->subgroup_flow = flow; }

NodeId IrBuilder::grid_barrier() { return extension(grid_barrier_id, no_type, {}); }

NodeId IrBuilder::grid_uniform_load(NodeId place) {
    const Type& word = types()[type(place)];
    const TypeId yields = word.kind == TypeKind::atomic ? types().element(type(place)) : type(place);
    return extension(grid_uniform_load_id, yields, std::array{place});
}

NodeId IrBuilder::extension(std::string_view id, TypeId type, std::span<const NodeId> operands) {
    auto& ids = state_->extensions;
    const auto found = std::ranges::find(ids, id);
    const auto index = static_cast<std::uint32_t>(found - ids.begin());
    if (found == ids.end()) ids.emplace_back(id);
    return state_->place(Op::extension, type, operands, index);
}

}  // namespace muster
