#include <utility>

#include <fmt/format.h>

#include <muster/backend-cuda/device/device.hpp>

namespace muster::cuda {
namespace {

/// The error for a context that is lost as soon as it is made: after a failing kernel in this process, CUDA
/// can stay unusable even when the context is reset.
Error beyond_repair(Error error) {
    error.code = ErrorCode::unavailable;
    error.fix =
        "restart the process: a kernel has failed in it, and resetting CUDA's context doesn't help here";
    return error;
}

}  // namespace

Result<std::unique_ptr<CudaDevice>> CudaDevice::open(std::shared_ptr<Instance> instance,
                                                     const PhysicalDevice& physical,
                                                     const CudaOptions& options) {
    // Keeps the first context alive, so that the second attempt finds it lost and resets it.
    std::shared_ptr<Context> context;
    const auto attempt = [&]() -> Result<std::unique_ptr<CudaDevice>> {
        context = TRY(instance->context(physical.handle, physical.memory_pools));
        std::unique_ptr<CudaDevice> device(new CudaDevice(instance, context, physical, options.compiler));
        device->transfer_ = TRY(Transfer::create(*context));
        device->queue_ = TRY(Queue::create(*context, *device->transfer_, options.timestamps));
        return device;
    };
    auto opened = attempt();
    if (!opened && opened.error().code == ErrorCode::device_lost) opened = attempt();
    if (!opened && opened.error().code == ErrorCode::device_lost)
        return std::unexpected(beyond_repair(std::move(opened).error()));
    return opened;
}

Result<Artifact> CudaDevice::compile(const ValidProgram& program, const CompileOptions& options) {
    return compiler_(program, options, info_.arch, instance_->version());
}

Result<std::unique_ptr<Executable>> CudaDevice::load(const Artifact& artifact) {
    return load_module(*context_, *transfer_,
                       {instance_->version(), info_.limits.max_workgroup_bytes, multiprocessors_}, artifact);
}

Result<std::unique_ptr<Memory>> CudaDevice::allocate(std::uint64_t bytes) {
    auto memory = TRY(DeviceMemory::allocate(*transfer_, bytes));
    TRY(transfer_->zero(memory->address(), bytes));
    return memory;
}

}  // namespace muster::cuda
