#include <algorithm>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include <muster/backend-cpu/compiler/lowering/large_values.hpp>
#include <muster/foundation/build/rewrite.hpp>

namespace muster::cpu {
namespace {

bool takes_part(Op op) { return op == Op::extract || op == Op::extract_dynamic; }

bool is_large_type(const TypeTable& types, TypeId type) {
    return types.scalar_words(type) > most_value_words;
}

bool is_compared(const TypeTable& types, TypeId type) {
    return types[type].kind != TypeKind::array || types[type].count <= most_chosen_elements;
}

/// The values that go to memory, and their users.
class LargeValues {
  public:
    explicit LargeValues(const Program& program) : program_(program), is_large_(program.node_count(), false) {
        for (std::uint32_t i = program.node_count(); i-- > 0;) find(NodeId{i});
        for (NodeId id{0}; id.index < program.node_count(); ++id.index)
            for (const NodeId operand : program.operands(id))
                if (is_large_[operand.index]) users_[operand.index].push_back(id);
    }
    bool any() const { return any_; }
    bool has(NodeId id) const { return is_large_[id.index]; }

    /// Visits the readers of a value's memory; for a part that is large itself, also the part's readers.
    template <class Visit>
    void for_each_reader(NodeId value, Visit visit) const {
        const auto found = users_.find(value.index);
        if (found == users_.end()) return;
        for (const NodeId user : found->second) {
            visit(user);
            if (has(user) && takes_part(program_.node(user).op)) for_each_reader(user, visit);
        }
    }

  private:
    // Nodes are visited from the last, users before operands: if a part goes to memory, so does the whole.
    void find(NodeId id) {
        const Node& node = program_.node(id);
        const bool is_reference =
            node.op == Op::ref_variable || node.op == Op::ref_index || node.op == Op::ref_member;
        if (is_reference || node.type == no_type) return;
        const TypeTable& types = program_.types();
        if (is_large_type(types, node.type)) mark(id);
        if (!takes_part(node.op)) return;
        const NodeId whole = program_.operand(id, 0);
        const bool is_indexed = node.op == Op::extract_dynamic && !is_compared(types, program_.type(whole));
        if (is_indexed || has(id)) mark(whole);
    }
    void mark(NodeId id) { is_large_[id.index] = any_ = true; }

    const Program& program_;
    std::vector<bool> is_large_;
    std::map<std::uint32_t, std::vector<NodeId>> users_;
    bool any_ = false;
};

/// Positions of writes to variables, in the order of execution.
class Writes {
  public:
    explicit Writes(const Program& program)
        : program_(program), position_(program.node_count(), 0), of_(program.variables().size()) {
        walk(program.body());
    }

    /// True if the variable's content may change after `load` and before `reader` has run in
    /// every iteration of its loops.
    bool between(VariableId variable, NodeId load, NodeId reader) const {
        const std::uint32_t from = position_[load.index];
        std::uint32_t to = position_[reader.index];
        for (const Span& loop : loops_)  // outer loops come first
            if (loop.begin > from && loop.begin < to && to < loop.end) to = loop.end;
        const auto any_in = [&](const std::vector<std::uint32_t>& positions) {
            const auto next = std::ranges::upper_bound(positions, from);
            return next != positions.end() && *next < to;
        };
        if (any_in(of_[variable.index])) return true;
        const Variable& read = program_.variable(variable);
        const bool is_shared = read.space == AddressSpace::workgroup || read.space == AddressSpace::storage;
        return is_shared && read.is_written && any_in(barriers_);
    }

  private:
    struct Span {
        std::uint32_t begin = 0, end = 0;
    };
    void walk(BlockId block) {
        for (const NodeId node : program_.block(block)) {
            const std::uint32_t here = position_[node.index] = next_++;
            const Op op = program_.node(node).op;
            if (op == Op::declare) of_[program_.node(node).payload].push_back(here);
            if (op == Op::store || (info(op).group == OpGroup::atomic && op != Op::atomic_load))
                of_[program_.root_variable(program_.operand(node, 0)).index].push_back(here);
            if (info(op).group == OpGroup::sync) barriers_.push_back(here);
            const std::size_t loop = loops_.size();
            if (op == Op::loop) loops_.push_back({here, 0});
            for (const BlockId inner : program_.blocks(node)) walk(inner);
            if (op == Op::loop) loops_[loop].end = next_++;
        }
    }

