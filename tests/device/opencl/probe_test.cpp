// The backend's description of its devices, and its errors for devices that can't be used.
#include <algorithm>
#include <cstring>

#include <muster/driver/contract/check.hpp>
#include <muster/driver/process/backends.hpp>
#include <muster/driver/registry/freeze.hpp>

#include "kit.hpp"

using namespace muster;
using namespace muster::opencl;

namespace {

using DeviceQuery = decltype(&::clGetDeviceInfo);

/// The process's API, with one answer of clGetDeviceInfo changed.
std::shared_ptr<const Api> changed_api(DeviceQuery get_device_info) {
    auto api = std::make_shared<Api>(**process_api());
    api->clGetDeviceInfo.pointer = get_device_info;
    return api;
}

/// Answers one question itself, and has the driver answer the others.
template <class T>
cl_int answer(const T& value, cl_device_info which, cl_device_id device, cl_device_info asked,
              std::size_t bytes, void* to, std::size_t* needed) {
    if (asked != which) return (*process_api())->clGetDeviceInfo.pointer(device, asked, bytes, to, needed);
    if (needed) *needed = sizeof value;
    if (to) std::memcpy(to, &value, sizeof value);
    return CL_SUCCESS;
}

}  // namespace

TEST_CASE("it is registered, comes before the CPU, and claims dispatch") {
    CHECK(backend_precedence("opencl") == 60);
    CHECK(backend_dispatches("opencl"));
    const auto backend = acquire("opencl");
    REQUIRE(backend);
    CHECK((*backend)->id() == "opencl");
}

TEST_CASE("devices have what they say themselves, and the processor is said to be emulated") {
    OpenClBackend backend;
    const auto devices = backend.probe();
    if (!devices) FAIL(devices.error().to_string());
    for (std::uint32_t ordinal = 0; ordinal < devices->size(); ++ordinal) {
        const DeviceInfo& info = (*devices)[ordinal];
        CHECK(info.ordinal == ordinal);
        CHECK(info.software_emulated == (info.kind == DeviceKind::cpu));
        CHECK(info.driver != "");
        CHECK(info.exactness.exact());
        CHECK(info.limits.max_workgroup_invocations >= 256);
        CHECK(info.limits.max_storage_bindings >= 8);
        CHECK(info.limits.max_uniform_bindings >= 12);
        CHECK(info.limits.max_storage_binding_bytes < std::uint64_t{8} << 30);
        CHECK(info.hardware.compute_units.value_or(0) > 0);
        CHECK(info.hardware.unified_memory.has_value());
        CHECK(backend.free_memory(ordinal).has_value() == info.hardware.free_memory_bytes.has_value());
        CHECK(backend.describe(info.arch));
        CHECK((*backend.open(ordinal))->info().name == info.name);
    }
    const auto none = backend.open(static_cast<std::uint32_t>(devices->size()));
    REQUIRE_FALSE(none);
    CHECK(none.error().code == ErrorCode::not_found);
}

TEST_CASE("a device that can't be used is named, with the reason") {
    const auto refusal = [](DeviceQuery get_device_info) {
        const auto found = physical_devices(changed_api(get_device_info));
        REQUIRE_FALSE(found);
        CHECK(found.error().code == ErrorCode::unavailable);
        return found.error().message;
    };
    const std::string name = (*physical_devices(*process_api()))[0].info.name;
    CHECK(refusal([](cl_device_id device, cl_device_info asked, std::size_t bytes, void* to,
                     std::size_t* needed) {
              return answer("OpenCL 1.1 old", CL_DEVICE_VERSION, device, asked, bytes, to, needed);
          }) == "No OpenCL device can be used: " + name + " knows OpenCL 1.1 old only.");
    CHECK(refusal([](cl_device_id device, cl_device_info asked, std::size_t bytes, void* to,
                     std::size_t* needed) {
              return answer(cl_bool{CL_FALSE}, CL_DEVICE_COMPILER_AVAILABLE, device, asked, bytes, to,
                            needed);
          }) == "No OpenCL device can be used: " + name + " has no compiler.");
    CHECK(refusal([](cl_device_id device, cl_device_info asked, std::size_t bytes, void* to,
                     std::size_t* needed) {
              return answer(cl_bool{CL_FALSE}, CL_DEVICE_AVAILABLE, device, asked, bytes, to, needed);
          }) == "No OpenCL device can be used: " + name + " isn't available.");
}

