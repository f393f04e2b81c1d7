#include <algorithm>

#include <muster/foundation/analysis/ways.hpp>
#include <muster/foundation/base/try.hpp>
#include <muster/foundation/ir/within.hpp>
#include <muster/foundation/split/carry.hpp>
#include <muster/foundation/split/plan.hpp>
#include <muster/foundation/split/recompute.hpp>
#include <muster/foundation/split/uses.hpp>

namespace muster::split {
namespace {

class Planner {
  public:
    Planner(const Program& program, const HostControlFlow& host_flow, const HostValues& host,
            const Schedule& schedule, FloatResults floats)
        : program_(program),
          host_flow_(host_flow),
          host_(host),
          schedule_(schedule),
          home_(program.node_count(), Plan::none),
          recompute_(program, host, floats),
          stores_(program.variables().size()),
          needed_(program.variables().size()) {
        const std::uint32_t variables = static_cast<std::uint32_t>(program.variables().size());
        plan_.parts.resize(schedule.segments.size());
        plan_.required.resize(program.node_count());
        plan_.is_guard_return.resize(program.node_count());
        plan_.carried_value.assign(program.node_count(), Plan::none);
        plan_.returned = VariableId{variables};
        for (std::uint32_t i = 0; i < schedule.left.size(); ++i)
            plan_.left_flags.push_back(VariableId{variables + 1 + i});
        plan_.carried_variable.assign(variables + 1 + schedule.left.size(), Plan::none);
    }

    Result<Plan> run(const OverwritesFirst& overwrites_first) && {
        find_homes();
        find_guards();
        find_required();
        find_states();
        find_uses();
        carry_variables();
        carry(program_, schedule_, all_effects(), 0, plan_);
        find_opened();
        TRY(carry_workgroup_memory(overwrites_first));
        return std::move(plan_);
    }

  private:
    // Positions of nodes
    // ---------------------------------------------------------------------------------------------

    void find_homes() {
        for (std::uint32_t s = 0; s < schedule_.segments.size(); ++s)
            for (const Item& item : schedule_.segments[s].items) {
                if (item.kind != Item::Kind::node) continue;
                for_each_within(program_, item.node, [&](NodeId node) {
                    if (!host_.is_hosted_load(node)) home_[node.index] = s;
                });
                const VariableId variable = accessed(program_, item.node);
                if (variable && writes(program_, item.node)) stores_[variable.index].push_back(item.node);
            }
    }

    bool is_leaf(NodeId node) const { return recompute_.is_leaf(node); }
    bool is_recomputed(NodeId node) const { return recompute_.is_cheap(node); }

    // Returned invocations
    // ----------------------------------------------------------------------------------------------

    /// Finds `if (c) { ...; return; }` that all invocations reach: later parts compute c again if that is
    /// cheap.
    void find_guards() {
        for (std::uint32_t s = 0; s < schedule_.segments.size(); ++s)
            for (const Item& item : schedule_.segments[s].items) {
                if (item.kind != Item::Kind::node || program_.node(item.node).op != Op::if_) continue;
                if (!is_in_body(item.node) || !is_recomputed(program_.operand(item.node, 0))) continue;
                const auto blocks = program_.blocks(item.node);
                for (const bool when : {true, false})
                    if (returns_at_end(blocks[when ? 0 : 1]) &&
                        !ways_of(program_, blocks[when ? 1 : 0]).returns)
                        add_guard(s, item.node, when);
            }
    }

    bool is_in_body(NodeId node) const {
        const auto body = program_.block(program_.body());
        return std::ranges::find(body, node) != body.end();
    }

    /// True if the block returns at its end and nowhere else.
    bool returns_at_end(BlockId block) const {
        const auto nodes = program_.block(block);
        if (nodes.empty() || program_.node(nodes.back()).op != Op::return_) return false;
        std::size_t found = 0;
        for_each_within(program_, block,
                        [&](NodeId inner) { found += program_.node(inner).op == Op::return_ ? 1u : 0u; });
        return found == 1;
    }

