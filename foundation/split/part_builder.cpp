#include <algorithm>
#include <array>
#include <set>

#include <fmt/format.h>

#include <muster/foundation/build/node_copier.hpp>
#include <muster/foundation/ir/within.hpp>
#include <muster/foundation/split/part_builder.hpp>
#include <muster/foundation/split/scratch.hpp>
#include <muster/foundation/split/uses.hpp>

namespace muster::split {
namespace {

class PartBuilder {
  public:
    PartBuilder(const PartSource& source, std::uint32_t segment, std::uint32_t number)
        : program_(source.program),
          host_flow_(source.host_flow),
          host_(source.host),
          schedule_(source.schedule),
          plan_(source.plan),
          segment_(source.schedule.segments[segment]),
          part_(source.plan.parts[segment]),
          to_(fmt::format("{}_part_{}", program_.entry(), number), program_.workgroup_size(),
              program_.needs().subgroup_size),
          nodes_(program_, to_),
          saves_together_(
              std::ranges::any_of(part_.saved, [&](std::uint32_t i) { return is_workgroups(i); })),
          scratch_(to_, add_variables(),
                   {program_.workgroup_size().count(), plan_.invocation_words, plan_.workgroup_words}) {}

    Result<Program> run() && {
        nodes_.keep_uniformity();  // the whole program's control flow is proven, not that of a part
        begin();
        const bool is_wrapped =
            leaves() || !part_.asks_left.empty() || (saves_together_ && may_have_returned());
        if (is_wrapped) to_.begin_scope();
        if (saves_together_) turn_away();
        compute(part_.computed);
        for (const NodeId construct : part_.asks_left) {
            to_.begin_if(is_set(left_flag(construct)));
            to_.break_();
            to_.end_if();
        }
        for (const Item& item : segment_.items) statement(item);
        if (is_wrapped) to_.end_scope();
        end();
        return std::move(to_).finish();
    }

  private:
    // Contents of the part
    // ---------------------------------------------------------------------------------------------

    /// Adds the program's variables with their ids, then the plan's, then the bindings; returns the scratch
    /// binding.
    VariableId add_variables() {
        for (const SourceFile& file : program_.files()) to_.file(file);
        nodes_.variables();
        to_.variable({.name = "muster_returned", .type = u32_type});
        for (std::size_t i = 0; i < plan_.left_flags.size(); ++i)
            to_.variable({.name = "muster_left", .type = u32_type});
        leaving_ = to_.variable({.name = "muster_leaving", .type = u32_type});
        const AddedBindings added(program_);
        if (!part_.leaves.empty())
            host_values_ = to_.variable({.name = "muster_host_values",
                                         .type = host_values_type(),
                                         .space = AddressSpace::uniform,
                                         .access = Access::read,
                                         .group = added.group,
                                         .binding = added.host_values});
        return to_.variable({.name = scratch_name,
                             .type = scratch_type(to_.types()),
                             .space = AddressSpace::storage,
                             .group = added.group,
                             .binding = added.scratch});
    }

    TypeId host_values_type() {
        std::vector<MemberDeclaration> members;
        for (const NodeId leaf : part_.leaves)
            for (std::uint64_t i = 0; i < words_of(leaf); ++i)
                members.push_back({.name = fmt::format("word_{}", members.size()), .type = u32_type});
        return to_.types().structure("MusterHostValues", members);
    }

    std::uint64_t words_of(NodeId value) const { return program_.types().scalar_words(program_.type(value)); }

    bool is_workgroups(std::uint32_t carried) const {
        return plan_.carried[carried].kind == Carried::Kind::workgroup;
    }

    bool may_have_returned() const { return part_.asks_returned || !part_.guards.empty() || returns(); }

    bool returns() const {
        return any_inside([&](NodeId node) { return program_.node(node).op == Op::return_; });
    }

    /// True if some invocations skip to the end of the part's statements.
    bool leaves() const {
        return any_inside([&](NodeId node) { return is_leaving(node); });
    }

