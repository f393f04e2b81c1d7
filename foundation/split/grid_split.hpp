// grid_split.hpp - cuts a program at its grid barriers, for devices without them (docs/grid-barriers.md).
//
//     SplitProgram split = TRY(split_at_grid_barriers(program));
//     // split.parts[k]: a program without grid barriers, run over the grid (part_grid) when split.steps says so
//     GridWalk walk(split, grid, binding_bytes);   // grid_walk.hpp: internal; walks the steps and requests parts
//
// A part has those bindings of the program that it uses, and up to two more:
//   scratch      data that lives across barriers: struct { array<atomic<u32>, 16>; array<u32> }. The first words
//                are messages from parts to the host (ScratchWord), zero unless a part has just written them. Then,
//                for N invocations in the grid, word k of invocation i is at k * N + i, so that neighbours' words
//                are adjacent; then come the words of each workgroup.
//   host values  a uniform: the words that only the host knows (counters of loops that it walks, loaded words).
//
// Spilled, if it lives across a barrier: values of loads from mutable memory, atomics and the like; function
// and private variables that may have changed and may be read; workgroup variables likewise. Not spilled:
// dead data, and values that are as cheap to compute again from data that doesn't change (built-in values,
// constants, uniforms, storage that is only read). No effect and no load from mutable memory happens twice.
// Data with disjoint lifetimes shares words.
//
// Invocations that have returned skip later parts: by the condition on which they returned if it can be
// computed again, else by a word that records it. The host walks grid-uniform control flow around barriers
// and evaluates its conditions by foundation's semantics; a part computes those that the host can't evaluate,
// and the host fetches them.
//
// Threads: pure. Cost: nearly linear in nodes, times the barriers that values live across.
#pragma once

#include <cstdint>
#include <vector>

#include <muster/foundation/base/api.hpp>
#include <muster/foundation/base/result.hpp>
#include <muster/foundation/ir/program.hpp>
#include <muster/foundation/validate/validate.hpp>

namespace muster {
MUSTER_API_BEGIN

/// The source of a part's binding in a dispatch.
struct SplitBinding {
    enum class Source : std::uint8_t { program, scratch, host_values };
    Source source = Source::program;
    std::uint32_t index = 0;  // program: index into the program's bindings()
};

struct SplitPart {
    ValidProgram program;
    std::vector<SplitBinding> bindings;  // in program->bindings() order
    Extent3
        workgroups;  // from the first; the others do nothing (writing_workgroups.hpp); UINT32_MAX: any number
    /// The contents of the host values, in order: nodes of the split program whose values the walk knows. A
    /// value takes as many words as it has components.
    std::vector<NodeId> host_values;
};

/// Words of the scratch that parts write for the host.
enum class ScratchWord : std::uint8_t {
    fetched,  // 1: the next word is a value
    value,
};
inline constexpr const char* scratch_name = "muster_scratch";  // of the variable
inline constexpr std::uint32_t scratch_header_words = 16;

struct HostStep {
    enum class Kind : std::uint8_t {
        run,       // runs the part `index` over the whole grid
        evaluate,  // takes the node's value now: a load of a hosted variable
        assign,    // assigns the node's value to the variable `index`; without a node: zero
        read,      // reads the node's value: the word that a grid_uniform_load names
        fetch,  // takes the node's value from the preceding part; if it handed over none, all invocations have returned
        branch,  // jumps to `target` if the node's value is false
        select,  // jumps to the case in cases[index] that the node's value selects
        /// Begins another iteration of the loop number `index`; jumps to `target` unless it's
        /// time for a liveness check.
        next_iteration,
        jump,  // jumps to `target`
        end,   // ends the program
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
/// The cases of one switch_.
struct HostCases {
    std::vector<HostCase> cases;
    std::uint32_t otherwise = 0;  // target if no case is selected
};

struct SplitProgram {
    Program program;  // the program that was split; steps refer to its nodes
    std::vector<SplitPart> parts;
    std::uint32_t liveness_checks = 0;  // number of parts that only check whether any invocation is left
    std::vector<HostStep> steps;
    std::vector<HostCases> cases;
    std::uint32_t loops = 0;                  // number of next_iteration steps
    std::uint64_t invocation_words = 0;       // scratch words per invocation
    std::uint64_t workgroup_words = 0;        // scratch words per workgroup
    std::vector<std::uint32_t> walked_nodes;  // by node: its number, from 0, if the walk may need its value
    std::uint32_t walked_node_count = 0;
    bool uses_scratch = false;  // at least one part does
    bool waits = false;         // the host must read words that parts write before it can continue
    std::vector<std::uint32_t>
        host_reads;  // the program's bindings that never change and that the host reads
};

/// States whether a float operation gives the same bits in every part and on the host, as in exact mode. If
/// they vary, each operation is done once, by a part.
enum class FloatResults : std::uint8_t { repeatable, varying };

/// Precondition: the program is valid. Its math group needn't be expanded; that of each part can be. Errors:
/// unsupported (with the reason; if a part doesn't validate, also its faults), limit_exceeded (a part is too
/// large).
Result<SplitProgram> split_at_grid_barriers(const Program& program,
                                            FloatResults floats = FloatResults::repeatable);

/// The workgroups of a grid over which a part must run, counted from the first.
Extent3 part_grid(const SplitPart& part, Extent3 workgroups);

/// Words in the scratch of a dispatch, including its header; UINT64_MAX if the number overflows.
std::uint64_t scratch_words(const SplitProgram& split, Extent3 workgroups);

MUSTER_API_END
}  // namespace muster
