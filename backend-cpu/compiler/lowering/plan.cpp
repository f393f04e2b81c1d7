#include <algorithm>

#include <muster/backend-cpu/compiler/lowering/place.hpp>
#include <muster/backend-cpu/compiler/lowering/plan.hpp>
#include <muster/foundation/base/try.hpp>
#include <muster/foundation/ir/access.hpp>
#include <muster/foundation/ir/within.hpp>

namespace muster::cpu {
namespace {

constexpr std::uint32_t no_region = UINT32_MAX;
// Cost up to which a value is recomputed instead of kept in memory from one region to the next.
constexpr int cheap_operations = 6;

bool is_reference(Op op) { return op == Op::ref_variable || op == Op::ref_index || op == Op::ref_member; }
bool is_jump(Op op) {
    return op == Op::break_ || op == Op::continue_ || op == Op::return_ || op == Op::break_if;
}

bool reads_constant_memory(const Program& program, NodeId load) {
    return is_constant_memory(program.variable(program.root_variable(program.operand(load, 0))));
}

}  // namespace

Plan::Plan(const Program& program)
    : program_(&program),
      region_of_(program.node_count(), no_region),
      once_(program.node_count(), false),
      is_kept_(program.node_count(), false),
      decisive_(program.node_count(), false),
      homes_(program.variables().size(), Home::region),
      written_once_(program.variables().size(), false) {}

Result<Plan> Plan::make(const Program& program) {
    Plan plan(program);
    TRY(plan.build());
    return plan;
}

Result<void> Plan::build() {
    const OpSet& ops = program_->required_ops();
    has_barriers_ = ops.contains(Op::workgroup_barrier) || ops.contains(Op::storage_barrier);
    if (!has_barriers_) {
        const auto nodes = program_->block(program_->body());
        body_.push_back({.kind = PlanStep::Kind::region, .nodes = {nodes.begin(), nodes.end()}});
        regions_.emplace_back();
        return {};
    }
    uniformity_ = analyse(*program_);
    find_once();
    cut(program_->body(), body_);
    brought_.resize(regions_.size());
    find_uses(body_);
    find_homes();
    return {};
}

bool Plan::contains_sync(NodeId node) const {
    return any_within(*program_, node,
                      [&](NodeId inner) { return info(program_->node(inner).op).group == OpGroup::sync; });
}

// True if there are barriers inside, or a jump out that all invocations of the workgroup take together.
bool Plan::is_decided_by_workgroup(NodeId node) const {
    const Op op = program_->node(node).op;
    if (op != Op::if_ && op != Op::loop && op != Op::switch_ && op != Op::scope) return false;
    if (contains_sync(node)) return true;
    if (op != Op::if_ || uniformity_->of(program_->operand(node, 0)) > UniformOver::workgroup) return false;
    const auto blocks = program_->blocks(node);
    return std::ranges::any_of(blocks, [&](BlockId block) {
        const auto nodes = program_->block(block);
        return !nodes.empty() && is_jump(program_->node(nodes.back()).op);
    });
}

// Finds the nodes at the workgroup's level, then those that are evaluated once; assumes it of variables until
// disproven.
void Plan::find_once() {
    std::vector<BlockId> blocks{program_->body()};
    for (std::size_t b = 0; b < blocks.size(); ++b) {
        for (const NodeId node : program_->block(blocks[b])) {
            at_workgroup_level_.push_back(node);
            if (!is_decided_by_workgroup(node)) continue;
            for (const BlockId inner : program_->blocks(node)) blocks.push_back(inner);
        }
    }
    std::vector<std::uint32_t> writes_there(program_->variables().size(), 0), writes(writes_there);
    const auto count = [&](NodeId node, std::vector<std::uint32_t>& counts) {
        if (const VariableId variable = assigned(*program_, node)) ++counts[variable.index];
    };
    for (NodeId id{0}; id.index < program_->node_count(); ++id.index) count(id, writes);
    for (const NodeId node : at_workgroup_level_)  // otherwise lanes that have left keep their old value
        if (uniformity_->of_control(node) <= UniformOver::workgroup) count(node, writes_there);
    for (std::size_t v = 0; v < writes.size(); ++v)
        written_once_[v] =
            program_->variables()[v].space == AddressSpace::function && writes[v] == writes_there[v];
    for (NodeId id{0}; id.index < program_->node_count(); ++id.index) {
        if (program_->node(id).op != Op::ref_index) continue;
        const Place place = resolve(*program_, id);
        if (!place.steps.empty()) written_once_[place.variable.index] = false;
    }
    for (bool changed = true; changed;) {
        changed = false;
        for (const NodeId node : at_workgroup_level_) once_[node.index] = false;
        // In the order of the walk: operands precede their users.
        std::vector<NodeId> in_order = at_workgroup_level_;
        std::ranges::sort(in_order);
        for (const NodeId node : in_order) once_[node.index] = may_be_once(node);
        for (const NodeId node : in_order) {
            const VariableId variable = assigned(*program_, node);
            if (!variable || once_[node.index] || !written_once_[variable.index]) continue;
            written_once_[variable.index] = false;
            changed = true;
        }
    }
}

bool Plan::may_be_once(NodeId node) const {
    const Node& n = program_->node(node);
    const auto is_once = [&](auto& self, NodeId value) -> bool {
        const Node& v = program_->node(value);
        if (v.op == Op::constant || v.op == Op::ref_variable) return true;
        if (v.op == Op::builtin)
            return v.payload == static_cast<std::uint32_t>(Builtin::workgroup_id) ||
                   v.payload == static_cast<std::uint32_t>(Builtin::num_workgroups);
        if (is_reference(v.op))
            return std::ranges::all_of(program_->operands(value), [&](NodeId o) { return self(self, o); });
        return once_[value.index];
    };
    const auto operands = program_->operands(node);
    if (!std::ranges::all_of(operands, [&](NodeId o) { return is_once(is_once, o); })) return false;
    const OpGroup group = info(n.op).group;
    if (group == OpGroup::exact || group == OpGroup::math || n.op == Op::array_length) return true;
    if (n.op == Op::declare) return written_once_[n.payload];
    if (n.op != Op::load && n.op != Op::store) return false;
    if (written_once_[program_->root_variable(operands[0]).index]) return true;
    return n.op == Op::load && reads_constant_memory(*program_, node);
}

void Plan::cut(BlockId block, std::vector<PlanStep>& steps) {
    std::vector<NodeId> pending;
    // True if `node` writes a variable that the pending region reads: the region must run first.
    const auto is_awaited = [&](NodeId node) {
        const VariableId variable = assigned(*program_, node);
        return variable && std::ranges::any_of(pending, [&](NodeId waiting) {
                   return any_within(*program_, waiting, [&](NodeId inner) {
                       return program_->node(inner).op == Op::load && accessed(*program_, inner) == variable;
                   });
               });
    };
    for (const NodeId node : program_->block(block)) {
        const Op op = program_->node(node).op;
        if (once_[node.index]) {
            if (is_awaited(node)) close_region(pending, steps);
            steps.push_back({.kind = PlanStep::Kind::once, .node = node});
        } else if (info(op).group == OpGroup::sync) {
            close_region(pending, steps);
        } else if (is_jump(op)) {
            close_region(pending, steps);
            steps.push_back({.kind = PlanStep::Kind::jump, .node = node});
        } else if (is_decided_by_workgroup(node)) {
            close_region(pending, steps);
            PlanStep step{.kind = PlanStep::Kind::construct, .node = node};
            around_.push_back(node);
            for (const BlockId inner : program_->blocks(node)) cut(inner, step.blocks.emplace_back());
            around_.pop_back();
            steps.push_back(std::move(step));
        } else {
            pending.push_back(node);
        }
    }
    close_region(pending, steps);
}

void Plan::close_region(std::vector<NodeId>& pending, std::vector<PlanStep>& steps) {
    if (pending.empty()) return;
    const auto region = static_cast<std::uint32_t>(regions_.size());
    regions_.emplace_back();
    for (const NodeId node : pending) {
        for_each_within(*program_, node, [&](NodeId inner) { region_of_[inner.index] = region; });
        std::vector<NodeId> inside;
        find_exits(node, region, inside);
    }
    steps.push_back({.kind = PlanStep::Kind::region, .region = region, .nodes = std::move(pending)});
    pending.clear();
}

// Finds jumps out of the region: their targets are constructs of the workgroup's level.
void Plan::find_exits(NodeId node, std::uint32_t region, std::vector<NodeId>& inside) {
    const auto takes = [&](NodeId construct, bool continues) {
        const Op op = program_->node(construct).op;
        return op == Op::loop || (!continues && (op == Op::switch_ || op == Op::scope));
    };
    const Op op = program_->node(node).op;
    if (op == Op::return_) regions_[region].returns = true;
    if (op == Op::break_ || op == Op::continue_) {
        const auto takes_it = [&](NodeId construct) { return takes(construct, op == Op::continue_); };
        if (std::ranges::none_of(inside, takes_it)) {
            const auto target = std::find_if(around_.rbegin(), around_.rend(), takes_it);
            regions_[region].left.insert(*target);
        }
    }
    inside.push_back(node);
    for (const BlockId block : program_->blocks(node))
        for (const NodeId inner : program_->block(block)) find_exits(inner, region, inside);
    inside.pop_back();
}

void Plan::find_uses(const std::vector<PlanStep>& steps) {
    for (const PlanStep& step : steps) {
        if (step.kind == PlanStep::Kind::region)
            for (const NodeId node : step.nodes)
                for_each_within(*program_, node, [&](NodeId inner) { find_uses_of(inner, step.region); });
        if (step.kind == PlanStep::Kind::construct || step.kind == PlanStep::Kind::jump)
            find_uses_of(step.node, no_region);
        for (const auto& block : step.blocks) find_uses(block);
    }
}

void Plan::find_uses_of(NodeId node, std::uint32_t region) {
    for_each_value(*program_, node, [&](NodeId value) { use(value, region, region == no_region); });
}

void Plan::use(NodeId value, std::uint32_t region, bool decides) {
    if (once_[value.index] || region_of_[value.index] == region) return;
    if (decides) {
        decisive_[value.index] = true;
    } else {
        bring(value, region);
    }
}

bool Plan::is_cheap(NodeId value, int& budget) const {
    const Node& n = program_->node(value);
    if (n.op == Op::constant || n.op == Op::builtin || once_[value.index]) return true;
    if (info(n.op).group != OpGroup::exact || --budget < 0) return false;
    const Op op = n.op;
    if (op == Op::div || op == Op::rem || op == Op::sqrt || op == Op::extract_dynamic)
        budget -= cheap_operations;
    return std::ranges::all_of(program_->operands(value),
                               [&](NodeId operand) { return is_cheap(operand, budget); });
}

void Plan::bring(NodeId value, std::uint32_t region) {
    if (info(program_->node(value).op).group == OpGroup::free || once_[value.index]) return;
    if (region_of_[value.index] == region || !brought_[region].insert(value).second) return;
    int budget = cheap_operations;
    if (!is_cheap(value, budget)) {
        regions_[region].restored.push_back(value);
        if (!is_kept_[value.index]) kept_.push_back(value);
        is_kept_[value.index] = true;
        return;
    }
    for (const NodeId operand : program_->operands(value)) bring(operand, region);
    regions_[region].computed_again.push_back(value);
}

// A variable that only one region uses lives there; one that several use is kept.
void Plan::find_homes() {
    const auto variables = program_->variables();
    std::vector<std::set<std::uint32_t>> users(variables.size());
    std::vector<bool> declared(variables.size(), false);
    for (NodeId id{0}; id.index < program_->node_count(); ++id.index) {
        const Node& n = program_->node(id);
        if (n.op == Op::declare) users[n.payload].insert(region_of_[id.index]);
        for (const NodeId operand : program_->operands(id))
            if (info(n.op).group != OpGroup::free && is_reference(program_->node(operand).op))
                users[program_->root_variable(operand).index].insert(region_of_[id.index]);
    }
    for (std::size_t v = 0; v < variables.size(); ++v) {
        const bool lives_long = variables[v].space == AddressSpace::private_ && !users[v].empty();
        if (written_once_[v]) {
            homes_[v] = Home::workgroup;
        } else if (lives_long || users[v].size() > 1) {
            homes_[v] = Home::kept;
        }
    }
}

}  // namespace muster::cpu
