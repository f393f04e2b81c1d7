#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include <llvm/ADT/MapVector.h>

#include <muster/backend-cpu/compiler/lowering/control_flow.hpp>
#include <muster/foundation/analysis/loops.hpp>
#include <muster/foundation/analysis/ways.hpp>
#include <muster/foundation/ir/access.hpp>
#include <muster/foundation/ir/within.hpp>

namespace muster::cpu {
namespace {

bool is_pure(Op op) {
    const OpGroup group = info(op).group;
    return group == OpGroup::exact || group == OpGroup::free || op == Op::load || op == Op::array_length;
}

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
                const std::uint32_t variable = assigned(program_, node).index;
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

// The contents of slots before a loop that is built, or that runs, several times.
class SavedSlots {
  public:
    explicit SavedSlots(LaneBuilder& builder) : b_(builder) {}
    void save(Value* slot) {
        saved_[slot] = b_.CreateLoad(llvm::cast<llvm::AllocaInst>(slot)->getAllocatedType(), slot);
    }
    void restore() {
        for (const auto& [slot, value] : saved_) b_.CreateStore(value, slot);
    }

  private:
    LaneBuilder& b_;
    llvm::MapVector<Value*, Value*> saved_;  // in their order, so that the same program gives the same code
};

}  // namespace

std::optional<std::uint64_t> turns_of_short_loop(const Program& program, NodeId loop) {
    constexpr std::uint64_t most_turns = 16, most_nodes = 1000;
    const auto turns = Loops(program).max_trip_count(loop);
    const bool is_short = turns && *turns <= most_turns && nodes_within(program, loop) * *turns <= most_nodes;
    return is_short ? turns : std::nullopt;
}

void ControlFlow::loop(NodeId node) {
    if (is_loop_of_updates(node)) return one_loop_per_lane(node);
    if (const std::vector<Slots> groups = groups_of_sums(node); !groups.empty())
        return one_loop_per_group(node, groups);
    if (const auto test = leaving_test(node)) whole_turns(node, *test);
    one_loop(node);
}

// Marks the body's values that the continuing block uses. They pass through slots, because
// lanes may `continue` early.
void ControlFlow::pass_body_in_slots(NodeId loop) {
    const auto blocks = program_.blocks(loop);
    const auto body = program_.block(blocks[0]);
    for_each_within(program_, blocks[1], [&](NodeId node) {
        for_each_value(program_, node, [&](NodeId used) {
            if (std::ranges::find(body, used) != body.end()) values_.pass_in_slots(used);
        });
    });
}

void ControlFlow::one_loop(NodeId node) {
    const auto blocks = program_.blocks(node);
    const bool changes = shapes_.changes_mask(node);
    const bool waits = shapes_.has_divergent_continue(node);
    Value* before = b_.mask;
    llvm::Type* mask_type = b_.all_lanes()->getType();
    BasicBlock *start = b_.block("loop"), *continuing = b_.block("continuing"), *end = b_.block("end_loop");
    JumpTarget target{.construct = node, .leave = end, .go_on = continuing};
    Value* loop_mask = nullptr;
    if (changes) {
        loop_mask = b_.slot(mask_type, "running");
        target.go_on_mask = b_.slot(mask_type, "continuing");
        b_.CreateStore(b_.active(), loop_mask);
        if (any_within(program_, node,
                       [&](NodeId inner) { return program_.node(inner).op == Op::return_; })) {
            target.leave_mask = b_.mask_slot("left");
        }
        if (waits) pass_body_in_slots(node);
    }
    b_.CreateBr(start);
    b_.SetInsertPoint(start);
    if (changes) {
        b_.mask = b_.load_mask(loop_mask);
        b_.CreateStore(b_.no_lanes(), target.go_on_mask);
    }
    targets_.push(target);
    run_block(blocks[0], waits ? continuing : end);
    if (b_.reachable) {
        if (changes) b_.add_to_mask(target.go_on_mask);
        b_.CreateBr(continuing);
    }
    b_.reachable = !llvm::pred_empty(continuing);
    b_.SetInsertPoint(continuing);
    if (!b_.reachable) {
        b_.CreateUnreachable();
    } else {
        b_.mask = before;
        if (changes) {
            b_.mask = b_.load_mask(target.go_on_mask);
            if (waits) b_.go_on_if(b_.any(b_.mask), "some", end);
        }
        run_block(blocks[1], end);
        if (b_.reachable) {
            if (changes) b_.CreateStore(b_.active(), loop_mask);
            llvm::BranchInst* back = b_.CreateBr(start);
            if (const auto turns = turns_of_short_loop(program_, node); turns && atomics_.is_in_lane())
                b_.set_unrolling(back, "full", *turns);
        }
    }
    targets_.pop();
    end_construct(target, before);
}

// Loops that lanes leave at the end of an array, as in `for (var i = id.x; i < length; i += step)`: as
// long as a scalar test tells that no lane leaves, turns run without a mask. The loop with masks
// follows, for the last turns.

// The loop's first statement with an effect, if it is `if !(numbers < bound) { break; }` and no other jump
// leaves the loop or begins its next turn.
std::optional<ControlFlow::LeavingTest> ControlFlow::leaving_test(NodeId loop) const {
    constexpr std::size_t most_nodes = 128;  // larger loops aren't built twice
    if (b_.mask != nullptr || width_ == 1 || !shapes_.changes_mask(loop)) return {};
    if (nodes_within(program_, loop) > most_nodes) return {};
    const auto blocks = program_.blocks(loop);
    const auto body = program_.block(blocks[0]);
    const auto first =
        std::ranges::find_if_not(body, [&](NodeId node) { return is_pure(program_.node(node).op); });
    if (first == body.end() || program_.node(*first).op != Op::if_) return {};
    const auto sides = program_.blocks(*first);
    if (!program_.block(sides[1]).empty()) return {};
    const auto then = program_.block(sides[0]);
    if (then.size() != 1 || program_.node(then[0]).op != Op::break_) return {};
    for (const BlockId block : blocks)
        for (const NodeId node : program_.block(block))
            if (node != *first && ways_of(program_, node).jumps()) return {};
    NodeId stays = program_.operand(*first, 0);
    if (program_.node(stays).op != Op::logical_not) return {};
    stays = program_.operand(stays, 0);
    const Op op = program_.node(stays).op;
    if (op != Op::lt && op != Op::gt) return {};
    LeavingTest test{static_cast<std::size_t>(first - body.begin()), stays};
    const NodeId numbers = program_.operand(stays, op == Op::lt ? 0 : 1);
    if (program_.type(numbers) != u32_type || shapes_.of(numbers).offsets != offsets_.counting()) return {};
    if (!shapes_.of(program_.operand(stays, op == Op::lt ? 1 : 0)).is_uniform()) return {};
    return test;
}

void ControlFlow::whole_turns(NodeId loop, const LeavingTest& test) {
    const auto blocks = program_.blocks(loop);
    const auto body = program_.block(blocks[0]);
    BasicBlock *start = b_.block("whole_loop"), *inside = b_.block("all_inside"),
               *apart = b_.block("some_leave");
    b_.CreateBr(start);
    b_.SetInsertPoint(start);
    for (const NodeId node : body.first(test.at)) run(node);
    b_.CreateCondBr(holds_for_all(test.stays), inside, apart);
    b_.SetInsertPoint(inside);
    targets_.push({.construct = loop});
    run_nodes(body.subspan(test.at + 1), nullptr);
    b_.mask = nullptr;  // what parted inside has met again
    if (b_.reachable) run_block(blocks[1], nullptr);
    targets_.pop();
    if (b_.reachable) b_.CreateBr(start);
    b_.reachable = true;
    b_.mask = nullptr;
    b_.SetInsertPoint(apart);
}

// Loops that sum up more than the machine has registers for, as in the register tiles of a matrix
// product: one loop after the other, each for some of the sums. That takes the loads of the others
// again, which is cheaper than a sum that goes to memory and back in every turn. Each sum's operations
// and their order stay as they are.

// The slots of the sums, in groups of which each has a loop of its own; none if the loop isn't split.
std::vector<ControlFlow::Slots> ControlFlow::groups_of_sums(NodeId loop) const {
    if (width_ == 1 || shapes_.changes_mask(loop) || own_.leaves_any_unwritten()) return {};
    const auto variables = LoopReader(program_, loop).variables();
    if (!variables) return {};
    const auto has_slots = [&](std::uint32_t v) { return !own_.slots({v}).empty(); };
    if (!std::ranges::all_of(variables->others, has_slots)) return {};
    std::vector<Value*> slots;
    for (const std::uint32_t v : variables->sums) {
        if (!has_slots(v)) return {};
        for (Value* slot : own_.slots({v}))
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

void ControlFlow::one_loop_per_group(NodeId loop, const std::vector<Slots>& groups) {
    SavedSlots saved(b_);
    const auto variables = LoopReader(program_, loop).variables();
    for (const std::uint32_t variable : variables->others)
        for (Value* slot : own_.slots({variable})) saved.save(slot);
    for (std::size_t g = 0; g < groups.size(); ++g) {
        if (g > 0) saved.restore();
        Slots others;
        for (std::size_t other = 0; other < groups.size(); ++other)
            if (other != g) others.insert(groups[other].begin(), groups[other].end());
        own_.leave_unwritten(std::move(others));
        one_loop(loop);
    }
    own_.leave_unwritten({});
}

// Groups of nearly the same size, each of sums that share what they load: one after the other, the sum that
// takes the fewest registers of loads besides those of its group.
std::vector<ControlFlow::Slots> ControlFlow::grouped_by_loads(NodeId loop, std::vector<Value*> slots,
                                                              std::size_t count) const {
    std::map<Value*, LoadedWords> loads;
    const LoopReader reader(program_, loop);
    for_each_within(program_, loop, [&](NodeId node) {
        if (program_.node(node).op != Op::store) return;
        const Place place = resolve(program_, program_.operand(node, 0));
        const auto of_variable = own_.slots(place.variable);
        for (std::uint64_t w = 0; w < types_.scalar_words(place.type); ++w)
            reader.add_loaded(program_.operand(node, 1), w, loads[of_variable[place.offset + w]]);
    });
    const auto cost = [&](const LoadedWords& already, Value* slot) {
        std::size_t registers = 0;
        for (const auto& word : loads[slot])
            if (!already.contains(word))
                registers += shapes_.of(word.first, word.second).is_varying()
                                 ? std::max(1u, 4 * width_ / options_.machine.vector_bytes)
                                 : 1;
        return registers;
    };
    std::vector<Slots> groups(count);
    const std::size_t all = slots.size();
    for (std::size_t g = 0; g < count; ++g) {
        LoadedWords loaded;
        for (std::size_t left = all * (g + 1) / count - all * g / count; left > 0; --left) {
            const auto next =
                std::ranges::min_element(slots, {}, [&](Value* slot) { return cost(loaded, slot); });
            loaded.insert(loads[*next].begin(), loads[*next].end());
            groups[g].insert(*next);
            slots.erase(next);
        }
    }
    return groups;
}

// Short loops of atomic operations at scattered indices, such as over the bytes of a word that each lane has:
// all turns of a lane, then the next lane. A lane's scalars then stay in registers from turn to turn, and
// what they read is read once.

// True if the loop does nothing but such operations, as many times for each lane. Other invocations may see a
// lane's operations at any time, so the order among lanes is free.
bool ControlFlow::is_loop_of_updates(NodeId loop) const {
    if (width_ == 1 || b_.mask || atomics_.is_in_lane() || shapes_.changes_mask(loop) ||
        !turns_of_short_loop(program_, loop))
        return false;
    std::size_t updates = 0;
    const bool fits = !any_within(program_, loop, [&](NodeId node) {
        const Op op = program_.node(node).op;
        const OpGroup group = info(op).group;
        if (group == OpGroup::atomic) ++updates;
        if (node == loop || op == Op::break_ || group == OpGroup::exact || group == OpGroup::free)
            return false;
        if (op == Op::if_ || op == Op::break_if) return !shapes_.of(program_.operand(node, 0)).is_uniform();
        if (group == OpGroup::atomic) return !atomics_.may_run_in_lane(node);
        return !is_uniform_access(node);
    });
    return fits && updates > 0;
}

// True for accesses to a lane's own variables that are the same for all lanes, and to constant memory.
bool ControlFlow::is_uniform_access(NodeId node) const {
    const Op op = program_.node(node).op;
    if (op == Op::array_length) return true;
    if (op != Op::load && op != Op::store && op != Op::declare) return false;
    const VariableId variable = accessed(program_, node);
    if (!is_per_invocation(program_.variable(variable)))
        return op == Op::load && is_constant_memory(program_.variable(variable));
    return own_.slots(variable).size() == 1 && shapes_.of(variable, 0).is_uniform();
}

void ControlFlow::one_loop_per_lane(NodeId loop) {
    SavedSlots saved(b_);
    for_each_within(program_, loop, [&](NodeId node) {
        if (program_.node(node).op == Op::store)
            saved.save(own_.slots(program_.root_variable(program_.operand(node, 0)))[0]);
    });
    BasicBlock *start = b_.GetInsertBlock(), *each = b_.block("lane"), *end = b_.block("all_lanes");
    b_.CreateBr(each);
    b_.SetInsertPoint(each);
    PHINode* lane = b_.CreatePHI(b_.getInt64Ty(), 2, "lane");
    lane->addIncoming(b_.getInt64(0), start);
    saved.restore();
    atomics_.set_lane(lane);
    one_loop(loop);
    atomics_.set_lane(nullptr);
    Value* next = b_.CreateAdd(lane, b_.getInt64(1));
    lane->addIncoming(next, b_.GetInsertBlock());
    b_.set_unrolling(b_.CreateCondBr(b_.CreateICmpULT(next, b_.getInt64(width_)), each, end), "disable");
    b_.SetInsertPoint(end);
}

}  // namespace muster::cpu
