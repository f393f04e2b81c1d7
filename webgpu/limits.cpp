#include <algorithm>
#include <array>
#include <limits>

#include <fmt/format.h>

#include <muster/webgpu/limits.hpp>

namespace muster::webgpu {
namespace {

constexpr auto rows = std::to_array<Limit>({
    {"maxTextureDimension1D", &WGPULimits::maxTextureDimension1D, 8192},
    {"maxTextureDimension2D", &WGPULimits::maxTextureDimension2D, 8192},
    {"maxTextureDimension3D", &WGPULimits::maxTextureDimension3D, 2048},
    {"maxTextureArrayLayers", &WGPULimits::maxTextureArrayLayers, 256},
    {"maxBindGroups", &WGPULimits::maxBindGroups, 4},
    {"maxBindGroupsPlusVertexBuffers", &WGPULimits::maxBindGroupsPlusVertexBuffers, 24},
    {"maxBindingsPerBindGroup", &WGPULimits::maxBindingsPerBindGroup, 1000},
    {"maxDynamicUniformBuffersPerPipelineLayout", &WGPULimits::maxDynamicUniformBuffersPerPipelineLayout, 8},
    {"maxDynamicStorageBuffersPerPipelineLayout", &WGPULimits::maxDynamicStorageBuffersPerPipelineLayout, 4},
    {"maxSampledTexturesPerShaderStage", &WGPULimits::maxSampledTexturesPerShaderStage, 16},
    {"maxSamplersPerShaderStage", &WGPULimits::maxSamplersPerShaderStage, 16},
    {"maxStorageBuffersPerShaderStage", &WGPULimits::maxStorageBuffersPerShaderStage, 8},
    {"maxStorageTexturesPerShaderStage", &WGPULimits::maxStorageTexturesPerShaderStage, 4},
    {"maxUniformBuffersPerShaderStage", &WGPULimits::maxUniformBuffersPerShaderStage, 12},
    {"maxUniformBufferBindingSize", &WGPULimits::maxUniformBufferBindingSize, 65536},
    {"maxStorageBufferBindingSize", &WGPULimits::maxStorageBufferBindingSize, 134217728},
    {"minUniformBufferOffsetAlignment", &WGPULimits::minUniformBufferOffsetAlignment, 256, true},
    {"minStorageBufferOffsetAlignment", &WGPULimits::minStorageBufferOffsetAlignment, 256, true},
    {"maxVertexBuffers", &WGPULimits::maxVertexBuffers, 8},
    {"maxBufferSize", &WGPULimits::maxBufferSize, 268435456},
    {"maxVertexAttributes", &WGPULimits::maxVertexAttributes, 16},
    {"maxVertexBufferArrayStride", &WGPULimits::maxVertexBufferArrayStride, 2048},
    {"maxInterStageShaderVariables", &WGPULimits::maxInterStageShaderVariables, 16},
    {"maxColorAttachments", &WGPULimits::maxColorAttachments, 8},
    {"maxColorAttachmentBytesPerSample", &WGPULimits::maxColorAttachmentBytesPerSample, 32},
    {"maxComputeWorkgroupStorageSize", &WGPULimits::maxComputeWorkgroupStorageSize, 16384},
    {"maxComputeInvocationsPerWorkgroup", &WGPULimits::maxComputeInvocationsPerWorkgroup, 256},
    {"maxComputeWorkgroupSizeX", &WGPULimits::maxComputeWorkgroupSizeX, 256},
    {"maxComputeWorkgroupSizeY", &WGPULimits::maxComputeWorkgroupSizeY, 256},
    {"maxComputeWorkgroupSizeZ", &WGPULimits::maxComputeWorkgroupSizeZ, 64},
    {"maxComputeWorkgroupsPerDimension", &WGPULimits::maxComputeWorkgroupsPerDimension, 65535},
    {"maxImmediateSize", &WGPULimits::maxImmediateSize, 64},
});

constexpr std::uint32_t most_bind_groups = 8;
constexpr std::uint32_t most_immediate_bytes = 256;

std::uint32_t narrow(std::uint64_t value) {
    // The largest number of the type means that none is given.
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(value, UINT32_MAX - 1));
}

struct NamedFeature {
    WGPUFeatureName value;
    std::string_view name;
};
constexpr std::array feature_names{
    NamedFeature{WGPUFeatureName_CoreFeaturesAndLimits, "core-features-and-limits"},
    NamedFeature{WGPUFeatureName_DepthClipControl, "depth-clip-control"},
    NamedFeature{WGPUFeatureName_Depth32FloatStencil8, "depth32float-stencil8"},
    NamedFeature{WGPUFeatureName_TextureCompressionBC, "texture-compression-bc"},
    NamedFeature{WGPUFeatureName_TextureCompressionETC2, "texture-compression-etc2"},
    NamedFeature{WGPUFeatureName_TextureCompressionASTC, "texture-compression-astc"},
    NamedFeature{WGPUFeatureName_TimestampQuery, "timestamp-query"},
    NamedFeature{WGPUFeatureName_IndirectFirstInstance, "indirect-first-instance"},
    NamedFeature{WGPUFeatureName_ShaderF16, "shader-f16"},
    NamedFeature{WGPUFeatureName_RG11B10UfloatRenderable, "rg11b10ufloat-renderable"},
    NamedFeature{WGPUFeatureName_BGRA8UnormStorage, "bgra8unorm-storage"},
    NamedFeature{WGPUFeatureName_Float32Filterable, "float32-filterable"},
    NamedFeature{WGPUFeatureName_Float32Blendable, "float32-blendable"},
    NamedFeature{WGPUFeatureName_ClipDistances, "clip-distances"},
    NamedFeature{WGPUFeatureName_DualSourceBlending, "dual-source-blending"},
    NamedFeature{WGPUFeatureName_Subgroups, "subgroups"},
    NamedFeature{dawn_implicit_synchronization, "Dawn's implicit-device-synchronization"},
    NamedFeature{dawn_timestamps_inside_passes, "Dawn's timestamp-query-inside-passes"},
    NamedFeature{native_f64, "wgpu-native's shader-f64"},
    NamedFeature{native_i64, "wgpu-native's shader-int64"},
    NamedFeature{native_immediates, "wgpu-native's immediates"},
    NamedFeature{native_subgroups, "wgpu-native's subgroup"},
    NamedFeature{native_timestamps_inside_encoders, "wgpu-native's timestamp-query-inside-encoders"},
    NamedFeature{native_timestamps_inside_passes, "wgpu-native's timestamp-query-inside-passes"},
};

}  // namespace

