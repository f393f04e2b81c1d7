// What a module is loaded with in another process, and which devices take code that was emitted to be loaded.
#include <muster/backend-vulkan/backend.hpp>
#include <muster/backend-vulkan/compile/load_data.hpp>

#include "backend-vulkan/workshop.hpp"

using namespace muster;
using namespace muster::vulkan;

TEST_CASE("what a module is loaded with is read as it was stored, and damage is refused") {
    LoadData data{.needs_long_loops = true};
    data.module.entry = "kernel";
    data.module.workgroup_size = {8, 4, 2};
    data.module.bindings = {{.kind = BindingKind::uniform_buffer, .set = 1, .binding = 2},
                            {.kind = BindingKind::push_constant, .offset = 4, .bytes = 12}};
    data.module.grid_offset = 16;
    data.module.push_constant_bytes = 28;
    data.module.watched_loops = std::make_shared<WatchedLoops>(WatchedLoops{
        "kernel", {"kernel.wgsl:7:5", "8"}, {.kind = BindingKind::storage_buffer, .set = 0, .binding = 9}});
    const std::vector<std::byte> bytes = load_data(data);
    const auto read = read_load_data(bytes);
    REQUIRE(read);
    CHECK(read->needs_long_loops);
    CHECK(read->module.entry == "kernel");
    CHECK(read->module.workgroup_size == Extent3{8, 4, 2});
    REQUIRE(read->module.bindings.size() == 2);
    CHECK(read->module.bindings[0].kind == BindingKind::uniform_buffer);
    CHECK(read->module.bindings[1].bytes == 12);
    CHECK_FALSE(read->module.origin_offset);
    CHECK(read->module.grid_offset == 16);
    CHECK(read->module.push_constant_bytes == 28);
    REQUIRE(read->module.watched_loops);
    CHECK(read->module.watched_loops->places == data.module.watched_loops->places);
    CHECK(read->module.watched_loops->report.binding == 9);
    CHECK(load_data(*read) == bytes);
    for (std::size_t length = 0; length < bytes.size(); ++length) {
        const auto refused = read_load_data(std::span(bytes).first(length));
        REQUIRE_FALSE(refused);
        CHECK(refused.error().message.starts_with(
            "The data that the SPIR-V is loaded with is damaged: it has "));
    }
}

TEST_CASE("a module fits devices of its version of Vulkan and later ones") {
    const VulkanBackend backend;
    const auto objection = [&](const char* target, const char* arch) {
        const Artifact code{.format = "spirv", .target = target};
        DeviceInfo device;
        device.arch = arch;
        return backend.objection(code, device);
    };
    CHECK(objection("vulkan:vulkan1.1", "vulkan1.3").empty());
    CHECK(objection("vulkan:vulkan1.3", "vulkan1.3").empty());
    CHECK(objection("vulkan:vulkan1.3", "vulkan1.1") ==
          "it is for vulkan:vulkan1.3, and this is vulkan:vulkan1.1");
    CHECK(objection("cuda:sm_80", "vulkan1.1") == "it is for cuda:sm_80, and this is vulkan:vulkan1.1");
}
