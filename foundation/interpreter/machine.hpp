// machine.hpp - the interpreter's instructions and what they act on. Internal.
//
// An instruction holds the function that executes it, a handler, and six words; a handler returns the
// instruction that follows, or null to leave the loop, having said why in Machine::exit:
//
//     while ((i = i->run(i, r, machine)) != nullptr) {}
//
// `r` is the invocation's frame: built-in values, lengths of run-time arrays, constants, variables, then
// registers; one word per scalar, vectors and composites as runs of words. Every operand is a position in it.
#pragma once

#include <cstdint>

#include <muster/foundation/ir/program.hpp>

namespace muster::interpreter {

struct Instruction;
struct Machine;
class Recorder;
using Handler = const Instruction* (*)(const Instruction* i, std::uint32_t* r, Machine& machine);

struct Instruction {
    Handler run = nullptr;
    std::uint32_t a = 0;  // where the result goes; of a jump: the distance, in instructions
    std::uint32_t b = 0, c = 0, d = 0, e = 0, f = 0;
};
static_assert(sizeof(Instruction) == 32);

/// Memory of a binding.
struct Buffer {
    std::uint32_t* words = nullptr;
    std::uint64_t count = 0;  // whole words
    bool has_data = true;
};

/// `count` words of a value that lie together in memory too: from `value` on there, from `memory` on here.
struct Segment {
    std::uint32_t value = 0, memory = 0, count = 0;
};
struct Shape {
    std::uint32_t first = 0, count = 0;  // segments
    std::uint32_t words = 0;             // of the value
};

enum class Exit : std::uint8_t {
    done,      // the invocation has ended
    switched,  // it stands before an access to shared memory, its turn being over
    barrier,   // it stands behind a barrier, of its workgroup or of the grid
    paused,    // its fuel is used up
};

struct Machine {
    std::uint32_t* workgroup = nullptr;  // workgroup memory
    const Buffer* buffers = nullptr;     // by binding
    const Segment* segments = nullptr;
    const Shape* shapes = nullptr;
    Recorder* recorder = nullptr;  // null where no finding is asked for
    const Instruction* resume = nullptr;
    std::int64_t fuel = 0;    // instructions until the next look at stop and max_steps
    std::uint32_t slice = 0;  // accesses to shared memory until the next switch, and one
    Exit exit = Exit::done;
    Op barrier = Op::workgroup_barrier;
};

/// An address that is out of bounds. Memory is smaller than 2^31 words.
inline constexpr std::uint32_t nowhere = UINT32_MAX;

// Frames begin with the built-in values, in this order.
inline constexpr std::uint32_t frame_global_id = 0;
inline constexpr std::uint32_t frame_local_id = 3;
inline constexpr std::uint32_t frame_local_index = 6;
inline constexpr std::uint32_t frame_workgroup_id = 7;
inline constexpr std::uint32_t frame_num_workgroups = 10;
inline constexpr std::uint32_t frame_lengths = 13;  // of run-time arrays, by binding

}  // namespace muster::interpreter
