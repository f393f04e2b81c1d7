// flow_walk.hpp - follows a state along a program's control flow, for analyses: knows where control parts,
// meets and turns back, while the analysis knows the state. Internal to foundation.
//
//     class Stores final : FlowWalk<StateMeeting<int>> {
//         void operation(NodeId node) override { stores_ += program_.node(node).op == Op::store ? 1 : 0; }
//         StateMeeting<int> meeting(NodeId) override { return {stores_, 0}; }
//         void rewind(const StateMeeting<int>& at) override { stores_ = at.before; }
//         void arrive(StateMeeting<int>& at) override { at.met = std::max(at.met, stores_); }
//         void resume(StateMeeting<int>& at) override { stores_ = at.met; }
//     };
//
// Code that control can't reach isn't walked. A loop is walked once, so the analysis assumes of its beginning
// what holds in every turn (begin_loop); or it asks for another walk while it has assumed too little
// (end_turn). It then keeps what it assumes of each loop from walk to walk, and sees to it that this doesn't
// grow for long: otherwise loops within loops are walked twice as often at each level. Threads: one.
#pragma once

#include <cstddef>
#include <utility>

#include <muster/foundation/analysis/ways.hpp>
#include <muster/foundation/ir/control_walk.hpp>

namespace muster {

/// For a state that is one value.
template <class State>
struct StateMeeting {
    State before, met;
};

/// Where jumps lead: behind a loop, switch or scope, and to a loop's continuing block.
template <class Meeting>
struct FlowTargets {
    Meeting* behind;
    Meeting* continuing;
};

/// `Meeting` is the analysis's own: the state in front of a construct, and the states that arrive where
/// control meets behind it, or in front of a loop's continuing block.
template <class Meeting>
class FlowWalk : protected ControlWalk<FlowTargets<Meeting>> {
  protected:
    using Control = ControlWalk<FlowTargets<Meeting>>;
    using Targets = FlowTargets<Meeting>;
    using Control::Control;
    ~FlowWalk() = default;

    /// The way into a block of a construct. Of a loop, it stays open for both blocks.
    struct Edge {
        NodeId construct;
        BlockId block;
        std::size_t number = 0;              // among the construct's blocks
        const SwitchCase* chosen = nullptr;  // of a switch
    };

    /// Walks a block, or one node; returns the ways in which control leaves it.
    Ways follow(BlockId id) {
        begin(id);
        return apart([&] { Control::block(id); });
    }
    Ways follow(NodeId node) {
        return apart([&] { Control::visit(node); });
    }

    // The state.
    /// The place behind a construct, made in front of it, at which nothing has arrived yet.
    virtual Meeting meeting(NodeId construct) = 0;
    virtual Meeting meeting_of_continues(NodeId loop) { return meeting(loop); }
    /// Goes back to the state in which the meeting was made.
    virtual void rewind(const Meeting& at) = 0;
    virtual void arrive(Meeting& at) = 0;
    /// Goes on with what has arrived: something has.
    virtual void resume(Meeting& at) = 0;
    virtual void resume_continuing(Meeting& at) { resume(at); }

    // Control.
    /// Called in front of each node that control reaches, and of each block.
    virtual void reach(NodeId) {}
    virtual void begin(BlockId) {}
    virtual void open(const Edge&, const Meeting& /*behind*/) {}
    virtual void close(const Edge&, Meeting& /*behind*/, Ways) {}
    /// Called behind a construct. Its jumps no longer count among the ways if they lead there.
    virtual void pass(NodeId /*construct*/, const Meeting& /*behind*/, Ways) {}
    virtual void begin_loop(NodeId, Meeting& /*behind*/) {}
    /// Called where control turns back to the loop's beginning. If true, the loop is walked again.
    virtual bool end_turn(NodeId /*loop*/, Meeting& /*behind*/) { return false; }

    void break_if(NodeId, Targets& loop) override {
        arrive(*loop.behind);
        ways_.breaks = true;
    }

  private:
    bool enter(NodeId node) final {
        if (ways_.next) reach(node);
        return ways_.next;
    }
    void if_(NodeId node, BlockId then, BlockId otherwise) final {
        Meeting behind = meeting(node);
        Ways ways = take({node, then}, behind);
        ways |= take({node, otherwise, 1}, behind);
        go_on(node, behind, ways);
    }
    void switch_(NodeId node) final {
        Meeting behind = meeting(node);
        Ways ways;
        Control::within(node, {&behind, nullptr}, [&] {
            std::size_t number = 0;
            for (const SwitchCase& one : Control::walked().switch_cases(node))
                ways |= take({node, one.block, number++, &one}, behind);
        });
        go_on(node, behind, ways.left());
    }
    void scope(NodeId node, BlockId body) final {
        Meeting behind = meeting(node);
        Ways ways;
        Control::within(node, {&behind, nullptr}, [&] { ways = take({node, body}, behind); });
        go_on(node, behind, ways.left());
    }
    void loop(NodeId node, BlockId body, BlockId continuing) final {
        Meeting behind = meeting(node);
        Ways ways;
        bool is_again = false;
        do {
            if (is_again) rewind(behind);
            begin_loop(node, behind);
            Meeting at = meeting_of_continues(node);
            Control::within(node, {&behind, &at}, [&] {
                open({node, body}, behind);
                Ways turn = follow(body);
                const bool turns = turn.next || turn.continues;
                if (turn.continues) {  // otherwise the body's end alone leads to the continuing block
                    if (turn.next) arrive(at);
                    resume_continuing(at);
                }
                if (turns) turn |= follow(continuing);
                is_again = turns && end_turn(node, behind);
                ways |= turn;
                close({node, body}, behind, turn);
            });
        } while (is_again);
        go_on(node, behind, {.next = ways.breaks, .returns = ways.returns});
    }
    void break_(NodeId, Targets& from) final {
        arrive(*from.behind);
        ways_.then({.breaks = true});
    }
    void continue_(NodeId, Targets& loop) final {
        arrive(*loop.continuing);
        ways_.then({.continues = true});
    }
    void return_(NodeId) final { ways_.then({.returns = true}); }

    Ways take(const Edge& edge, Meeting& behind) {
        rewind(behind);
        open(edge, behind);
        const Ways ways = follow(edge.block);
        if (ways.next) arrive(behind);
        close(edge, behind, ways);
        return ways;
    }
    void go_on(NodeId construct, Meeting& behind, Ways ways) {
        if (ways.next) resume(behind);
        pass(construct, behind, ways);
        ways_.then(ways);
    }
    /// Calls `walk`; returns its own ways.
    template <class Walk>
    Ways apart(Walk&& walk) {
        const Ways before = std::exchange(ways_, {.next = true});
        walk();
        return std::exchange(ways_, before);
    }

    Ways ways_{.next = true};  // of the nodes of the open block that have been walked
};

}  // namespace muster
