#include <algorithm>
#include <optional>
#include <unordered_map>

#include <fmt/format.h>

#include <muster/foundation/base/try.hpp>
#include <muster/foundation/ir/access.hpp>
#include <muster/foundation/ir/grid_barrier.hpp>
#include <muster/foundation/ir/within.hpp>
#include <muster/foundation/split/schedule.hpp>

namespace muster::split {

bool leaves_walked(const Program& program, const HostControlFlow& host_flow, NodeId node) {
    return program.node(node).op == Op::break_ && host_flow.is_walked(host_flow.target(node));
}

namespace {

using Kind = HostStep::Kind;

class Scheduler {
  public:
    Scheduler(const Program& program, const HostControlFlow& host_flow, const HostValues& host)
        : program_(program), host_flow_(host_flow), host_(host) {
        made_.same_load.resize(program.node_count());
    }

    Result<Schedule> run() && {
        find_left();
        if (fault_) return std::unexpected(*std::move(fault_));
        block(program_.body());
        flush();
        step({.kind = Kind::end});
        return std::move(made_);
    }

  private:
    /// Steps that jump to a construct's end or to its continuing block, until these are known.
    struct OpenConstruct {
        NodeId construct;
        std::vector<std::size_t> to_exit, to_continuing;
    };

    // Invocations that leave without the others
    // ------------------------------------------------------------------------------------------

    void find_left() {
        for_each_within(program_, program_.body(), [&](NodeId node) {
            const Op op = program_.node(node).op;
            const bool jumps = op == Op::break_ || op == Op::continue_;
            if (jumps && host_flow_.is_walked(host_flow_.target(node)) && !host_flow_.is_uniform(node))
                note_left(node);
        });
    }

    void note_left(NodeId jump) {
        const NodeId construct = host_flow_.target(jump);
        if (program_.node(jump).op == Op::continue_)
            fault_ =
                Error{ErrorCode::unsupported,
                      fmt::format(
                          "The program \"{}\" can't be split at its grid barriers: some invocations continue "
                          "with a loop's next iteration before others, at line {}.",
                          program_.entry(), program_.location(jump).line),
                      "let all invocations reach the loop's end together",
                      {}};
        // A break_ on the host's level, which the host follows with a jump of its own, leaves no invocation
        // behind.
        else if (!host_flow_.is_on_level(jump) &&
                 std::ranges::find(made_.left, construct) == made_.left.end())
            made_.left.push_back(construct);
    }

    bool is_left(NodeId construct) const {
        return std::ranges::find(made_.left, construct) != made_.left.end();
    }

    // Steps
    // ----------------------------------------------------------------------------------------------------------

    std::uint32_t here() const { return static_cast<std::uint32_t>(made_.steps.size()); }
    std::size_t step(HostStep what) {
        made_.steps.push_back(what);
        return made_.steps.size() - 1;
    }
    void land(const std::vector<std::size_t>& jumps) {
        for (const std::size_t jump : jumps) made_.steps[jump].target = here();
    }

    void flush() {
        if (!segment_.items.empty() || made_.segments.empty()) {
            segment_.inside = inside_;
            step({.kind = Kind::run, .index = static_cast<std::uint32_t>(made_.segments.size())});
            made_.segments.push_back(std::move(segment_));
        }
        segment_ = {};
        loaded_.clear();
    }

    void add(Item item) {
        segment_.is_liveness_check |= item.kind == Item::Kind::liveness_check;
        segment_.items.push_back(item);
    }

    /// Makes the value available to the host and ends the segment.
    void bring(NodeId value) {
        const bool known = host_.can_evaluate(value);
        if (!known) add({Item::Kind::fetch, value});
        flush();
        if (!known) step({.kind = Kind::fetch, .node = value});
    }

    // Statements
    // -----------------------------------------------------------------------------------------------------

    void block(BlockId block) {
        for (const NodeId node : program_.block(block)) {
            if (is_grid_barrier(program_, node))
                flush();
            else if (is_grid_uniform_load(program_, node))
                grid_uniform_load(node);
            else if (host_flow_.is_walked(node))
                construct(node);
            else if (!jump(node))
                statement(node);
        }
    }

    /// Nothing between a grid barrier and its grid_uniform_load has an effect, so the load is read first.
    void grid_uniform_load(NodeId node) {
        for (NodeId at = program_.operand(node, 0); program_.node(at).op != Op::ref_variable;
             at = program_.operand(at, 0))
            if (program_.node(at).op == Op::ref_index && !host_.can_evaluate(program_.operand(at, 1)))
                bring(program_.operand(at, 1));
        step({.kind = Kind::read, .node = node});
    }

    void statement(NodeId node) {
        const Op op = program_.node(node).op;
        if (host_.is_hosted_access(node) && op != Op::load) {
            const VariableId variable = assigned(program_, node);
            const auto operands = program_.operands(node);
            step({.kind = Kind::assign,
                  .index = variable.index,
                  .node = operands.empty() ? NodeId{} : operands.back()});
            loaded_.erase(variable.index);
        } else if (host_.is_hosted_load(node)) {
            take(node);
        } else {
            for_each_within(program_, node, [&](NodeId inner) {
                if (host_.is_hosted_load(inner)) take(inner);
            });
            add({Item::Kind::node, node});
        }
    }

