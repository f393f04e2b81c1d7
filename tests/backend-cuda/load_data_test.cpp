// What a kernel is loaded with in another process, and which devices take code that was emitted to be loaded.
#include <muster/backend-cuda/backend.hpp>
#include <muster/backend-cuda/compile/load_data.hpp>

#include "backend-cuda/workshop.hpp"

using namespace muster;
using namespace muster::cuda;

TEST_CASE("what a kernel is loaded with is read as it was stored, and damage is refused") {
    CudaSource source;
    source.entry = "kernel";
    source.workgroup_size = {8, 4, 2};
    source.parameters = {
        {.kind = ParameterKind::storage,
         .offset = 8,
         .length_offset = 16,
         .array_offset = 4,
         .array_stride = 12},
        {.kind = ParameterKind::uniform_either, .offset = 24, .value_offset = 32, .value_bytes = 16}};
    source.grid_offset = 48;
    source.barrier_state_offset = 64;
    source.parameter_bytes = 72;
    source.static_shared_bytes = 100;
    source.dynamic_shared_bytes = 200;
    const std::vector<std::byte> bytes = load_data(source);
    const auto read = read_load_data(bytes);
    REQUIRE(read);
    CHECK(read->entry == "kernel");
    CHECK(read->workgroup_size == Extent3{8, 4, 2});
    REQUIRE(read->parameters.size() == 2);
    CHECK(read->parameters[0].array_stride == 12);
    CHECK(read->parameters[1].kind == ParameterKind::uniform_either);
    CHECK(read->parameters[1].value_bytes == 16);
    CHECK_FALSE(read->origin_offset);
    CHECK(read->grid_offset == 48);
    CHECK(read->barrier_state_offset == 64);
    CHECK(read->dynamic_shared_bytes == 200);
    CHECK(load_data(*read) == bytes);
    for (std::size_t length = 0; length < bytes.size(); ++length)
        CHECK_FALSE(read_load_data(std::span(bytes).first(length)));
    for (CudaSource wrong : {source, source, source, source}) {
        static int which = 0;
        if (which == 0) wrong.parameter_bytes = 71;  // the state's pointer ends beyond
        if (which == 1) wrong.parameters[0].length_offset = 69;
        if (which == 2) wrong.parameters[1].value_bytes = 41;
        if (which == 3) wrong.parameter_bytes = most_parameter_bytes + 1;
        CAPTURE(which);
        ++which;
        const auto refused = read_load_data(load_data(wrong));
        REQUIRE_FALSE(refused);
        CHECK(
            refused.error().message ==
            "The data that the kernel is loaded with is damaged: it has parameters outside of their block.");
    }
}

TEST_CASE("a cubin fits later devices of its major version, PTX all later ones") {
    const CudaBackend backend;
    const auto fits = [&](const char* target, const char* format, const char* arch) {
        const Artifact code{.format = format, .target = target};
        DeviceInfo device;
        device.arch = arch;
        return backend.objection(code, device).empty();
    };
    CHECK(fits("cuda:sm_80", "cubin", "sm_80"));
    CHECK(fits("cuda:sm_80", "cubin", "sm_86"));
    CHECK_FALSE(fits("cuda:sm_86", "cubin", "sm_80"));
    CHECK_FALSE(fits("cuda:sm_80", "cubin", "sm_90"));
    CHECK_FALSE(fits("cuda:sm_100", "cubin", "sm_110"));
    CHECK(fits("cuda:sm_80", "ptx", "sm_120"));
    CHECK_FALSE(fits("cuda:sm_90", "ptx", "sm_80"));
    CHECK_FALSE(fits("vulkan:vulkan1.2", "spirv", "sm_80"));
    const Artifact code{.format = "cubin", .target = "cuda:sm_90"};
    DeviceInfo device;
    device.arch = "sm_80";
    CHECK(backend.objection(code, device) == "it is for cuda:sm_90, and this is cuda:sm_80");
}
