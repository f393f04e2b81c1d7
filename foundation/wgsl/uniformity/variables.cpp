#include <algorithm>

#include <muster/foundation/wgsl/uniformity/variables.hpp>

namespace muster::wgsl::uniformity {
namespace {

// Most blocks that all reads may pass together, and most joins. Beyond, a variable counts as non-uniform:
// that takes thousands of variables that are read behind thousands of branches.
constexpr std::uint64_t most_steps = std::uint64_t{1} << 27;
constexpr std::size_t most_joins = std::size_t{1} << 21;

}  // namespace

Variables::Block Variables::add(Entered entered) {
    entered_.push_back(std::move(entered));
    return static_cast<Block>(entered_.size() - 1);
}

Variables::Block Variables::meet(std::span<const Block> from, Block before) {
    if (from.size() == 1) return open(from[0]);
    const auto here = static_cast<Block>(entered_.size());
    return add({Kind::meeting, before, here, {from.begin(), from.end()}});
}

Variables::Block Variables::begin_loop(Block before) { return add({Kind::loop, before, 0, {before}}); }

void Variables::end_loop(Block loop, std::span<const Block> again) {
    entered_[loop].from.insert(entered_[loop].from.end(), again.begin(), again.end());
    entered_[loop].end = static_cast<Block>(entered_.size());
}

void Variables::set(Block block, std::uint32_t variable, Node value) {
    std::vector<Block>& writers = writers_[variable];
    if (writers.empty() || writers.back() != block) writers.push_back(block);
    values_[key(block, variable)] = value;
}

bool Variables::is_settled(const Entered& entered, std::uint32_t variable) const {
    if (entered.end == 0) return false;
    const auto inside = std::ranges::upper_bound(writers_[variable], entered.before);
    return inside == writers_[variable].end() || *inside >= entered.end;
}

bool Variables::is_spent() const { return steps_ >= most_steps || joins_.size() >= most_joins; }

Node Variables::untold() {
    if (untold_ == no_node)
        untold_ = graph_.source({.kind = Source::Kind::memory, .name = "one of many variables"});
    return untold_;
}

Node Variables::get(Block block, std::uint32_t variable) {
    Node value = no_node;
    for (Block at = block; at != no_block; at = entered_[at].before) {
        if (const auto found = values_.find(key(at, variable)); found != values_.end()) {
            value = found->second;
            break;
        }
        if (is_spent()) return untold();
        ++steps_;
        const Entered& entered = entered_[at];
        if (entered.kind != Kind::plain && !is_settled(entered, variable)) {
            value = graph_.add();
            joins_.push_back({at, variable, value});
            values_.emplace(key(at, variable), value);
            break;
        }
    }
    values_.emplace(key(block, variable), value);
    return value;
}

void Variables::finish() {
    for (std::size_t i = 0; i < joins_.size(); ++i) {
        const Join join = joins_[i];  // get() adds further ones
        const Entered& entered = entered_[join.block];
        if (is_settled(entered, join.variable))
            graph_.edge(join.node, get(entered.before, join.variable));
        else
            for (const Block from : entered.from) graph_.edge(join.node, get(from, join.variable));
    }
}

}  // namespace muster::wgsl::uniformity