    /// Takes the value of a hosted variable, once for all loads before the next assignment.
    void take(NodeId load) {
        const VariableId variable = program_.root_variable(program_.operand(load, 0));
        const auto [found, is_new] = loaded_.try_emplace(variable.index, load);
        if (is_new || host_flow_.is_on_level(load))
            step({.kind = Kind::evaluate, .node = load});  // the host may use it
        made_.same_load[load.index] = found->second;
    }

    /// Returns true if the node is a jump that all active invocations take.
    bool jump(NodeId node) {
        const Op op = program_.node(node).op;
        if (op == Op::break_if) {
            bring(program_.operand(node, 0));
            const std::size_t on = step({.kind = Kind::branch, .node = program_.operand(node, 0)});
            open_.back().to_exit.push_back(step({.kind = Kind::jump}));
            made_.steps[on].target = here();
            return true;
        }
        if (op == Op::break_ || op == Op::continue_) {
            flush();
            const NodeId construct = host_flow_.target(node);
            const auto open = std::ranges::find(open_, construct, &OpenConstruct::construct);
            auto& jumps = op == Op::break_ ? open->to_exit : open->to_continuing;
            jumps.push_back(step({.kind = Kind::jump}));
            return true;
        }
        return op == Op::return_ && return_(node);
    }

    /// Invocations that left an enclosing construct must still continue: the host jumps to that construct's
    /// end.
    bool return_(NodeId node) {
        const auto open = std::find_if(open_.rbegin(), open_.rend(),
                                       [&](const OpenConstruct& one) { return is_left(one.construct); });
        if (open != open_.rend()) {
            add({Item::Kind::node, node});
            flush();
            open->to_exit.push_back(step({.kind = Kind::jump}));
        } else {
            flush();
            step({.kind = Kind::end});
        }
        return true;
    }

    // Constructs
    // -----------------------------------------------------------------------------------------------------

    void construct(NodeId node) {
        if (is_left(node)) add({Item::Kind::enter, node});
        const Op op = program_.node(node).op;
        if (op == Op::if_ || op == Op::switch_)
            bring(program_.operand(node, 0));
        else
            flush();
        open_.push_back({node, {}, {}});
        if (is_left(node)) inside_.push_back(node);
        if (op == Op::if_) if_(node);
        if (op == Op::switch_) switch_(node);
        if (op == Op::loop) loop(node);
        if (op == Op::scope) walk(program_.blocks(node)[0]);
        if (is_left(node)) inside_.pop_back();
        land(open_.back().to_exit);
        open_.pop_back();
    }

    void walk(BlockId inner) {
        block(inner);
        flush();
    }

    void if_(NodeId node) {
        const std::size_t to_else = step({.kind = Kind::branch, .node = program_.operand(node, 0)});
        walk(program_.blocks(node)[0]);
        if (program_.block(program_.blocks(node)[1]).empty()) {
            land({to_else});
            return;
        }
        open_.back().to_exit.push_back(step({.kind = Kind::jump}));
        land({to_else});
        walk(program_.blocks(node)[1]);
    }

    void switch_(NodeId node) {
        const auto number = static_cast<std::uint32_t>(made_.cases.size());
        made_.cases.emplace_back();
        step({.kind = Kind::select, .index = number, .node = program_.operand(node, 0)});
        std::optional<std::uint32_t> otherwise;
        for (const SwitchCase& one : program_.switch_cases(node)) {
            made_.cases[number].cases.push_back({{one.selectors.begin(), one.selectors.end()}, here()});
            if (one.is_default) otherwise = here();
            walk(one.block);
            open_.back().to_exit.push_back(step({.kind = Kind::jump}));
        }
        made_.cases[number].otherwise = otherwise.value_or(here());
    }

    void loop(NodeId node) {
        const std::uint32_t head = here();
        if (returns_) add_liveness_check();
        walk(program_.blocks(node)[0]);
        land(open_.back().to_continuing);
        walk(program_.blocks(node)[1]);
        step({.kind = Kind::jump, .target = head});
    }

    /// Once all invocations have returned the program has ended, whatever the loop's condition is.
    void add_liveness_check() {
        const std::size_t next = step({.kind = Kind::next_iteration, .index = made_.loops++});
        add({Item::Kind::liveness_check, {}});
        flush();
        step({.kind = Kind::fetch});
        land({next});
    }

    const Program& program_;
    const HostControlFlow& host_flow_;
    const HostValues& host_;
    const bool returns_ = program_.required_ops().contains(Op::return_);
    Schedule made_;
    std::optional<Error> fault_;
    Segment segment_;
    std::unordered_map<std::uint32_t, NodeId> loaded_;  // hosted variables loaded in the open segment
    std::vector<OpenConstruct> open_;                   // open constructs
    std::vector<NodeId> inside_;
};

}  // namespace

Result<Schedule> make_schedule(const Program& program, const HostControlFlow& host_flow,
                               const HostValues& host) {
    return Scheduler(program, host_flow, host).run();
}

}  // namespace muster::split
