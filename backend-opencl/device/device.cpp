#include <cstring>

#include <muster/backend-opencl/device/device.hpp>
#include <muster/backend-opencl/device/memory.hpp>

namespace muster::opencl {

Result<std::unique_ptr<Device>> OpenClDevice::open(const PhysicalDevice& physical) {
    std::unique_ptr<OpenClDevice> device(new OpenClDevice(physical));
    TRY(make(device->context_, device->api_.clCreateContext, nullptr, 1u, &physical.handle, nullptr,
             nullptr));
    TRY(device->open_queue(device->launches_));
    TRY(device->open_queue(device->copies_));
    return device;
}

Result<void> OpenClDevice::open_queue(UniqueQueue& queue) const {
    return make(queue, api_.clCreateCommandQueue, context_.get(), physical_.handle,
                cl_command_queue_properties{CL_QUEUE_PROFILING_ENABLE});
}

OpenClDevice::~OpenClDevice() {
    if (launches_.get() && !is_lost_) (void)api_.clFinish.pointer(launches_.get());
}

Result<Artifact> OpenClDevice::compile(const ValidProgram& program, const CompileOptions& options) {
    Artifact artifact =
        TRY(artifact_of(program, "opencl:" + info().arch, {.options = options, .dispatched = true}));
    artifact.in_process = TRY(builder().from_text(artifact.text(), options));
    return artifact;
}

Result<std::unique_ptr<Executable>> OpenClDevice::load(const Artifact& artifact) {
    return load_kernel(builder(), artifact);
}

Result<std::unique_ptr<Memory>> OpenClDevice::allocate(std::uint64_t bytes) {
    const std::uint64_t rounded = round_up(bytes, 4);
    if (bytes > physical_.max_allocation_bytes)
        return too_large_buffer(info().name, bytes, physical_.max_allocation_bytes);
    UniqueBuffer buffer(api_);
    TRY(make(buffer, api_.clCreateBuffer, context_.get(), cl_mem_flags{CL_MEM_READ_WRITE}, rounded, nullptr));
    TRY(zero(buffer.get(), rounded));
    return std::make_unique<DeviceMemory>(std::move(buffer), bytes);
}

Result<void> OpenClDevice::zero(cl_mem buffer, std::uint64_t bytes) {
    constexpr cl_uint nothing = 0;
    const std::lock_guard lock(mutex_);
    UniqueEvent zeroed(api_);
    TRY(api_.clEnqueueFillBuffer(copies_.get(), buffer, &nothing, sizeof nothing, 0, bytes, 0, nullptr,
                                 zeroed.out()));
    zeroed_ = std::move(zeroed);
    (void)api_.clFlush.pointer(copies_.get());
    return {};
}

Result<std::unique_ptr<Memory>> OpenClDevice::wrap(std::span<std::byte> host) {
    if (!physical_.can_wrap(host)) return nullptr;
    UniqueBuffer buffer(api_);
    auto made = make(buffer, api_.clCreateBuffer, context_.get(),
                     cl_mem_flags{CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR}, host.size(), host.data());
    if (!made) return nullptr;
    auto memory = std::make_unique<DeviceMemory>(std::move(buffer), host.size(), api_, copies_.get());
    UniqueEvent mapped(api_);
    if (!map(*memory, copies_.get(), CL_TRUE, mapped)) return nullptr;
    return memory;
}

Result<void> OpenClDevice::map(DeviceMemory& memory, cl_command_queue queue, cl_bool waits,
                               UniqueEvent& end) const {
    constexpr std::size_t begin = 0;
    return make(memory.mapped(), api_.clEnqueueMapBuffer, queue, memory.buffer(), waits,
                cl_map_flags{CL_MAP_READ | CL_MAP_WRITE}, begin, memory.bytes(), 0u, nullptr, end.out());
}

Result<void> OpenClDevice::write(Memory& memory, std::uint64_t offset, std::span<const std::byte> from) {
    const DeviceMemory& to = of_device(memory);
    if (to.host() != nullptr) {
        std::memcpy(to.host() + offset, from.data(), from.size());
        return {};
    }
    return api_.clEnqueueWriteBuffer(copies_.get(), to.buffer(), CL_TRUE, offset, from.size(), from.data(), 0,
                                     nullptr, nullptr);
}

Result<void> OpenClDevice::read(const Memory& memory, std::uint64_t offset, std::span<std::byte> to) {
    const DeviceMemory& from = of_device(memory);
    if (from.host() != nullptr) {
        std::memcpy(to.data(), from.host() + offset, to.size());
        return {};
    }
    return api_.clEnqueueReadBuffer(copies_.get(), from.buffer(), CL_TRUE, offset, to.size(), to.data(), 0,
                                    nullptr, nullptr);
}

}  // namespace muster::opencl
