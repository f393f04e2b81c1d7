// sample.hpp - what a device computes exactly, where it makes no promise: found out by computing hard cases.
//
// Vulkan lets a device promise how it rounds sums and products (float controls), and nothing of the kind for division,
// square root and fma. A kernel of some thousand cases that are hard to round says whether all come out right. Asked once
// per device and driver version and process. Threads: any.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include <muster/backend-vulkan/physical_device.hpp>

namespace muster::vulkan {

/// One invocation's numbers, as the kernel reads and writes them.
struct SampleCase {
    float x, y, z, unused;
};
struct SampleResult {
    float quotient, root, fused, sum, product;
    std::array<float, 3> unused;
};

std::vector<SampleCase> sample_cases();
/// Adds to what is promised what the results show. Pure.
Exactness judge(const Exactness& promised, std::span<const SampleCase> cases,
                std::span<const SampleResult> results);

/// What is promised and what was sampled. Where the kernel doesn't run, what is promised.
Exactness exactness_of(const std::shared_ptr<const Instance>& instance, const PhysicalDevice& device);

}  // namespace muster::vulkan
