// control_walk.hpp - walks a program's structured control flow for a lowering: a function for each construct
// and jump, and one for everything else.
//
//     class Lowering final : ControlWalk<Jumps> {
//         void operation(NodeId node) override { ... }
//         void scope(NodeId node, BlockId body) override {
//             const Label end = new_label();
//             within(node, {.leave = end}, [&] { block(body); });
//             begin(end);
//         }
//         void break_(NodeId, Jumps& from) override { branch(from.leave); }
//
// The lowering decides where and in which order a construct's blocks are walked. The walk knows what encloses
// them, and hands each jump what the lowering has said about the construct that it leaves or continues.
// docs/ir.md ("Blocks and branches") has a whole lowering. Threads: one.
#pragma once

#include <span>
#include <utility>
#include <vector>

#include <muster/foundation/ir/program.hpp>

namespace muster {

/// `Jumps` is the lowering's own: where the jumps of a loop, a switch or a scope lead.
template <class Jumps>
class ControlWalk {
  protected:
    /// A loop, switch or scope around the node being walked: break_ leaves the innermost,
    /// continue_ the innermost loop.
    struct Construct {
        NodeId node;
        Jumps jumps;
    };

    explicit ControlWalk(const Program& program) : walked_(program) {}
    ~ControlWalk() = default;
    const Program& walked() const { return walked_; }

    /// Walks the nodes of a block in order.
    void block(BlockId id) {
        for (const NodeId node : walked_.block(id))
            if (!visit(node)) return;
    }
    /// Walks one node; returns what enter() says of it.
    bool visit(NodeId node) {
        if (!enter(node)) return false;
        call(node);
        return true;
    }
    /// Calls `walk`, during which `node` is the innermost construct. Returns `jumps` as the
    /// functions below have left it. The outermost construct takes all jumps that no other one takes.
    template <class Walk>
    Jumps within(NodeId node, Jumps jumps, Walk&& walk) {
        constructs_.push_back({node, std::move(jumps)});
        walk();
        jumps = std::move(constructs_.back().jumps);
        constructs_.pop_back();
        return jumps;
    }
    /// The enclosing constructs, the innermost last. A call of within() invalidates it,
    /// and references to `jumps`.
    std::span<Construct> constructs() { return constructs_; }

    /// Called in front of each node. False skips it and the rest of its block: for languages in which no code
    /// may follow a jump, once a block of the language has ended with one.
    virtual bool enter(NodeId) { return true; }
    /// A node that isn't control flow.
    virtual void operation(NodeId node) = 0;
    virtual void if_(NodeId node, BlockId then, BlockId otherwise) = 0;
    /// Both blocks are walked within the loop: `continuing` ends with the jump back to `body`.
    virtual void loop(NodeId node, BlockId body, BlockId continuing) = 0;
    /// Program::switch_cases() has the blocks, which are walked within the switch. The end of each leaves it.
    virtual void switch_(NodeId node) = 0;
    virtual void scope(NodeId node, BlockId body) = 0;
    virtual void break_(NodeId node, Jumps& from) = 0;
    virtual void continue_(NodeId node, Jumps& loop) = 0;
    /// Leaves the loop if the node's operand is true, and otherwise goes back to its body.
    virtual void break_if(NodeId node, Jumps& loop) = 0;
    virtual void return_(NodeId node) = 0;

  private:
    void call(NodeId node) {
        const Op op = walked_.node(node).op;
        const auto blocks = walked_.blocks(node);
        if (op == Op::if_) return if_(node, blocks[0], blocks[1]);
        if (op == Op::loop) return loop(node, blocks[0], blocks[1]);
        if (op == Op::switch_) return switch_(node);
        if (op == Op::scope) return scope(node, blocks[0]);
        if (op == Op::break_) return break_(node, constructs_.back().jumps);
        if (op == Op::continue_) return continue_(node, innermost_loop());
        if (op == Op::break_if) return break_if(node, innermost_loop());
        if (op == Op::return_) return return_(node);
        operation(node);
    }
    Jumps& innermost_loop() {
        auto at = constructs_.rbegin();
        while (at + 1 != constructs_.rend() && walked_.node(at->node).op != Op::loop) ++at;
        return at->jumps;
    }

    const Program& walked_;
    std::vector<Construct> constructs_;
};

}  // namespace muster
