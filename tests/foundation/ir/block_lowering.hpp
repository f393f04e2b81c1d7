// block_lowering.hpp - a lowering to blocks and branches, as docs/ir.md shows it.
#pragma once

#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <muster/foundation/ir/control_walk.hpp>

namespace muster::test {

// clang-format off
/// The numbers of the blocks to which the jumps of a loop, a switch or a scope lead.
struct Jumps {
    int leave = 0, go_on = 0, again = 0;
};

/// A block has a number and operations, and ends with its only jump. Blocks that nothing jumps to aren't written.
class BlockLowering final : ControlWalk<Jumps> {
  public:
    explicit BlockLowering(const Program& program) : ControlWalk(program), program_(program) {
        block(program.body());
        end("return");
    }
    const std::string& text() const { return text_; }

  private:
    bool enter(NodeId) override { return is_open_; }
    void operation(NodeId node) override {
        text_ += fmt::format("  %{} = {}\n", node.index, info(program_.node(node).op).name);
    }
    void if_(NodeId node, BlockId then, BlockId otherwise) override {
        const int yes = ++blocks_, no = ++blocks_, after = ++blocks_;
        branch(node, yes, no);
        write(yes, then, after);
        write(no, otherwise, after);
        begin(after);
    }
    void loop(NodeId node, BlockId body, BlockId continuing) override {
        const int again = ++blocks_, go_on = ++blocks_, leave = ++blocks_;
        jump(again);
        within(node, {leave, go_on, again}, [&] {
            write(again, body, go_on);
            write(go_on, continuing, again);
        });
        begin(leave);
    }
    void switch_(NodeId node) override {
        std::string text = fmt::format("switch %{}", program_.operand(node, 0).index);
        std::vector<std::pair<int, BlockId>> cases;
        for (const SwitchCase& one : program_.switch_cases(node)) {
            cases.emplace_back(++blocks_, one.block);
            for (const std::uint32_t selector : one.selectors) text += fmt::format(" {}:{}", selector, blocks_);
            if (one.is_default) text += fmt::format(" default:{}", blocks_);
            reached_.insert(blocks_);
        }
        end(text);
        const int leave = ++blocks_;
        within(node, {.leave = leave}, [&] {
            for (const auto& [number, id] : cases) write(number, id, leave);
        });
        begin(leave);
    }
    void scope(NodeId node, BlockId body) override {
        const int leave = ++blocks_;
        within(node, {.leave = leave}, [&] { block(body); });
        jump(leave);
        begin(leave);
    }
    void break_(NodeId, Jumps& from) override { jump(from.leave); }
    void continue_(NodeId, Jumps& loop) override { jump(loop.go_on); }
    void break_if(NodeId node, Jumps& loop) override { branch(node, loop.leave, loop.again); }
    void return_(NodeId) override { end("return"); }

    void begin(int number) {
        is_open_ = reached_.contains(number);
        if (is_open_) text_ += fmt::format("block {}\n", number);
    }
    void write(int number, BlockId id, int next) {
        begin(number);
        block(id);
        jump(next);
    }
    void jump(int to) {
        if (is_open_) reached_.insert(to);
        end(fmt::format("jump {}", to));
    }
    void branch(NodeId node, int yes, int no) {
        reached_.insert({yes, no});
        end(fmt::format("branch %{} {} {}", program_.operand(node, 0).index, yes, no));
    }
    void end(const std::string& with) {
        if (is_open_) text_ += "  " + with + "\n";
        is_open_ = false;
    }

    const Program& program_;
    std::string text_;
    std::set<int> reached_;
    bool is_open_ = true;
    int blocks_ = 0;
};
// clang-format on

}  // namespace muster::test
