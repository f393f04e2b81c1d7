#include <algorithm>
#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <muster/foundation/analysis/ways.hpp>
#include <muster/foundation/ir/program_limits.hpp>
#include <muster/foundation/validate/passes.hpp>

namespace muster::validation {
namespace {

enum class Region : std::uint8_t { body, branch, switch_case, scope, loop_body, continuing };

class Structure {
  public:
    Structure(const Program& program, Faults& faults)
        : program_(program),
          faults_(faults),
          seen_(program.node_count()),
          visible_(program.node_count()),
          entered_(program.block_count()),
          declared_(program.variables().size()),
          declaration_visible_(program.variables().size()) {}

    void check() { walk(program_.body(), Region::body); }

  private:
    struct Frame {
        Region region = Region::body;
        std::size_t first = 0;  // index in values_ of the first of its values
        std::size_t sealed =
            SIZE_MAX;  // loop_body: this many of values_ are known on every path to `continuing`
    };

    std::string_view name_of(NodeId id) const { return info(program_.node(id).op).name; }
    bool is_free(NodeId id) const { return info(program_.node(id).op).group == OpGroup::free; }
    static bool is_reference(Op op) {
        return op == Op::ref_variable || op == Op::ref_index || op == Op::ref_member;
    }
    static bool is_jump(Op op) { return op == Op::break_ || op == Op::continue_ || op == Op::return_; }

    // Walks one block as a scope of its own.
    Ways walk(BlockId block, Region region) {
        if (!enter(block)) return {.next = true, .breaks = true};
        frames_.push_back({region, values_.size()});
        const Ways ways = walk_nodes(block);
        leave();
        return ways;
    }

    // Walks a loop; its continuing block is in the scope of its body.
    Ways walk_loop(NodeId loop) {
        const BlockId body = program_.blocks(loop)[0], continuing = program_.blocks(loop)[1];
        if (!enter(body)) return {.next = true, .breaks = true};
        frames_.push_back({Region::loop_body, values_.size()});
        Ways ways = walk_nodes(body);
        for (std::size_t i = frames_.back().sealed; i < values_.size(); ++i) set_visible(values_[i], false);
        ways |= walk(continuing, Region::continuing);
        if (!ways.breaks && !ways.returns)
            faults_.add(loop, "The loop has no way out.", "add a break or a return to it");
        leave();
        return {.next = ways.breaks, .returns = ways.returns};
    }

    bool enter(BlockId block) {
        if (entered_[block.index]) {
            faults_.add(fmt::format("Block {} belongs to two operations.", block.index),
                        "give every operation blocks of its own");
            return false;
        }
        entered_[block.index] = true;
        if (frames_.size() < limits::nesting || program_.block(block).empty()) return true;
        if (!too_deep_)
            faults_.add(fmt::format("The program nests its blocks more than {} deep.", limits::nesting),
                        "flatten the nesting, for instance with early returns");
        too_deep_ = true;
        return false;
    }

    void leave() {
        for (std::size_t i = frames_.back().first; i < values_.size(); ++i) set_visible(values_[i], false);
        values_.resize(frames_.back().first);
        frames_.pop_back();
    }

    void set_visible(NodeId id, bool visible) {
        visible_[id.index] = visible;
        if (program_.node(id).op == Op::declare) declaration_visible_[program_.node(id).payload] = visible;
    }

    Ways walk_nodes(BlockId block) {
        const std::span<const NodeId> nodes = program_.block(block);
        Ways all{.next = true};
        for (std::size_t i = 0; i < nodes.size() && !faults_.full(); ++i)
            all.then(place(nodes[i], i + 1 == nodes.size()));
        return all;
    }

    Ways place(NodeId id, bool last) {
        const Op op = program_.node(id).op;
        if (is_free(id)) {
            faults_.add(
                id, fmt::format("{} stands in a block; free operations belong to no block.", info(op).name),
                "use it as an operand only");
            return {.next = true};
        }
        if (seen_[id.index]) {
            faults_.add(id, fmt::format("Node {} ({}) stands in two places.", id.index, info(op).name),
                        "emit the operation again");
            return {.next = true};
        }
        seen_[id.index] = true;
        for (const NodeId operand : program_.operands(id)) use(id, operand);
        if (op == Op::declare) declare(id);
        const Ways ways = control(id, last);
        values_.push_back(id);
        set_visible(id, true);
        return ways;
    }

    // Checks one operand of `user`.
    void use(NodeId user, NodeId operand) {
        const Op op = program_.node(operand).op;
        if (is_reference(op)) {
            if (takes_place(user, operand)) return use_place(user, operand);
            return faults_.add(user, fmt::format("{} takes a reference as a value.", name_of(user)),
                               "load the value that the reference names");
        }
        if (is_free(operand)) return;
        if (!visible_[operand.index])
            faults_.add(user,
                        fmt::format("{} uses the value of {} (made at {}), which isn't visible here.",
                                    name_of(user), name_of(operand), faults_.place(operand)),
                        "carry the value out of its block in a variable");
        else if (program_.type(operand) == no_type)
            faults_.add(user,
                        fmt::format("{} uses {}, which yields no value.", name_of(user), name_of(operand)),
                        "use an operation that yields a value");
    }

