// interpret.hpp - runs a program on the host; its results define the program's meaning
// (docs/design.md, Numeric contract).
//
//     std::array bindings{BoundBytes{input}, BoundBytes{output}};             // in Program::bindings() order
//     Result<InterpretReport> report =
//         interpret(program, bindings, {.extent = {64, 1, 1}, .grid = {64, 1, 1}});
//
// Order is always adversarial and seeded: workgroups, and the invocations of each, run in a shuffled order;
// invocations are switched at accesses to memory that they share (workgroup memory; storage that the program
// both reads and writes; atomics); workgroups that communicate through storage run interleaved, several at a
// time. A program without data races gives the same result for every seed. One with races gives a result
// determined by the seed on one thread, and any result on more. If invocations meet at grid barriers
// (grid_barrier.hpp), all workgroups are in flight, on one thread.
//
// Memory that the program doesn't access is left unchanged. Function, private and workgroup variables are
// zero before use. An out-of-bounds load gives zero, a store does nothing, an atomic does nothing and gives
// zero; one index out of range makes the whole access out of bounds.
//
// A subgroup is `subgroup_size` invocations with successive local_invocation_index; the last one of a
// workgroup may have fewer. Its operations take place when all of its invocations have arrived at one, at a
// barrier or at their end; of several, the first in the program. Those that haven't arrived at it are
// inactive. Reading from an inactive one gives zero.
//
// Threads: workgroups are spread over `threads` threads, but run on one if findings are requested,
// invocations meet at grid barriers, or there is a single workgroup. Bindings are accessed by relaxed
// atomics, so that a racy program causes no undefined behaviour here. Many calls may run at once, also with
// the same InterpreterCode.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include <muster/foundation/base/api.hpp>
#include <muster/foundation/base/result.hpp>
#include <muster/foundation/ir/program.hpp>
#include <muster/foundation/validate/validate.hpp>

