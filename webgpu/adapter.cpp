#include <algorithm>
#include <array>
#include <cstring>
#include <functional>

#include <fmt/format.h>

#include <muster/driver/policy/environment.hpp>
#include <muster/driver/policy/log.hpp>
#include <muster/driver/routing/candidate.hpp>
#include <muster/foundation/base/try.hpp>
#include <muster/foundation/validate/validate.hpp>
#include <muster/foundation/wgsl/wgsl.hpp>
#include <muster/webgpu/adapter.hpp>
#include <muster/webgpu/chain.hpp>

namespace muster::webgpu {
namespace {

/// A program that every device runs, to route as a program of the user's would be.
Result<ValidProgram> plain_program() {
    return validate(TRY(wgsl::parse("@compute @workgroup_size(1) fn adapter() {}")));
}

std::string reasons_of(const Route& route) {
    std::string text = route.explain();
    while (!text.empty() && text.back() == '\n') text.pop_back();
    return text;
}

Result<Chosen> routed(const Policy& policy) {
    Session session = TRY(Session::open({.policy = policy}));
    const Route route = session.route(TRY(plain_program()));
    if (const Execute* where = route.execute())
        return Chosen{where->backend, where->device, reasons_of(route)};
    return fail(ErrorCode::refused, route.explain(),
                "allow a backend that can run programs (MUSTER_BACKEND)");
}

bool is_fallback(const DeviceInfo& device) {
    return device.kind == DeviceKind::cpu || device.software_emulated;
}

/// The device as the user's policy would have it, of one that is named.
Result<Chosen> pinned_to(const Candidate& candidate) { return routed({.choice = Pinned{candidate.id()}}); }

std::string_view shown(WGPUBackendType type) {
    switch (type) {
        case WGPUBackendType_Undefined: return "undefined";
        case WGPUBackendType_Null: return "Null";
        case WGPUBackendType_WebGPU: return "WebGPU";
        case WGPUBackendType_D3D11: return "D3D11";
        case WGPUBackendType_D3D12: return "D3D12";
        case WGPUBackendType_Metal: return "Metal";
        case WGPUBackendType_Vulkan: return "Vulkan";
        case WGPUBackendType_OpenGL: return "OpenGL";
        case WGPUBackendType_OpenGLES: return "OpenGLES";
        case WGPUBackendType_Force32: break;
    }
    return "unknown";
}

struct Vendor {
    std::string_view begin;  // of a device's name
    std::string_view name;   // the standard's form
    std::uint32_t pci_id;
};
constexpr std::array vendors{
    Vendor{"NVIDIA", "nvidia", 0x10de},     Vendor{"AMD", "amd", 0x1002},
    Vendor{"Intel", "intel", 0x8086},       Vendor{"llvmpipe", "mesa", 0x10005},
    Vendor{"Qualcomm", "qualcomm", 0x5143}, Vendor{"Apple", "apple", 0x106b},
};

const char* copied(std::string_view text) {
    char* made = new char[text.size() + 1];
    std::memcpy(made, text.data(), text.size());
    made[text.size()] = 0;
    return made;
}

WGPUAdapterType type_of(const DeviceInfo& device) {
    if (is_fallback(device)) return WGPUAdapterType_CPU;
    switch (device.kind) {
        case DeviceKind::discrete_gpu: return WGPUAdapterType_DiscreteGPU;
        case DeviceKind::integrated_gpu: return WGPUAdapterType_IntegratedGPU;
        case DeviceKind::cpu: return WGPUAdapterType_CPU;
        case DeviceKind::virtual_gpu:
        case DeviceKind::other: break;
    }
    return WGPUAdapterType_Unknown;
}

}  // namespace

WGPUBackendType backend_type(std::string_view backend) {
    return backend == "vulkan" ? WGPUBackendType_Vulkan : WGPUBackendType_Undefined;
}

Result<std::vector<Chosen>> all_adapters() {
    const Session session = TRY(Session::open());
    const ValidProgram program = TRY(plain_program());
    std::vector<Chosen> found;
    for (const Candidate& candidate : candidates(session.fleet(), session.policy())) {
        if (candidate.device.on_request || !candidate.supports(program)) continue;
        if (auto chosen = pinned_to(candidate)) found.push_back(*std::move(chosen));
    }
    // The one that an unconstrained request gives stands first.
    if (const auto best = routed({}))
        std::ranges::stable_partition(found, [&](const Chosen& each) {
            return each.backend == best->backend && each.device.ordinal == best->device.ordinal;
        });
    return found;
}

Result<std::vector<Chosen>> adapters_of(WGPUBackendType type) {
    std::vector<Chosen> all = TRY(all_adapters());
    const auto has_type = [&](const Chosen& each) { return backend_type(each.backend) == type; };
    const auto is_real = [](const Chosen& each) { return !each.device.software_emulated; };
    if (type == WGPUBackendType_Undefined) return all;
    if (type != WGPUBackendType_Vulkan || TRY(environment_webgpu_strict_type())) {
        std::erase_if(all, std::not_fn(has_type));
        return all;
    }
    const bool are_named = TRY(Session::open()).policy().backends.has_value();
    if (!are_named) {
        const bool has_real =
            std::ranges::any_of(all, [&](const Chosen& each) { return has_type(each) && is_real(each); });
        std::erase_if(all,
                      [&](const Chosen& each) { return !has_type(each) && (has_real || !is_real(each)); });
        std::ranges::stable_partition(all, is_real);
    }
    for (Chosen& each : all)
        if (!has_type(each))
            each.reasons += fmt::format(
                "\nThe program asks for {}, and is given {}: {}. "
                "MUSTER_WEBGPU_BACKEND_TYPE=strict turns this off.",
                shown(type), device_id(each.backend, each.device),
                are_named ? "the list of backends names it (MUSTER_BACKEND)"
                          : "there is no device of that type which isn't emulated");
    return all;
}

Result<Chosen> choose_adapter(const WGPURequestAdapterOptions* options) {
    constexpr std::array chained{WGPUSType_RequestAdapterWebXROptions};
    if (options == nullptr) return routed({});
    TRY(check_chain(options->nextInChain, "WGPURequestAdapterOptions", chained));
    if (options->compatibleSurface != nullptr)
        return fail(ErrorCode::refused,
                    "No adapter presents to a surface: muster computes, and doesn't render.",
                    "leave compatibleSurface null");
    const WGPUBackendType type = options->backendType;
    const bool wants_type = type != WGPUBackendType_Undefined;
    const bool wants_fallback = options->forceFallbackAdapter != 0;
    if (wants_type || wants_fallback) {
        for (Chosen& each : TRY(adapters_of(type)))
            if (!wants_fallback || is_fallback(each.device)) return std::move(each);
        return fail(ErrorCode::refused,
                    !wants_type ? "No adapter is a fallback adapter."
                                : fmt::format("No adapter is of the backend type {}{}.", shown(type),
                                              wants_fallback ? " and a fallback adapter" : ""),
                    "ask for any adapter");
    }
    if (options->powerPreference == WGPUPowerPreference_LowPower)
        if (auto frugal = routed({.kind = DeviceClass::integrated})) return frugal;
    return routed({});
}

Result<void> fill(WGPUAdapterInfo& info, const Adapter& adapter) {
    TRY(check_chain(info.nextInChain, "WGPUAdapterInfo"));
    const DeviceInfo& device = adapter.chosen.device;
    const auto vendor = std::ranges::find_if(
        vendors, [&](const Vendor& each) { return device.name.find(each.begin) != std::string::npos; });
    const bool is_known = vendor != vendors.end();
    const auto set = [](WGPUStringView& view, std::string_view text) { view = {copied(text), text.size()}; };
    set(info.vendor, is_known ? vendor->name : "");
    set(info.architecture, device.arch);
    set(info.device, device.name);
    set(info.description, fmt::format("muster {}{}{}\n{}", adapter.id(), device.driver.empty() ? "" : ", ",
                                      device.driver, adapter.chosen.reasons));
    info.backendType = backend_type(adapter.chosen.backend);
    info.adapterType = type_of(device);
    info.vendorID = device.hardware.vendor.value_or(is_known ? vendor->pci_id : 0);
    info.deviceID = device.hardware.device.value_or(0);
    // The standard's least and most sizes, where there are no subgroups.
    const bool has_subgroups = device.subgroup_sizes.most > 0;
    info.subgroupMinSize = has_subgroups ? device.subgroup_sizes.least : 4;
    info.subgroupMaxSize = has_subgroups ? device.subgroup_sizes.most : 128;
    return {};
}

Result<void> fill(WGPULimits& limits, const WGPULimits& from) {
#ifdef MUSTER_WEBGPU_HAS_WGPU_H
    constexpr std::array chained{WGPUSType_CompatibilityModeLimits,
                                 static_cast<WGPUSType>(WGPUSType_NativeLimits)};
#else
    constexpr std::array chained{WGPUSType_CompatibilityModeLimits};
#endif
    TRY(check_chain(limits.nextInChain, "WGPULimits", chained));
    WGPUChainedStruct* const chain = limits.nextInChain;
    limits = from;
    limits.nextInChain = chain;
    if (auto* compatible =
            find_in_chain<WGPUCompatibilityModeLimits>(chain, WGPUSType_CompatibilityModeLimits)) {
        compatible->maxStorageBuffersInVertexStage = from.maxStorageBuffersPerShaderStage;
        compatible->maxStorageTexturesInVertexStage = from.maxStorageTexturesPerShaderStage;
        compatible->maxStorageBuffersInFragmentStage = from.maxStorageBuffersPerShaderStage;
        compatible->maxStorageTexturesInFragmentStage = from.maxStorageTexturesPerShaderStage;
    }
#ifdef MUSTER_WEBGPU_HAS_WGPU_H
    if (auto* native =
            find_in_chain<WGPUNativeLimits>(chain, static_cast<WGPUSType>(WGPUSType_NativeLimits))) {
        native->maxNonSamplerBindings = from.maxStorageBuffersPerShaderStage;
        native->maxBindingArrayElementsPerShaderStage = 0;
        native->maxBindingArraySamplerElementsPerShaderStage = 0;
        native->maxMultiviewViewCount = 0;
    }
#endif
    return {};
}

void fill(WGPUSupportedFeatures& features, std::span<const WGPUFeatureName> from) {
    auto* made = new WGPUFeatureName[from.size()];
    std::ranges::copy(from, made);
    features = {from.size(), made};
}

}  // namespace muster::webgpu

