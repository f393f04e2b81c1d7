// uniformity_graph.cpp - builds the graph in one walk over the body. The rules and the names of control flow
// vertices (CF, CF1, ...) are those of WGSL's section "Uniformity Rules for Statements".

#include <algorithm>
#include <utility>

#include <muster/foundation/analysis/assigned_variables.hpp>
#include <muster/foundation/analysis/flow_walk.hpp>
#include <muster/foundation/analysis/uniformity_graph.hpp>
#include <muster/foundation/ir/grid_barrier.hpp>
#include <muster/foundation/ir/op_kind.hpp>

namespace muster::uniformity {
namespace {

// The function variables that a construct may store to, where control flow meets.
struct Meeting {
    explicit Meeting(std::vector<VariableId> over)
        : variables(std::move(over)), state(variables.size(), no_vertex), joined(variables.size()) {}
    std::vector<VariableId> variables;
    std::vector<Vertex> before = {};  // a loop's: in every turn
    std::vector<Vertex> state;
    std::vector<bool> joined;  // state is a join made for this meeting
    Vertex left = no_vertex;   // what decided which invocations left the construct's blocks before their ends
};

class Walk final : FlowWalk<Meeting> {
  public:
    Walk(const Program& program, Returned returned, bool precise)
        : FlowWalk(program),
          program_(program),
          returned_arrived_(returned == Returned::arrived),
          precise_(precise),
          budget_(std::size_t{64} * program.node_count() + (std::size_t{1} << 20)),
          state_(program.variables().size(), no_vertex),
          declared_(program.variables().size()) {}

    std::optional<Graph> run() {
        if (precise_) {
            std::optional<AssignedVariables> found = assigned_variables(program_, false, budget_);
            if (!found) return {};
            assigned_ = *std::move(found);
        }
        graph_.vertices = program_.node_count();
        find_shared_loads();
        for (std::uint32_t i = 0; i < program_.node_count(); ++i) add_value(NodeId{i});
        const Vertex start = graph_.add();
        graph_.node_control.assign(program_.node_count(), start);
        graph_.block_control.assign(program_.block_count(), start);
        frames_.push_back({no_vertex, no_vertex, 0, start, {}});
        follow(program_.body());
        if (spent_ > budget_) return {};
        return std::move(graph_);
    }

  private:
    // An open block. Divergence is recorded by where it arose, so that a variable declared and used among
    // invocations that stay together is uniform for them even if others have left or skipped the block.
    struct Frame {
        Vertex entered;         // what decided which invocations enter the block
        Vertex tail;            // what has since decided which of them left it
        std::uint32_t version;  // of tail
        Vertex control;         // all of it, from the program's start
        std::vector<std::pair<std::uint32_t, Vertex>> since;  // by outer frame: divergence from there to here
    };
    struct Declared {
        std::uint32_t frame = 0, version = 0;
    };

    // Values
    // -----------------------------------------------------------------------------------------------------

    void add_value(NodeId id) {
        if (info(program_.node(id).op).group == OpGroup::subgroup) {
            graph_.sources.emplace_back(id.index, level(program_.node(id).op));
            return;  // its operands may differ
        }
        for (const NodeId operand : program_.operands(id)) graph_.edge(operand.index, id.index);
        const UniformOver own = own_level(id);
        if (own != UniformOver::grid) graph_.sources.emplace_back(id.index, own);
    }

    UniformOver own_level(NodeId id) const {
        const Node& node = program_.node(id);
        if (node.op == Op::builtin) return level(Builtin{static_cast<std::uint8_t>(node.payload)});
        if (shared_loads_[id.index]) return UniformOver::workgroup;
        if (node.op == Op::load)
            return level(program_.variable(program_.root_variable(program_.operand(id, 0))));
        if (is_grid_uniform_load(program_, id)) return UniformOver::grid;
        if (node.op == Op::extension || info(node.op).group == OpGroup::atomic) return UniformOver::nothing;
        return UniformOver::grid;
    }

