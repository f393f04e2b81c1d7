// From a text to the interpreter's results: no program crashes it or runs for long, and one without findings gives the same
// results in any order, and when its operations are expanded.
#include <cstddef>
#include <cstring>
#include <vector>

#include <fmt/format.h>

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

/// True for equal words, and for NaNs of f32 or f16: any NaN equals any other.
bool agrees(std::uint32_t a, std::uint32_t b) {
    const auto is_nan = [](std::uint32_t bits) { return (bits & 0x7fffffffu) > 0x7f800000u; };
    const auto is_half_nan = [](std::uint32_t bits) { return (bits & 0x7fffu) > 0x7c00u; };
    const auto half_agrees = [&](std::uint32_t c, std::uint32_t d) {
        return (c & 0xffffu) == (d & 0xffffu) || (is_half_nan(c) && is_half_nan(d));
    };
    return (is_nan(a) && is_nan(b)) || (half_agrees(a, b) && half_agrees(a >> 16, b >> 16));
}

/// The first difference; empty if there is none.
std::string difference(const Memory& a, const Memory& b) {
    for (std::size_t binding = 0; binding < a.size(); ++binding)
        for (std::size_t at = 0; at < a[binding].size(); at += 4) {
            std::uint32_t one = 0, other = 0;
            std::memcpy(&one, &a[binding][at], 4);
            std::memcpy(&other, &b[binding][at], 4);
            if (!agrees(one, other))
                return fmt::format("binding {}, byte {}: {:#010x} and {:#010x}\n", binding, at, one, other);
        }
    return {};
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
    const auto expect_same = [&](const Run& run, std::string_view what, const ValidProgram& ran) {
        const std::string problem =
            run.report ? difference(first.memory, run.memory) : run.report.error().to_string();
        expect(problem.empty(), what, problem + (problem.empty() ? "" : wgsl::print(*ran)));
    };
    expect_same(second, "A program without races gives the same results when it is watched.", *program);
    InterpretOptions other = options;
    other.seed = 2;
    other.max_steps = 10 * most_steps;
    expect_same(run(*program, *memory, other),
                "A program without races gives the same results in another order.", *program);

    const Result<ValidProgram> expanded = expand(*program, least_ops(), subgroup_size);
    if (!expanded) {
        expect(expanded.error().code == ErrorCode::limit_exceeded, "A small program can be expanded.",
               expanded.error().to_string());
        return;
    }
    other.max_steps = 1000 * most_steps;
    expect_same(run(*expanded, *memory, other),
                "A program gives the same results when its operations are expanded.", *expanded);
}

}  // namespace muster::fuzz