TEST_CASE("subgroups: their sizes where a kernel can require one, else what is missing") {
    static std::string extensions;
    static std::vector<std::size_t> sizes;
    const auto probed = [](std::string_view more, std::vector<std::size_t> of) {
        extensions = fmt::format("cl_khr_subgroup_ballot cl_khr_subgroup_shuffle {}", more);
        sizes = std::move(of);
        const auto found = physical_devices(changed_api(
            [](cl_device_id device, cl_device_info asked, std::size_t bytes, void* to, std::size_t* needed) {
                const auto give = [&](const void* from, std::size_t all) {
                    if (needed) *needed = all;
                    if (to) std::memcpy(to, from, std::min(all, bytes));
                    return cl_int{CL_SUCCESS};
                };
                if (asked == CL_DEVICE_EXTENSIONS) return give(extensions.c_str(), extensions.size() + 1);
                if (asked == CL_DEVICE_SUB_GROUP_SIZES_INTEL)
                    return give(sizes.data(), sizes.size() * sizeof(std::size_t));
                return (*process_api())->clGetDeviceInfo.pointer(device, asked, bytes, to, needed);
            }));
        if (!found) FAIL(found.error().to_string());
        return (*found)[0].info;
    };
    CHECK(probed("", {}).no_subgroups == "it has no cl_intel_required_subgroup_size");
    const DeviceInfo info = probed("cl_intel_required_subgroup_size", {8, 32, 16});
    CHECK(info.no_subgroups == "");
    CHECK(info.subgroup_size == 16);
    CHECK(info.subgroup_sizes.least == 8);
    CHECK(info.subgroup_sizes.most == 32);
    CHECK(probed("cl_intel_required_subgroup_size", {2, 4, 8}).subgroup_size == 8);
    CHECK(probed("cl_intel_required_subgroup_size", {1, 2}).no_subgroups ==
          "their sizes are 1, 2, and not 4 to 128");
}

TEST_CASE("a GPU isn't emulated, and shares the host's memory if it says so") {
    const auto found = physical_devices(changed_api([](cl_device_id device, cl_device_info asked,
                                                       std::size_t bytes, void* to, std::size_t* needed) {
        return answer(cl_device_type{CL_DEVICE_TYPE_GPU}, CL_DEVICE_TYPE, device, asked, bytes, to, needed);
    }));
    REQUIRE(found);
    CHECK_FALSE((*found)[0].info.software_emulated);
    CHECK((*found)[0].info.kind == DeviceKind::integrated_gpu);
    CHECK((*found)[0].info.limits.max_private_bytes == 1 << 16);
}

TEST_CASE("no platform is no device; a platform that fails is named") {
    Api api = **process_api();
    api.clGetPlatformIDs.pointer = [](cl_uint, cl_platform_id*, cl_uint*) -> cl_int {
        return CL_PLATFORM_NOT_FOUND_KHR;
    };
    auto found = physical_devices(std::make_shared<const Api>(api));
    REQUIRE_FALSE(found);
    CHECK(found.error().code == ErrorCode::not_found);
    CHECK(found.error().message == "The OpenCL loader finds no device.");

    api = **process_api();
    api.clGetDeviceIDs.pointer = [](cl_platform_id, cl_device_type, cl_uint, cl_device_id*,
                                    cl_uint*) -> cl_int { return CL_DEVICE_NOT_FOUND; };
    CHECK(physical_devices(std::make_shared<const Api>(api)).error().code == ErrorCode::not_found);
    api.clGetDeviceIDs.pointer = [](cl_platform_id, cl_device_type, cl_uint, cl_device_id*,
                                    cl_uint*) -> cl_int { return CL_OUT_OF_HOST_MEMORY; };
    found = physical_devices(std::make_shared<const Api>(api));
    CHECK(found.error().code == ErrorCode::unavailable);
    CHECK(found.error().message ==
          "No OpenCL device can be used: OpenCL says: CL_OUT_OF_HOST_MEMORY. (calling clGetDeviceIDs)");
}