    void add_guard(std::uint32_t segment, NodeId construct, bool when) {
        plan_.is_guard_return[program_.block(program_.blocks(construct)[when ? 0 : 1]).back().index] = true;
        for (std::uint32_t later = segment + 1; later < plan_.parts.size(); ++later)
            plan_.parts[later].guards.push_back({program_.operand(construct, 0), when});
    }

    // Required work of the parts
    // ----------------------------------------------------------------------------------------

    void find_required() {
        for (std::uint32_t s = 0; s < schedule_.segments.size(); ++s) {
            for (const Item& item : schedule_.segments[s].items) {
                if (item.kind == Item::Kind::fetch) need_value(item.node, s);
                if (item.kind == Item::Kind::node && has_effect(item.node) && !only_guards(item.node))
                    require(item.node);
            }
        }
        do follow_needs();
        while (require_guards());
    }

    void follow_needs() {
        while (!work_.empty()) {
            const NodeId node = work_.back();
            work_.pop_back();
            for_each_within(program_, node, [&](NodeId inner) {
                for_each_value(program_, inner, [&](NodeId value) { need_value(value, home_[node.index]); });
                if (reads(program_, inner)) need_variable(accessed(program_, inner));
            });
        }
    }

    /// Requires the guards of segments that do something; returns true if there were more.
    bool require_guards() {
        for (std::uint32_t s = 0; s < schedule_.segments.size(); ++s) {
            for (const Item& item : schedule_.segments[s].items)
                plan_.parts[s].is_part |= item.kind == Item::Kind::fetch ||
                                          item.kind == Item::Kind::liveness_check ||
                                          (item.kind == Item::Kind::node && plan_.required[item.node.index]);
            if (!plan_.parts[s].is_part) continue;
            for (const Item& item : schedule_.segments[s].items)
                if (item.kind == Item::Kind::node && only_guards(item.node)) require(item.node);
        }
        return !work_.empty();
    }

    /// True if the node is only a return on a condition that later parts compute again. Such a node doesn't
    /// make a segment a part.
    bool only_guards(NodeId node) const {
        if (program_.node(node).op != Op::if_) return false;
        std::size_t inside = 0;
        bool is_guard = false;
        for (const BlockId block : program_.blocks(node))
            for (const NodeId inner : program_.block(block)) {
                ++inside;
                is_guard = plan_.is_guard_return[inner.index];
            }
        return inside == 1 && is_guard;
    }

    /// True for effects beyond the invocation's own variables; those count only if they are read later.
    bool has_effect(NodeId node) const {
        const Op op = program_.node(node).op;
        if (op == Op::declare) return false;
        if (op != Op::store) return !info(op).pure;
        const AddressSpace space = program_.variable(accessed(program_, node)).space;
        return space != AddressSpace::function && space != AddressSpace::private_;
    }

    void require(NodeId node) {
        if (plan_.required[node.index]) return;
        plan_.required[node.index] = true;
        work_.push_back(node);
    }

    /// Makes a value available in a segment: computed or brought there.
    void need_value(NodeId value, std::uint32_t segment) {
        if (is_leaf(value)) return;
        const bool is_here = home_[value.index] == segment;
        if (!is_here && is_recomputed(value)) return;
        if (host_flow_.is_on_level(value)) require(value);
        if (!is_here) carry_value(value);
    }

    void carry_value(NodeId value) {
        std::uint32_t& at = plan_.carried_value[value.index];
        if (at != Plan::none) return;
        at = static_cast<std::uint32_t>(plan_.carried.size());
        plan_.carried.push_back({.kind = Carried::Kind::value,
                                 .node = value,
                                 .words = program_.types().scalar_words(program_.type(value))});
    }

