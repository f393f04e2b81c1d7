// uniformity_graph.cpp - builds the graph in one walk over the body. The rules and the names of control flow
// vertices (CF, CF1, ...) are those of WGSL's section "Uniformity Rules for Statements".

#include <algorithm>

#include <muster/foundation/analysis/assigned_variables.hpp>
#include <muster/foundation/analysis/uniformity_graph.hpp>
#include <muster/foundation/ir/grid_barrier.hpp>
#include <muster/foundation/ir/op_kind.hpp>

namespace muster::uniformity {
namespace {

// The ways in which a statement may end (WGSL section "Statements Behavior Analysis").
using Behavior = unsigned;
constexpr Behavior next = 1, breaks = 2, continues = 4, returns = 8;

class Walk {
  public:
    Walk(const Program& program, Returned returned, bool precise)
        : program_(program),
          parting_(returned == Returned::arrived ? breaks | continues : breaks | continues | returns),
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
        block(program_.body());
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

    // The variables' possible values where control flow meets.
    struct Merge {
        explicit Merge(std::vector<VariableId> over)
            : variables(std::move(over)), state(variables.size(), no_vertex), joined(variables.size()) {}
        std::vector<VariableId> variables;
        std::vector<Vertex> state;
        std::vector<bool> joined;  // state is a join made for this merge
    };
    struct JumpTarget {
        Merge* exit;
        Merge* continuing;  // loops only
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

    void contribute(Merge& merge) {
        spent_ += merge.variables.size();
        if (spent_ > budget_) return;
        for (std::size_t i = 0; i < merge.variables.size(); ++i) {
            const Vertex now = state_[merge.variables[i].index];
            if (now == no_vertex || now == merge.state[i]) continue;
            if (merge.joined[i]) {
                graph_.edge(now, merge.state[i]);
            } else {
                merge.joined[i] = merge.state[i] != no_vertex;
                merge.state[i] = graph_.join(merge.state[i], now);
            }
        }
    }

    void apply(const Merge& merge) { set(merge.variables, merge.state); }

    std::vector<Vertex> states(const std::vector<VariableId>& variables) const {
        std::vector<Vertex> all;
        for (const VariableId variable : variables) all.push_back(state_[variable.index]);
        return all;
    }

    void set(const std::vector<VariableId>& variables, const std::vector<Vertex>& states) {
        for (std::size_t i = 0; i < variables.size(); ++i) state_[variables[i].index] = states[i];
    }

    // Control flow
    // -----------------------------------------------------------------------------------------------

    void open(Vertex entered) {
        const Vertex control = graph_.join(frames_.back().control, entered);
        frames_.push_back({entered, no_vertex, 0, control, {}});
    }

