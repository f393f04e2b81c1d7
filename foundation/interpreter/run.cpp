// run.cpp - the public functions: checks a launch, spreads its workgroups over threads, collects the report.

#include <algorithm>
#include <cstdint>
#include <memory>
#include <mutex>
#include <new>
#include <thread>

#include <fmt/format.h>

#include <muster/foundation/base/out_of_memory.hpp>
#include <muster/foundation/base/try.hpp>
#include <muster/foundation/interpreter/code.hpp>
#include <muster/foundation/interpreter/group.hpp>
#include <muster/foundation/interpreter/interpret.hpp>
#include <muster/foundation/interpreter/layout.hpp>

namespace muster {
namespace {

using namespace interpreter;

constexpr std::uint64_t max_workgroups = std::uint64_t{1} << 48;
// Workgroups that a thread has in flight if they communicate.
constexpr std::size_t groups_in_flight = 3;
// Limit on the memory of a grid's workgroups if all are in flight because they meet at grid barriers.
constexpr std::uint64_t max_grid_bytes = std::uint64_t{4} << 30;
// Fewer instructions than this in a launch aren't worth another thread.
constexpr std::uint64_t little_work = std::uint64_t{1} << 18;

Result<std::uint64_t> workgroup_count(Extent3 extent) {
    if (extent.x == 0 || extent.y == 0 || extent.z == 0) return 0;
    const std::uint64_t plane = std::uint64_t{extent.x} * extent.y;
    if (plane >= max_workgroups || plane * extent.z >= max_workgroups)
        return fail(
            ErrorCode::limit_exceeded,
            fmt::format("The launch has {} x {} x {} workgroups; the interpreter takes fewer than 2^48.",
                        extent.x, extent.y, extent.z),
            "launch fewer workgroups.");
    return plane * extent.z;
}

Result<Buffer> buffer(const Program& program, const Variable& variable, const BoundBytes& bound) {
    const std::uint64_t bytes = bound.bytes.size();
    const RuntimeArray array = runtime_array(program.types(), variable.type);
    const std::uint64_t least = array.stride != 0 ? array.offset : program.types()[variable.type].size;
    if (bytes < least)
        return fail(ErrorCode::invalid_argument,
                    fmt::format("The binding of \"{}\" has {} bytes, fewer than the {} of its type.",
                                variable.name, bytes, least),
                    fmt::format("bind at least {} bytes.", least));
    if (const std::uint64_t most = max_binding_bytes(program.types(), variable.type); bytes >= most)
        return fail(ErrorCode::limit_exceeded,
                    fmt::format("The binding of \"{}\" has {} bytes; the interpreter takes less than {} GiB.",
                                variable.name, bytes, most >> 30),
                    "bind less.");
    if (reinterpret_cast<std::uintptr_t>(bound.bytes.data()) % alignof(std::uint32_t) != 0)
        return fail(ErrorCode::invalid_argument,
                    fmt::format("The binding of \"{}\" isn't aligned to 4 bytes.", variable.name),
                    "align its memory.");
    return Buffer{reinterpret_cast<std::uint32_t*>(bound.bytes.data()), bytes, bound.has_data};
}

Result<std::vector<Buffer>> buffers(const Program& program, std::span<const BoundBytes> bindings) {
    const auto variables = program.bindings();
    if (bindings.size() != variables.size())
        return fail(
            ErrorCode::invalid_argument,
            fmt::format("{} bindings are given; the program has {}.", bindings.size(), variables.size()),
            "give one for each of Program::bindings(), in that order.");
    std::vector<Buffer> buffers;
    for (std::size_t i = 0; i < bindings.size(); ++i)
        buffers.push_back(TRY(buffer(program, program.variable(variables[i]), bindings[i])));
    return buffers;
}

std::vector<std::uint32_t> first_frame(const InterpreterCode::Data& code, std::span<const Buffer> buffers,
                                       Extent3 grid) {
    std::vector<std::uint32_t> frame = code.frame;
    frame[frame_num_workgroups] = grid.x;
    frame[frame_num_workgroups + 1] = grid.y;
    frame[frame_num_workgroups + 2] = grid.z;
    const Program& program = code.program;
    for (std::size_t i = 0; i < buffers.size(); ++i) {
        const RuntimeArray array =
            runtime_array(program.types(), program.variable(program.bindings()[i]).type);
        if (array.stride != 0)
            frame[frame_lengths + i] = static_cast<std::uint32_t>(array.length(buffers[i].bytes));
    }
    return frame;
}

/// One launch; each thread calls work().
class Run {
  public:
    Run(const InterpreterCode::Data& code, std::vector<Buffer> buffers, const LaunchGrid& grid,
        std::uint64_t workgroups, const InterpretOptions& options)
        : code_(code),
          options_(options),
          grid_(grid),
          workgroups_(workgroups),
          order_(workgroups, options.seed),
          buffers_(std::move(buffers)),
          frame_(first_frame(code, buffers_, grid.grid)),
          budget_(options, progress()) {}