    template <class Test>
    bool any_inside(const Test& test) const {
        return std::ranges::any_of(segment_.items, [&](const Item& item) {
            return item.kind == Item::Kind::node && any_within(program_, item.node, test);
        });
    }

    bool leaves_construct(NodeId node) const { return leaves_walked(program_, host_flow_, node); }
    /// True also for a return_ if invocations that have returned must help to save workgroup memory.
    bool is_leaving(NodeId node) const {
        return leaves_construct(node) || (saves_together_ && program_.node(node).op == Op::return_);
    }

    VariableId left_flag(NodeId construct) const {
        const auto at = std::ranges::find(schedule_.left, construct) - schedule_.left.begin();
        return plan_.left_flags[static_cast<std::size_t>(at)];
    }

    NodeId is_set(VariableId flag) { return to_.binary(Op::ne, to_.load(to_.ref(flag)), to_.constant(0u)); }
    void set(VariableId flag, std::uint32_t to) { to_.store(to_.ref(flag), to_.constant(to)); }

    // Before the statements
    // ----------------------------------------------------------------------------------------

    void begin() {
        scratch_.begin();
        declare_ours();
        for (const VariableId variable : part_.opened) to_.declare(variable);
        bring_host_values();
        restore_workgroup_memory();
        if (!saves_together_) turn_away();
        for (const std::uint32_t i : part_.restored) restore(plan_.carried[i]);
    }

    /// Computes values. Called after returned invocations have been turned away, because their conditions
    /// often show that accesses are in bounds.
    void compute(const std::vector<NodeId>& values) {
        for (const NodeId value : values) {
            if (nodes_.has(value)) continue;
            to_.at(program_.location(value));
            nodes_.copy(value);
        }
        to_.at({});
    }

    /// Computes the values that a guard's condition needs.
    void compute_for(NodeId condition) {
        std::vector<NodeId> values;
        const auto add = [&](const auto& self, NodeId value) -> void {
            if (std::ranges::find(part_.computed, value) == part_.computed.end()) return;
            for_each_value(program_, value, [&](NodeId operand) { self(self, operand); });
            values.push_back(value);
        };
        add(add, condition);
        compute(values);
    }

    void declare_ours() {
        if (uses_returned()) to_.declare(plan_.returned);
        for (const VariableId flag : plan_.left_flags)
            if (carries(part_.restored, flag) || carries(part_.saved, flag) || sets(flag)) to_.declare(flag);
        if (leaves()) to_.declare(leaving_);
    }

    bool uses_returned() const {
        return carries(part_.saved, plan_.returned) ||
               (saves_together_ && carries(part_.restored, plan_.returned)) || (saves_together_ && returns());
    }

    bool sets(VariableId flag) const {
        const auto enters = [&](const Item& item) {
            return item.kind == Item::Kind::enter && left_flag(item.node) == flag;
        };
        return std::ranges::any_of(segment_.items, enters) || any_inside([&](NodeId node) {
                   return leaves_construct(node) && left_flag(host_flow_.target(node)) == flag;
               });
    }

    bool carries(const std::vector<std::uint32_t>& list, VariableId variable) const {
        const std::uint32_t at = plan_.carried_variable[variable.index];
        return at != Plan::none && std::ranges::find(list, at) != list.end();
    }

    void bring_host_values() {
        std::uint32_t word = 0;
        for (const NodeId leaf : part_.leaves) {
            const TypeId type = program_.type(leaf);  // a scalar or vector: its id is the same in every table
            std::vector<NodeId> parts;
            for (std::uint64_t i = 0; i < words_of(leaf); ++i)
                parts.push_back(from_word(to_, type_of(program_.types()[type].scalar),
                                          to_.load(to_.ref_member(to_.ref(host_values_), word++))));
            nodes_.set(leaf, parts.size() == 1 ? parts[0] : to_.compose(type, parts));
        }
        for (std::uint32_t i = 0; i < schedule_.same_load.size(); ++i)
            if (const NodeId same = schedule_.same_load[i]; same && same != NodeId{i} && nodes_.has(same))
                nodes_.set(NodeId{i}, nodes_.get(same));
    }

