// ir_control.cpp - the control flow half of IrBuilder: a stack of open blocks.

#include <array>

#include <muster/foundation/build/ir_builder.hpp>
#include <muster/foundation/build/ir_builder_state.hpp>
#include <muster/foundation/ir/program_limits.hpp>

namespace muster {

using FrameKind = IrBuilder::State::FrameKind;

BlockId IrBuilder::State::open(FrameKind kind, NodeId node) {
    const BlockId block{static_cast<std::uint32_t>(blocks.size())};
    blocks.emplace_back();
    frames.push_back({kind, node, block, false});
    if (frames.size() > limits::nesting) too_deep = true;
    if (node) controls[node.index].blocks.push_back(block);
    return block;
}

NodeId IrBuilder::State::begin_control(Op op, std::span<const NodeId> with, FrameKind kind) {
    const NodeId node = place(op, no_type, with);
    open(kind, node);
    return node;
}

bool IrBuilder::State::close(FrameKind kind) {
    if (frames.size() <= 1 || frames.back().kind != kind) {
        misused = true;
        return false;
    }
    frames.pop_back();
    return true;
}

void IrBuilder::begin_if(NodeId condition) {
    state_->begin_control(Op::if_, std::array{condition}, FrameKind::then_);
}

void IrBuilder::begin_else() {
    const NodeId node = state_->frames.back().node;
    if (state_->close(FrameKind::then_)) state_->open(FrameKind::else_, node);
}

void IrBuilder::end_if() {
    if (state_->frames.back().kind == FrameKind::then_) begin_else();
    state_->close(FrameKind::else_);
}

void IrBuilder::begin_loop() { state_->begin_control(Op::loop, {}, FrameKind::loop_body); }

void IrBuilder::begin_continuing() {
    const NodeId node = state_->frames.back().node;
    if (state_->close(FrameKind::loop_body)) state_->open(FrameKind::continuing, node);
}

void IrBuilder::break_if(NodeId condition) {
    state_->place(Op::break_if, no_type, std::array{condition});
    state_->frames.back().ended = true;
}

void IrBuilder::end_loop() {
    if (state_->frames.back().kind == FrameKind::loop_body) begin_continuing();
    state_->close(FrameKind::continuing);
}

void IrBuilder::begin_switch(NodeId selector) {
    const NodeId node = state_->place(Op::switch_, no_type, std::array{selector});
    // A frame without a block of its own: nothing is placed between begin_switch and begin_case.
    state_->frames.push_back({FrameKind::switch_cases, node, state_->frames.back().block, true});
    if (state_->frames.size() > limits::nesting) state_->too_deep = true;
}

void IrBuilder::begin_case(std::span<const std::uint32_t> selectors, bool is_default) {
    if (state_->frames.back().kind == FrameKind::case_) state_->close(FrameKind::case_);
    if (state_->frames.back().kind != FrameKind::switch_cases) {
        state_->misused = true;
        return;
    }
    const NodeId node = state_->frames.back().node;
    state_->open(FrameKind::case_, node);
    if (state_->controls[node.index].blocks.size() > UINT16_MAX) state_->too_many_nodes = true;
    state_->controls[node.index].cases.push_back({{selectors.begin(), selectors.end()}, is_default});
}

void IrBuilder::end_switch() {
    if (state_->frames.back().kind == FrameKind::case_) state_->close(FrameKind::case_);
    state_->close(FrameKind::switch_cases);
}

void IrBuilder::begin_scope() { state_->begin_control(Op::scope, {}, FrameKind::scope); }
void IrBuilder::end_scope() { state_->close(FrameKind::scope); }

void IrBuilder::break_() {
    state_->place(Op::break_, no_type, {});
    state_->frames.back().ended = true;
}

void IrBuilder::continue_() {
    state_->place(Op::continue_, no_type, {});
    state_->frames.back().ended = true;
}

void IrBuilder::return_() {
    state_->place(Op::return_, no_type, {});
    state_->frames.back().ended = true;
}

bool IrBuilder::block_ended() const { return state_->frames.back().ended; }

}  // namespace muster
