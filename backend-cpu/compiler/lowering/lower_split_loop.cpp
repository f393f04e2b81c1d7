// Loops that sum up more than the machine has registers for, as in the register tiles of a matrix
// product: one loop after the other, each for some of the sums. That takes the loads of the others
// again, which is cheaper than a sum that goes to memory and back in every turn. Each sum's operations
// and their order stay as they are.
#include <algorithm>

#include <muster/backend-cpu/compiler/lowering/lowering.hpp>
#include <muster/foundation/ir/within.hpp>

namespace muster::cpu {
namespace {

// Variables as sets of indices.
using VariableSet = std::set<std::uint32_t>;

// Words that a turn loads from memory that invocations share.
using LoadedWords = std::set<std::pair<NodeId, std::uint64_t>>;

// The variables that a loop changes.
struct LoopVariables {
    VariableSet sums;    // each read by its own updates alone
    VariableSet others;  // counters, and whatever else a turn needs
};

class LoopReader {
  public:
    LoopReader(const Program& program, NodeId loop) : program_(program), loop_(loop) {
        for_each_within(program, loop, [&](NodeId node) { inside_.insert(node); });
    }

    /// Nothing if the loop does more than compute: each of its copies would do it.
    std::optional<LoopVariables> variables() {
        VariableSet needed, declared;
        std::map<std::uint32_t, VariableSet> read_by;  // by variable: what its updates read
        for (const NodeId node : inside_) {
            const Op op = program_.node(node).op;
            const OpGroup group = info(op).group;
            if (group == OpGroup::control) {
                const bool is_plain =
                    node == loop_ || op == Op::if_ || op == Op::break_ || op == Op::break_if;
                if (!is_plain) return {};
                read(node, needed);
            } else if (op == Op::store || op == Op::declare) {
                const std::uint32_t variable = op == Op::declare
                                                   ? program_.node(node).payload
                                                   : program_.root_variable(program_.operand(node, 0)).index;
                if (!is_per_invocation(program_.variable({variable}))) return {};
                if (op == Op::declare) declared.insert(variable);
                read(node, read_by[variable]);
            } else if (group != OpGroup::exact && group != OpGroup::packed && group != OpGroup::math &&
                       group != OpGroup::memory) {
                return {};
            }
        }
        for (const auto& [variable, read] : read_by)
            for (const std::uint32_t other : read)
                if (other != variable) needed.insert(other);
        LoopVariables found;
        for (const auto& [variable, read] : read_by)
            if (!declared.contains(variable))
                (needed.contains(variable) ? found.others : found.sums).insert(variable);
        return found;
    }

    /// Adds what a word of the value depends on in the loop.
    void add_loaded(NodeId value, std::uint64_t word, LoadedWords& words) const {
        const Node& n = program_.node(value);
        if (!inside_.contains(value)) return;
        const auto operands = program_.operands(value);
        const TypeTable& types = program_.types();
        const auto count = [&](NodeId operand) { return types.scalar_words(program_.type(operand)); };
        if (n.op == Op::load) {
            if (!is_per_invocation(program_.variable(program_.root_variable(operands[0]))))
                words.emplace(value, word);
        } else if (n.op == Op::compose) {
            for (const NodeId operand : operands) {
                if (word < count(operand)) return add_loaded(operand, word, words);
                word -= count(operand);
            }
        } else {  // of a value with as many words, the same one; of others, any
            for (const NodeId operand : operands)
                for (std::uint64_t w = 0; w < count(operand); ++w)
                    if (count(operand) != count(value) || w == word) add_loaded(operand, w, words);
        }
    }

  private:
    /// Adds the own variables whose value in the loop the node's operands depend on.
    void read(NodeId node, VariableSet& variables) {
        std::set<NodeId> seen;
        const auto visit = [&](auto& self, NodeId value) -> void {
            if (!seen.insert(value).second) return;
            const Node& n = program_.node(value);
            const bool is_placed = info(n.op).group != OpGroup::free;
            if (is_placed && !inside_.contains(value)) return;
            if (n.op == Op::load) variables.insert(program_.root_variable(program_.operand(value, 0)).index);
            for (const NodeId operand : program_.operands(value)) self(self, operand);
        };
        for (const NodeId operand : program_.operands(node)) visit(visit, operand);
    }