    void need_variable(VariableId variable) {
        if (needed_[variable.index]) return;
        needed_[variable.index] = true;
        for (const NodeId store : stores_[variable.index]) require(store);
    }

    // Active invocations
    // ---------------------------------------------------------------------------------------------

    bool returns_by_word(NodeId node) const {
        return program_.node(node).op == Op::return_ && !plan_.is_guard_return[node.index];
    }

    /// Finds the parts that must check which invocations have returned or left a construct.
    void find_states() {
        const std::size_t size = 1 + schedule_.left.size();  // the first entry: returned
        std::vector<Transfer> transfers;
        for (const Segment& segment : schedule_.segments) {
            Transfer& transfer = transfers.emplace_back(size);
            for (const Item& item : segment.items) {
                if (item.kind == Item::Kind::enter) transfer.kills[1 + left_number(item.node)] = true;
                if (item.kind != Item::Kind::node) continue;
                for_each_within(program_, item.node, [&](NodeId node) {
                    if (returns_by_word(node)) transfer.makes[0] = true;
                    if (is_leaving(node)) transfer.makes[1 + left_number(host_flow_.target(node))] = true;
                });
            }
        }
        const std::vector<Set> before = flow_forward(schedule_, transfers, Set(size));
        for (std::uint32_t i = 0; i < schedule_.steps.size(); ++i) {
            const HostStep& step = schedule_.steps[i];
            if (step.kind != HostStep::Kind::run) continue;
            PartPlan& part = plan_.parts[step.index];
            part.asks_returned = before[i][0];
            if (schedule_.segments[step.index].is_liveness_check) continue;  // only returned ones count
            for (const NodeId construct : schedule_.segments[step.index].inside)
                if (before[i][1 + left_number(construct)]) part.asks_left.push_back(construct);
        }
    }

    bool is_leaving(NodeId node) const {
        return leaves_walked(program_, host_flow_, node) &&
               std::ranges::find(schedule_.left, host_flow_.target(node)) != schedule_.left.end();
    }

    std::size_t left_number(NodeId construct) const {
        return static_cast<std::size_t>(std::ranges::find(schedule_.left, construct) -
                                        schedule_.left.begin());
    }
    VariableId left_flag(NodeId construct) const { return plan_.left_flags[left_number(construct)]; }

    // Input of the parts
    // ---------------------------------------------------------------------------------

    /// Finds host values and values to compute again; values to restore go into uses_.
    void find_uses() {
        uses_.resize(plan_.parts.size());
        for (std::uint32_t s = 0; s < plan_.parts.size(); ++s) {
            if (!plan_.parts[s].is_part) continue;
            for (const Guard& guard : plan_.parts[s].guards) bring(guard.condition, s);
            for (const Item& item : schedule_.segments[s].items) {
                if (item.kind == Item::Kind::fetch) bring(item.node, s);
                if (item.kind != Item::Kind::node || !plan_.required[item.node.index]) continue;
                for_each_within(program_, item.node, [&](NodeId node) {
                    for_each_value(program_, node, [&](NodeId value) { bring(value, s); });
                });
            }
        }
    }

    void bring(NodeId value, std::uint32_t s) {
        PartPlan& part = plan_.parts[s];
        const auto add = [](std::vector<NodeId>& to, NodeId one) {
            if (std::ranges::find(to, one) == to.end()) to.push_back(one);
        };
        if (info(program_.node(value).op).group == OpGroup::free) return;  // a constant guard
        if (is_leaf(value)) {
            const NodeId same = schedule_.same_load[value.index];
            add(part.leaves, same ? same : value);
        } else if (home_[value.index] == s) {
            return;
        } else if (is_recomputed(value)) {
            if (std::ranges::find(part.computed, value) != part.computed.end()) return;
            for_each_value(program_, value, [&](NodeId operand) { bring(operand, s); });
            add(part.computed, value);
        } else {
            add(uses_[s], value);
        }
    }