std::span<const Limit> all_limits() { return rows; }

std::uint64_t Limit::of(const WGPULimits& limits) const {
    return std::visit([&](auto at) -> std::uint64_t { return limits.*at; }, member);
}

void Limit::set(WGPULimits& limits, std::uint64_t value) const {
    if (const auto* narrow_member = std::get_if<std::uint32_t WGPULimits::*>(&member))
        limits.*(*narrow_member) = static_cast<std::uint32_t>(value);
    else
        limits.*std::get<std::uint64_t WGPULimits::*>(member) = value;
}

bool Limit::is_undefined_in(const WGPULimits& limits) const {
    return of(limits) == (std::holds_alternative<std::uint32_t WGPULimits::*>(member)
                              ? WGPU_LIMIT_U32_UNDEFINED
                              : WGPU_LIMIT_U64_UNDEFINED);
}

WGPULimits limits_of(const DeviceInfo& device) {
    WGPULimits made{};
    for (const Limit& row : rows) row.set(made, row.standard);
    const DeviceLimits& own = device.limits;
    made.maxBindGroups = most_bind_groups;
    made.maxBindGroupsPlusVertexBuffers = most_bind_groups + made.maxVertexBuffers;
    made.maxStorageBuffersPerShaderStage = narrow(own.max_storage_bindings);
    made.maxUniformBuffersPerShaderStage = narrow(own.max_uniform_bindings);
    made.maxDynamicStorageBuffersPerPipelineLayout = made.maxStorageBuffersPerShaderStage;
    made.maxDynamicUniformBuffersPerPipelineLayout = made.maxUniformBuffersPerShaderStage;
    // Storage bindings are whole words.
    made.maxStorageBufferBindingSize = std::min(own.max_storage_binding_bytes, UINT64_MAX - 1) / 4 * 4;
    made.maxUniformBufferBindingSize = std::min(own.max_uniform_binding_bytes, UINT64_MAX - 1);
    made.maxBufferSize =
        std::max({device.memory_bytes, made.maxStorageBufferBindingSize, made.maxBufferSize});
    made.maxComputeWorkgroupStorageSize = narrow(own.max_workgroup_bytes);
    made.maxComputeInvocationsPerWorkgroup = own.max_workgroup_invocations;
    made.maxComputeWorkgroupSizeX = own.max_workgroup_size.x;
    made.maxComputeWorkgroupSizeY = own.max_workgroup_size.y;
    made.maxComputeWorkgroupSizeZ = own.max_workgroup_size.z;
    // The driver folds larger grids than the device takes, as long as an invocation's id fits 32 bits.
    const std::uint32_t widest = std::max(
        {own.max_workgroup_size.x, own.max_workgroup_size.y, own.max_workgroup_size.z, std::uint32_t{1}});
    made.maxComputeWorkgroupsPerDimension =
        std::max(made.maxComputeWorkgroupsPerDimension, UINT32_MAX / widest);
    made.maxImmediateSize = most_immediate_bytes;
    return made;
}

