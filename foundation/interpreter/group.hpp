// group.hpp - runs the invocations of one workgroup in turns. Internal; one thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <stop_token>
#include <vector>

#include <muster/foundation/interpreter/code.hpp>
#include <muster/foundation/interpreter/random.hpp>
#include <muster/foundation/interpreter/recorder.hpp>

namespace muster::interpreter {

/// The instructions that the threads of a run together may still execute.
class Budget {
  public:
    /// `progress` is called at each refuelling; it may be empty.
    Budget(const InterpretOptions& options, std::function<void()> progress)
        : left_(options.max_steps),
          max_workgroup_steps_(options.max_workgroup_steps),
          stop_(options.stop),
          progress_(std::move(progress)) {}

    /// Gives the machine fuel for a few milliseconds; returns false if none is left or a stop is requested.
    bool refuel(Machine& machine);
    std::uint64_t given() const { return given_.load(std::memory_order_relaxed); }
    std::uint64_t max_workgroup_steps() const { return max_workgroup_steps_; }
    bool is_stopped() const { return stop_.stop_requested() || failed_.load(std::memory_order_relaxed); }
    /// Ends the other threads' runs too.
    void fail() { failed_.store(true, std::memory_order_relaxed); }

  private:
    std::atomic<std::uint64_t> left_;
    std::atomic<std::uint64_t> given_ = 0;
    std::atomic<bool> failed_ = false;
    std::uint64_t max_workgroup_steps_;
    std::stop_token stop_;
    std::function<void()> progress_;
};

enum class StepResult : std::uint8_t {
    more,
    finished,
    at_grid_barrier,
    out_of_budget,
    workgroup_out_of_budget,
    divergent_barrier,
    divergent_grid_barrier,
};

class GroupRun {
  public:
    /// `frame`: the initial contents of each invocation's frame.
    GroupRun(const InterpreterCode::Data& code, std::span<const std::uint32_t> frame);

    /// The memory that one GroupRun takes.
    static std::uint64_t bytes(const InterpreterCode::Data& code);

    void begin(Extent3 id, std::uint64_t linear_id, std::uint64_t seed);
    /// Lets one invocation run: to its end or, if invocations are switched, until its turn is over.
    StepResult run_slice(Machine& machine, Budget& budget);

    /// After at_grid_barrier: the barrier's instruction. After finished: null.
    const Instruction* grid_barrier() const { return waiting_.empty() ? nullptr : next_[waiting_[0]] - 1; }
    /// After at_grid_barrier, when all workgroups have reached it: lets the invocations continue.
    void pass_grid_barrier();

  private:
    std::uint32_t* frame(std::uint32_t invocation) {
        return frames_.data() + std::size_t{invocation} * frame_words_;
    }
    void prepare(std::uint32_t* frame, std::uint32_t invocation);
    StepResult execute(const Instruction* from, std::uint32_t* frame, Machine& machine, Budget& budget);
    StepResult count_steps(std::int64_t& fuel, Machine& machine, Budget& budget);
    StepResult all_wait(Machine& machine);
    void stop_at_subgroup(std::uint32_t invocation, Machine& machine);
    void run_subgroup_operation(std::uint32_t subgroup, Machine& machine);

    const InterpreterCode::Data& code_;
    std::span<const std::uint32_t> first_frame_;
    std::size_t frame_words_;
    std::uint32_t invocations_;
    std::vector<std::uint32_t> frames_;  // of all invocations, or one that they use in turn
    std::vector<std::uint32_t> workgroup_memory_;
    std::vector<const Instruction*> next_;        // by invocation
    std::vector<std::uint32_t> ready_, waiting_;  // invocations; ended ones are in neither
    struct Subgroup {
        std::uint32_t running = 0;           // invocations that are ready
        std::vector<std::uint32_t> arrived;  // those that have stopped before an operation
    };
    std::vector<Subgroup> subgroups_;  // if the program has operations of subgroups
    Extent3 id_;
    std::uint64_t steps_ = 0;
    Random random_;
    GroupShadow shadow_;
};

}  // namespace muster::interpreter
