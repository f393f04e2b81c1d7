#include <algorithm>

#include <muster/driver/c_text/uses.hpp>
#include <muster/foundation/ir/within.hpp>

namespace muster::c_text {

Uses::Uses(const Program& program)
    : program_(program), uses_(program.node_count()), declared_(program.variables().size()) {
    walk(program.body());
}

void Uses::walk(BlockId block) {
    for (const NodeId node : program_.block(block)) {
        uses_[node.index].home = block;
        if (program_.node(node).op == Op::declare) declared_[program_.node(node).payload] = block;
        for_each_used(node, [&](NodeId used) {
            ++uses_[used.index].count;
            uses_[used.index].user = node;
        });
        for (const BlockId inner : program_.blocks(node)) walk(inner);
    }
}

bool Uses::once_here(NodeId value) const {
    const Use& use = uses_[value.index];
    if (use.count != 1 || home_of_user(use) != use.home) return false;
    const SourceLocation here = program_.location(value), there = program_.location(use.user);
    return here.line == 0 || there.line == 0 || (here.line == there.line && here.file == there.file);
}

Uses::Shared Uses::kept_for_continuing(NodeId loop) const {
    const BlockId body = program_.blocks(loop)[0], continuing = program_.blocks(loop)[1];
    Shared shared;
    const auto add = [&](NodeId used) {
        const Node& node = program_.node(used);
        if (info(node.op).group != OpGroup::free) {
            if (uses_[used.index].home == body) shared.values.push_back(used);
        } else if (node.op == Op::ref_variable && declared_[node.payload] == body) {
            shared.variables.push_back(VariableId{node.payload});
        }
    };
    for_each_within(program_, continuing, [&](NodeId inner) { for_each_used(inner, add); });
    const auto unique = [](auto& list) {
        std::ranges::sort(list);
        const auto rest = std::ranges::unique(list);
        list.erase(rest.begin(), rest.end());
    };
    unique(shared.values);
    unique(shared.variables);
    return shared;
}

}  // namespace muster::c_text
