// compute_pipeline.hpp - compute pipelines: an entry point compiled for the device, with
// the layout of its bindings.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <muster/driver/session/session.hpp>
#include <muster/webgpu/bind_group_layout.hpp>
#include <muster/webgpu/shader_module.hpp>

namespace muster::webgpu {

/// A binding of the kernel, and where its argument comes from.
struct KernelBinding {
    GroupBinding where;
    bool is_immediate = false;
    std::uint32_t group = 0, entry = 0;  // the entry's place in the group's layout
};
/// A binding whose size is checked at each dispatch, because its layout gives no least one.
struct NeededSize {
    std::uint32_t group = 0, entry = 0;
    std::uint64_t bytes = 0;
    std::string variable = {};
};

/// A pipeline that is checked, and not yet compiled.
struct PlannedPipeline {
    Ref<PipelineLayout> layout;
    ValidProgram program;
    std::vector<KernelBinding> bindings = {};
    std::vector<NeededSize> needed = {};
    std::uint32_t immediate_bytes = 0;  // of the entry point's variable
};

}  // namespace muster::webgpu

struct WGPUComputePipelineImpl final : muster::webgpu::DeviceObject {
    WGPUComputePipelineImpl(muster::webgpu::Ref<muster::webgpu::GpuDevice> device, std::string label,
                            std::optional<muster::webgpu::PlannedPipeline> plan,
                            std::optional<muster::Kernel> kernel)
        : DeviceObject(muster::webgpu::Kind::compute_pipeline, std::move(device), std::move(label),
                       plan.has_value()),
          plan(std::move(plan)),
          kernel(std::move(kernel)) {}
    const std::optional<muster::webgpu::PlannedPipeline> plan;  // none of an invalid one
    const std::optional<muster::Kernel> kernel;                 // none of an invalid one, or of a lost device
};

namespace muster::webgpu {
using ComputePipeline = ::WGPUComputePipelineImpl;
}