    void restore_workgroup_memory() {
        bool any = false;
        for (const std::uint32_t i : part_.restored) {
            if (!is_workgroups(i)) continue;
            scratch_.restore_workgroup(plan_.carried[i].variable, plan_.carried[i].slot);
            any = true;
        }
        if (any) to_.barrier(Op::workgroup_barrier);
    }

    void restore(const Carried& one) {
        if (one.kind == Carried::Kind::value)
            nodes_.set(one.node, scratch_.restore_value(nodes_.type(program_.type(one.node)), one.slot));
        else if (one.kind == Carried::Kind::variable && (one.variable != plan_.returned || uses_returned()))
            scratch_.restore(one.variable, one.slot);
    }

    /// Skips the part for invocations that returned earlier.
    void turn_away() {
        const auto go = [&](NodeId condition) {
            to_.begin_if(condition);
            saves_together_ ? to_.break_() : to_.return_();
            to_.end_if();
        };
        for (const Guard& guard : part_.guards) {
            compute_for(guard.condition);
            const NodeId condition = nodes_.get(guard.condition);
            go(guard.when ? condition : to_.unary(Op::logical_not, condition));
        }
        if (!part_.asks_returned) return;
        if (saves_together_) {
            go(is_set(plan_.returned));
            return;
        }
        const Carried& returned = plan_.carried[plan_.carried_variable[plan_.returned.index]];
        go(to_.binary(Op::ne, scratch_.restore_value(u32_type, returned.slot), to_.constant(0u)));
    }

    // The statements
    // -----------------------------------------------------------------------------------------------

    void statement(const Item& item) {
        if (item.kind == Item::Kind::enter) {
            if (carries(part_.saved, left_flag(item.node)) || carries(part_.restored, left_flag(item.node)))
                set(left_flag(item.node), 0);
        } else if (item.kind == Item::Kind::fetch) {
            fetch(item.node);
        } else if (item.kind == Item::Kind::liveness_check) {
            to_.atomic(Op::atomic_store, scratch_.header(ScratchWord::fetched), to_.constant(1u));
        } else if (plan_.required[item.node.index]) {
            placed(item.node);
            if (const std::uint32_t at = plan_.carried_value[item.node.index];
                at != Plan::none && std::ranges::find(part_.saved, at) != part_.saved.end())
                scratch_.save_value(nodes_.get(item.node), plan_.carried[at].slot);
        }
    }

    /// Hands a value to the host; all invocations that get here agree on it.
    void fetch(NodeId value) {
        to_.atomic(Op::atomic_store, scratch_.header(ScratchWord::value), to_word(to_, nodes_.get(value)));
        to_.atomic(Op::atomic_store, scratch_.header(ScratchWord::fetched), to_.constant(1u));
    }

    void placed(NodeId node) {
        to_.at(program_.location(node));
        const Op op = program_.node(node).op;
        if (host_.is_hosted_load(node)) return;  // already a host value
        if (op == Op::declare && is_opened(VariableId{program_.node(node).payload}))
            assign_initial(node);
        else if (is_leaving(node))
            leave(node);
        else if (op == Op::return_)
            return_();
        else if (!program_.blocks(node).empty())
            construct(node);
        else if (info(op).group == OpGroup::control)
            nodes_.jump(node);
        else
            nodes_.copy(node);
    }

    bool is_opened(VariableId variable) const {
        return std::ranges::find(part_.opened, variable) != part_.opened.end();
    }

    void assign_initial(NodeId declaration) {
        const VariableId variable{program_.node(declaration).payload};
        const auto operands = program_.operands(declaration);
        to_.store(to_.ref(variable),
                  operands.empty() ? to_.zero(to_.variable(variable).type) : nodes_.get(operands[0]));
    }

