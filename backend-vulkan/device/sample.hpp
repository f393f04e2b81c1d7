// sample.hpp - finds by hard cases what a device computes exactly without promising it.
//
// Vulkan lets a device promise how it rounds sums and products (float controls), but has no such promise for
// division, square root and fma. A kernel of some thousand cases that are hard to round shows whether all
// come out right. If the device is the processor, one invocation also runs 80,000 iterations of a loop, which
// some drivers end early. Other kernels show which invocations form subgroups, and if arithmetic on f64 is
// exact (sample_kernels.hpp). Sampled once per device and driver version: the answer is stored for later
// processes (driver/helper/verdicts.hpp). Threads: any.
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

/// The numbers of one invocation, as the kernel reads and writes them.
struct SampleCase {
    float x, y, z, iterations;
};
struct SampleResult {
    float quotient, root, fused, sum, product, iterations;
    std::array<float, 2> unused;
};

/// The results of a sample.
struct Sampled {
    Exactness exactness;
    LongLoops long_loops = LongLoops::run;
    bool subgroups = false;  // they have the invocations that the interpreter gives them
    bool doubles = false;    // arithmetic on f64 is exact
};

std::vector<SampleCase> sample_cases();
/// Adds to `promised` what the results show. Pure.
Exactness evaluate(const Exactness& promised, std::span<const SampleCase> cases,
                   std::span<const SampleResult> results);

/// The device's treatment of long loops, from an invocation's iterations and whether the kernel
/// reported an ended loop. Pure.
LongLoops evaluate_loops(float iterations, bool told);

/// The promised and the sampled exactness. If the kernel doesn't run: what is promised, with loops watched on
/// a processor, and neither subgroups nor f64.
Sampled sample_of(const std::shared_ptr<const Instance>& instance, const PhysicalDevice& device,
                  const Verdicts& verdicts = Verdicts::process());

/// Key of a stored answer: the device, and the circumstances it depends on, such as the processor's features.
struct SampleKey {
    std::string subject, circumstances;
};
SampleKey key_of(const PhysicalDevice& device);
/// The stored form; sampled_from() returns none for any other text.
std::string to_text(const Sampled& sampled);
std::optional<Sampled> sampled_from(std::string_view text);

}  // namespace muster::vulkan
