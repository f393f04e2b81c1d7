#include <algorithm>
#include <bit>
#include <utility>

#include <muster/backend-cpu/compiler/lowering/shapes.hpp>
#include <muster/foundation/ir/access.hpp>

namespace muster::cpu {
namespace {

constexpr Shape zero_shape{ShapeKind::offsets, 31, 0};

}  // namespace

Shapes::Shapes(const Program& program, const LaneGeometry& geometry, LaneOffsets& offsets)
    : program_(program), types_(program.types()), geometry_(geometry), offsets_(offsets) {
    lay_out();
    do {
        changed_ = false;
        frames_.clear();
        walk(program_.body());
    } while (changed_);
}

// Allocates one entry per word, or one for the whole value. Free nodes never change, so
// they are evaluated here.
void Shapes::lay_out() {
    const std::uint32_t nodes = program_.node_count();
    indexed_.assign(program_.variables().size(), false);
    tables_ = find_tables(program_);
    for (NodeId id{0}; id.index < nodes; ++id.index) {
        if (program_.node(id).op != Op::ref_index) continue;
        const Place place = resolve(program_, id);
        if (is_per_invocation(program_.variable(place.variable)) && !place.steps.empty())
            indexed_[place.variable.index] = true;
    }
    const auto entries = [&](TypeId type, bool whole) {
        const std::uint64_t words = types_.scalar_words(type);
        return whole || words > max_words ? 1u : static_cast<std::uint32_t>(words);
    };
    first_value_.assign(1, 0);
    for (NodeId id{0}; id.index < nodes; ++id.index)
        first_value_.push_back(first_value_.back() + entries(program_.type(id), false));
    first_variable_.assign(1, 0);
    for (std::uint32_t v = 0; v < program_.variables().size(); ++v)
        first_variable_.push_back(first_variable_.back() +
                                  entries(program_.variables()[v].type, indexed_[v]));
    values_.resize(first_value_.back());
    variables_.resize(first_variable_.back());
    seen_from_.assign(program_.variables().size(), 0);
    find_homes();
    for (auto* flags : {&divergent_, &changes_mask_, &may_empty_, &divergent_break_, &divergent_continue_})
        flags->assign(nodes, false);
    for (std::uint32_t v = 0; v < program_.variables().size(); ++v)
        if (program_.variables()[v].space == AddressSpace::private_)
            for (std::uint32_t at = first_variable_[v]; at < first_variable_[v + 1]; ++at)
                variables_[at] = uniform_shape;
    for (NodeId id{0}; id.index < nodes; ++id.index)
        if (info(program_.node(id).op).group == OpGroup::free) evaluate_free(id);
}

// Finds, for each variable, the construct depth from which it is visible to active lanes only: lanes that
// have left a construct can't see a variable that is used only inside, even if it was declared outside (a
// loop's counter, say). That holds from the declaration inwards, up to the first loop: lanes that leave a
// construct inside it return in the next iteration and find the variable as others have left it.
void Shapes::find_homes() {
    using Step =
        std::pair<NodeId, std::uint32_t>;  // a construct and its block's index; a loop's blocks count as one
    struct Seen {
        std::size_t declared = 0;
        std::vector<Step> common;
        bool any = false;
    };
    std::vector<Seen> seen(program_.variables().size());
    std::vector<Step> path;
    const auto note_access = [&](VariableId variable) {
        if (!is_per_invocation(program_.variable(variable))) return;
        Seen& here = seen[variable.index];
        if (!here.any) here.common = path;
        here.any = true;
        std::size_t same = 0;
        while (same < std::min(path.size(), here.common.size()) && path[same] == here.common[same]) ++same;
        here.common.resize(same);
    };
    const auto visit = [&](auto& self, BlockId block) -> void {
        for (const NodeId node : program_.block(block)) {
            const Node& n = program_.node(node);
            if (n.op == Op::declare) seen[n.payload].declared = path.size();
            if (n.op == Op::load || n.op == Op::store) note_access(accessed(program_, node));
            const auto blocks = program_.blocks(node);
            for (std::uint32_t b = 0; b < blocks.size(); ++b) {
                path.emplace_back(node, n.op == Op::loop ? 0 : b);
                self(self, blocks[b]);
                path.pop_back();
            }
        }
    };
    visit(visit, program_.body());
    for (std::size_t v = 0; v < seen.size(); ++v) {
        if (program_.variables()[v].space != AddressSpace::function) continue;
        std::size_t depth = seen[v].declared;
        const auto& common = seen[v].common;
        for (; depth < common.size(); ++depth) {
            if (program_.node(common[depth].first).op != Op::loop) continue;
            ++depth;
            break;
        }
        seen_from_[v] = depth;
    }
}

void Shapes::set(std::vector<Shape>& shapes, std::uint32_t at, Shape shape) {
    const Shape joined = join(shapes[at], shape);
    if (joined == shapes[at]) return;
    shapes[at] = joined;
    changed_ = true;
}

void Shapes::mark(std::vector<bool>& flags, NodeId node) {
    if (flags[node.index]) return;
    flags[node.index] = true;
    changed_ = true;
}

Shape Shapes::join(Shape a, Shape b) const {
    if (a.kind == ShapeKind::unknown) return b;
    if (b.kind == ShapeKind::unknown) return a;
    if (a.is_varying() || b.is_varying() || a.offsets != b.offsets) return varying();
    a.aligned = std::min(a.aligned, b.aligned);
    return a;
}

void Shapes::walk(BlockId block) {
    for (const NodeId node : program_.block(block)) walk(node);
}

void Shapes::walk(NodeId node) {
    switch (info(program_.node(node).op).group) {
        case OpGroup::free:
        case OpGroup::sync:
        case OpGroup::extension: return;
        case OpGroup::control: control(node); return;
        case OpGroup::exact:
        case OpGroup::packed:
        case OpGroup::math:
        case OpGroup::subgroup: evaluate(node); return;
        case OpGroup::atomic:
            if (program_.type(node) != no_type) set(values_, first_value_[node.index], varying());
            return;
        case OpGroup::memory: break;
    }
    const Node& n = program_.node(node);
    if (n.op == Op::declare) {
        const VariableId variable{n.payload};
        write(node, {.variable = variable, .type = program_.variable(variable).type},
              n.operand_count ? program_.operand(node, 0) : NodeId{});
    } else if (n.op == Op::store) {
        const Place place = resolve(program_, program_.operand(node, 0));
        if (is_per_invocation(program_.variable(place.variable)))
            write(node, place, program_.operand(node, 1));
    } else {
        evaluate(node);
    }
}

// True if lanes may part between the frames at `depth` and here, and meet again within them.
bool Shapes::is_divergent(std::size_t depth) const {
    for (std::size_t f = 0; f < frames_.size(); ++f) {
        if (f >= depth && frames_[f].divergent) return true;
        // A continue_ of some lanes separates those of its own body until the continuing block.
        if (frames_[f].lanes_wait) return true;
    }
    return false;
}

void Shapes::write(NodeId node, const Place& place, NodeId value) {
    const std::uint32_t variable = place.variable.index;
    const bool divergent = !tables_[variable] && is_divergent(seen_from_[variable]);
    if (divergent) mark(divergent_, node);
    bool varies = divergent;
    for (const PlaceStep& step : place.steps) varies = varies || !of(step.index).is_uniform();
    const std::uint64_t words = types_.scalar_words(place.type);
    for (std::uint64_t w = 0; w < std::min(words, std::max<std::uint64_t>(max_words, 1)); ++w) {
        const Shape shape = value ? of(value, w) : zero_shape;
        join_variable(place.variable, place.offset + w, varies ? varying() : shape);
    }
}

void Shapes::join_variable(VariableId variable, std::uint64_t word, Shape shape) {
    // An access out of bounds gives zero, which has no offsets.
    if (indexed_[variable.index] && shape.offsets != 0) shape = varying();
    set(variables_, entry(first_variable_, variable.index, word), shape);
}

void Shapes::nested(BlockId block, Frame frame) {
    frames_.push_back(frame);
    walk(block);
    frames_.pop_back();
}

void Shapes::control(NodeId node) {
    const auto blocks = program_.blocks(node);
    const auto parts = [&] { return !of(program_.operand(node, 0)).is_uniform(); };
    const Op op = program_.node(node).op;
    Frame frame{.construct = node, .divergent = divergent_break_[node.index]};
    if (op == Op::if_) {
        frame.divergent = parts();
    } else if (op == Op::switch_) {
        frame.divergent = frame.divergent || parts();
        frame.takes_break = true;
    } else if (op == Op::scope) {
        frame.takes_break = true;
    } else if (op == Op::loop) {
        frame.is_loop = frame.takes_break = true;
        // In the continuing block, lanes that continued early are active again.
        Frame body = frame;
        body.lanes_wait = divergent_continue_[node.index];
        body.divergent = body.divergent || body.lanes_wait;
        nested(blocks[0], body);
        for (const BlockId continuing : blocks.subspan(1)) nested(continuing, frame);
        return;
    } else {
        jump(node);
    }
    for (const BlockId block : blocks) nested(block, frame);
}

void Shapes::jump(NodeId node) {
    const Op op = program_.node(node).op;
    std::size_t target = 0;  // number of frames that stay, plus one; 0: the invocation ends
    if (op != Op::return_) {
        target = frames_.size();
        while (op == Op::continue_ ? !frames_[target - 1].is_loop : !frames_[target - 1].takes_break)
            --target;
    }
    bool divergent = op == Op::break_if && !of(program_.operand(node, 0)).is_uniform();
    for (std::size_t f = target; f < frames_.size(); ++f) divergent = divergent || frames_[f].divergent;
    if (op == Op::break_) {
        // The lanes of other cases haven't run yet, and those that wait for the continuing
        // block would be left behind.
        const NodeId left = frames_[target - 1].construct;
        if (program_.node(left).op == Op::switch_ && !of(program_.operand(left, 0)).is_uniform())
            divergent = true;
        if (divergent_continue_[left.index]) divergent = true;
    }
    if (divergent) leave(node, target);
}

void Shapes::leave(NodeId node, std::size_t target) {
    mark(divergent_, node);
    const Op op = program_.node(node).op;
    if (target > 0)
        mark(op == Op::continue_ ? divergent_continue_ : divergent_break_, frames_[target - 1].construct);
    for (std::size_t f = target > 0 ? target - 1 : 0; f < frames_.size(); ++f) {
        mark(changes_mask_, frames_[f].construct);
        if (target == 0 || f >= target) mark(may_empty_, frames_[f].construct);
    }
}

}  // namespace muster::cpu
