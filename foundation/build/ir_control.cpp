// ir_control.cpp - the control flow half of IrBuilder: a stack of open blocks.

#include <algorithm>
#include <array>
#include <ranges>

#include <muster/foundation/build/ir_builder.hpp>
#include <muster/foundation/build/ir_builder_state.hpp>
#include <muster/foundation/ir/program_limits.hpp>

namespace muster {

using FrameKind = IrBuilder::State::FrameKind;

BlockId IrBuilder::State::open(FrameKind kind, NodeId node) {
    const BlockId block{static_cast<std::uint32_t>(blocks.size())};
    blocks.emplace_back();
    const bool is_case = kind == FrameKind::case_;  // whose switch_cases always counts as ended
    const bool unreachable = !frames.empty() && frames[frames.size() - (is_case ? 2 : 1)].ended;
    frames.push_back({kind, node, block, unreachable});
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
    const Frame closed = frames.back();
    frames.pop_back();
    const bool leads_to_end = kind != FrameKind::loop_body && kind != FrameKind::continuing;
    if (leads_to_end && !closed.ended) controls[closed.node.index].is_left = true;
    return true;
}

void IrBuilder::State::end(FrameKind kind) {
    const NodeId node = frames.back().node;
    if (close(kind) && !controls[node.index].is_left) frames.back().ended = true;
}

void IrBuilder::State::leave_innermost() {
    if (frames.back().ended) return;
    for (auto frame = frames.rbegin(); frame != frames.rend(); ++frame) {
        if (frame->kind == FrameKind::then_ || frame->kind == FrameKind::else_) continue;
        if (frame->node) controls[frame->node.index].is_left = true;
        return;
    }
}

void IrBuilder::State::continue_innermost() {
    if (frames.back().ended) return;
    const auto loop = std::ranges::find(frames | std::views::reverse, FrameKind::loop_body, &Frame::kind);
    if (loop != frames.rend()) controls[loop->node.index].is_continued = true;
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
    state_->end(FrameKind::else_);
}

void IrBuilder::begin_loop() { state_->begin_control(Op::loop, {}, FrameKind::loop_body); }

void IrBuilder::begin_continuing() {
    const State::Frame body = state_->frames.back();
    if (!state_->close(FrameKind::loop_body)) return;
    state_->open(FrameKind::continuing, body.node);
    if (body.ended && !state_->controls[body.node.index].is_continued) state_->frames.back().ended = true;
}

void IrBuilder::break_if(NodeId condition) {
    state_->place(Op::break_if, no_type, std::array{condition});
    state_->leave_innermost();
    state_->frames.back().ended = true;
}

void IrBuilder::end_loop() {
    if (state_->frames.back().kind == FrameKind::loop_body) begin_continuing();
    state_->end(FrameKind::continuing);
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
    State::Control& control = state_->controls[state_->frames.back().node.index];
    if (std::ranges::none_of(control.cases, &State::CaseLabel::is_default)) control.is_left = true;
    state_->end(FrameKind::switch_cases);
}

void IrBuilder::begin_scope() { state_->begin_control(Op::scope, {}, FrameKind::scope); }
void IrBuilder::end_scope() { state_->end(FrameKind::scope); }

void IrBuilder::break_() {
    state_->place(Op::break_, no_type, {});
    state_->leave_innermost();
    state_->frames.back().ended = true;
}

void IrBuilder::continue_() {
    state_->place(Op::continue_, no_type, {});
    state_->continue_innermost();
    state_->frames.back().ended = true;
}

void IrBuilder::return_() {
    state_->place(Op::return_, no_type, {});
    state_->frames.back().ended = true;
}

bool IrBuilder::block_ended() const { return state_->frames.back().ended; }

}  // namespace muster