    // Variables that may have to be carried
    // ------------------------------------------------------------------------------

    void carry_variable(VariableId variable, Carried::Kind kind, std::uint64_t words) {
        plan_.carried_variable[variable.index] = static_cast<std::uint32_t>(plan_.carried.size());
        plan_.carried.push_back({.kind = kind, .variable = variable, .words = words});
    }

    void carry_variables() {
        for (std::uint32_t i = 0; i < program_.variables().size(); ++i) {
            const Variable& variable = program_.variables()[i];
            const bool is_function = variable.space == AddressSpace::function && !stores_[i].empty() &&
                                     !host_.is_hosted(VariableId{i});
            const bool is_private = variable.space == AddressSpace::private_ && variable.is_written;
            if (needed_[i] && (is_function || is_private))
                carry_variable(VariableId{i}, Carried::Kind::variable,
                               program_.types().scalar_words(variable.type));
        }
        if (std::ranges::any_of(plan_.parts, &PartPlan::asks_returned))
            carry_variable(plan_.returned, Carried::Kind::variable, 1);
        for (const VariableId flag : plan_.left_flags) carry_variable(flag, Carried::Kind::variable, 1);
    }

    // Effects of parts on carried data
    // ----------------------------------------------------------------------------------

    Effects effects(std::uint32_t s) const {
        Effects found(plan_.carried.size());
        const PartPlan& part = plan_.parts[s];
        if (!part.is_part) return found;
        const auto read = [&](VariableId variable) {
            const std::uint32_t at = plan_.carried_variable[variable.index];
            if (at != Plan::none && !found.kills[at]) found.exposed[at] = true;
        };
        const auto write = [&](VariableId variable, bool surely) {
            const std::uint32_t at = plan_.carried_variable[variable.index];
            if (at == Plan::none) return;
            found.writes[at] = true;
            if (surely) found.kills[at] = true;
        };
        for (const NodeId value : uses_[s]) found.exposed[plan_.carried_value[value.index]] = true;
        if (part.asks_returned) read(plan_.returned);
        for (const NodeId construct : part.asks_left) read(left_flag(construct));
        // Invocations that have left an enclosing construct skip the items.
        bool all_are_here = part.asks_left.empty();
        for (const Item& item : schedule_.segments[s].items) {
            if (item.kind == Item::Kind::enter) write(left_flag(item.node), all_are_here);
            if (item.kind != Item::Kind::node || !plan_.required[item.node.index]) continue;
            note_doings(item.node, all_are_here, read, write);
            if (const std::uint32_t at = plan_.carried_value[item.node.index]; at != Plan::none)
                found.writes[at] = found.kills[at] = true;
            all_are_here &= !any_within(program_, item.node, [&](NodeId node) { return is_leaving(node); });
        }
        return found;
    }

    template <class Read, class Write>
    void note_doings(NodeId item, bool all_are_here, const Read& read, const Write& write) const {
        for_each_within(program_, item, [&](NodeId node) {
            if (reads(program_, node)) read(accessed(program_, node));
            if (returns_by_word(node)) write(plan_.returned, false);
            if (is_leaving(node)) write(left_flag(host_flow_.target(node)), false);
        });
        for_each_within(program_, item, [&](NodeId node) {
            if (!writes(program_, node)) return;
            const Op op = program_.node(node).op;
            const bool all_of_it =
                op == Op::declare ||
                (op == Op::store && program_.node(program_.operand(node, 0)).op == Op::ref_variable);
            const bool surely = node == item && all_of_it && (all_are_here || op == Op::declare);
            const bool is_workgroups =
                program_.variable(accessed(program_, node)).space == AddressSpace::workgroup;
            write(accessed(program_, node), surely && !is_workgroups);
        });
    }

    std::vector<Effects> all_effects() const {
        std::vector<Effects> all;
        for (std::uint32_t s = 0; s < plan_.parts.size(); ++s) all.push_back(effects(s));
        return all;
    }