    const Program& program_;
    std::vector<std::uint32_t> position_, barriers_;
    std::vector<std::vector<std::uint32_t>> of_;
    std::vector<Span> loops_;
    std::uint32_t next_ = 1;
};

/// The hook of rewrite(). In the new program, a reference to its memory replaces each large value.
class Rewrite {
  public:
    explicit Rewrite(const Program& program, const LargeValues& large)
        : program_(program), large_(large), writes_(program) {}

    std::optional<NodeId> operator()(IrBuilder& ir, const RewrittenNode& node) const {
        const Op op = node.op();
        if (op == Op::load) return load(ir, node);
        if (op == Op::compose) return compose(ir, node);
        if (op == Op::select) return select(ir, node);
        if (takes_part(op)) return part(ir, node);
        if (op == Op::declare || op == Op::store) return write(ir, node);
        return std::nullopt;  // other operations neither yield nor use large values
    }

  private:
    NodeId old(const RewrittenNode& node, std::size_t which) const {
        return program_.operand(node.id, static_cast<std::uint32_t>(which));
    }

    std::optional<NodeId> load(IrBuilder& ir, const RewrittenNode& node) const {
        if (!large_.has(node.id)) return std::nullopt;
        const VariableId variable = program_.root_variable(old(node, 0));
        bool changes = false;
        large_.for_each_reader(
            node.id, [&](NodeId reader) { changes = changes || writes_.between(variable, node.id, reader); });
        if (!changes) return node.operand(0);
        const NodeId place = memory(ir, ir.type(node.operand(0)));
        copy(ir, place, node.operand(0));
        return place;
    }

    std::optional<NodeId> compose(IrBuilder& ir, const RewrittenNode& node) const {
        if (!large_.has(node.id)) return std::nullopt;
        const TypeId type = ir.types().import(program_.types(), program_.type(node.id));
        const NodeId place = memory(ir, type);
        const bool is_array = ir.types()[type].kind == TypeKind::array;
        for (std::uint32_t k = 0; k < node.operands.size(); ++k)
            put(ir, is_array ? ir.ref_index(place, ir.constant(k)) : ir.ref_member(place, k), node, k);
        return place;
    }

    std::optional<NodeId> select(IrBuilder& ir, const RewrittenNode& node) const {
        if (!large_.has(node.id)) return std::nullopt;
        const NodeId place = memory(ir, ir.types().import(program_.types(), program_.type(node.id)));
        ir.begin_if(node.operand(2));
        put(ir, place, node, 1);
        ir.begin_else();
        put(ir, place, node, 0);
        ir.end_if();
        return place;
    }

    std::optional<NodeId> part(IrBuilder& ir, const RewrittenNode& node) const {
        if (!large_.has(old(node, 0))) return std::nullopt;
        const NodeId whole = place_of(ir, node, 0);
        const bool is_member = ir.types()[ir.type(whole)].kind == TypeKind::structure;
        const std::uint32_t which = program_.node(node.id).payload;
        NodeId place;
        if (is_member)
            place = ir.ref_member(whole, which);
        else
            place = ir.ref_index(whole, node.op() == Op::extract ? ir.constant(which) : node.operand(1));
        return large_.has(node.id) ? place : ir.load(place);
    }

    // A declaration keeps a constant initial value of any size.
    std::optional<NodeId> write(IrBuilder& ir, const RewrittenNode& node) const {
        const bool declares = node.op() == Op::declare;
        const std::size_t which = declares ? 0 : 1;
        if (node.operands.size() <= which || !large_.has(old(node, which))) return std::nullopt;
        if (declares && ir.is_constant(node.operand(0))) return std::nullopt;
        if (!declares) {
            put(ir, node.operand(0), node, 1);
            return node.operand(0);
        }
        const VariableId variable{program_.node(node.id).payload};
        const NodeId declared = ir.declare(variable);
        put(ir, ir.ref(variable), node, 0);
        return declared;
    }

