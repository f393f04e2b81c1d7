// Listings of SPIR-V, needs no device: with the source's places, and of damaged modules.
#include <random>
#include <string>

#include <doctest/doctest.h>

#include <muster/backend-vulkan/backend.hpp>
#include <muster/foundation/wgsl/wgsl.hpp>

using namespace muster;

namespace {

Artifact module_of_twice() {
    vulkan::VulkanBackend backend;
    const ValidProgram program = *validate(*wgsl::parse(R"(
@group(0) @binding(0) var<storage, read_write> data: array<f32>;
@compute @workgroup_size(64) fn twice(@builtin(global_invocation_id) id: vec3u) {
  data[id.x] = data[id.x] * 2.0;
})",
                                                        {.file = "twice.wgsl"}));
    return *backend.emit(program, *backend.describe("vulkan1.1"), {.to_load = true});
}

}  // namespace

TEST_CASE("a module is listed with the places that instructions come from") {
    const std::string listing = *vulkan::VulkanBackend().disassemble(module_of_twice());
    CHECK(listing.starts_with("               OpCapability Shader\n"));
    const auto place = listing.find("\n; twice.wgsl:4:");
    CHECK(place != listing.npos);
    CHECK(listing.find("OpFMul") > place);
}

TEST_CASE("a damaged module gives a listing or an error") {
    const Artifact whole = module_of_twice();
    std::mt19937 random(1);
    for (int i = 0; i < 500; ++i) {
        Artifact damaged = whole;
        for (int changes = 1 + i % 5; changes > 0; --changes)
            damaged.bytes[random() % damaged.bytes.size()] = static_cast<std::byte>(random());
        if (i % 4 == 0) damaged.bytes.resize(random() % damaged.bytes.size());
        for (DebugEntry& entry : damaged.debug_map)
            if (i % 3 == 0) entry.target = random();
        const auto listing = vulkan::VulkanBackend().disassemble(damaged);
        CHECK((listing || !listing.error().message.empty()));
    }
    CHECK_FALSE(vulkan::VulkanBackend().disassemble({.format = "spirv"}));
}
