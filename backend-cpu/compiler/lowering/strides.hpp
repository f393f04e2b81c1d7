// strides.hpp - variables that each iteration of a loop moves by the same amount, such as by the grid's size.
//
//     const std::vector<Stride> strides = find_strides(program, shapes);
//     stride_of(program, strides, index);   // of `x[i]` in `for (var i = id.x; i < n; i += step)`: the loop and step
//
// Threads: pure. Cost: linear in the program.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <muster/backend-cpu/compiler/lowering/shapes.hpp>

namespace muster::cpu {

struct Stride {
    NodeId loop, step;  // none: no iteration adds the same amount to the variable
};

/// The strides by variable.
std::vector<Stride> find_strides(const Program& program, const Shapes& shapes);

/// The stride of a variable that the index is loaded from.
Stride stride_of(const Program& program, std::span<const Stride> strides, NodeId index);

/// True if iterations read so far apart, in elements of `bytes`, that processors don't foresee it.
bool is_long(const Program& program, const Stride& stride, std::uint64_t bytes);

}  // namespace muster::cpu
