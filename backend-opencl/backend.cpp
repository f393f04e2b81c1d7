#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <muster/backend-opencl/backend.hpp>
#include <muster/backend-opencl/device/device.hpp>

namespace muster::opencl {

Result<std::shared_ptr<const OpenClBackend::Devices>> OpenClBackend::found() {
    return found_.get([&]() -> Result<std::shared_ptr<const Devices>> {
        return std::make_shared<const Devices>(TRY(physical_devices(TRY(find_api_()))));
    });
}

Result<std::vector<DeviceInfo>> OpenClBackend::probe() {
    std::vector<DeviceInfo> infos;
    for (const PhysicalDevice& device : *TRY(found())) infos.push_back(device.info);
    return infos;
}

Result<std::unique_ptr<Device>> OpenClBackend::open(std::uint32_t ordinal) {
    const auto devices = TRY(found());
    if (ordinal < devices->size()) return OpenClDevice::open((*devices)[ordinal]);
    return no_such_device("OpenCL", ordinal, devices->size());
}

std::optional<std::uint64_t> OpenClBackend::free_memory(std::uint32_t ordinal) {
    const auto devices = found();
    return devices && ordinal < (*devices)->size() ? opencl::free_memory((**devices)[ordinal]) : std::nullopt;
}

std::span<const std::string> OpenClBackend::formats() const {
    static const std::array<std::string, 1> all{"clc"};
    return all;
}

Result<Target> OpenClBackend::describe(std::string_view arch) {
    constexpr std::array<std::string_view, 5> versions{"1.2", "2.0", "2.1", "2.2", "3.0"};
    if (std::ranges::find(versions, arch) == versions.end())
        return no_such_target("OpenCL", arch, fmt::format("{}", fmt::join(versions, ", ")));
    Target target{.backend = "opencl", .arch = std::string(arch), .ops = supported_ops()};
    target.scalars.set();
    target.subgroup_size = 16;
    target.subgroup_sizes = {8, 32};
    // The full profile guarantees only workgroups of 1.
    target.limits = {.max_workgroup_size = {256, 256, 64},
                     .max_workgroup_invocations = 256,
                     .max_workgroup_bytes = 32768,
                     .max_workgroups = {INT32_MAX, 65535, 65535},
                     .max_storage_binding_bytes = 128 << 20,
                     .max_uniform_binding_bytes = 65536,
                     .max_storage_bindings = 28,
                     .max_uniform_bindings = 13,
                     .max_private_bytes = 4096};
    target.exactness = {.round_to_nearest_even = Promise::promised,
                        .signed_zero_inf_nan = Promise::promised,
                        .fma = Promise::promised};
    return target;
}

Result<Artifact> OpenClBackend::emit(const ValidProgram& program, const Target& target,
                                     const EmitRequest& request) {
    return artifact_of(program, target.to_string(),
                       {.options = request.options, .dispatched = request.to_load});
}

std::string OpenClBackend::objection(const Artifact& code, const DeviceInfo& device) const {
    const bool runs = code.target.starts_with("opencl:") && code.target.substr(7) <= device.arch;
    return runs ? std::string() : Backend::objection(code, device);
}

}  // namespace muster::opencl