    // Checks a reference from the last step to the first, including the indices that the steps use.
    void use_place(NodeId user, NodeId reference) {
        for (NodeId step = reference;; step = program_.operand(step, 0)) {
            const Op op = program_.node(step).op;
            if (op == Op::ref_variable) return use_variable(user, program_.node(step).payload);
            if (!is_reference(op))
                return faults_.add(user,
                                   fmt::format("{} has a place that steps from a value.", name_of(user)),
                                   "step from a reference; extract takes parts of values");
            if (op == Op::ref_index) use(user, program_.operand(step, 1));
        }
    }

    bool takes_place(NodeId user, NodeId operand) const {
        const Node& node = program_.node(user);
        if (node.op == Op::extension) return true;
        const bool first = program_.operand(user, 0) == operand;
        return first && (node.op == Op::load || node.op == Op::store || node.op == Op::array_length ||
                         info(node.op).group == OpGroup::atomic);
    }

    void use_variable(NodeId user, std::uint32_t index) {
        const Variable& variable = program_.variables()[index];
        if (variable.space == AddressSpace::function && !declaration_visible_[index])
            faults_.add(
                user,
                fmt::format("{} uses variable \"{}\" where it isn't declared.", name_of(user), variable.name),
                "declare the variable in this block or one around it, before its first use");
    }

    void declare(NodeId id) {
        const std::uint32_t index = program_.node(id).payload;
        const Variable& variable = program_.variables()[index];
        if (variable.space != AddressSpace::function)
            faults_.add(id,
                        fmt::format("declare names variable \"{}\" in address space {}.", variable.name,
                                    name(variable.space)),
                        "declare function variables only");
        else if (declared_[index])
            faults_.add(id, fmt::format("Variable \"{}\" is declared twice.", variable.name),
                        "declare it once, in the block that holds all its uses");
        declared_[index] = true;
    }

    Ways control(NodeId id, bool last) {
        const Op op = program_.node(id).op;
        if (is_jump(op) && !last)
            faults_.add(id, fmt::format("{} has code after it in its block.", info(op).name),
                        "remove what can't be reached");
        const std::span<const BlockId> blocks = program_.blocks(id);
        if (op == Op::loop) return walk_loop(id);
        if (is_jump(op)) {
            jump(id, op);
            return {
                .breaks = op == Op::break_, .continues = op == Op::continue_, .returns = op == Op::return_};
        }
        if (op == Op::break_if) {
            if (frames_.back().region != Region::continuing || !last)
                faults_.add(
                    id, "break_if isn't at the end of a continuing block.",
                    "move it to the end of the loop's continuing block, or use if_ and break_ in its body");
            return {.next = true, .breaks = true};
        }
        if (blocks.empty()) return {.next = true};
        if (op == Op::switch_) check_cases(id);
        const Region region = op == Op::if_       ? Region::branch
                              : op == Op::switch_ ? Region::switch_case
                                                  : Region::scope;
        Ways ways;
        for (const BlockId block : blocks) ways |= walk(block, region);
        return op == Op::if_ ? ways : ways.left();
    }

    void jump(NodeId id, Op op) {
        std::size_t at = frames_.size();
        while (at > 0 && !ends_at(op, frames_[at - 1].region)) --at;
        if (at > 0 && frames_[at - 1].region == Region::continuing)
            return faults_.add(
                id, fmt::format("{} leaves a continuing block.", info(op).name),
                "end the continuing block with break_if, or move the condition to the loop's body");
        if (at == 0 && op == Op::break_)
            return faults_.add(id, "break_ stands in no loop, switch_ or scope.",
                               "use return_ to end the invocation");
        if (at == 0 && op == Op::continue_)
            return faults_.add(id, "continue_ stands in no loop.", "use it in a loop's body only");
        if (op != Op::continue_) return;
        // Values that the loop's body computes from here on are unknown to its continuing block.
        const std::size_t known = at == frames_.size() ? values_.size() : frames_[at].first;
        frames_[at - 1].sealed = std::min(frames_[at - 1].sealed, known);
    }

    // True if a jump that searches outwards for its target stops at this region.
    static bool ends_at(Op op, Region region) {
        if (region == Region::continuing) return true;
        if (op == Op::return_) return false;
        if (region == Region::loop_body) return true;
        return op == Op::break_ && (region == Region::switch_case || region == Region::scope);
    }

    void check_cases(NodeId id) {
        std::set<std::uint32_t> selectors;
        std::size_t defaults = 0;
        for (const SwitchCase& one : program_.switch_cases(id)) {
            defaults += one.is_default;
            if (one.selectors.empty() && !one.is_default)
                faults_.add(id, "A case of switch_ has no selector.", "give it one, or make it the default");
            for (const std::uint32_t selector : one.selectors)
                if (!selectors.insert(selector).second)
                    faults_.add(id, fmt::format("Two cases of switch_ have the selector {}.", selector),
                                "give every case selectors of its own");
        }
        if (defaults != 1)
            faults_.add(id, fmt::format("switch_ has {} default cases; it takes one.", defaults),
                        "add a default case, which may be empty");
    }

    const Program& program_;
    Faults& faults_;
    std::vector<bool> seen_, visible_, entered_, declared_, declaration_visible_;
    std::vector<NodeId> values_;  // visible now, in block order
    std::vector<Frame> frames_;
    bool too_deep_ = false;
};

}  // namespace

void check_structure(const Program& program, Faults& faults) { Structure(program, faults).check(); }

}  // namespace muster::validation