Result<WGPULimits> granted(const WGPULimits& supported, const WGPULimits* required) {
    WGPULimits made{};
    for (const Limit& row : rows) {
        const std::uint64_t best = row.of(supported);
        const auto better = [&](std::uint64_t a, std::uint64_t b) {
            return row.is_alignment ? std::min(a, b) : std::max(a, b);
        };
        const bool is_less_than_standard = better(best, row.standard) != best;
        row.set(made, is_less_than_standard ? best : row.standard);
        if (required == nullptr || row.is_undefined_in(*required)) continue;
        const std::uint64_t asked = row.of(*required);
        if (row.is_alignment && (asked == 0 || (asked & (asked - 1)) != 0))
            return fail(ErrorCode::invalid_argument,
                        fmt::format("The required {} is {}, which isn't a power of two.", row.name, asked),
                        fmt::format("ask for {}", best));
        if (asked != best && better(asked, best) == asked)
            return fail(ErrorCode::limit_exceeded,
                        fmt::format("The required {} is {}; the adapter's is {}.", row.name, asked, best),
                        fmt::format("ask for at {} {}, or for another adapter",
                                    row.is_alignment ? "least" : "most", best));
        row.set(made, better(asked, row.of(made)));
    }
    return made;
}

std::vector<FeatureRow> features_of(const DeviceInfo& device) {
    std::vector<FeatureRow> made;
    const auto add = [&](WGPUFeatureName feature) {
        made.push_back({feature, std::ranges::find(feature_names, feature, &NamedFeature::value)->name});
    };
    add(WGPUFeatureName_CoreFeaturesAndLimits);
    add(WGPUFeatureName_TimestampQuery);
    if (contains(device.scalars, Scalar::f16)) add(WGPUFeatureName_ShaderF16);
    if (device.subgroup_sizes.most > 0) add(WGPUFeatureName_Subgroups);
    add(dawn_implicit_synchronization);
    add(dawn_timestamps_inside_passes);
    add(native_immediates);
    if (contains(device.scalars, Scalar::f64)) add(native_f64);
    if (contains(device.scalars, Scalar::i64)) add(native_i64);
    if (device.subgroup_sizes.most > 0) add(native_subgroups);
    add(native_timestamps_inside_encoders);
    add(native_timestamps_inside_passes);
    return made;
}

std::string name_of(WGPUFeatureName feature) {
    const auto found = std::ranges::find(feature_names, feature, &NamedFeature::value);
    return found != feature_names.end() ? std::string(found->name)
                                        : fmt::format("0x{:08x}", static_cast<std::uint32_t>(feature));
}

}  // namespace muster::webgpu
