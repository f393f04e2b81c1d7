// Every whole kernel, on the interpreter and on every device: the result is right, and its bits are the interpreter's.
#include <bit>
#include <type_traits>
#include <vector>

#include <doctest/doctest.h>

#include <muster/measuring/whole_kernels/whole_kernel.hpp>

#include "conformance/devices.hpp"

using namespace muster;
using namespace muster::kernels;
using muster::conformance::TestDevice;

namespace {

template <class T>
T must(Result<T> result) {
    if (!result) FAIL(result.error().to_string());
    if constexpr (!std::is_void_v<T>) return *std::move(result);
}

Arrays run_on(const TestDevice& device, const WholeKernel& kernel, const Job& job) {
    const auto policy = conformance::policy_for(device);
    const Session session = must(Session::open({.policy = policy, .use_environment = false}));
    Loaded loaded = must(Loaded::load(session, kernel, job));
    must(loaded.run());
    return must(loaded.arrays());
}

}  // namespace

TEST_CASE("every kernel computes what its oracle does, with the same bits on every device") {
    for (const WholeKernel& kernel : whole_kernels()) {
        CAPTURE(kernel.name);
        const Job job = kernel.make({});
        const std::vector<Expected> expected = job.expected();
        const Arrays interpreted = must(run_interpreted(kernel, job));
        CHECK(first_difference(expected, interpreted) == "");
        for (const TestDevice& device : conformance::devices()) {
            CAPTURE(device.id);
            const Arrays after = run_on(device, kernel, job);
            for (const auto& [name, words] : interpreted) {
                CAPTURE(name);
                CHECK(after.at(name) == words);
            }
        }
    }
}

TEST_CASE("a job depends on its seed and its scale alone, and grows with its scale") {
    for (const WholeKernel& kernel : whole_kernels()) {
        CAPTURE(kernel.name);
        const Job job = kernel.make({});
        CHECK(kernel.make({}).arrays == job.arrays);
        CHECK(kernel.make({.seed = 2}).arrays != job.arrays);
        const auto words = [](const Arrays& arrays) {
            std::size_t sum = 0;
            for (const auto& [name, array] : arrays) sum += array.size();
            return sum;
        };
        CHECK(words(kernel.make({.scale = 4}).arrays) >= 3 * words(job.arrays));
    }
}

TEST_CASE("a difference from what is expected is told with its place, its values and its bound") {
    const Arrays actual{{"a", {1, 2, 3}}, {"b", {std::bit_cast<std::uint32_t>(1.5f), 0x7fc00000}}};
    const auto difference = [&](const Expected& expected) { return first_difference({{expected}}, actual); };
    CHECK(difference({.array = "a", .values = Words{1, 2, 3}}) == "");
    CHECK(difference({.array = "a", .values = Words{1, 2}}) == "a has 3 elements, not 2");
    CHECK(difference({.array = "a", .values = Words{1, 9, 9}}) ==
          "a[1] is 0x2, not 0x9; 2 of 3 elements differ, more than 0");
    CHECK(difference({.array = "a", .values = Words{1, 9, 9}, .strays = 1}) ==
          "a[1] is 0x2, not 0x9; 2 of 3 elements differ, more than 1");
    CHECK(difference({.array = "a", .values = Words{1, 9, 9}, .strays = 2}) == "");
    // A NaN differs from every number.
    CHECK(difference({.array = "b", .values = std::vector{1.0, 0.0}, .absolute = 0.5}) ==
          "b[1] is nan, not 0 within 0.5; 1 of 2 elements differ, more than 0");
    CHECK(difference({.array = "b", .values = std::vector{1.0, 0.0}, .absolute = 0.3, .strays = 1})
              .substr(0, 31) == "b[0] is 1.5, not 1 within 0.3; ");
    CHECK(difference({.array = "b", .values = std::vector{1.0, 0.0}, .relative = 0.5, .strays = 1}) == "");
}
