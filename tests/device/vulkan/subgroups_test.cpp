// Operations of subgroups give the interpreter's bits at the size that the device tells, in whole and in partial subgroups;
// which devices have them.
#include <support/subgroup_kernels.hpp>

#include <muster/backend-vulkan/native/physical_device.hpp>
#include <muster/conformance/run_case.hpp>

#include "kit.hpp"

using namespace muster;
using namespace muster::vulkan;
using namespace muster::conformance;

namespace {

void compare(Session& session, const DeviceInfo& device, const Case& given) {
    CAPTURE(given.text);
    const auto program = given.program();
    REQUIRE_MESSAGE(program, (program ? "" : program.error().to_string()));
    const auto expected =
        run_interpreted(given, *program, InterpretOptions{.seed = 3, .subgroup_size = device.subgroup_size});
    REQUIRE_MESSAGE(expected, (expected ? "" : expected.error().to_string()));
    const auto actual = run_in(session, given, *program);
    REQUIRE_MESSAGE(actual, (actual ? "" : actual.error().to_string()));
    CHECK(first_difference(**program, expected->outputs, *actual, false) == "");
}

}  // namespace

TEST_CASE("operations of subgroups give the interpreter's bits") {
    Session session = session_of({});
    const DeviceInfo device = session.fleet().probe(0).devices.at(0);
    REQUIRE(device.subgroup_sizes.most != 0);
    const auto try_all = [&](const auto& bodies, std::string_view head) {
        for (const char* body : bodies)
            for (const std::uint32_t invocations : {128u, 72u, 90u}) {
                if (head.empty() && invocations == 90) continue;  // some read beyond the last invocation
                compare(session, device,
                        test::subgroup_case(test::subgroup_kernel(body, invocations, head), invocations));
            }
    };
    try_all(test::subgroup_bodies, "");
    try_all(test::divergent_bodies, "diagnostic(off, subgroup_uniformity);");
}

TEST_CASE("a device without the size that a program asks for refuses it, with both numbers") {
    Session session = session_of({});
    const DeviceInfo device = session.fleet().probe(0).devices.at(0);
    const auto program =
        test::subgroup_case(
            "enable subgroup_size_control;\nenable subgroups;\n"
            "@group(0) @binding(0) var<storage, read_write> out: u32;\n"
            "@compute @workgroup_size(128) @subgroup_size(128) fn main(@builtin(subgroup_size) "
            "size: u32) { out = size; }",
            1)
            .program();
    REQUIRE(program);
    if (device.subgroup_sizes.most == 128) return;
    const auto kernel = session.prepare(*program);
    REQUIRE_FALSE(kernel);
    CHECK(kernel.error().to_string().find("asks for subgroups of 128 invocations") != std::string::npos);
}

TEST_CASE("devices that can't run operations of subgroups say why") {
    VkPhysicalDeviceLimits limits{};
    limits.maxComputeWorkGroupSize[0] = limits.maxComputeWorkGroupInvocations = 1024;
    VkPhysicalDeviceSubgroupProperties has{};
    has.subgroupSize = 32;
    has.supportedStages = VK_SHADER_STAGE_COMPUTE_BIT;
    has.supportedOperations =
        VK_SUBGROUP_FEATURE_BASIC_BIT | VK_SUBGROUP_FEATURE_BALLOT_BIT | VK_SUBGROUP_FEATURE_SHUFFLE_BIT;
    VkPhysicalDeviceSubgroupSizeControlProperties sizes{};
    sizes.minSubgroupSize = 8;
    sizes.maxSubgroupSize = 32;
    sizes.requiredSubgroupSizeStages = VK_SHADER_STAGE_COMPUTE_BIT;
    const Subgroups good = subgroups_of(limits, has, sizes);
    CHECK(good.missing.empty());
    CHECK(good.sizes == SubgroupSizes{8, 32});
    CHECK(good.is_required);

    const auto fails = [&](auto change) {
        auto l = limits;
        auto h = has;
        auto s = sizes;
        change(l, h, s);
        return subgroups_of(l, h, s).missing;
    };
    CHECK(fails([](auto&, auto& h, auto&) { h.supportedStages = VK_SHADER_STAGE_FRAGMENT_BIT; }) ==
          "kernels can't use its subgroups");
    CHECK(fails([](auto&, auto& h, auto&) {
              h.supportedOperations &= ~VkSubgroupFeatureFlags{VK_SUBGROUP_FEATURE_SHUFFLE_BIT};
          }) == "it has no ballots, or no shuffles");
    CHECK(fails([](auto&, auto&, auto& s) { s = {}; }) == "it doesn't tell if their size varies");
    CHECK(fails([](auto&, auto&, auto& s) { s.requiredSubgroupSizeStages = 0; }) ==
          "their size is 8 to 32, and no pipeline can require one");
    CHECK(fails([](auto&, auto& h, auto& s) {
              h.subgroupSize = s.minSubgroupSize = s.maxSubgroupSize = 1;
          }) == "their size is 1, and not 4 to 128");
    CHECK(fails([](auto& l, auto&, auto&) { l.maxComputeWorkGroupSize[0] = 512; }) ==
          "workgroups can't have all of their invocations along x");
    // A fixed size needn't be required.
    sizes.minSubgroupSize = 32;
    sizes.requiredSubgroupSizeStages = 0;
    CHECK(subgroups_of(limits, has, sizes).missing.empty());
    CHECK_FALSE(subgroups_of(limits, has, sizes).is_required);
}
