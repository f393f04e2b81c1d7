#include <algorithm>
#include <vector>

#include <muster/backend-vulkan/backend.hpp>
#include <muster/backend-vulkan/compile/debug_map.hpp>
#include <muster/backend-vulkan/compile/emit.hpp>
#include <muster/backend-vulkan/compile/tools.hpp>
#include <muster/backend-vulkan/device/device.hpp>
#include <muster/backend-vulkan/device/sample.hpp>
#include <muster/backend-vulkan/lowering/lower.hpp>
#include <muster/driver/contract/refusals.hpp>
#include <muster/foundation/base/try.hpp>
#include <muster/foundation/base/words.hpp>

namespace muster::vulkan {

/// The devices of this machine, with their properties.
struct VulkanBackend::Found {
    std::shared_ptr<const Instance> instance;
    std::vector<PhysicalDevice> devices;
    std::vector<DeviceInfo> infos;
};

Result<std::shared_ptr<const VulkanBackend::Found>> VulkanBackend::found() {
    const auto find = []() -> Result<std::shared_ptr<const Found>> {
        auto found = std::make_shared<Found>();
        found->instance = TRY(Instance::process());
        found->devices = TRY(physical_devices(*found->instance));
        for (std::uint32_t ordinal = 0; ordinal < found->devices.size(); ++ordinal) {
            PhysicalDevice& device = found->devices[ordinal];
            const Sampled sampled = sample_of(found->instance, device);
            device.long_loops = sampled.long_loops;
            if (!sampled.subgroups && device.subgroups.missing.empty())
                device.subgroups.missing = "a sample shows that they don't follow local_invocation_index";
            device.float64 = device.float64 && sampled.doubles;
            found->infos.push_back(device_info(device, ordinal, sampled.exactness));
        }
        return found;
    };
    return found_.get(find, [](const Found& found) { return !found.instance->is_given_up(); });
}

Result<std::vector<DeviceInfo>> VulkanBackend::probe() { return TRY(found())->infos; }

Result<std::unique_ptr<Device>> VulkanBackend::open(std::uint32_t ordinal) {
    const auto found = TRY(this->found());
    if (ordinal >= found->devices.size()) return no_such_device("Vulkan", ordinal, found->devices.size());
    return VulkanDevice::open(found->instance, found->devices[ordinal], found->infos[ordinal], options_);
}

std::string VulkanBackend::default_arch() const { return default_target(); }
std::span<const std::string> VulkanBackend::formats() const { return emission_formats(); }
std::span<const SpecInfo> VulkanBackend::specs() const { return emission_specs(); }

Result<Target> VulkanBackend::describe(std::string_view arch) {
    Target target = TRY(describe_target(arch));
    target.backend = options_.id;
    return target;
}

Result<Artifact> VulkanBackend::emit(const ValidProgram& program, const Target& target,
                                     const EmitRequest& request) {
    return emit_module(program, target, request);
}

std::string VulkanBackend::objection(const Artifact& code, const DeviceInfo& device) const {
    const std::string_view target = code.target;
    const auto needed = parse_version(target.substr(std::min(target.size(), target.find(':') + 1)));
    const auto there = parse_version(device.arch);
    return needed && there && *needed <= *there ? std::string() : Backend::objection(code, device);
}

std::optional<std::uint64_t> VulkanBackend::free_memory(std::uint32_t ordinal) {
    const auto found = this->found();
    if (!found || ordinal >= (*found)->devices.size()) return std::nullopt;
    return vulkan::free_memory((*found)->instance->table(), (*found)->devices[ordinal]);
}

Result<std::string> VulkanBackend::disassemble(const Artifact& code) const {
    if (code.format != "spirv") return Backend::disassemble(code);
    const std::vector<std::uint32_t> words = words_in(code.bytes);
    const std::string text = TRY(vulkan::disassemble(words, VulkanVersion::v1_3));
    return with_places(text, in_lines(code.debug_map, words), code.files);
}

}  // namespace muster::vulkan
