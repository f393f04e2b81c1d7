#include <fmt/format.h>

#include <muster/backend-opencl/device/device.hpp>

namespace muster::opencl {

Result<std::unique_ptr<Device>> OpenClDevice::open(const PhysicalDevice& physical) {
    std::unique_ptr<OpenClDevice> device(new OpenClDevice(physical));
    TRY(make("clCreateContext", device->context_, [&](cl_int* code) {
        return physical.api->clCreateContext(nullptr, 1, &physical.handle, nullptr, nullptr, code);
    }));
    device->queue_ = TRY(Queue::create(*device->physical_.api, device->context_.get(), physical.handle));
    return device;
}

Result<Artifact> OpenClDevice::compile(const ValidProgram& program, const CompileOptions& options) {
    Artifact artifact =
        artifact_of(program, "opencl:" + info().arch, {.options = options, .dispatched = true});
    artifact.in_process = TRY(builder().from_text(text_of(artifact), options));
    return artifact;
}

Result<std::unique_ptr<Executable>> OpenClDevice::load(const Artifact& artifact) {
    return load_kernel(builder(), artifact);
}

Result<std::unique_ptr<Memory>> OpenClDevice::allocate(std::uint64_t bytes) {
    const std::uint64_t rounded = round_up(bytes, 4);
    if (bytes > physical_.max_allocation_bytes)
        return fail(ErrorCode::limit_exceeded,
                    fmt::format("A buffer of {} bytes is larger than the {} that {} allocates at once.",
                                bytes, physical_.max_allocation_bytes, info().name),
                    "use several smaller buffers");
    UniqueBuffer buffer(*physical_.api);
    TRY(make("clCreateBuffer", buffer, [&](cl_int* code) {
        return physical_.api->clCreateBuffer(context_.get(), CL_MEM_READ_WRITE, rounded, nullptr, code);
    }));
    TRY(queue_->zero(buffer.get(), rounded));
    return std::make_unique<DeviceMemory>(std::move(buffer), bytes);
}

}  // namespace muster::opencl