    /// Stores an operand, in whichever form it is.
    void put(IrBuilder& ir, NodeId to, const RewrittenNode& node, std::size_t which) const {
        const NodeId value = node.operand(which);
        const bool is_small_constant = ir.is_constant(value) && !is_large_type(ir.types(), ir.type(value));
        if (is_small_constant || !large_.has(old(node, which))) {
            ir.store(to, value);
        } else if (is_zero(ir, value)) {
            copy(ir, to, std::nullopt);
        } else {
            copy(ir, to, place_of(ir, node, which));
        }
    }

    static bool is_zero(const IrBuilder& ir, NodeId value) {
        return ir.is_constant(value) && ir.node(value).payload == zero_constant;
    }

    /// A reference to the operand's memory; a constant gets a variable that is never written.
    static NodeId place_of(IrBuilder& ir, const RewrittenNode& node, std::size_t which) {
        const NodeId value = node.operand(which);
        if (!ir.is_constant(value)) return value;
        const VariableId variable = ir.variable({.name = "table", .type = ir.type(value)});
        ir.declare(variable, value);
        return ir.ref(variable);
    }

    static NodeId memory(IrBuilder& ir, TypeId type) {
        const VariableId variable = ir.variable({.name = "value", .type = type});
        ir.declare(variable);
        return ir.ref(variable);
    }

    /// Copies from a reference, or stores zeros. The references are the same or don't overlap.
    static void copy(IrBuilder& ir, NodeId to, std::optional<NodeId> from) {
        const TypeId id = ir.type(to);
        const Type type = ir.types()[id];
        if (!is_large_type(ir.types(), id)) {
            ir.store(to, from ? ir.load(*from) : ir.zero(id));
        } else if (type.kind == TypeKind::structure) {
            for (std::uint32_t m = 0; m < type.members.size(); ++m)
                copy(ir, ir.ref_member(to, m), from ? std::optional(ir.ref_member(*from, m)) : from);
        } else {
            copy_elements(ir, to, from, type.count);
        }
    }

    static void copy_elements(IrBuilder& ir, NodeId to, std::optional<NodeId> from, std::uint32_t count) {
        const VariableId counter = ir.variable({.name = "element", .type = u32_type});
        ir.declare(counter);
        ir.begin_loop();
        const NodeId k = ir.load(ir.ref(counter));
        ir.begin_if(ir.binary(Op::ge, k, ir.constant(count)));
        ir.break_();
        ir.end_if();
        copy(ir, ir.ref_index(to, k), from ? std::optional(ir.ref_index(*from, k)) : from);
        ir.begin_continuing();
        ir.store(ir.ref(counter), ir.binary(Op::add, ir.load(ir.ref(counter)), ir.constant(1u)));
        ir.end_loop();
    }

    const Program& program_;
    const LargeValues& large_;
    Writes writes_;
};

}  // namespace

Result<Program> large_values_to_memory(const Program& program) {
    const LargeValues large(program);
    if (!large.any()) return program;
    return rewrite(program, Rewrite(program, large));
}

std::vector<NodeId> given_nodes(const Program& made, const Program& given) {
    if (&made.data() == &given.data()) {
        std::vector<NodeId> all(given.node_count());
        for (std::uint32_t i = 0; i < all.size(); ++i) all[i] = NodeId{i};
        return all;
    }
    std::map<SourceLocation, NodeId> at;
    std::map<std::pair<SourceLocation, Op>, NodeId> same;
    for (NodeId id{0}; id.index < given.node_count(); ++id.index) {
        if (info(given.node(id).op).group == OpGroup::free) continue;
        at.try_emplace(given.location(id), id);
        same.try_emplace({given.location(id), given.node(id).op}, id);
    }
    std::vector<NodeId> found(made.node_count());
    for (NodeId id{0}; id.index < made.node_count(); ++id.index) {
        const SourceLocation where = made.location(id);
        if (const auto one = same.find({where, made.node(id).op}); one != same.end())
            found[id.index] = one->second;
        else if (const auto other = at.find(where); other != at.end())
            found[id.index] = other->second;
    }
    return found;
}

}  // namespace muster::cpu
