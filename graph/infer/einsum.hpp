// einsum.hpp - what an equation of Einsum says: a label for each axis of its inputs and its result.
// Internal to graph.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include <muster/foundation/base/result.hpp>

namespace muster::graph {

/// Labels are numbers from 0: first those of the axes that "..." stands for, in their order, then
/// letters as they occur first.
struct EinsumPlan {
    std::vector<std::vector<std::size_t>> inputs;  // of each axis
    std::vector<std::size_t> output;
    std::size_t label_count = 0;
    std::size_t broadcast_count = 0;  // how many come from "..."; these may have size 1 in some inputs
};

/// `ranks`: of the inputs. Without "->", the result has the axes of "...", then, in the alphabet's order, the
/// letters that occur once. Errors: invalid_program.
Result<EinsumPlan> einsum_plan(std::string_view equation, std::span<const std::size_t> ranks);

}  // namespace muster::graph