    const Program& program_;
    const NodeId loop_;
    std::set<NodeId> inside_;
};

}  // namespace

void Lowering::loop(NodeId node) {
    if (is_loop_of_updates(node)) return loop_of_updates(node);
    const std::vector<std::set<llvm::Value*>> groups = groups_of_sums(node);
    if (groups.empty()) {
        if (const auto test = leaving_test(node)) whole_turns(node, *test);
        return one_loop(node);
    }
    std::map<llvm::Value*, llvm::Value*> at_start;  // by slot
    const auto variables = LoopReader(program_, node).variables();
    for (const std::uint32_t variable : variables->others)
        for (llvm::Value* slot : variable_storage_[variable].slots)
            at_start[slot] = b_.CreateLoad(llvm::cast<llvm::AllocaInst>(slot)->getAllocatedType(), slot);
    for (std::size_t g = 0; g < groups.size(); ++g) {
        if (g > 0)
            for (const auto& [slot, value] : at_start) b_.CreateStore(value, slot);
        for (std::size_t other = 0; other < groups.size(); ++other)
            if (other != g) unwritten_slots_.insert(groups[other].begin(), groups[other].end());
        one_loop(node);
        unwritten_slots_.clear();
    }
}

// The slots of the sums, in groups of which each has a loop of its own; none if the loop isn't split.
std::vector<std::set<llvm::Value*>> Lowering::groups_of_sums(NodeId loop) {
    if (width_ == 1 || shapes_.changes_mask(loop) || !unwritten_slots_.empty()) return {};
    const auto variables = LoopReader(program_, loop).variables();
    if (!variables) return {};
    const auto has_slots = [&](std::uint32_t v) { return !variable_storage_[v].slots.empty(); };
    if (!std::ranges::all_of(variables->others, has_slots)) return {};
    std::vector<llvm::Value*> slots;
    for (const std::uint32_t v : variables->sums) {
        if (!has_slots(v)) return {};
        for (llvm::Value* slot : variable_storage_[v].slots)
            if (llvm::cast<llvm::AllocaInst>(slot)->getAllocatedType()->isVectorTy()) slots.push_back(slot);
    }
    const MachineTraits& machine = options_.machine;
    const std::size_t of_one = std::max(1u, 4 * width_ / machine.vector_bytes),
                      registers = machine.vector_registers;
    // A quarter of the registers is left for a turn's own values; in groups of half of them, loads
    // and sums are in balance.
    if (slots.size() * of_one <= registers * 3 / 4) return {};
    const std::size_t most = std::max<std::size_t>(1, registers / 2 / of_one),
                      count = (slots.size() + most - 1) / most;
    if (count < 2) return {};
    return grouped_by_loads(loop, slots, count);
}

// Groups of nearly the same size, each of sums that share what they load: one after the other, the sum that
// takes the fewest registers of loads besides those of its group.
std::vector<std::set<llvm::Value*>> Lowering::grouped_by_loads(NodeId loop, std::vector<llvm::Value*> slots,
                                                               std::size_t count) {
    std::map<llvm::Value*, LoadedWords> loads;
    const LoopReader reader(program_, loop);
    for_each_within(program_, loop, [&](NodeId node) {
        if (program_.node(node).op != Op::store) return;
        const Place place = resolve(program_, program_.operand(node, 0));
        const auto& of_variable = variable_storage_[place.variable.index].slots;
        for (std::uint64_t w = 0; w < types_.scalar_words(place.type); ++w)
            reader.add_loaded(program_.operand(node, 1), w, loads[of_variable[place.offset + w]]);
    });
    const auto cost = [&](const LoadedWords& already, llvm::Value* slot) {
        std::size_t registers = 0;
        for (const auto& word : loads[slot])
            if (!already.contains(word))
                registers += shapes_.of(word.first, word.second).is_varying()
                                 ? std::max(1u, 4 * width_ / options_.machine.vector_bytes)
                                 : 1;
        return registers;
    };
    std::vector<std::set<llvm::Value*>> groups(count);
    const std::size_t all = slots.size();
    for (std::size_t g = 0; g < count; ++g) {
        LoadedWords loaded;
        for (std::size_t left = all * (g + 1) / count - all * g / count; left > 0; --left) {
            const auto next =
                std::ranges::min_element(slots, {}, [&](llvm::Value* slot) { return cost(loaded, slot); });
            loaded.insert(loads[*next].begin(), loads[*next].end());
            groups[g].insert(*next);
            slots.erase(next);
        }
    }
    return groups;
}

}  // namespace muster::cpu