namespace muster {
MUSTER_API_BEGIN

/// One binding's memory, aligned to 4 bytes; must outlive the call. A run-time array's
/// length follows from its size.
struct BoundBytes {
    std::span<std::byte> bytes;
    bool has_data = true;  // false: reading words that nothing wrote is a finding, if these are requested
};

enum class AccessKind : std::uint8_t { read, write, atomic };
std::string_view name(AccessKind kind);

/// Says which words a launch may access, for who runs a part of a grid on memory of which only some words are
/// current: other accesses are findings (foreign_word), if findings are requested.
class WordGuard {
  public:
    virtual ~WordGuard() = default;
    /// Called for each access to a word of a binding, on the thread that runs. An atomic load is a read and
    /// an atomic store a write; an atomic does both. What shares a word with others counts as the word.
    virtual bool allows(std::uint32_t binding, std::uint64_t word, AccessKind access) = 0;
    /// The name of the part's runner, for messages: "member 1".
    virtual std::string owner() const = 0;
};

/// workgroup_id ranges over [origin, origin + extent); num_workgroups is `grid`.
struct LaunchGrid {
    Extent3 origin{0, 0, 0};
    Extent3 extent = {};
    Extent3 grid = {};
    /// If not empty, only these of the workgroups run, as if the others began later; each is named
    /// once. Must outlive the call.
    std::span<const Extent3> only = {};
    WordGuard* guard = nullptr;
};

inline constexpr std::uint32_t default_subgroup_size = 32;

struct InterpretOptions {
    std::uint64_t seed = 0;
    std::uint32_t threads = 0;  // 0: one per core; 1: only the calling thread
    bool report_races = false;
    bool report_reads_before_write = false;
    bool report_out_of_bounds = false;
    bool report_subgroups = false;
    bool report_step_limit = false;    // too many steps end the run with a finding, not with an error
    std::uint32_t max_findings = 100;  // further ones are only counted
    /// Treats subnormal operands and results of f32 arithmetic, comparison and conversion as zeros. For the
    /// math group only operands and result are flushed: expand() the program first to flush the inner steps
    /// too.
    bool flush_subnormals = false;
    /// The invocations of a subgroup, a power of two from 4 to 128, unless the program asks for a size. 0: as
    /// compiled, else default_subgroup_size.
    std::uint32_t subgroup_size = 0;
    /// Ends the run with timed_out after about this many instructions. An iteration of a loop counts as its
    /// whole body.
    std::uint64_t max_steps = std::numeric_limits<std::uint64_t>::max();
    /// The same for each workgroup.
    std::uint64_t max_workgroup_steps = std::numeric_limits<std::uint64_t>::max();
    /// Ends the run with timed_out, within milliseconds of a stop request.
    std::stop_token stop = {};
    /// Called about every million steps, by the threads that run, with the number of
    /// workgroups that have begun.
    std::function<void(std::uint64_t)> progress = {};
};

/// divergent_subgroup: a subgroup operation with only some of the subgroup's invocations;
/// inactive_invocation: one that reads from an invocation that doesn't take part. Devices differ in both.
/// step_limit: the run was ended within a loop. non_uniform_barrier: no run finds it, since validation
/// refuses such programs. foreign_word: an access that a WordGuard forbids.
enum class FindingKind : std::uint8_t {
    data_race,
    read_before_write,
    out_of_bounds,
    divergent_subgroup,
    inactive_invocation,
    step_limit,
    non_uniform_barrier,
    foreign_word,
};
std::string_view name(FindingKind kind);

struct InvocationId {
    Extent3 workgroup{0, 0, 0}, local{0, 0, 0};
    bool operator==(const InvocationId&) const = default;
};

/// A program error that a run has found. Reported once per source location (per pair of locations
/// for races), as first seen.
struct Finding {
    FindingKind kind = FindingKind::data_race;
    SourceLocation where;
    std::string variable;
    AddressSpace space = AddressSpace::storage;  // of the variable
    std::string place;                           // "tile[5].weight"; out of bounds: "tile[80]"
    std::int64_t index =
        -1;  // out of bounds: the given index; else the outermost array's element, -1 if none
    std::uint64_t length = 0;  // out of bounds: the elements of what is indexed
    AccessKind access = AccessKind::read;
    InvocationId invocation;
    std::optional<InvocationId> other;  // data_race: the invocation that made the earlier access
    std::optional<SourceLocation> other_where;
    AccessKind other_access = AccessKind::read;
    bool between_workgroups = false;  // data_race: at least one of the times
    std::string message;              // a full sentence
    std::uint64_t times = 1;          // accesses or operations at which it was seen
};

struct InterpretReport {
    std::vector<Finding> findings;
    std::uint64_t findings_left_out = 0;
    std::uint64_t steps = 0;  // counted as for max_steps
    std::uint32_t threads = 1;
};

/// A program compiled for the interpreter. Immutable, cheap to copy.
class InterpreterCode {
  public:
    /// Compiled-in choices; a run whose options differ from them is an error.
    struct Variant {
        bool findings = false;
        bool flush_subnormals = false;
        std::uint32_t subgroup_size = default_subgroup_size;
    };
    /// Errors: unsupported (an unknown extension operation), limit_exceeded (values and variables of a
    /// workgroup over 256 MiB), invalid_argument (a size that no subgroup has).
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

/// Runs compiled code. Errors: invalid_argument (count, size or alignment of bindings; with grid barriers, a
/// launch of only part of the grid; a workgroup outside the launch), limit_exceeded (a binding of 8 GiB
/// or more, 2^48 workgroups or more; with grid barriers, workgroups of over 4 GiB together), timed_out,
/// invalid_program (invocations at different barriers: a defect of validation, or bindings that
/// overlap), out_of_memory.
Result<InterpretReport> interpret(const InterpreterCode& code, std::span<const BoundBytes> bindings,
                                  const LaunchGrid& grid, const InterpretOptions& options = {});
/// Compiles and runs.
Result<InterpretReport> interpret(const ValidProgram& program, std::span<const BoundBytes> bindings,
                                  const LaunchGrid& grid, const InterpretOptions& options = {});

MUSTER_API_END
}  // namespace muster
