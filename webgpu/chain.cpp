#include <algorithm>
#include <array>
#include <cstdint>

#include <fmt/format.h>

#include <muster/driver/policy/log.hpp>
#include <muster/webgpu/chain.hpp>

namespace muster::webgpu {
namespace {

struct ChainedType {
    std::uint32_t type;
    std::string_view name;
};

// Dawn's numbers for structures about its own workings.
constexpr std::array harmless{
    ChainedType{0x00050004, "DawnTextureInternalUsageDescriptor"},
    ChainedType{0x00050005, "DawnEncoderInternalUsageDescriptor"},
    ChainedType{0x00050006, "DawnInstanceDescriptor"},
    ChainedType{0x00050007, "DawnCacheDeviceDescriptor"},
    ChainedType{0x00050008, "DawnAdapterPropertiesPowerPreference"},
    ChainedType{0x0005000a, "DawnTogglesDescriptor"},
};

// The standard's, and wgpu-native's.
constexpr std::array named{
    ChainedType{0x00000001, "ShaderSourceSPIRV"},
    ChainedType{0x00000002, "ShaderSourceWGSL"},
    ChainedType{0x00000003, "RenderPassMaxDrawCount"},
    ChainedType{0x0000000b, "RequestAdapterWebXROptions"},
    ChainedType{0x0000000c, "TextureComponentSwizzleDescriptor"},
    ChainedType{0x0000000d, "ExternalTextureBindingLayout"},
    ChainedType{0x0000000e, "ExternalTextureBindingEntry"},
    ChainedType{0x0000000f, "CompatibilityModeLimits"},
    ChainedType{0x00000010, "TextureBindingViewDimension"},
    ChainedType{0x00030001, "DeviceExtras"},
    ChainedType{0x00030002, "NativeLimits"},
    ChainedType{0x00030003, "ShaderSourceGLSL"},
    ChainedType{0x00030004, "InstanceExtras"},
    ChainedType{0x00030005, "BindGroupEntryExtras"},
    ChainedType{0x00030006, "BindGroupLayoutEntryExtras"},
    ChainedType{0x00030007, "QuerySetDescriptorExtras"},
};

std::string shown_type(std::uint32_t type) {
    const auto found = std::ranges::find(named, type, &ChainedType::type);
    return found == named.end() ? fmt::format("0x{:08x}", type)
                                : fmt::format("{} (0x{:08x})", found->name, type);
}

}  // namespace

Result<void> check_chain(const WGPUChainedStruct* chain, std::string_view what,
                         std::span<const WGPUSType> allowed) {
    for (const WGPUChainedStruct* at = chain; at != nullptr; at = at->next) {
        for (const WGPUChainedStruct* before = chain; before != at; before = before->next)
            if (before->sType == at->sType)
                return fail(ErrorCode::invalid_argument,
                            fmt::format("Two structures of the type {} are chained to {}.",
                                        shown_type(at->sType), what),
                            "chain each type once");
        if (std::ranges::find(allowed, at->sType) != allowed.end()) continue;
        if (const auto one = std::ranges::find(harmless, std::uint32_t{at->sType}, &ChainedType::type);
            one != harmless.end()) {
            log_once(LogLevel::info, fmt::format("webgpu chain {}", one->name),
                     fmt::format("{} is chained to {}: it says nothing about compute, and is passed over.",
                                 one->name, what));
            continue;
        }
        return fail(ErrorCode::invalid_argument,
                    fmt::format("A structure of the type {} is chained to {}, which doesn't take it.",
                                shown_type(at->sType), what),
                    "remove it from the chain (nextInChain), and check its sType");
    }
    return {};
}

}  // namespace muster::webgpu