    Result<InterpretReport> run();

  private:
    std::function<void()> progress();
    std::uint32_t thread_count() const;
    void work();
    void work_through(Machine& machine);
    Result<void> check_grid() const;
    void work_through_grid(Machine& machine);
    using Groups = std::vector<std::unique_ptr<GroupRun>>;
    StepResult reach_grid_barrier(const Groups& groups, std::uint64_t phase, Machine& machine);
    StepResult pass_grid_barrier(const Groups& groups);
    bool begin_next(GroupRun& group);
    void stopped(StepResult result, const Machine& machine);
    void failed(StepResult result);
    void failed(Error error);

    const InterpreterCode::Data& code_;
    const InterpretOptions& options_;
    const LaunchGrid grid_;
    const std::uint64_t workgroups_;
    const Shuffle order_;
    const std::vector<Buffer> buffers_;
    const std::vector<std::uint32_t> frame_;
    Budget budget_;
    std::unique_ptr<Recorder> recorder_;
    std::atomic<std::uint64_t> next_ = 0;
    std::atomic<std::uint64_t> fuel_left_ = 0;
    std::mutex mutex_;
    std::optional<Error> error_;  // the first error
};

std::function<void()> Run::progress() {
    if (!options_.progress) return {};
    return [this] { options_.progress(std::min(next_.load(std::memory_order_relaxed), workgroups_)); };
}

std::uint32_t Run::thread_count() const {
    if (code_.variant.findings || code_.meets_grid) return 1;
    std::uint64_t threads = options_.threads;
    if (threads == 0) {
        const std::uint64_t work = code_.instructions.size() * code_.program->workgroup_size().count();
        threads =
            workgroups_ < little_work / (work + 1) ? 1 : std::max(1u, std::thread::hardware_concurrency());
    }
    return static_cast<std::uint32_t>(std::min(threads, workgroups_));
}

Result<InterpretReport> Run::run() {
    if (code_.meets_grid) TRY(check_grid());
    InterpretReport report;
    report.threads = thread_count();
    if (code_.variant.findings) recorder_ = std::make_unique<Recorder>(code_, options_, buffers_, grid_);
    {
        std::vector<std::jthread> others;
        for (std::uint32_t i = 1; i < report.threads; ++i) others.emplace_back([this] { work(); });
        work();
    }
    if (error_) return std::unexpected(*std::move(error_));
    if (recorder_) recorder_->give(report);
    report.steps = budget_.given() - fuel_left_;
    return report;
}

namespace {

Error no_memory_for_frames() noexcept {
    try {
        return {ErrorCode::out_of_memory,
                "There is no memory left for the interpreter's frames.",
                "use a smaller workgroup or fewer threads.",
                {}};
    } catch (const std::bad_alloc&) {
        return out_of_memory();
    }
}

}  // namespace

void Run::work() {
    try {
        Machine machine{.buffers = buffers_.data(),
                        .word_ranges = code_.word_ranges.data(),
                        .layouts = code_.layouts.data(),
                        .recorder = recorder_.get()};
        if (!budget_.refuel(machine)) return failed(StepResult::out_of_budget);
        if (code_.meets_grid)
            work_through_grid(machine);
        else
            work_through(machine);
        fuel_left_ += static_cast<std::uint64_t>(std::max<std::int64_t>(machine.fuel, 0));
    } catch (const std::bad_alloc&) {
        failed(no_memory_for_frames());
    }
}

void Run::work_through(Machine& machine) {
    const std::size_t many = code_.communicates ? groups_in_flight : 1;
    std::vector<std::unique_ptr<GroupRun>> groups;
    const auto add = [&] {
        auto group = std::make_unique<GroupRun>(code_, frame_);
        if (begin_next(*group)) groups.push_back(std::move(group));
    };
    while (groups.size() < many && next_ < workgroups_) add();
    Random random(scramble(options_.seed) + 1);
    while (!groups.empty()) {
        const std::size_t drawn =
            groups.size() == 1 ? 0 : random.below(static_cast<std::uint32_t>(groups.size()));
        const StepResult result = groups[drawn]->run_slice(machine, budget_);
        if (result == StepResult::more) continue;
        if (result != StepResult::finished) return stopped(result, machine);
        if (budget_.is_stopped()) return failed(StepResult::out_of_budget);
        if (!begin_next(*groups[drawn])) groups.erase(groups.begin() + static_cast<std::ptrdiff_t>(drawn));
    }
}

Result<void> Run::check_grid() const {
    const Extent3 extent = grid_.extent, grid = grid_.grid;
    if (!grid_.only.empty())
        return fail(
            ErrorCode::invalid_argument,
            fmt::format("The launch names {} workgroups of {}; \"{}\" has grid barriers, at which all "
                        "meet.",
                        grid_.only.size(), extent.count(), code_.program->entry()),
            "launch the whole grid at once.");
    if (extent != grid || grid_.origin != Extent3{0, 0, 0})
        return fail(
            ErrorCode::invalid_argument,
            fmt::format("The launch has {} x {} x {} workgroups of a grid of {} x {} x {}; \"{}\" has grid "
                        "barriers, at which all meet.",
                        extent.x, extent.y, extent.z, grid.x, grid.y, grid.z, code_.program->entry()),
            "launch the whole grid at once.");
    const std::uint64_t bytes = GroupRun::bytes(code_);
    if (workgroups_ > max_grid_bytes / bytes)
        return fail(
            ErrorCode::limit_exceeded,
            fmt::format("The {} workgroups of \"{}\", which meet at grid barriers, take {} bytes each; the "
                        "interpreter has {} for all.",
                        workgroups_, code_.program->entry(), bytes, max_grid_bytes),
            fmt::format("launch {} workgroups or fewer.", max_grid_bytes / bytes));
    return {};
}

// Keeps all workgroups in flight until all have reached the same grid barrier.
void Run::work_through_grid(Machine& machine) {
    Groups groups;
    for (std::uint64_t i = 0; i < workgroups_; ++i) {
        groups.push_back(std::make_unique<GroupRun>(code_, frame_));
        begin_next(*groups.back());
    }
    for (std::uint64_t phase = 1; !groups.empty(); ++phase) {
        StepResult result = reach_grid_barrier(groups, phase, machine);
        if (result == StepResult::at_grid_barrier) {
            std::erase_if(groups, [](const auto& group) { return group->grid_barrier() == nullptr; });
            result = pass_grid_barrier(groups);
        }
        if (result != StepResult::more) return stopped(result, machine);
    }
}

// Runs a few workgroups at a time, so that some reach the barrier before others begin.
StepResult Run::reach_grid_barrier(const Groups& groups, std::uint64_t phase, Machine& machine) {
    Random random(scramble(options_.seed) + phase);
    const Shuffle order(groups.size(), options_.seed + phase);
    std::vector<GroupRun*> open;
    for (std::uint64_t begun = 0;;) {
        while (open.size() < groups_in_flight && begun < groups.size())
            open.push_back(groups[order[begun++]].get());
        if (open.empty()) return StepResult::at_grid_barrier;
        const std::size_t drawn = random.below(static_cast<std::uint32_t>(open.size()));
        const StepResult result = open[drawn]->run_slice(machine, budget_);
        if (result == StepResult::more) continue;
        if (result != StepResult::at_grid_barrier && result != StepResult::finished) return result;
        if (budget_.is_stopped()) return StepResult::out_of_budget;
        open.erase(open.begin() + static_cast<std::ptrdiff_t>(drawn));
    }
}

StepResult Run::pass_grid_barrier(const Groups& groups) {
    if (groups.empty()) return StepResult::more;
    const Instruction* barrier = groups[0]->grid_barrier();
    for (const auto& group : groups)
        if (group->grid_barrier() != barrier) return StepResult::divergent_grid_barrier;
    for (const auto& group : groups) group->pass_grid_barrier();
    if (recorder_ && barrier->a != 0) recorder_->pass_grid_barrier();
    return StepResult::more;
}

bool Run::begin_next(GroupRun& group) {
    const std::uint64_t i = next_.fetch_add(1, std::memory_order_relaxed);
    if (i >= workgroups_) return false;
    std::uint64_t linear = order_[i];
    const Extent3 origin = grid_.origin, extent = grid_.extent;
    if (!grid_.only.empty()) {
        const Extent3 id = grid_.only[linear];
        linear =
            (std::uint64_t{id.z - origin.z} * extent.y + (id.y - origin.y)) * extent.x + (id.x - origin.x);
    }
    const Extent3 id{origin.x + static_cast<std::uint32_t>(linear % extent.x),
                     origin.y + static_cast<std::uint32_t>(linear / extent.x % extent.y),
                     origin.z + static_cast<std::uint32_t>(linear / extent.x / extent.y)};
    group.begin(id, linear, options_.seed);
    return true;
}

// Called when a run can't go on: too many steps may be a finding.
void Run::stopped(StepResult result, const Machine& machine) {
    const bool is_limit =
        result == StepResult::out_of_budget || result == StepResult::workgroup_out_of_budget;
    if (!is_limit || !options_.report_step_limit || options_.stop.stop_requested()) return failed(result);
    recorder_->step_limit(
        machine, result == StepResult::out_of_budget ? options_.max_steps : options_.max_workgroup_steps);
}

void Run::failed(StepResult result) {
    const std::string entry(code_.program->entry());
    if (result == StepResult::divergent_barrier)
        return failed(Error{ErrorCode::invalid_program,
                            fmt::format("Invocations of one workgroup of \"{}\" wait at different barriers, "
                                        "or some have ended while others wait.",
                                        entry),
                            "validation lets such a program pass: report this as a defect.",
                            {}});
    if (result == StepResult::divergent_grid_barrier)
        return failed(
            Error{ErrorCode::invalid_program,
                  fmt::format("Workgroups of \"{}\" wait at different grid barriers.", entry),
                  "bind memory that their conditions read only once; otherwise report this as a defect.",
                  {}});
    if (options_.stop.stop_requested())
        return failed(Error{ErrorCode::timed_out,
                            fmt::format("\"{}\" is stopped before its end, as requested.", entry),
                            "",
                            {}});
    const bool of_workgroup = result == StepResult::workgroup_out_of_budget;
    failed(Error{ErrorCode::timed_out,
                 fmt::format("{}\"{}\" hasn't ended after {} steps.", of_workgroup ? "A workgroup of " : "",
                             entry, of_workgroup ? options_.max_workgroup_steps : options_.max_steps),
                 "look for a loop that never ends, or allow more steps.",
                 {}});
}

void Run::failed(Error error) {
    const std::scoped_lock lock(mutex_);
    budget_.fail();
    if (!error_) error_ = std::move(error);
}

bool wants_findings(const InterpretOptions& options) {
    return options.report_races || options.report_reads_before_write || options.report_out_of_bounds ||
           options.report_subgroups || options.report_step_limit;
}

bool is_within(Extent3 id, const LaunchGrid& grid) {
    const auto lies = [](std::uint32_t at, std::uint32_t origin, std::uint32_t extent) {
        return at >= origin && at - origin < extent;
    };
    return lies(id.x, grid.origin.x, grid.extent.x) && lies(id.y, grid.origin.y, grid.extent.y) &&
           lies(id.z, grid.origin.z, grid.extent.z);
}

/// The number of workgroups that a launch runs.
Result<std::uint64_t> workgroups_of(const LaunchGrid& grid) {
    const std::uint64_t all = TRY(workgroup_count(grid.extent));
    if (grid.only.empty()) return all;
    for (const Extent3 id : grid.only)
        if (!is_within(id, grid))
            return fail(ErrorCode::invalid_argument,
                        fmt::format("The launch names workgroup ({}, {}, {}), which it doesn't have.", id.x,
                                    id.y, id.z),
                        "name workgroups from the launch's origin up to its extent.");
    return grid.only.size();
}

}  // namespace

Result<InterpretReport> interpret(const InterpreterCode& code, std::span<const BoundBytes> bindings,
                                  const LaunchGrid& grid, const InterpretOptions& options) {
    const InterpreterCode::Variant variant = code.data().variant;
    if (wants_findings(options) && !variant.findings)
        return fail(ErrorCode::invalid_argument,
                    "Findings are requested, but the code is compiled without them.",
                    "compile the program with Variant::findings.");
    if (options.flush_subnormals != variant.flush_subnormals)
        return fail(ErrorCode::invalid_argument,
                    "The option flush_subnormals differs from that of the compiled code.",
                    "compile the program with the same option.");
    if (options.subgroup_size != 0 && options.subgroup_size != variant.subgroup_size)
        return fail(ErrorCode::invalid_argument,
                    fmt::format("The option subgroup_size is {}, and the code is compiled for {}.",
                                options.subgroup_size, variant.subgroup_size),
                    "compile the program with the same option.");
    std::vector<Buffer> memory = TRY(buffers(code.program(), bindings));
    const std::uint64_t workgroups = TRY(workgroups_of(grid));
    if (workgroups == 0) return InterpretReport{};
    try {
        return Run(code.data(), std::move(memory), grid, workgroups, options).run();
    } catch (const std::exception& error) {  // no memory or no threads left
        return fail(ErrorCode::out_of_memory, fmt::format("The interpreter can't start: {}.", error.what()),
                    "use a smaller workgroup or fewer threads.");
    }
}

Result<InterpretReport> interpret(const ValidProgram& program, std::span<const BoundBytes> bindings,
                                  const LaunchGrid& grid, const InterpretOptions& options) {
    const InterpreterCode code = TRY(InterpreterCode::compile(
        program,
        {.findings = wants_findings(options),
         .flush_subnormals = options.flush_subnormals,
         .subgroup_size = options.subgroup_size != 0 ? options.subgroup_size : default_subgroup_size}));
    return interpret(code, bindings, grid, options);
}

}  // namespace muster