    // Marks loads from workgroup memory between two workgroup barriers with nothing but loads and values in
    // between, as workgroupUniformLoad writes them: nothing can be stored meanwhile, so all invocations read
    // the same if they read the same place.
    void find_shared_loads() {
        shared_loads_.assign(program_.node_count(), false);
        for (std::uint32_t i = 0; i < program_.block_count(); ++i) {
            std::vector<NodeId> loads;
            bool is_behind_barrier = false;
            for (const NodeId id : program_.block(BlockId{i})) {
                const Op op = program_.node(id).op;
                if (op == Op::workgroup_barrier) {
                    for (const NodeId load : loads) shared_loads_[load.index] = true;
                    is_behind_barrier = true;
                }
                const bool has_effect = !info(op).pure && op != Op::atomic_load;
                if (has_effect) loads.clear();
                if (has_effect && op != Op::workgroup_barrier) is_behind_barrier = false;
                if (is_behind_barrier && is_workgroup_load(id)) loads.push_back(id);
            }
        }
    }

    bool is_workgroup_load(NodeId id) const {
        const Op op = program_.node(id).op;
        return (op == Op::load || op == Op::atomic_load) &&
               program_.variable(program_.root_variable(program_.operand(id, 0))).space ==
                   AddressSpace::workgroup;
    }

    // The level of a subgroup operation's result: `subgroup` if all invocations of a
    // subgroup get the same value.
    static UniformOver level(Op op) {
        const bool reduces = kind(op) == OpKind::reduction;
        const bool spreads =
            op == Op::subgroup_ballot || op == Op::subgroup_broadcast || op == Op::subgroup_broadcast_first;
        return reduces || spreads ? UniformOver::subgroup : UniformOver::nothing;
    }

    static UniformOver level(Builtin builtin) {
        constexpr UniformOver levels[]{
#define MUSTER_BUILTIN(name, width, of_subgroups, uniform) UniformOver::uniform,
#include <muster/foundation/ir/builtin.def>
        };
        return levels[static_cast<std::size_t>(builtin)];
    }

    UniformOver level(const Variable& loaded) const {
        switch (loaded.space) {
            case AddressSpace::function: return precise_ ? UniformOver::grid : UniformOver::nothing;
            case AddressSpace::uniform: return UniformOver::grid;
            case AddressSpace::storage:
                return loaded.access == Access::read ? UniformOver::grid : UniformOver::nothing;
            case AddressSpace::private_:
            case AddressSpace::workgroup: return UniformOver::nothing;
        }
        return UniformOver::nothing;
    }

    // Variables
    // --------------------------------------------------------------------------------------------------

    std::vector<VariableId> assigned(NodeId control) const {
        const auto found = assigned_.find(control.index);
        return found == assigned_.end() ? std::vector<VariableId>{} : found->second;
    }

    void operation(NodeId id) override {
        const Op op = program_.node(id).op;
        if (op == Op::load) load(id);
        if (op == Op::store) store(id);
        if (op == Op::declare) declare(id);
    }

    void load(NodeId id) {
        const VariableId variable = program_.root_variable(program_.operand(id, 0));
        if (precise_) graph_.edge(state_[variable.index], id.index);
    }

    void store(NodeId id) {
        const NodeId place = program_.operand(id, 0);
        const VariableId variable = program_.root_variable(place);
        if (program_.variable(variable).space != AddressSpace::function) return;
        if (program_.node(place).op != Op::ref_variable) graph_.edge(state_[variable.index], id.index);
        const Declared from = declared_[variable.index];
        const auto top = static_cast<std::uint32_t>(frames_.size() - 1);
        if (frames_[from.frame].version != from.version) graph_.edge(frames_[from.frame].tail, id.index);
        if (from.frame != top) {
            graph_.edge(since(from.frame, top), id.index);
            graph_.edge(frames_[top].tail, id.index);
        }
        state_[variable.index] = id.index;
    }

    void declare(NodeId id) {
        const std::uint32_t variable = program_.node(id).payload;
        declared_[variable] = {static_cast<std::uint32_t>(frames_.size() - 1), frames_.back().version};
        state_[variable] = id.index;
    }