using namespace muster;
using namespace muster::webgpu;

bool WGPUAdapterImpl::has(WGPUFeatureName feature) const {
    return std::ranges::find(features, feature, &FeatureRow::value) != features.end();
}

WGPUFuture wgpuInstanceRequestAdapter(WGPUInstance instance, WGPURequestAdapterOptions const* options,
                                      WGPURequestAdapterCallbackInfo info) {
    auto chosen = choose_adapter(options);
    return done(
        *instance, info.mode,
        [=, own = Ref<Instance>(instance), chosen = std::move(chosen)](bool is_cancelled) {
            if (info.callback == nullptr) return;
            const auto answer = [&](WGPURequestAdapterStatus status, WGPUAdapter adapter,
                                    std::string_view message) {
                info.callback(status, adapter, view_of(message), info.userdata1, info.userdata2);
            };
            if (is_cancelled)
                return answer(WGPURequestAdapterStatus_CallbackCancelled, nullptr,
                              "The instance was released.");
            if (chosen) return answer(WGPURequestAdapterStatus_Success, new Adapter(own, *chosen), {});
            const bool is_unavailable = chosen.error().code == ErrorCode::refused;
            answer(is_unavailable ? WGPURequestAdapterStatus_Unavailable : WGPURequestAdapterStatus_Error,
                   nullptr, chosen.error().to_string());
        });
}

