// sample.hpp - what a device computes exactly, where it makes no promise: found out by computing hard cases.
//
// Vulkan lets a device promise how it rounds sums and products (float controls), and nothing of the kind for division,
// square root and fma. A kernel of some thousand cases that are hard to round says whether all come out right. Where the device
// is the processor, the first of its invocations takes 80,000 turns through its loops, which some drivers end before. Asked
// once per device and driver version: the answer is kept for later processes (driver/helper/verdicts.hpp). Threads: any.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <muster/backend-vulkan/native/physical_device.hpp>
#include <muster/driver/helper/verdicts.hpp>

namespace muster::vulkan {

/// One invocation's numbers, as the kernel reads and writes them.
struct SampleCase {
    float x, y, z, turns;
};
struct SampleResult {
    float quotient, root, fused, sum, product, turns;
    std::array<float, 2> unused;
};

/// What a sample shows of a device.
struct Sampled {
    Exactness exactness;
    LongLoops long_loops = LongLoops::run;
};

std::vector<SampleCase> sample_cases();
/// Adds to what is promised what the results show. Pure.
Exactness judge(const Exactness& promised, std::span<const SampleCase> cases,
                std::span<const SampleResult> results);

/// What becomes of long loops: of an invocation that took so many turns, and whether it was told that loops were ended.
LongLoops judge_loops(float turns, bool told);

/// What is promised and what was sampled. Where the kernel doesn't run, what is promised, and loops are watched.
Sampled sample_of(const std::shared_ptr<const Instance>& instance, const PhysicalDevice& device,
                  const Verdicts& verdicts = Verdicts::process());

/// What the kept answer is of, and what it depends on: also on what the processor can do, where that is the device.
struct SampleQuestion {
    std::string subject, circumstances;
};
SampleQuestion question_of(const PhysicalDevice& device);
/// As it is kept. None: it is no such text.
std::string to_text(const Sampled& sampled);
std::optional<Sampled> sampled_from(std::string_view text);

}  // namespace muster::vulkan
