#include <algorithm>
#include <bit>
#include <utility>

#include <muster/foundation/fold.hpp>
#include <muster/foundation/grid_walk.hpp>
#include <muster/foundation/place.hpp>
#include <muster/foundation/try.hpp>

namespace muster {
namespace {

using Kind = HostStep::Kind;

/// Turns of a loop after which it is first asked whether anyone is left, then after twice as many each time: so that one
/// that nobody is left in ends, and others don't wait for the answer.
constexpr std::uint64_t turns_to_ask_at = 64;

}  // namespace

GridWalk::GridWalk(const SplitProgram& split, Extent3 workgroups, std::vector<std::uint64_t> binding_bytes)
    : split_(&split),
      workgroups_(workgroups),
      binding_bytes_(std::move(binding_bytes)),
      turns_(split.loops) {}

Result<bool> GridWalk::go_on(GridHost& host, std::uint64_t most_parts) {
    const std::uint64_t until = most_parts > UINT64_MAX - parts_run_ ? UINT64_MAX : parts_run_ + most_parts;
    while (at_ < split_->steps.size()) {
        const HostStep& next = split_->steps[at_];
        if (next.kind == Kind::run && parts_run_ == until) return false;
        const bool waits = next.kind == Kind::read || next.kind == Kind::fetch;
        if (waits && !host.can_wait()) return false;
        if (!TRY(step(host))) at_ = split_->steps.size();
    }
    return true;
}

/// One step. False: the program has ended.
Result<bool> GridWalk::step(GridHost& host) {
    const HostStep& now = split_->steps[at_++];
    switch (now.kind) {
        case Kind::run: TRY(run(host, now.index)); break;
        case Kind::evaluate: {
            const VariableId variable = split_->program.root_variable(split_->program.operand(now.node, 0));
            values_[now.node.index] = variables_[variable.index];
            break;
        }
        case Kind::assign: {
            const TypeId type = split_->program.variables()[now.index].type;
            Words words(split_->program.types().scalar_words(type));
            if (now.node) words = TRY(evaluate(host, now.node));
            variables_[now.index] = std::move(words);
            break;
        }
        case Kind::read:
            values_[now.node.index] = TRY(load(host, split_->program.operand(now.node, 0)));
            break;
        case Kind::fetch: {
            const std::optional<std::uint32_t> word = TRY(host.fetch());
            if (!word) return false;
            if (now.node) values_[now.node.index] = {*word};
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
        case Kind::turn: turn(now); break;
        case Kind::jump: at_ = now.target; break;
        case Kind::end: return false;
    }
    return true;
}

Result<void> GridWalk::run(GridHost& host, std::uint32_t part) {
    Words words;
    for (const NodeId leaf : split_->parts[part].host_values) {
        const Words value = TRY(evaluate(host, leaf));
        words.insert(words.end(), value.begin(), value.end());
    }
    ++parts_run_;
    return host.run(part, words);
}

void GridWalk::turn(const HostStep& loop) {
    const std::uint64_t turns = ++turns_[loop.index];
    if (turns < turns_to_ask_at || !std::has_single_bit(turns)) at_ = loop.target;
}

Result<GridWalk::Words> GridWalk::evaluate(GridHost& host, NodeId value) {
    if (const auto known = values_.find(value.index); known != values_.end()) return known->second;
    const Program& program = split_->program;
    const Node& node = program.node(value);
    if (node.op == Op::constant) {
        Words words(program.types().scalar_words(node.type));
        std::ranges::copy(program.constant_words(value), words.begin());
        return words;
    }
    if (node.op == Op::builtin) return Words{workgroups_.x, workgroups_.y, workgroups_.z};
    if (node.op == Op::load) return load(host, program.operand(value, 0));
    if (node.op == Op::array_length)
        return Words{static_cast<std::uint32_t>(elements(program.root_variable(program.operand(value, 0))))};
    return computed(host, value);
}

Result<GridWalk::Words> GridWalk::computed(GridHost& host, NodeId value) {
    const Program& program = split_->program;
    std::vector<Words> words;
    for (const NodeId operand : program.operands(value)) words.push_back(TRY(evaluate(host, operand)));
    std::vector<ConstantValue> operands;
    for (std::size_t i = 0; i < words.size(); ++i)
        operands.push_back({program.type(program.operands(value)[i]), words[i]});
    const Node& node = program.node(value);
    auto result = compute(node.op, program.types(), node.type, operands, node.payload);
    if (!result) return fail(ErrorCode::internal, "A condition around a grid barrier can't be evaluated.");
    return *std::move(result);
}

std::uint32_t GridWalk::binding(VariableId variable) const {
    const auto bindings = split_->program.bindings();
    return static_cast<std::uint32_t>(std::ranges::find(bindings, variable) - bindings.begin());
}

/// Of a binding's run-time array.
std::uint64_t GridWalk::elements(VariableId variable) const {
    const RuntimeArray array =
        runtime_array(split_->program.types(), split_->program.variable(variable).type);
    const std::uint64_t words = binding_bytes_[binding(variable)] / 4;
    return words < array.offset ? 0 : (words - array.offset) / array.stride;
}

/// Out of bounds, the value is zero.
Result<GridWalk::Words> GridWalk::load(GridHost& host, NodeId reference) {
    const Program& program = split_->program;
    const Place place = resolve(program, reference, Layout::host);
    Words words(program.types().scalar_words(place.type));
    std::uint64_t at = place.offset;
    for (const PlaceStep& each : place.steps) {
        const std::uint64_t index = TRY(evaluate(host, each.index))[0];
        if (index >= (each.count != 0 ? each.count : elements(place.variable))) return words;
        at += index * each.stride;
    }
    const std::uint32_t which = binding(place.variable);
    if ((at + words.size()) * 4 > binding_bytes_[which]) return words;
    TRY(host.read(which, at * 4, words));
    return words;
}

}  // namespace muster
