// workloads.hpp - the kernels that several benchmarks measure: our run of each, and the data for a peer's.
//
//     Workload work = stencil(bench, 4096);
//     work.contest.contenders.push_back(...);      // from work.inputs[0] to an array that holds work.start before
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "device_bench.hpp"

namespace muster::bench {

struct Workload {
    Contest contest;            // with our contender alone
    std::vector<Words> inputs;  // the arrays that are only read, in the order of the bindings
    Words start;                // what the result's array holds before a run
};

/// y = a * x + y, of n floats: x, and y as the result.
Workload saxpy(DeviceBench& bench, std::size_t n, float a);
/// A 5-point stencil of side x side floats.
Workload stencil(DeviceBench& bench, std::uint32_t side);
/// 256 counts of random bytes, by so many workgroups.
Workload histogram(DeviceBench& bench, std::size_t words, std::uint32_t groups);
Workload mandelbrot(DeviceBench& bench, std::uint32_t width, std::uint32_t height, std::uint32_t limit);
/// c = a * b, n x n floats, by tiles of 16 x 16 in shared memory.
Workload matmul(DeviceBench& bench, std::uint32_t n);

/// The sum of floats, in passes, each of which leaves one sum per 512 values: the sizes of its arrays, n first.
std::vector<std::size_t> sizes_of_sum(std::size_t n);
Workload sum(DeviceBench& bench, const std::vector<std::size_t>& sizes);

}  // namespace muster::bench
