// variables.hpp - the values that a function's variables may have where they are read. Internal to this room.
//
// A variable's value at a place is a node of the graph; where control flow meets it is a join,
// made when the variable is first read behind it and filled by finish(), so that variables cost
// nothing where they aren't used.
//
//     const Block before = variables.begin();
//     variables.set(before, x, value);
//     const Block then = variables.open(before);
//     variables.set(then, x, other);
//     const Block behind = variables.meet({then, before}, before);
//     variables.get(behind, x);   // a join of value and other
//
// Blocks are opened in the text's order, and only the newest is written to. Source: WGSL section
// "Function-scope Variable Value Analysis".
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include <muster/foundation/wgsl/uniformity/graph.hpp>

namespace muster::wgsl::uniformity {

class Variables {
  public:
    using Block = std::uint32_t;

    Variables(Graph& graph, std::size_t variables) : graph_(graph), writers_(variables) {}

    Block begin() { return add({}); }
    /// A block that is reached from `from` alone.
    Block open(Block from) { return add({.before = from}); }
    /// A block that is reached from all of these, behind a statement that begins after `before`.
    Block meet(std::span<const Block> from, Block before);
    /// The block at a loop's beginning. end_loop() says from where else it is reached:
    /// from no block, or from one.
    Block begin_loop(Block before);
    void end_loop(Block loop, std::span<const Block> again);

    void set(Block block, std::uint32_t variable, Node value);
    /// no_node: what is always uniform, or a variable that isn't set here.
    Node get(Block block, std::uint32_t variable);
    /// Fills the joins. Afterwards the graph is complete.
    void finish();

  private:
    static constexpr Block no_block = UINT32_MAX;
    enum class Kind : std::uint8_t { plain, meeting, loop };
    struct Entered {
        Kind kind = Kind::plain;
        Block before =
            no_block;   // plain: where it is reached from; otherwise the last block before the statement
        Block end = 0;  // the first block that the statement's blocks come before; of an open loop: 0
        std::vector<Block> from{};
    };
    struct Join {
        Block block;
        std::uint32_t variable;
        Node node;
    };

    Block add(Entered entered);
    /// True if no way into a block where control flow meets sets the variable.
    bool is_settled(const Entered& entered, std::uint32_t variable) const;
    bool is_spent() const;
    /// A value for what is too costly to follow.
    Node untold();
    static std::uint64_t key(Block block, std::uint32_t variable) {
        return std::uint64_t{block} << 32 | variable;
    }

    Graph& graph_;
    std::vector<Entered> entered_;
    std::vector<std::vector<Block>> writers_;         // by variable: the blocks that set it, ascending
    std::unordered_map<std::uint64_t, Node> values_;  // at a block's end, as far as known
    std::vector<Join> joins_;
    std::uint64_t steps_ = 0;
    Node untold_ = no_node;
};

}  // namespace muster::wgsl::uniformity
