// ir_builder_state.hpp - the state of an IrBuilder. Internal to ir_builder.cpp, ir_control.cpp and
// ir_finish.cpp.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include <muster/foundation/base/intern_table.hpp>
#include <muster/foundation/build/ir_builder.hpp>

namespace muster {

struct IrBuilder::State {
    enum class FrameKind : std::uint8_t {
        body,
        then_,
        else_,
        loop_body,
        continuing,
        switch_cases,
        case_,
        scope
    };
    struct Frame {
        FrameKind kind = FrameKind::body;
        NodeId node;  // the control node that owns the block
        BlockId block;
        bool ended = false;
    };
    struct CaseLabel {
        std::vector<std::uint32_t> selectors;
        bool is_default = false;
    };
    struct Control {  // what a control node gathers until its end
        std::vector<BlockId> blocks;
        std::vector<CaseLabel> cases;
        bool is_left = false;       // some invocations may go on behind it
        bool is_continued = false;  // a loop with a continue_ that can be reached
    };

    std::string entry;
    Extent3 workgroup_size;
    std::uint32_t subgroup_size = 0;
    TypeTable types;
    std::vector<Node> nodes;
    std::vector<NodeId> operands;
    std::vector<std::uint32_t> words;
    std::vector<std::vector<NodeId>> blocks;
    std::vector<Variable> variables;
    std::vector<std::string> extensions;
    std::vector<SourceFile> files;
    std::vector<SourceLocation> locations;
    std::unordered_map<std::uint32_t, std::string> names;
    std::unordered_map<std::uint32_t, Control> controls;  // by control node
    InternTable interned;                                 // free nodes
    std::vector<Frame> frames;
    SourceLocation here;
    std::uint32_t placed = 0;         // nodes placed in a block
    std::uint32_t subgroup_flow = 0;  // payload of subgroup operations
    bool too_many_nodes = false;
    bool too_deep = false;
    bool misused = false;  // an end_ without its begin_

    std::span<const NodeId> operands_of(const Node& node) const {
        return std::span(operands).subspan(node.first_operand, node.operand_count);
    }
    /// The parts that a control node has gathered; null for other nodes.
    const Control* control_of(NodeId id) const {
        if (info(nodes[id.index].op).group != OpGroup::control) return nullptr;
        const auto found = controls.find(id.index);
        return found == controls.end() ? nullptr : &found->second;
    }
    /// The words of a constant that isn't zero throughout.
    std::span<const std::uint32_t> words_of(const Node& node) const {
        return std::span(words).subspan(node.payload, types.scalar_words(node.type));
    }
    NodeId add(Op op, TypeId type, std::span<const NodeId> with, std::uint32_t payload);
    NodeId place(Op op, TypeId type, std::span<const NodeId> with, std::uint32_t payload = 0);
    NodeId free_node(Op op, TypeId type, std::span<const NodeId> with, std::uint32_t payload);
    BlockId open(FrameKind kind, NodeId node);
    NodeId begin_control(Op op, std::span<const NodeId> with, FrameKind kind);
    bool close(FrameKind kind);
    /// Closes a control node's last block. If no invocation goes on behind the node, the
    /// block around it has ended.
    void end(FrameKind kind);
    /// Notes that some invocations leave the innermost loop, switch or scope.
    void leave_innermost();
    /// Notes that some invocations continue with the innermost loop's continuing block.
    void continue_innermost();
};

}  // namespace muster