    // Closes the innermost block; returns what decided which invocations left it before its end.
    Vertex close() {
        const Vertex tail = frames_.back().tail;
        frames_.pop_back();
        return tail;
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

    // Skips unreachable code (after a statement that never goes on).
    Behavior block(BlockId id) {
        graph_.block_control[id.index] = frames_.back().control;
        Behavior all = 0;
        for (const NodeId node : program_.block(id)) {
            if (spent_ > budget_) return next;
            graph_.node_control[node.index] = frames_.back().control;
            const Behavior one = statement(node);
            all |= one & ~next;
            if ((one & next) == 0) return all;
        }
        return all | next;
    }

    Behavior statement(NodeId id) {
        const Op op = program_.node(id).op;
        if (op == Op::load) load(id);
        if (op == Op::store) store(id);
        if (op == Op::declare) declare(id);
        if (op == Op::if_ || op == Op::switch_) return branch(id, op == Op::switch_);
        if (op == Op::scope) return scope(id);
        if (op == Op::loop) return loop(id);
        if (op == Op::return_) return returns;
        if (op == Op::break_) {
            contribute(*targets_.back().exit);
            return breaks;
        }
        if (op == Op::break_if) {
            contribute(*targets_.back().exit);
            diverge(id.index);
            return next | breaks;
        }
        if (op == Op::continue_) {
            auto target = targets_.rbegin();
            while (target->continuing == nullptr) ++target;
            contribute(*target->continuing);
            return continues;
        }
        return next;
    }

    // A break_ out of a switch_ or scope continues after it.
    static Behavior after_breaks(Behavior inside) {
        return (inside & breaks) != 0 ? (inside & ~breaks) | next : inside;
    }

    Behavior branch(NodeId id, bool is_switch) {
        Merge exit(assigned(id));
        const std::vector<Vertex> before = states(exit.variables);
        if (is_switch) targets_.push_back({&exit, nullptr});
        Behavior all = 0;
        Vertex left = id.index;
        for (const BlockId one : program_.blocks(id)) {
            set(exit.variables, before);
            open(id.index);
            const Behavior behavior = block(one);
            if ((behavior & next) != 0) contribute(exit);
            left = graph_.join(left, close());
            all |= behavior;
        }
        if (is_switch) {
            targets_.pop_back();
            all = after_breaks(all);
        }
        apply(exit);
        if ((all & parting_) != 0) diverge(left);
        return all;
    }

    Behavior scope(NodeId id) {
        Merge exit(assigned(id));
        targets_.push_back({&exit, nullptr});
        open(no_vertex);
        const Behavior inside = block(program_.blocks(id)[0]);
        if ((inside & next) != 0) contribute(exit);
        const Vertex left = close();
        targets_.pop_back();
        const Behavior all = after_breaks(inside);
        apply(exit);
        if ((all & parting_) != 0) diverge(left);
        return all;
    }

    Behavior loop(NodeId id) {
        const BlockId body = program_.blocks(id)[0];
        Merge exit(assigned(id));
        Merge continuing(with_locals(exit.variables, body));
        const std::vector<Vertex> header = enter_loop(exit.variables);
        targets_.push_back({&exit, &continuing});
        open(id.index);
        const Behavior first = block(body);
        const bool turns = (first & (next | continues)) != 0;
        Behavior all = first;
        if (turns) {
            if ((first & next) != 0) contribute(continuing);
            apply(continuing);
            all |= block(program_.blocks(id)[1]);
            for (std::size_t i = 0; i < header.size(); ++i)
                graph_.edge(state_[exit.variables[i].index], header[i]);
            graph_.edge(frames_.back().tail, id.index);  // CF' -> CF2
        }
        const Vertex left = close();
        targets_.pop_back();
        apply(exit);
        const Behavior result = ((all & breaks) != 0 ? next : 0u) | (all & returns);
        if ((all & returns & parting_) != 0) diverge(turns ? id.index : left);
        return result;
    }

    // Adds the variables that the body declares, which the continuing block also sees.
    std::vector<VariableId> with_locals(std::vector<VariableId> variables, BlockId body) const {
        if (!precise_) return variables;
        for (const NodeId node : program_.block(body))
            if (program_.node(node).op == Op::declare)
                variables.push_back(VariableId{program_.node(node).payload});
        return variables;
    }

    // Creates a vertex per variable for its value at an iteration's start: the value before the loop or at
    // the end of the previous iteration.
    std::vector<Vertex> enter_loop(const std::vector<VariableId>& variables) {
        std::vector<Vertex> header;
        for (const VariableId variable : variables) {
            header.push_back(graph_.add());
            graph_.edge(state_[variable.index], header.back());
            state_[variable.index] = header.back();
        }
        return header;
    }

    const Program& program_;
    Behavior parting_;  // ways of ending a statement that separate an invocation from those that go on
    bool precise_;
    std::size_t budget_, spent_ = 0;
    Graph graph_;
    AssignedVariables assigned_;
    std::vector<bool> shared_loads_;  // by node
    std::vector<Vertex> state_;       // by variable: its current value
    std::vector<Declared> declared_;
    std::vector<Frame> frames_;
    std::vector<JumpTarget> targets_;
};

}  // namespace

std::optional<Graph> make_graph(const Program& program, Returned returned, bool precise) {
    return Walk(program, returned, precise).run();
}

}  // namespace muster::uniformity
