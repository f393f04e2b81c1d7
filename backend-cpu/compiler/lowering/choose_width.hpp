// choose_width.hpp - the number of lanes that a kernel gets: the target's, a row's, a
// run of memory's, or one.
//
// The target's lanes suit most kernels. A kernel that gathers in loops which lanes leave one by one, such as
// the product of a sparse matrix and a vector, is faster an invocation at a time; an estimate of both costs
// decides. One that strides far through an array and keeps few vectors is faster with as many lanes as make a
// run of 256 bytes. Threads: pure. Cost: linear in the program.
#pragma once

#include <cstdint>

#include <muster/backend-cpu/compiler/lowering/lower.hpp>

namespace muster::cpu {

/// The workgroups that share a subgroup: more than 1 if they are small and their invocations share nothing.
std::uint32_t packed_workgroups(const Program& program, std::uint32_t width);

/// The lanes of a subgroup. Asked for a width or for subgroups, those.
std::uint32_t choose_width(const LowerOptions& options, const Program& program);

}  // namespace muster::cpu
