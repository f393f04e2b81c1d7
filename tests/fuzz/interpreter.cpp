// From a text to the interpreter's results: no program crashes it or runs for long, and one without findings gives the same
// results in any order, and when its operations are expanded.
#include <cstddef>
#include <vector>

#include <muster/driver/contract/binding_layout.hpp>
#include <muster/foundation/base/round_up.hpp>
#include <muster/foundation/expand/expand.hpp>
#include <muster/foundation/interpreter/interpret.hpp>
#include <muster/foundation/wgsl/print/print.hpp>

#include "target.hpp"

namespace muster::fuzz {
namespace {

constexpr std::uint64_t most_binding_bytes = 16 << 10;
constexpr std::uint64_t most_steps = 100'000;
constexpr std::uint32_t subgroup_size = 8;

using Memory = std::vector<std::vector<std::byte>>;

/// Memory for the bindings: a run-time array gets some elements more than one. None if a binding is too large.
std::optional<Memory> memory_for(const Program& program) {
    Memory memory;
    std::uint32_t value = 0;
    for (const VariableId id : program.bindings()) {
        const std::uint64_t least = min_binding_bytes(program.types(), program.variable(id).type);
        if (least > most_binding_bytes) return std::nullopt;
        std::vector<std::byte>& bytes = memory.emplace_back(round_up(least, 4) + 128);
        for (std::byte& byte : bytes) byte = static_cast<std::byte>((value++ * 40503u) >> 7);
    }
    return memory;
}

struct Run {
    Result<InterpretReport> report;
    Memory memory;
};

Run run(const ValidProgram& program, Memory memory, const InterpretOptions& options) {
    std::vector<BoundBytes> bindings;
    for (std::vector<std::byte>& bytes : memory) bindings.push_back({bytes});
    Result<InterpretReport> report =
        interpret(program, bindings, {.extent = {2, 1, 1}, .grid = {2, 1, 1}}, options);
    return {std::move(report), std::move(memory)};
}

/// A run ends, or is refused for its size or its steps.
void expect_no_defect(const Run& run, std::string_view what) {
    if (run.report || run.report.error().code == ErrorCode::timed_out ||
        run.report.error().code == ErrorCode::limit_exceeded)
        return;
    expect(false, what, run.report.error().to_string());
}

/// The operations of a device that has nothing that can be written with others.
OpSet least_ops() {
    OpSet least = OpSet::all_exact();
    for (const Op op : {Op::div, Op::rem, Op::sqrt, Op::fma}) least.core.reset(static_cast<std::size_t>(op));
    least.f16.reset();
    least.f32_atomics.reset();
    least.insert(Op::subgroup_ballot).insert(Op::subgroup_shuffle);
    return least;
}

bool has_atomics(const Program& program) {
    const OpSet& ops = program.required_ops();
    for (auto op = static_cast<std::size_t>(Op::atomic_load);
         op <= static_cast<std::size_t>(Op::atomic_compare_exchange); ++op)
        if (ops.core.test(op)) return true;
    return false;
}

}  // namespace

void check(std::string_view text) {
    const std::optional<ValidProgram> program = small_program(text);
    if (!program) return;
    const std::optional<Memory> memory = memory_for(**program);
    if (!memory) return;
    const InterpretOptions options{
        .seed = 1, .threads = 1, .subgroup_size = subgroup_size, .max_steps = most_steps};
    const Run first = run(*program, *memory, options);
    expect_no_defect(first, "A valid program runs.");
    if (!first.report) return;

    InterpretOptions watched = options;
    watched.report_races = watched.report_reads_before_write = true;
    watched.report_out_of_bounds = watched.report_subgroups = true;
    watched.max_steps = 10 * most_steps;
    const Run second = run(*program, *memory, watched);
    expect_no_defect(second, "A valid program runs when it is watched.");
    // Old values of atomics depend on the order.
    if (!second.report || !second.report->findings.empty() || has_atomics(**program)) return;
    expect(first.memory == second.memory, "A program without races gives the same results when it is watched.");
    InterpretOptions other = options;
    other.seed = 2;
    other.max_steps = 10 * most_steps;
    const Run third = run(*program, *memory, other);
    expect(third.report && third.memory == first.memory,
           "A program without races gives the same results in another order.");

    const Result<ValidProgram> expanded = expand(*program, least_ops(), subgroup_size);
    if (!expanded) {
        expect(expanded.error().code == ErrorCode::limit_exceeded, "A small program can be expanded.",
               expanded.error().to_string());
        return;
    }
    other.max_steps = 1000 * most_steps;
    const Run fourth = run(*expanded, *memory, other);
    expect(fourth.report && fourth.memory == first.memory,
           "A program gives the same results when its operations are expanded.", wgsl::print(**expanded));
}

}  // namespace muster::fuzz
