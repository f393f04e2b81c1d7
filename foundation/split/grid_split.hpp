// grid_split.hpp - cuts a program at its grid barriers, for devices without them (DESIGN section 5a, "Grid barrier").
//
//     SplitProgram split = TRY(split_at_grid_barriers(program));
//     // split.parts[k]: a program without grid barriers, to be run over the grid (part_grid); when, split.steps says:
//     GridWalk walk(split, grid, binding_bytes, host);   // grid_walk.hpp: walks the steps, and asks for the parts
//
// A part has the bindings of the program that it uses, and where it needs them two more:
//   scratch      what lives across barriers: struct { array<atomic<u32>, 16>; array<u32> }. The first words are what parts
//                tell the host (ScratchWord), zero but where they have just done so; then, for N invocations in the grid, word k of
//                invocation i at k * N + i, so that neighbours' words are neighbours; then the words of each workgroup.
//   host values  a uniform: the words of what only the host knows (counters of loops that it walks, loaded words).
//
// What lives across a barrier and is spilled: values that loads of mutable memory, atomics and the like yield; function
// and private variables that may have changed and may be read; workgroup variables likewise. Nothing that is dead, nothing that
// is as cheaply computed again from what doesn't change (built-in values, constants, uniforms, storage that is only
// read). No effect and no load of mutable memory happens twice. Words are shared by what isn't live at the same time.
//
// Invocations that have returned stay away from later parts: by the condition that they returned on, where it can be
// computed again, else by a word that says so. Grid-uniform control flow around barriers is walked by the host, which
// evaluates the conditions by foundation's own semantics; one that it can't evaluate is computed by a part and fetched.
//
// Threads: pure. Cost: near linear in nodes, times the barriers that values live across.
#pragma once

#include <cstdint>
#include <vector>

#include <muster/foundation/base/result.hpp>
#include <muster/foundation/ir/program.hpp>
#include <muster/foundation/validate/validate.hpp>

namespace muster {

/// Where the parts of one dispatch find a binding of theirs.
struct SplitBinding {
    enum class Source : std::uint8_t { program, scratch, host_values };
    Source source = Source::program;
    std::uint32_t index = 0;  // program: in the program's bindings()
};

struct SplitPart {
    ValidProgram program;
    std::vector<SplitBinding> bindings;  // in program->bindings() order
    Extent3
        workgroups;  // of the grid, from the first: so many may do anything (writing_workgroups.hpp); UINT32_MAX: any
    /// What the host values are, in order: nodes of the split program whose values the walk knows. A value takes as many
    /// words as it has components.
    std::vector<NodeId> host_values;
};

/// Words of the scratch that parts write for the host.
enum class ScratchWord : std::uint8_t {
    fetched,  // 1: the next word is a value
    value,
};
inline constexpr std::uint32_t scratch_header_words = 16;

struct HostStep {
    enum class Kind : std::uint8_t {
        run,       // the part `index`, over the whole grid
        evaluate,  // the node's value now: a load of a variable that the host holds
        assign,    // to the variable `index` the value of the node; none: zero
        read,      // the node's value: the word that a grid_uniform_load names
        fetch,  // the node's value, which the part before has handed over; if none has: all invocations have returned
        branch,  // to `target` where the node's value is false
        select,  // to where the case of `index` in cases begins that the node's value selects
        turn,    // a loop begins another turn; `index`: the loop's number
        jump,    // to `target`
        end,     // of the program
    };
    Kind kind = Kind::end;
    std::uint32_t index = 0;
    std::uint32_t target = 0;
    NodeId node = {};
};

struct HostCase {
    std::vector<std::uint32_t> selectors;
    std::uint32_t target = 0;
};
/// Of one switch_.
struct HostCases {
    std::vector<HostCase> cases;
    std::uint32_t otherwise = 0;  // where to go if none is selected
};

struct SplitProgram {
    Program program;  // what was split: the nodes of the steps are its
    std::vector<SplitPart> parts;
    std::uint32_t censuses = 0;  // of the parts, those that only find out whether anyone is left
    std::vector<HostStep> steps;
    std::vector<HostCases> cases;
    std::uint32_t loops = 0;             // turn steps
    std::uint64_t invocation_words = 0;  // of scratch
    std::uint64_t workgroup_words = 0;   // of scratch
    std::vector<std::uint32_t>
        walked_nodes;  // by node: a number, from 0, of those whose values the walk may need
    std::uint32_t walked_node_count = 0;
    bool uses_scratch = false;  // some part does
    bool waits = false;         // the host needs words that parts write, before it can go on
    std::vector<std::uint32_t>
        host_reads;  // bindings, of the program, that never change and that the host loads from
};

/// Whether an operation on floats has the same bits in every part and on the host: in exact mode. Where it hasn't, each
/// is done once, by a part.
enum class FloatResults : std::uint8_t { repeatable, varying };

/// Precondition: the program is valid. Its math group needn't be expanded: each part's can be. Errors: unsupported (with
/// the reason; validation of a part says more), limit_exceeded (a part too large).
Result<SplitProgram> split_at_grid_barriers(const Program& program,
                                            FloatResults floats = FloatResults::repeatable);

/// Of a grid, the workgroups over which a part is to be run, from the first.
Extent3 part_grid(const SplitPart& part, Extent3 workgroups);

/// Words that the scratch of a dispatch has, its header included; UINT64_MAX: those or more.
std::uint64_t scratch_words(const SplitProgram& split, Extent3 workgroups);

}  // namespace muster
