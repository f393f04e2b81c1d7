#include <string>

#include <doctest/doctest.h>
#include <support/doubles.hpp>

#include <muster/driver/policy/device_selector.hpp>

using namespace muster;
using namespace muster::test;

namespace {

policy::DeviceSelector parsed(const std::string& text) {
    const auto selector = policy::DeviceSelector::parse(text);
    if (!selector) FAIL(selector.error().to_string());
    return *selector;
}

constexpr const char* uuid = "00112233-4455-6677-8899-aabbccddeeff";

}  // namespace

TEST_CASE("a selector names a backend, an ordinal, an architecture or a UUID, and reads as it was written") {
    CHECK_FALSE(parsed("vulkan").names_a_device());
    CHECK(std::get<std::uint32_t>(parsed("vulkan:12").device) == 12);
    const auto named = std::get<Uuid>(parsed(std::string("vulkan:") + uuid).device);
    CHECK(named[0] == 0x00);
    CHECK(named[9] == 0x99);
    CHECK(named[15] == 0xff);
    CHECK(to_string(named) == uuid);
    for (const std::string& text :
         {std::string("vulkan"), std::string("x86-64_v4:0"), std::string("cuda:4294967295"),
          std::string("vulkan:") + uuid, std::string("cpu:x86-64-v3"), std::string("cuda:sm_90")})
        CHECK(parsed(text).to_string() == text);
    CHECK(parsed("a:00112233-4455-6677-8899-AABBCCDDEEFF") == parsed(std::string("a:") + uuid));
}

TEST_CASE("what is neither is refused, with what to write") {
    for (const std::string text :
         {"", ":0", "Vulkan:0", "vulkan:", "vulkan:-1", "vulkan:+1", "vulkan: 1", "vulkan:1 ",
          "vulkan:4294967296", "vulkan:0x1", "vulkan:0:1", "vulkan:00112233",
          "vulkan:00112233-4455-6677-8899-aabbccddeef", "vulkan:00112233-4455-6677-8899-aabbccddeeff0",
          "vulkan:0011223304455-6677-8899-aabbccddeeff", "vulkan:00112233-4455-6677-8899-aabbccddeefg",
          "vulkan:00112233-4455-6677-8899--abbccddeeff", "vulkan:00000000-0000-0000-0000-000000000000"}) {
        CAPTURE(text);
        const auto selector = policy::DeviceSelector::parse(text);
        REQUIRE_FALSE(selector);
        CHECK(selector.error().code == ErrorCode::invalid_argument);
        CHECK_FALSE(selector.error().fix.empty());
    }
    CHECK(policy::DeviceSelector::parse("vulkan:X").error().fix.find("vulkan:0") != std::string::npos);
}

TEST_CASE("a selector matches devices of its backend only, by what it names") {
    DeviceInfo device = fit_device(1);
    device.uuid = std::get<Uuid>(parsed(std::string("vulkan:") + uuid).device);
    CHECK(parsed("vulkan").matches("vulkan", device));
    CHECK(parsed("vulkan:1").matches("vulkan", device));
    CHECK(parsed(std::string("vulkan:") + uuid).matches("vulkan", device));
    CHECK_FALSE(parsed("vulkan:0").matches("vulkan", device));
    CHECK_FALSE(parsed("cuda:1").matches("vulkan", device));
    CHECK_FALSE(parsed("vulkan:10112233-4455-6677-8899-aabbccddeeff").matches("vulkan", device));
}

TEST_CASE("an architecture names the device on request that has it, and nothing else names that") {
    DeviceInfo device = fit_device(1);
    device.arch = "x86-64-v3";
    CHECK_FALSE(parsed("cpu:x86-64-v3").matches("cpu", device));
    CHECK(device_id("cpu", device) == "cpu:1");
    device.on_request = true;
    CHECK(parsed("cpu:x86-64-v3").matches("cpu", device));
    CHECK_FALSE(parsed("cpu:x86-64-v2").matches("cpu", device));
    CHECK_FALSE(parsed("other:x86-64-v3").matches("cpu", device));
    CHECK_FALSE(parsed("cpu").matches("cpu", device));
    CHECK_FALSE(parsed("cpu:1").matches("cpu", device));
    CHECK(device_id("cpu", device) == "cpu:x86-64-v3");
}
