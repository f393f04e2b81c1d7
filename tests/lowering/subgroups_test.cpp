// Kernels of operations of subgroups give the interpreter's bits for every size that code may have as its lanes.
#include <doctest/doctest.h>

#include <muster/conformance/run_case.hpp>
#include <muster/foundation/wgsl/wgsl.hpp>

#include "lowering/run_lowered.hpp"
#include "support/subgroup_kernels.hpp"

using namespace muster;
using namespace muster::conformance;

namespace {

void compare(std::string_view body, std::uint32_t invocations, std::string_view head) {
    const Case given = test::subgroup_case(test::subgroup_kernel(body, invocations, head), invocations);
    CAPTURE(given.text);
    const auto program = given.program();
    REQUIRE_MESSAGE(program, (program ? "" : program.error().to_string()));
    for (const std::uint32_t size : {4u, 8u, 16u, 32u, 64u}) {
        CAPTURE(size);
        const auto expected =
            run_interpreted(given, *program, InterpretOptions{.seed = 3, .subgroup_size = size});
        REQUIRE(expected);
        const auto actual = test::run_lowered(given, *program, size);
        REQUIRE_MESSAGE(actual, (actual ? "" : actual.error().to_string()));
        for (std::size_t i = 0; i < actual->size(); ++i)
            CHECK(difference(expected->outputs[i], (*actual)[i], false) == "");
    }
}

}  // namespace

TEST_CASE("operations of subgroups give the interpreter's bits at every size") {
    for (const char* body : test::subgroup_bodies)
        for (const std::uint32_t invocations : {128u, 72u}) compare(body, invocations, "");
    for (const char* body : test::divergent_bodies)
        compare(body, 72, "diagnostic(off, subgroup_uniformity);");
}
