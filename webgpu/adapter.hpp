// adapter.hpp - adapters: candidates of muster's routing, a backend with one of its devices.
//
// An adapter is chosen as a program would be routed: MUSTER_BACKEND, MUSTER_EXCLUDE and the process's policy
// hold. Its description has the reasons.
#pragma once

#include <string>
#include <vector>

#include <muster/driver/contract/device_info.hpp>
#include <muster/driver/session/session.hpp>
#include <muster/webgpu/instance.hpp>
#include <muster/webgpu/limits.hpp>

namespace muster::webgpu {

struct Chosen {
    std::string backend;
    DeviceInfo device;
    std::string reasons;  // a line for each candidate
};

/// The standard's type of a backend, by which adapters are told apart; muster's other
/// backends have none of its types.
WGPUBackendType backend_type(std::string_view backend);

/// The adapter that the options ask for. Errors: refused, with each candidate's
/// reason; those of Session::open.
Result<Chosen> choose_adapter(const WGPURequestAdapterOptions* options);
/// Every candidate that the policy allows, the best first.
Result<std::vector<Chosen>> all_adapters();
/// The adapters for a program that asks for a backend type, the best first. Programs ask for Vulkan because
/// it is what other implementations have on Linux, so unless MUSTER_WEBGPU_BACKEND_TYPE is strict they are
/// given what a list of backends names, whatever its type, and without a list the other devices where no
/// Vulkan device is real. Errors: invalid_argument (the variable).
Result<std::vector<Chosen>> adapters_of(WGPUBackendType type);

}  // namespace muster::webgpu

struct WGPUAdapterImpl final : muster::webgpu::Object {
    WGPUAdapterImpl(muster::webgpu::Ref<muster::webgpu::Instance> instance, muster::webgpu::Chosen chosen)
        : Object(muster::webgpu::Kind::adapter, chosen.device.name),
          instance(std::move(instance)),
          chosen(std::move(chosen)),
          limits(muster::webgpu::limits_of(this->chosen.device)),
          features(muster::webgpu::features_of(this->chosen.device)) {}

    const muster::webgpu::Ref<muster::webgpu::Instance> instance;
    const muster::webgpu::Chosen chosen;
    const WGPULimits limits;
    const std::vector<muster::webgpu::FeatureRow> features;

    bool has(WGPUFeatureName feature) const;
    std::string id() const { return muster::device_id(chosen.backend, chosen.device); }
};

namespace muster::webgpu {

using Adapter = ::WGPUAdapterImpl;

/// Fills in what wgpuAdapterInfoFreeMembers frees. Errors: invalid_argument (the chain).
Result<void> fill(WGPUAdapterInfo& info, const Adapter& adapter);
Result<void> fill(WGPULimits& limits, const WGPULimits& from);
void fill(WGPUSupportedFeatures& features, std::span<const WGPUFeatureName> from);

}  // namespace muster::webgpu