void wgpuAdapterAddRef(WGPUAdapter adapter) { adapter->add_ref(); }
void wgpuAdapterRelease(WGPUAdapter adapter) { adapter->release(); }

WGPUStatus wgpuAdapterGetInfo(WGPUAdapter adapter, WGPUAdapterInfo* info) {
    if (const auto filled = fill(*info, *adapter); !filled) {
        log_misuse("wgpuAdapterGetInfo", filled.error());
        return WGPUStatus_Error;
    }
    return WGPUStatus_Success;
}

void wgpuAdapterInfoFreeMembers(WGPUAdapterInfo info) {
    for (const WGPUStringView& view : {info.vendor, info.architecture, info.device, info.description})
        delete[] view.data;
}

WGPUStatus wgpuAdapterGetLimits(WGPUAdapter adapter, WGPULimits* limits) {
    if (const auto filled = fill(*limits, adapter->limits); !filled) {
        log_misuse("wgpuAdapterGetLimits", filled.error());
        return WGPUStatus_Error;
    }
    return WGPUStatus_Success;
}

WGPUBool wgpuAdapterHasFeature(WGPUAdapter adapter, WGPUFeatureName feature) { return adapter->has(feature); }

void wgpuAdapterGetFeatures(WGPUAdapter adapter, WGPUSupportedFeatures* features) {
    std::vector<WGPUFeatureName> values;
    for (const FeatureRow& row : adapter->features) values.push_back(row.value);
    fill(*features, values);
}

void wgpuSupportedFeaturesFreeMembers(WGPUSupportedFeatures features) { delete[] features.features; }