    /// Finds the function variables that a part uses and that are declared in another part, or
    /// must outlive its statements.
    void find_opened() {
        for (std::uint32_t s = 0; s < plan_.parts.size(); ++s) {
            PartPlan& part = plan_.parts[s];
            const auto open = [&](VariableId variable) {
                if (std::ranges::find(part.opened, variable) == part.opened.end())
                    part.opened.push_back(variable);
            };
            for (const std::vector<std::uint32_t>* list : {&part.restored, &part.saved})
                for (const std::uint32_t i : *list)
                    if (is_function(plan_.carried[i].variable)) open(plan_.carried[i].variable);
            for (const Item& item : schedule_.segments[s].items) {
                if (item.kind != Item::Kind::node || !plan_.required[item.node.index]) continue;
                for_each_within(program_, item.node, [&](NodeId node) {
                    const VariableId variable = accessed(program_, node);
                    if (is_function(variable) && !stores_[variable.index].empty() &&
                        !is_declared_in(variable, s))
                        open(variable);
                });
            }
        }
    }

    bool is_function(VariableId variable) const {
        return variable && variable.index < program_.variables().size() && !host_.is_hosted(variable) &&
               program_.variable(variable).space == AddressSpace::function;
    }

    /// A variable declared inside a construct has no stores on the host's level.
    bool is_declared_in(VariableId variable, std::uint32_t s) const {
        return std::ranges::any_of(stores_[variable.index], [&](NodeId node) {
            return program_.node(node).op == Op::declare && home_[node.index] == s &&
                   plan_.required[node.index];
        });
    }

    // Workgroup memory
    // -----------------------------------------------------------------------------------------------

    Result<void> carry_workgroup_memory(const OverwritesFirst& overwrites_first) {
        const std::size_t first = plan_.carried.size();
        for (std::uint32_t i = 0; i < program_.variables().size(); ++i) {
            const Variable& variable = program_.variables()[i];
            if (variable.space == AddressSpace::workgroup && variable.is_read && variable.is_written)
                carry_variable(VariableId{i}, Carried::Kind::workgroup,
                               program_.types().scalar_words(variable.type));
        }
        if (plan_.carried.size() == first) return {};
        std::vector<Effects> all = all_effects();
        const std::vector<Set> changed = maybe_changed(program_, schedule_, all, plan_);
        for (std::uint32_t step = 0; step < schedule_.steps.size(); ++step) {
            if (schedule_.steps[step].kind != HostStep::Kind::run) continue;
            const std::uint32_t s = schedule_.steps[step].index;
            for (std::size_t i = first; i < plan_.carried.size(); ++i) {
                if (!all[s].exposed[i] || !changed[step][i]) continue;
                if (!TRY(overwrites_first(plan_, s, plan_.carried[i].variable))) continue;
                all[s].exposed[i] = false;  // permanently: a part may run beyond the code that overwrites it
            }
        }
        carry(program_, schedule_, std::move(all), first, plan_);
        return {};
    }

    const Program& program_;
    const HostControlFlow& host_flow_;
    const HostValues& host_;
    const Schedule& schedule_;
    Plan plan_;
    std::vector<std::uint32_t> home_;  // by placed node: its segment
    Recompute recompute_;
    std::vector<std::vector<NodeId>> stores_;  // by variable: its stores and declarations on the host's level
    std::vector<bool> needed_;                 // by variable: a required node reads it
    std::vector<NodeId> work_;
    std::vector<std::vector<NodeId>> uses_;  // by segment: values carried to it
};

}  // namespace

Result<Plan> make_plan(const Program& program, const HostControlFlow& host_flow, const HostValues& host,
                       const Schedule& schedule, FloatResults floats,
                       const OverwritesFirst& overwrites_first) {
    return Planner(program, host_flow, host, schedule, floats).run(overwrites_first);
}

}  // namespace muster::split
