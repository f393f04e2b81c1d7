// bind_group.hpp - bind groups: buffers for the bindings of a layout.
#pragma once

#include <memory>
#include <vector>

#include <muster/webgpu/bind_group_layout.hpp>
#include <muster/webgpu/buffer.hpp>

namespace muster::webgpu {

/// A buffer at one entry of the layout.
struct BoundBuffer {
    Ref<GpuBuffer> buffer;
    std::uint64_t offset = 0, bytes = 0;
};

}  // namespace muster::webgpu

struct WGPUBindGroupImpl final : muster::webgpu::DeviceObject {
    WGPUBindGroupImpl(muster::webgpu::Ref<muster::webgpu::GpuDevice> device, std::string label, bool is_valid,
                      std::shared_ptr<const muster::webgpu::BindGroupEntries> layout,
                      std::vector<muster::webgpu::BoundBuffer> buffers)
        : DeviceObject(muster::webgpu::Kind::bind_group, std::move(device), std::move(label), is_valid),
          layout(std::move(layout)),
          buffers(std::move(buffers)) {}
    const std::shared_ptr<const muster::webgpu::BindGroupEntries> layout;
    const std::vector<muster::webgpu::BoundBuffer> buffers;  // in the order of the layout's entries
};

namespace muster::webgpu {
using BindGroup = ::WGPUBindGroupImpl;
}
