// interpret.hpp - runs a program, as the definition of what it means (DESIGN section 5a), on the calling
// machine.
//
//     std::array bindings{BoundBytes{input}, BoundBytes{output}};             // in Program::bindings() order
//     Result<InterpretReport> report = interpret(program, bindings, {.extent = {64, 1, 1}, .grid = {64, 1,
//     1}});
//
// Order is adversarial and seeded, always: workgroups and the invocations of each are taken in a shuffled
// order; invocations are switched at accesses to memory that they share (workgroup memory; storage that the
// program both reads and writes; atomics); workgroups that communicate through storage are run interleaved,
// several at a time. A program free of data races gives the same result for every seed; one with races gives
// what its seed gives, always with one thread, and anything with more. Where invocations meet at grid barriers
// (grid_barrier.hpp) all workgroups are in flight, on one thread.
//
// Memory that the program leaves alone is left alone. Function, private and workgroup variables are zero
// before use. An out-of-bounds load gives zero, a store does nothing, an atomic does nothing and gives zero;
// one index out of range makes the whole access out of bounds.
//
// Threads: workgroups are spread over `threads` cores unless a finding is asked for (findings are made on one
// thread), invocations meet at grid barriers or there is a single workgroup. Accesses to bindings are relaxed atomics, so that a racy program
// has no undefined behaviour here. Many calls may run at once, also of one InterpreterCode.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include <muster/foundation/base/result.hpp>
#include <muster/foundation/ir/program.hpp>
#include <muster/foundation/validate/validate.hpp>

namespace muster {

/// One binding's memory, aligned to 4 bytes; outlives the call. A run-time array's length follows from its
/// size.
struct BoundBytes {
    std::span<std::byte> bytes;
    bool has_data = true;  // false: reads of words that nothing wrote are findings, where those are asked for
};

/// workgroup_id runs over [origin, origin + extent); num_workgroups reads as `grid`.
struct LaunchGrid {
    Extent3 origin{0, 0, 0};
    Extent3 extent = {};
    Extent3 grid = {};
};

struct InterpretOptions {
    std::uint64_t seed = 0;
    std::uint32_t threads = 0;  // 0: one per core; 1: the caller's
    bool report_races = false;
    bool report_reads_before_write = false;
    bool report_out_of_bounds = false;
    std::uint32_t max_findings = 100;  // more are only counted
    /// Subnormal operands and results of f32 arithmetic, comparison and conversion count as zeros. Of exp and
    /// its kin only the operands and the result: expand() the program first where their inner steps are to be
    /// flushed too.
    bool flush_subnormals = false;
    /// After about this many instructions the run ends with timed_out. An iteration of a loop counts as its
    /// whole body.
    std::uint64_t max_steps = std::numeric_limits<std::uint64_t>::max();
    /// Asked for a stop, the run ends with timed_out within milliseconds.
    std::stop_token stop = {};
};

enum class FindingKind : std::uint8_t { data_race, read_before_write, out_of_bounds };
std::string_view name(FindingKind kind);

struct InvocationId {
    Extent3 workgroup{0, 0, 0}, local{0, 0, 0};
    bool operator==(const InvocationId&) const = default;
};

/// Something that a program should not do. One per place in the source (per pair of places for races).
struct Finding {
    FindingKind kind = FindingKind::data_race;
    SourceLocation where;
    std::string variable;
    std::string place;  // "tile[5].weight"; out of bounds: "tile[80]"
    std::int64_t index =
        -1;  // out of bounds: the index given; else the element of the outermost array, -1: none
    InvocationId invocation;
    std::optional<InvocationId> other;  // data_race: who made the earlier access
    std::optional<SourceLocation> other_where;
    std::string message;  // a full sentence
};

struct InterpretReport {
    std::vector<Finding> findings;
    std::uint64_t findings_left_out = 0;
    std::uint64_t steps = 0;  // as max_steps counts
    std::uint32_t threads = 1;
};

/// A program compiled for the interpreter. Immutable, cheap to copy.
class InterpreterCode {
  public:
    /// What is compiled in; the options of a run that differ from it are errors.
    struct Variant {
        bool findings = false;
        bool flush_subnormals = false;
    };
    /// Errors: unsupported (an extension that it doesn't know), limit_exceeded (values and variables of a workgroup over
    /// 256 MiB).
    static Result<InterpreterCode> compile(const ValidProgram& program, Variant variant);
    static Result<InterpreterCode> compile(const ValidProgram& program) {
        return compile(program, Variant{});
    }

    const ValidProgram& program() const;

    struct Data;
    explicit InterpreterCode(std::shared_ptr<const Data> data) : data_(std::move(data)) {}
    const Data& data() const { return *data_; }

  private:
    std::shared_ptr<const Data> data_;
};

/// Errors: invalid_argument (count, size or alignment of bindings; the grid: with grid barriers all of it),
/// limit_exceeded (a binding of 8 GiB or more, 2^48 workgroups or more; with grid barriers, workgroups of over 4
/// GiB together), timed_out, invalid_program (invocations at different barriers: a defect of validation, or
/// bindings that overlap), out_of_memory.
Result<InterpretReport> interpret(const InterpreterCode& code, std::span<const BoundBytes> bindings,
                                  const LaunchGrid& grid, const InterpretOptions& options = {});
/// Compiles and runs.
Result<InterpretReport> interpret(const ValidProgram& program, std::span<const BoundBytes> bindings,
                                  const LaunchGrid& grid, const InterpretOptions& options = {});

}  // namespace muster
