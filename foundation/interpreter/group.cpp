#include <algorithm>
#include <array>
#include <numeric>

#include <muster/foundation/base/round_up.hpp>
#include <muster/foundation/interpreter/group.hpp>
#include <muster/foundation/interpreter/handlers.hpp>
#include <muster/foundation/interpreter/subgroup.hpp>

namespace muster::interpreter {
namespace {

constexpr std::uint64_t fuel_at_once = std::uint64_t{1} << 20;

// The number of accesses to shared memory in a turn: often one or two, sometimes as many as the invocation
// may want, so that some invocations get far ahead of others.
std::uint32_t draw_slice(Random& random) {
    static constexpr std::array<std::uint32_t, 8> masks{0, 0, 1, 3, 7, 31, 255, 4095};
    const std::uint64_t drawn = random.next();
    return 2 + (static_cast<std::uint32_t>(drawn) & masks[drawn >> 61]);
}

}  // namespace

bool Budget::refuel(Machine& machine) {
    if (is_stopped()) return false;
    std::uint64_t left = left_.load(std::memory_order_relaxed), give = 0;
    do {
        give = std::min(left, fuel_at_once);
    } while (!left_.compare_exchange_weak(left, left - give, std::memory_order_relaxed));
    given_.fetch_add(give, std::memory_order_relaxed);
    if (progress_) progress_();
    machine.fuel += static_cast<std::int64_t>(give);
    return give != 0;
}

GroupRun::GroupRun(const InterpreterCode::Data& code, std::span<const std::uint32_t> frame)
    : code_(code),
      first_frame_(frame),
      frame_words_(round_up(frame.size(), 16)),
      invocations_(static_cast<std::uint32_t>(code.program->workgroup_size().count())),
      frames_(frame_words_ * (code.switches ? invocations_ : 1)),
      workgroup_memory_(code.workgroup_words),
      next_(invocations_) {
    for (std::size_t at = 0; at < frames_.size(); at += frame_words_)
        std::ranges::copy(frame, frames_.begin() + static_cast<std::ptrdiff_t>(at));
}

std::uint64_t GroupRun::bytes(const InterpreterCode::Data& code) {
    const std::uint64_t invocations = code.program->workgroup_size().count();
    const std::uint64_t frames = round_up(code.frame.size(), 16) * (code.switches ? invocations : 1);
    return sizeof(GroupRun) + (frames + code.workgroup_words) * sizeof(std::uint32_t) +
           invocations * (sizeof(const Instruction*) + 2 * sizeof(std::uint32_t));
}

void GroupRun::begin(Extent3 id, std::uint64_t linear_id, std::uint64_t seed) {
    id_ = id;
    steps_ = 0;
    random_ = Random(scramble(seed) + linear_id);
    std::ranges::fill(workgroup_memory_, 0);
    ready_.resize(invocations_);
    std::iota(ready_.begin(), ready_.end(), 0);
    waiting_.clear();
    shadow_.group = linear_id + 1;
    shadow_.id = id;
    shadow_.workgroup_epoch = shadow_.storage_epoch = 0;
    shadow_.workgroup_memory.forget();
    if (!code_.switches) return;
    std::ranges::fill(next_, code_.instructions.data());
    if (code_.meets_subgroup) {
        subgroups_.assign(code_.frame[frame_num_subgroups], {});
        for (std::uint32_t i = 0; i < invocations_; ++i) ++subgroups_[i / code_.subgroup_size].running;
    }
    for (std::uint32_t i = 0; i < invocations_; ++i) prepare(frame(i), i);
}

void GroupRun::prepare(std::uint32_t* frame, std::uint32_t invocation) {
    const Extent3 size = code_.program->workgroup_size();
    const std::uint32_t x = invocation % size.x, y = invocation / size.x % size.y,
                        z = invocation / size.x / size.y;
    const std::array<std::uint32_t, frame_num_workgroups> builtins{
        id_.x * size.x + x, id_.y * size.y + y, id_.z * size.z + z, x, y, z, invocation, id_.x, id_.y, id_.z};
    std::ranges::copy(builtins, frame);
    frame[frame_subgroup_invocation_id] = invocation % code_.subgroup_size;
    frame[frame_subgroup_id] = invocation / code_.subgroup_size;
    std::ranges::copy(first_frame_.subspan(code_.private_first, code_.private_words),
                      frame + code_.private_first);
}

// Returns `more` unless a budget is used up.
StepResult GroupRun::execute(const Instruction* i, std::uint32_t* r, Machine& machine, Budget& budget) {
    std::int64_t fuel = machine.fuel;
    for (;;) {
        while ((i = i->run(i, r, machine)) != nullptr) {
        }
        if (machine.exit != Exit::paused) break;
        i = machine.resume;
        if (const StepResult result = count_steps(fuel, machine, budget); result != StepResult::more)
            return result;
    }
    if (machine.exit == Exit::switched || machine.exit == Exit::subgroup) {
        machine.fuel -= 1;
    } else {
        machine.fuel -= static_cast<std::int64_t>(code_.instructions.size());
    }
    return count_steps(fuel, machine, budget);
}

// Counts the steps since the machine had `fuel`, and refuels it.
StepResult GroupRun::count_steps(std::int64_t& fuel, Machine& machine, Budget& budget) {
    steps_ += static_cast<std::uint64_t>(fuel - machine.fuel);
    if (steps_ > budget.max_workgroup_steps()) return StepResult::workgroup_out_of_budget;
    if (machine.fuel <= 0 && !budget.refuel(machine)) return StepResult::out_of_budget;
    fuel = machine.fuel;
    return StepResult::more;
}

StepResult GroupRun::run_slice(Machine& machine, Budget& budget) {
    machine.workgroup = workgroup_memory_.data();
    machine.slice = draw_slice(random_);
    const std::uint32_t drawn = random_.below(static_cast<std::uint32_t>(ready_.size()));
    const std::uint32_t invocation = ready_[drawn];
    if (machine.recorder != nullptr) machine.recorder->set_current(shadow_, invocation);
    StepResult result;
    if (code_.switches) {
        result = execute(next_[invocation], frame(invocation), machine, budget);
    } else {
        prepare(frame(0), invocation);
        result = execute(code_.instructions.data(), frame(0), machine, budget);
    }
    if (result != StepResult::more) return result;
    next_[invocation] = machine.resume;
    if (machine.exit == Exit::switched) return StepResult::more;
    if (machine.exit == Exit::barrier) waiting_.push_back(invocation);
    ready_[drawn] = ready_.back();
    ready_.pop_back();
    if (code_.meets_subgroup) stop_at_subgroup(invocation, machine);
    return ready_.empty() ? all_wait(machine) : StepResult::more;
}

// Called when an invocation has ended or waits: at an operation of its subgroup or at a barrier.
void GroupRun::stop_at_subgroup(std::uint32_t invocation, Machine& machine) {
    Subgroup& own = subgroups_[invocation / code_.subgroup_size];
    if (machine.exit == Exit::subgroup) own.arrived.push_back(invocation);
    if (--own.running == 0 && !own.arrived.empty())
        run_subgroup_operation(invocation / code_.subgroup_size, machine);
}

// Runs the first in the program of the operations that the subgroup's invocations have stopped at, so that
// those in a branch or a loop catch up with those behind it.
void GroupRun::run_subgroup_operation(std::uint32_t subgroup, Machine& machine) {
    Subgroup& own = subgroups_[subgroup];
    const Instruction* at = next_[own.arrived[0]];
    for (const std::uint32_t invocation : own.arrived) at = std::min(at, next_[invocation]);
    const std::uint32_t first = subgroup * code_.subgroup_size;
    ActiveFrames active(std::min(code_.subgroup_size, invocations_ - first));
    for (const std::uint32_t invocation : own.arrived)
        if (next_[invocation] == at) active[invocation - first] = frame(invocation);
    if (machine.recorder != nullptr) machine.recorder->set_current(shadow_, first);
    run_subgroup(*at, active, code_, machine);
    std::erase_if(own.arrived, [&](std::uint32_t invocation) {
        if (next_[invocation] != at) return false;
        next_[invocation] = at + 1;
        ready_.push_back(invocation);
        ++own.running;
        return true;
    });
}

// Called when every invocation has ended or waits.
StepResult GroupRun::all_wait(Machine& machine) {
    if (waiting_.empty()) return StepResult::finished;
    const auto same_barrier = [&](std::uint32_t invocation) {
        return next_[invocation] == next_[waiting_[0]];
    };
    if (!std::ranges::all_of(waiting_, same_barrier)) return StepResult::divergent_barrier;
    // Invocations that have ended count as arrived at a grid barrier.
    if (code_.meets_grid && grid_barrier()->run == grid_barrier_handler()) return StepResult::at_grid_barrier;
    if (waiting_.size() != invocations_) return StepResult::divergent_barrier;
    ++(machine.barrier == Op::storage_barrier ? shadow_.storage_epoch : shadow_.workgroup_epoch);
    ready_.swap(waiting_);
    for (const std::uint32_t invocation : ready_)
        if (code_.meets_subgroup) ++subgroups_[invocation / code_.subgroup_size].running;
    return StepResult::more;
}

void GroupRun::pass_grid_barrier() {
    if (grid_barrier()->a != 0) ++shadow_.workgroup_epoch, ++shadow_.storage_epoch;
    ready_.swap(waiting_);
    for (const std::uint32_t invocation : ready_)
        if (code_.meets_subgroup) ++subgroups_[invocation / code_.subgroup_size].running;
}

}  // namespace muster::interpreter
