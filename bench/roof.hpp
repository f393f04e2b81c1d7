// roof.hpp - what a device has been measured to do at most: plain data.
//
//     const double seconds = roof.least_seconds(job.work);    // no kernel does this work faster
//
// Rates are in units of 10^9, each that of the fastest samples, their 5th percentile; 0: not measured. Memory is read and copied
// by 4 and by 16 bytes at a time, and the better counts.
#pragma once

#include <algorithm>

#include <muster/bench/kernels/whole_kernel.hpp>

namespace muster::bench {

struct Roof {
    double copy_gb_s = 0;    // bytes read plus bytes written
    double update_gb_s = 0;  // likewise, in place
    double read_gb_s = 0;
    double multiply_add_gflop_s = 0;  // f32: two operations each, fused only in fast mode
    double launch_us = 0;             // from the dispatch of one workgroup to the end of the wait
    double to_device_gb_s = 0;        // from host memory
    double from_device_gb_s = 0;      // to host memory

    double bandwidth_gb_s() const { return std::max({copy_gb_s, update_gb_s, read_gb_s}); }
    /// The time of the slower of the two, moving the bytes and computing; 0 if the roof isn't measured.
    double least_seconds(const kernels::Work& work) const {
        if (bandwidth_gb_s() == 0 || multiply_add_gflop_s == 0) return 0;
        return std::max(work.bytes / bandwidth_gb_s(), work.flops / multiply_add_gflop_s) * 1e-9;
    }
};

}  // namespace muster::bench
