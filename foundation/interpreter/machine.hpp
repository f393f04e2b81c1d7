// machine.hpp - the interpreter's instructions and the state that they act on. Internal.
//
// An instruction holds the function that executes it, a handler, and six words. A handler returns the next
// instruction; null leaves the loop, with the reason in Machine::exit:
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
    std::uint32_t a = 0;  // position of the result; of a jump: the distance, in instructions
    std::uint32_t b = 0, c = 0, d = 0, e = 0, f = 0;
};
static_assert(sizeof(Instruction) == 32);

/// The memory of a binding.
struct Buffer {
    std::uint32_t* words = nullptr;
    std::uint64_t bytes = 0;
    bool has_data = true;
};

/// How a scalar lies in memory; a value has a word for each.
enum class Cell : std::uint8_t { word, half, signed_half, byte, signed_byte };

/// `count` scalars of one kind that are contiguous both in a value, from the word `value` on, and in memory,
/// from `memory` on, which counts as the addresses of the access do.
struct WordRange {
    std::uint32_t value = 0, memory = 0, count = 0;
    Cell cell = Cell::word;
};
struct ValueLayout {
    std::uint32_t first = 0, count = 0;  // word ranges
    std::uint32_t words = 0;             // of the value
};

enum class Exit : std::uint8_t {
    done,      // the invocation has ended
    switched,  // its turn is over; it stopped before an access to shared memory
    barrier,   // it has stopped after a barrier, of its workgroup or of the grid
    paused,    // its fuel is used up
    subgroup,  // it has stopped before an operation of its subgroup
};

struct Machine {
    std::uint32_t* workgroup = nullptr;  // workgroup memory
    const Buffer* buffers = nullptr;     // by binding
    const WordRange* word_ranges = nullptr;
    const ValueLayout* layouts = nullptr;
    Recorder* recorder = nullptr;  // null if no findings are requested
    const Instruction* resume = nullptr;
    const Instruction* paused = nullptr;  // the end of the loop in which the fuel was used up
    std::int64_t fuel = 0;                // instructions until the next check of stop and max_steps
    std::uint32_t slice = 0;              // accesses to shared memory until the next switch, plus one
    Exit exit = Exit::done;
    Op barrier = Op::workgroup_barrier;
};

/// An out-of-bounds address. Memory has fewer than 2^31 words, and so an address of a half word fits, too;
/// what holds bytes has fewer than 2^32 bytes.
inline constexpr std::uint32_t nowhere = UINT32_MAX;

// A frame begins with the built-in values, in this order.
inline constexpr std::uint32_t frame_global_id = 0;
inline constexpr std::uint32_t frame_local_id = 3;
inline constexpr std::uint32_t frame_local_index = 6;
inline constexpr std::uint32_t frame_workgroup_id = 7;
inline constexpr std::uint32_t frame_num_workgroups = 10;
inline constexpr std::uint32_t frame_subgroup_invocation_id = 13;
inline constexpr std::uint32_t frame_subgroup_size = 14;
inline constexpr std::uint32_t frame_subgroup_id = 15;
inline constexpr std::uint32_t frame_num_subgroups = 16;
inline constexpr std::uint32_t frame_lengths = 17;  // of run-time arrays, by binding

}  // namespace muster::interpreter
