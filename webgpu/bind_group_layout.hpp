// bind_group_layout.hpp - bind group layouts, and pipeline layouts, which list them.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include <muster/foundation/wgsl/wgsl.hpp>
#include <muster/webgpu/device.hpp>

namespace muster::webgpu {

struct LayoutEntry {
    std::uint32_t binding = 0;
    WGPUShaderStage visibility = WGPUShaderStage_None;
    WGPUBufferBindingType type = WGPUBufferBindingType_Uniform;  // one of the three
    bool has_dynamic_offset = false;
    std::uint64_t min_bytes = 0;
    bool operator==(const LayoutEntry&) const = default;
    bool is_uniform() const { return type == WGPUBufferBindingType_Uniform; }
};

/// The entries of a layout by binding, and a number of the pipeline that the layout was made for, or 0.
/// Layouts are group-equivalent if both are equal; a device has one object for equal ones.
struct BindGroupEntries {
    std::vector<LayoutEntry> entries;
    std::uint64_t exclusive_pipeline = 0;
    bool operator==(const BindGroupEntries&) const = default;
    std::size_t dynamic_offsets() const;
};

}  // namespace muster::webgpu

struct WGPUBindGroupLayoutImpl final : muster::webgpu::DeviceObject {
    WGPUBindGroupLayoutImpl(muster::webgpu::Ref<muster::webgpu::GpuDevice> device, std::string label,
                            bool is_valid, std::shared_ptr<const muster::webgpu::BindGroupEntries> entries)
        : DeviceObject(muster::webgpu::Kind::bind_group_layout, std::move(device), std::move(label),
                       is_valid),
          entries(std::move(entries)) {}
    const std::shared_ptr<const muster::webgpu::BindGroupEntries> entries;  // of an invalid one: none
};

struct WGPUPipelineLayoutImpl final : muster::webgpu::DeviceObject {
    using Groups = std::vector<std::shared_ptr<const muster::webgpu::BindGroupEntries>>;
    WGPUPipelineLayoutImpl(muster::webgpu::Ref<muster::webgpu::GpuDevice> device, std::string label,
                           bool is_valid, Groups groups, std::uint32_t immediate_bytes)
        : DeviceObject(muster::webgpu::Kind::pipeline_layout, std::move(device), std::move(label), is_valid),
          groups(std::move(groups)),
          immediate_bytes(immediate_bytes) {}
    const Groups groups;
    const std::uint32_t immediate_bytes;
};

namespace muster::webgpu {

using BindGroupLayout = ::WGPUBindGroupLayoutImpl;
using PipelineLayout = ::WGPUPipelineLayoutImpl;

/// Checks the buffers of all groups together against the device's limits. Errors: limit_exceeded.
Result<void> check_counts(const GpuDevice& device,
                          std::span<const std::shared_ptr<const BindGroupEntries>> groups);
/// The layout that an entry point's resources ask for. Errors: limit_exceeded.
Result<Ref<PipelineLayout>> automatic_layout(GpuDevice& device, const wgsl::EntryInterface& entry);

}  // namespace muster::webgpu