    Meeting meeting(NodeId construct) override {
        Meeting made(assigned(construct));
        for (const VariableId variable : made.variables) made.before.push_back(state_[variable.index]);
        const Op op = program_.node(construct).op;
        if (op == Op::if_ || op == Op::switch_) made.left = construct.index;
        return made;
    }
    // Adds the variables that the body declares, which the continuing block also sees.
    Meeting meeting_of_continues(NodeId loop) override {
        std::vector<VariableId> variables = assigned(loop);
        for (const NodeId node : program_.block(program_.blocks(loop)[0]))
            if (precise_ && program_.node(node).op == Op::declare)
                variables.push_back(VariableId{program_.node(node).payload});
        return Meeting(std::move(variables));
    }
    void rewind(const Meeting& at) override { set(at.variables, at.before); }
    void arrive(Meeting& at) override {
        spent_ += at.variables.size();
        if (spent_ > budget_) return;
        for (std::size_t i = 0; i < at.variables.size(); ++i) {
            const Vertex now = state_[at.variables[i].index];
            if (now == no_vertex || now == at.state[i]) continue;
            if (at.joined[i]) {
                graph_.edge(now, at.state[i]);
            } else {
                at.joined[i] = at.state[i] != no_vertex;
                at.state[i] = graph_.join(at.state[i], now);
            }
        }
    }
    void resume(Meeting& at) override { set(at.variables, at.state); }
    void set(const std::vector<VariableId>& variables, const std::vector<Vertex>& states) {
        for (std::size_t i = 0; i < variables.size(); ++i) state_[variables[i].index] = states[i];
    }

    // Control flow
    // -----------------------------------------------------------------------------------------------

    void reach(NodeId id) override { graph_.node_control[id.index] = frames_.back().control; }
    void begin(BlockId id) override { graph_.block_control[id.index] = frames_.back().control; }

    void open(const Edge& edge, const Meeting&) override {
        const bool is_scope = program_.node(edge.construct).op == Op::scope;
        const Vertex entered = is_scope ? no_vertex : edge.construct.index;
        const Vertex control = graph_.join(frames_.back().control, entered);
        frames_.push_back({entered, no_vertex, 0, control, {}});
    }
    void close(const Edge&, Meeting& behind, Ways) override {
        behind.left = graph_.join(behind.left, frames_.back().tail);
        frames_.pop_back();
    }
    void pass(NodeId, const Meeting& behind, Ways ways) override {
        if (ways.breaks || ways.continues || (ways.returns && !returned_arrived_)) diverge(behind.left);
    }
    void break_if(NodeId id, Targets& loop) override {
        FlowWalk::break_if(id, loop);
        diverge(id.index);
    }

    // Creates a vertex per variable for its value at a turn's start: the value before the loop or at the end
    // of the previous turn.
    void begin_loop(NodeId, Meeting& behind) override {
        for (std::size_t i = 0; i < behind.variables.size(); ++i) {
            const Vertex start = graph_.add();
            graph_.edge(behind.before[i], start);
            state_[behind.variables[i].index] = behind.before[i] = start;
        }
    }
    bool end_turn(NodeId loop, Meeting& behind) override {
        for (std::size_t i = 0; i < behind.variables.size(); ++i)
            graph_.edge(state_[behind.variables[i].index], behind.before[i]);
        graph_.edge(std::exchange(frames_.back().tail, loop.index), loop.index);  // CF' -> CF2
        return false;
    }

    // Records that from here on `by` decides which invocations remain.
    void diverge(Vertex by) {
        if (by == no_vertex) return;
        Frame& frame = frames_.back();
        frame.tail = graph_.join(frame.tail, by);
        frame.control = graph_.join(frame.control, by);
        ++frame.version;
    }

    // The divergence from entering frame `outer + 1` to entering `inner`.
    Vertex since(std::uint32_t outer, std::uint32_t inner) {
        const auto known = [&](std::uint32_t frame) -> std::optional<Vertex> {
            const auto& pairs = frames_[frame].since;
            const auto found = std::ranges::find(pairs, outer, &std::pair<std::uint32_t, Vertex>::first);
            return found == pairs.end() ? std::nullopt : std::optional(found->second);
        };
        std::uint32_t from = inner;
        while (from > outer + 1 && !known(from)) --from;
        Vertex all = known(from).value_or(frames_[from].entered);
        for (std::uint32_t frame = from; frame < inner;) {
            all = graph_.join(all, frames_[frame].tail);
            all = graph_.join(all, frames_[++frame].entered);
            frames_[frame].since.emplace_back(outer, all);
        }
        return all;
    }

    const Program& program_;
    bool returned_arrived_;  // an invocation that returns isn't missed by those that go on
    bool precise_;
    std::size_t budget_, spent_ = 0;
    Graph graph_;
    AssignedVariables assigned_;
    std::vector<bool> shared_loads_;  // by node
    std::vector<Vertex> state_;       // by variable: its current value
    std::vector<Declared> declared_;
    std::vector<Frame> frames_;
};

}  // namespace

std::optional<Graph> make_graph(const Program& program, Returned returned, bool precise) {
    return Walk(program, returned, precise).run();
}

}  // namespace muster::uniformity