TEST_CASE("versions: 1.2 and later, and nothing else") {
    CHECK(version_of("OpenCL 1.2 pocl HSTR: pthread") == "1.2");
    CHECK(version_of("OpenCL 3.0") == "3.0");
    CHECK(version_of("OpenCL 2.1 ") == "2.1");
    CHECK(version_of("OpenCL 10.0") == "10.0");
    for (const char* other : {"OpenCL 1.1 old", "OpenCL 1", "OpenCL ", "", "3.0", "OpenCL x.2"})
        CHECK(version_of(other).empty());
}

TEST_CASE("exactness: what the device promises of single precision") {
    const Exactness all = exactness_of(CL_FP_ROUND_TO_NEAREST | CL_FP_INF_NAN | CL_FP_DENORM | CL_FP_FMA |
                                       CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT);
    CHECK(all == all_promised);
    const Exactness least = exactness_of(CL_FP_ROUND_TO_NEAREST | CL_FP_INF_NAN);
    CHECK(least.exact());
    for (const Promise promise : {least.subnormals, least.division, least.square_root, least.fma})
        CHECK(promise == Promise::no);
    CHECK_FALSE(exactness_of(CL_FP_ROUND_TO_ZERO | CL_FP_INF_NAN).exact());
    CHECK_FALSE(exactness_of(CL_FP_ROUND_TO_NEAREST).exact());
    const cl_device_fp_config doubles =
        CL_FP_ROUND_TO_NEAREST | CL_FP_INF_NAN | CL_FP_DENORM | CL_FP_FMA | CL_FP_ROUND_TO_ZERO;
    CHECK(scalars_of(doubles).all());
    for (const cl_device_fp_config config :
         {cl_device_fp_config{0}, doubles & ~cl_device_fp_config{CL_FP_FMA}}) {
        CHECK_FALSE(contains(scalars_of(config), Scalar::f64));
        CHECK(contains(scalars_of(config), Scalar::u64));
    }
}

TEST_CASE("codes: lack of memory, refused code and a lost device differ; others have their number") {
    CHECK_FALSE(translate(CL_SUCCESS));
    CHECK(translate(CL_MEM_OBJECT_ALLOCATION_FAILURE)->code == ErrorCode::out_of_memory);
    CHECK(translate(CL_BUILD_PROGRAM_FAILURE)->code == ErrorCode::compile_failed);
    CHECK(translate(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST)->code == ErrorCode::device_lost);
    CHECK(translate(-9999)->message == "OpenCL says: error -9999.");
}

TEST_CASE("targets: the versions from 1.2 on") {
    OpenClBackend backend;
    CHECK(backend.default_arch() == "1.2");
    CHECK(backend.describe("3.0")->to_string() == "opencl:3.0");
    const auto none = backend.describe("1.1");
    REQUIRE_FALSE(none);
    CHECK(none.error().to_string() ==
          "The OpenCL backend has no target \"1.1\".\nFix: ask for one of: 1.2, 2.0, 2.1, 2.2, 3.0");
}

TEST_CASE("what the driver doesn't tell of the hardware is unknown, and 0 isn't a value") {
    const auto api = changed_api([](cl_device_id device, cl_device_info which, std::size_t bytes, void* to,
                                    std::size_t* needed) -> cl_int {
        if (which == CL_DEVICE_MAX_CLOCK_FREQUENCY)
            return answer(cl_uint{0}, which, device, which, bytes, to, needed);
        if (which == CL_DEVICE_VENDOR_ID) return CL_INVALID_VALUE;
        return answer(cl_uint{7}, CL_DEVICE_MAX_COMPUTE_UNITS, device, which, bytes, to, needed);
    });
    const DeviceHardware hardware = physical_devices(api)->front().info.hardware;
    CHECK(hardware.compute_units == 7);
    CHECK_FALSE(hardware.clock_mhz);
    CHECK_FALSE(hardware.vendor);
}