    void construct(NodeId node) {
        const bool is_broken_out_of = program_.node(node).op != Op::if_;
        breakable_ += is_broken_out_of ? 1u : 0u;
        nodes_.construct(node, [&](BlockId block) {
            for (const NodeId inner : program_.block(block)) placed(inner);
        });
        breakable_ -= is_broken_out_of ? 1u : 0u;
        const bool leads_on = any_within(program_, node, [&](NodeId inner) { return is_leaving(inner); });
        if (!is_broken_out_of || !leads_on) return;
        to_.begin_if(is_set(leaving_));
        to_.break_();
        to_.end_if();
    }

    /// Leaves one construct after the other, to the end of the part's statements.
    void leave(NodeId node) {
        if (program_.node(node).op == Op::return_) {
            set(plan_.returned, 1);
        } else {
            set(left_flag(host_flow_.target(node)), 1);
        }
        if (breakable_ > 0) set(leaving_, 1);
        to_.break_();
    }

    void return_() {
        const std::uint32_t at = plan_.carried_variable[plan_.returned.index];
        if (at != Plan::none && std::ranges::find(part_.saved, at) != part_.saved.end())
            scratch_.save_value(to_.constant(1u), plan_.carried[at].slot);
        to_.return_();
    }

    // After the statements
    // ---------------------------------------------------------------------------------------------------

    void end() {
        to_.at({});
        for (const std::uint32_t i : part_.saved)
            if (plan_.carried[i].kind == Carried::Kind::variable)
                scratch_.save(plan_.carried[i].variable, plan_.carried[i].slot);
        if (!saves_together_) return;
        to_.barrier(Op::workgroup_barrier);
        for (const std::uint32_t i : part_.saved)
            if (is_workgroups(i)) scratch_.save_workgroup(plan_.carried[i].variable, plan_.carried[i].slot);
    }

    const Program& program_;
    const HostControlFlow& host_flow_;
    const HostValues& host_;
    const Schedule& schedule_;
    const Plan& plan_;
    const Segment& segment_;
    const PartPlan& part_;
    IrBuilder to_;
    NodeCopier nodes_;
    bool saves_together_;  // saves workgroup memory at its end, which all invocations must reach
    VariableId leaving_, host_values_;
    Scratch scratch_;
    std::uint32_t breakable_ = 0;  // number of open constructs of the part that a break_ leaves
};

}  // namespace

// The first numbers that the program leaves free: those after its last one may be beyond the limit.
AddedBindings::AddedBindings(const Program& program) {
    std::set<std::uint32_t> used;
    for (const VariableId id : program.bindings())
        if (program.variable(id).group == group) used.insert(program.variable(id).binding);
    while (used.contains(scratch)) ++scratch;
    host_values = scratch + 1;
    while (used.contains(host_values)) ++host_values;
}

Result<Program> build_part(const PartSource& source, std::uint32_t segment, std::uint32_t number) {
    return PartBuilder(source, segment, number).run();
}

std::vector<SplitBinding> bindings_of_part(const Program& program, const Program& part) {
    const AddedBindings added(program);
    std::vector<SplitBinding> all;
    for (const VariableId id : part.bindings()) {
        const Variable& variable = part.variable(id);
        const auto is_same = [&](VariableId of) {
            const Variable& other = program.variable(of);
            return other.group == variable.group && other.binding == variable.binding;
        };
        const auto found = std::ranges::find_if(program.bindings(), is_same);
        using Source = SplitBinding::Source;
        if (found != program.bindings().end())
            all.push_back({Source::program, static_cast<std::uint32_t>(found - program.bindings().begin())});
        else
            all.push_back({variable.binding == added.scratch ? Source::scratch : Source::host_values, 0});
    }
    return all;
}

}  // namespace muster::split
