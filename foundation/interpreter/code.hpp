// code.hpp - a program compiled to the interpreter's instructions. Internal.
#pragma once

#include <cstdint>
#include <vector>

#include <muster/foundation/interpreter/interpret.hpp>
#include <muster/foundation/interpreter/machine.hpp>

namespace muster {

struct InterpreterCode::Data {
    ValidProgram program;
    Variant variant = {};
    std::vector<interpreter::Instruction> instructions = {};
    std::vector<NodeId> nodes = {};  // by instruction: the node that it was compiled from
    std::vector<interpreter::ValueLayout> layouts = {};
    std::vector<interpreter::WordRange> word_ranges = {};

    /// The initial contents of an invocation's frame; each run fills in num_workgroups and array lengths.
    std::vector<std::uint32_t> frame = {};
    std::uint32_t private_first = 0, private_words = 0;  // reset for each invocation
    std::vector<std::uint32_t> workgroup_offsets = {};   // by variable: offset in workgroup memory, in words
    std::uint32_t workgroup_words = 0;

    bool switches = false;        // switches between a workgroup's invocations: shared memory or barriers
    bool communicates = false;    // workgroups can see each other's writes
    bool meets_grid = false;      // all invocations of a launch meet: grid barriers
    bool meets_subgroup = false;  // those of a subgroup meet: its operations
    std::uint32_t subgroup_size = 0;
};

}  // namespace muster
