// code.hpp - a program in the form that the interpreter runs. Internal.
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
    std::vector<NodeId> nodes = {};  // by instruction: what it was made from
    std::vector<interpreter::Shape> shapes = {};
    std::vector<interpreter::Segment> segments = {};

    /// What a frame holds when an invocation begins; num_workgroups and lengths are filled in by each run.
    std::vector<std::uint32_t> frame = {};
    std::uint32_t private_first = 0, private_words = 0;  // set back for each invocation
    std::vector<std::uint32_t> workgroup_offsets = {};   // by variable: in workgroup memory, in words
    std::uint32_t workgroup_words = 0;

    bool switches = false;      // invocations of a workgroup are switched: shared memory or barriers
    bool communicates = false;  // workgroups can see what others write
    bool meets_grid = false;    // all invocations of a launch meet: grid barriers
};

}  // namespace muster
