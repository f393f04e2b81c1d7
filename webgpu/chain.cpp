#include <algorithm>
#include <array>
#include <cstdint>

#include <fmt/format.h>

#include <muster/driver/policy/log.hpp>
#include <muster/webgpu/chain.hpp>

namespace muster::webgpu {
namespace {

struct Known {
    std::uint32_t type;
    std::string_view name;
};

// Dawn's numbers for structures about its own workings.
constexpr std::array harmless{
    Known{0x00050004, "DawnTextureInternalUsageDescriptor"},
    Known{0x00050005, "DawnEncoderInternalUsageDescriptor"},
    Known{0x00050006, "DawnInstanceDescriptor"},
    Known{0x00050007, "DawnCacheDeviceDescriptor"},
    Known{0x00050008, "DawnAdapterPropertiesPowerPreference"},
    Known{0x0005000a, "DawnTogglesDescriptor"},
};

// The standard's, and wgpu-native's.
constexpr std::array named{
    Known{0x00000001, "ShaderSourceSPIRV"},
    Known{0x00000002, "ShaderSourceWGSL"},
    Known{0x00000003, "RenderPassMaxDrawCount"},
    Known{0x0000000b, "RequestAdapterWebXROptions"},
    Known{0x0000000c, "TextureComponentSwizzleDescriptor"},
    Known{0x0000000d, "ExternalTextureBindingLayout"},
    Known{0x0000000e, "ExternalTextureBindingEntry"},
    Known{0x0000000f, "CompatibilityModeLimits"},
    Known{0x00000010, "TextureBindingViewDimension"},
    Known{0x00030001, "DeviceExtras"},
    Known{0x00030002, "NativeLimits"},
    Known{0x00030003, "ShaderSourceGLSL"},
    Known{0x00030004, "InstanceExtras"},
    Known{0x00030005, "BindGroupEntryExtras"},
    Known{0x00030006, "BindGroupLayoutEntryExtras"},
    Known{0x00030007, "QuerySetDescriptorExtras"},
};

std::string shown(std::uint32_t type) {
    const auto found = std::ranges::find(named, type, &Known::type);
    return found == named.end() ? fmt::format("0x{:08x}", type)
                                : fmt::format("{} (0x{:08x})", found->name, type);
}

}  // namespace

Result<void> check_chain(const WGPUChainedStruct* chain, std::string_view what,
                         std::span<const WGPUSType> allowed) {
    for (const WGPUChainedStruct* at = chain; at != nullptr; at = at->next) {
        for (const WGPUChainedStruct* before = chain; before != at; before = before->next)
            if (before->sType == at->sType)
                return fail(
                    ErrorCode::invalid_argument,
                    fmt::format("Two structures of the type {} are chained to {}.", shown(at->sType), what),
                    "chain each type once");
        if (std::ranges::find(allowed, at->sType) != allowed.end()) continue;
        if (const auto one = std::ranges::find(harmless, std::uint32_t{at->sType}, &Known::type);
            one != harmless.end()) {
            log_once(LogLevel::info, fmt::format("webgpu chain {}", one->name),
                     fmt::format("{} is chained to {}: it says nothing about compute, and is passed over.",
                                 one->name, what));
            continue;
        }
        return fail(ErrorCode::invalid_argument,
                    fmt::format("A structure of the type {} is chained to {}, which doesn't take it.",
                                shown(at->sType), what),
                    "remove it from the chain (nextInChain), and check its sType");
    }
    return {};
}

}  // namespace muster::webgpu
