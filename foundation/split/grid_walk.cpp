#include <algorithm>
#include <array>
#include <bit>
#include <utility>

#include <muster/foundation/base/try.hpp>
#include <muster/foundation/ir/place.hpp>
#include <muster/foundation/split/grid_walk.hpp>

namespace muster {
namespace {

using Kind = HostStep::Kind;

/// The number of a loop's iterations at which the host first checks whether any invocation is left; it checks
/// again at each doubling. So a loop that all invocations have left ends, and other loops rarely wait for the
/// answer.
constexpr std::uint64_t first_iteration_to_check = 64;

}  // namespace

GridWalk::GridWalk(const SplitProgram& split, Extent3 workgroups, std::vector<std::uint64_t> binding_bytes)
    : split_(&split),
      workgroups_(workgroups),
      binding_bytes_(std::move(binding_bytes)),
      iterations_(split.loops),
      values_(split.walked_node_count),
      variables_(split.program.variables().size()) {}

Result<bool> GridWalk::go_on(GridHost& host, std::uint64_t most_parts, std::uint64_t most_steps) {
    const std::uint64_t until = most_parts > UINT64_MAX - parts_run_ ? UINT64_MAX : parts_run_ + most_parts;
    for (std::uint64_t steps = 0; at_ < split_->steps.size(); ++steps) {
        if (steps == most_steps) return false;
        const HostStep& next = split_->steps[at_];
        if (next.kind == Kind::run && parts_run_ == until) return false;
        const bool waits = next.kind == Kind::read || next.kind == Kind::fetch;
        if (waits && !TRY(host.is_settled())) return false;
        if (!TRY(step(host))) at_ = split_->steps.size();
    }
    return true;
}

void GridWalk::know(NodeId node, std::span<const std::uint32_t> words) {
    Value& value = value_of(node);
    value.words.assign(words.begin(), words.end());
    value.is_known = true;
}

/// Executes one step; returns false if the program has ended.
Result<bool> GridWalk::step(GridHost& host) {
    const HostStep& now = split_->steps[at_++];
    switch (now.kind) {
        case Kind::run: TRY(run(host, now.index)); break;
        case Kind::evaluate:
            know(now.node,
                 variables_[split_->program.root_variable(split_->program.operand(now.node, 0)).index]);
            break;
        case Kind::assign: {
            Words& variable = variables_[now.index];
            if (now.node) {
                const std::span<const std::uint32_t> words = TRY(evaluate(host, now.node));
                variable.assign(words.begin(), words.end());
            } else {
                variable.assign(
                    split_->program.types().scalar_words(split_->program.variables()[now.index].type), 0);
            }
            break;
        }
        case Kind::read: {
            Value& value = value_of(now.node);
            (void)TRY(load(host, split_->program.operand(now.node, 0), value.words));
            value.is_known = true;
            break;
        }
        case Kind::fetch: {
            const std::optional<std::uint32_t> word = TRY(host.fetch());
            if (!word) return false;
            if (now.node) know(now.node, std::span(&*word, 1));
            break;
        }
        case Kind::branch:
            if (TRY(evaluate(host, now.node))[0] == 0) at_ = now.target;
            break;
        case Kind::select: {
            const HostCases& cases = split_->cases[now.index];
            const std::uint32_t selector = TRY(evaluate(host, now.node))[0];
            const auto found = std::ranges::find_if(cases.cases, [&](const HostCase& one) {
                return std::ranges::find(one.selectors, selector) != one.selectors.end();
            });
            at_ = found == cases.cases.end() ? cases.otherwise : found->target;
            break;
        }
        case Kind::next_iteration: next_iteration(now); break;
        case Kind::jump: at_ = now.target; break;
        case Kind::end: return false;
    }
    return true;
}

void GridWalk::next_iteration(const HostStep& loop) {
    const std::uint64_t iterations = ++iterations_[loop.index];
    if (iterations < first_iteration_to_check || !std::has_single_bit(iterations)) at_ = loop.target;
}

Result<void> GridWalk::run(GridHost& host, std::uint32_t part) {
    host_values_.clear();
    for (const NodeId leaf : split_->parts[part].host_values) {
        const std::span<const std::uint32_t> words = TRY(evaluate(host, leaf));
        host_values_.insert(host_values_.end(), words.begin(), words.end());
    }
    ++parts_run_;
    return host.run(part, host_values_);
}

Result<std::span<const std::uint32_t>> GridWalk::evaluate(GridHost& host, NodeId id) {
    Value& value = value_of(id);
    if (value.is_known) return value.words;
    const Program& program = split_->program;
    const Node& node = program.node(id);
    if (node.op == Op::constant) {
        value.words.assign(program.types().scalar_words(node.type), 0);
        std::ranges::copy(program.constant_words(id), value.words.begin());
        value.is_known = true;
    } else if (node.op == Op::builtin) {
        know(id, std::array{workgroups_.x, workgroups_.y, workgroups_.z});
    } else if (node.op == Op::load) {
        value.is_known = TRY(load(host, program.operand(id, 0), value.words));
    } else if (node.op == Op::array_length) {
        const std::uint64_t length = elements(program.root_variable(program.operand(id, 0)));
        know(id, std::array{static_cast<std::uint32_t>(length)});
    } else {
        TRY(compute_into(host, id, value));
    }
    return value.words;
}

Result<void> GridWalk::compute_into(GridHost& host, NodeId id, Value& value) {
    const Program& program = split_->program;
    const Node& node = program.node(id);
    // Evaluates all operands first, because evaluating one may reevaluate another.
    for (const NodeId operand : program.operands(id)) TRY(evaluate(host, operand));
    operands_.clear();
    for (const NodeId operand : program.operands(id))
        operands_.push_back({program.type(operand), value_of(operand).words});
    auto result = compute(node.op, program.types(), node.type, operands_, node.payload);
    if (!result) return fail(ErrorCode::internal, "A condition around a grid barrier can't be evaluated.");
    value.words = *std::move(result);
    return {};
}

std::uint32_t GridWalk::binding(VariableId variable) const {
    const auto bindings = split_->program.bindings();
    return static_cast<std::uint32_t>(std::ranges::find(bindings, variable) - bindings.begin());
}

/// The number of elements in a binding's run-time array.
std::uint64_t GridWalk::elements(VariableId variable) const {
    const RuntimeArray array =
        runtime_array(split_->program.types(), split_->program.variable(variable).type);
    return array.length(binding_bytes_[binding(variable)]);
}

/// An out-of-bounds load yields zero.
Result<bool> GridWalk::load(GridHost& host, NodeId reference, Words& into) {
    const Program& program = split_->program;
    const Place place = resolve(program, reference, Layout::host);
    const bool is_fixed = place.steps.empty();
    into.assign(program.types().scalar_words(place.type), 0);
    std::uint64_t at = place.offset;
    for (const PlaceStep& each : place.steps) {
        const std::uint64_t index = TRY(evaluate(host, each.index))[0];
        if (index >= (each.count != 0 ? each.count : elements(place.variable))) return is_fixed;
        at += index * each.stride;
    }
    const std::uint32_t which = binding(place.variable);
    if (at + into.size() * 4 > binding_bytes_[which]) return is_fixed;
    TRY(host.read(which, at, into));
    return is_fixed;
}

}  // namespace muster
