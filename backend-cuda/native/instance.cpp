#include <string>

#include <fmt/format.h>

#include <muster/backend-cuda/native/instance.hpp>
#include <muster/driver/platform/environment_variable.hpp>
#include <muster/driver/support/once.hpp>
#include <muster/foundation/base/printable.hpp>

namespace muster::cuda {
namespace {

/// No device was found; CUDA_VISIBLE_DEVICES, which hides devices from a process, may be the reason.
Error no_device() {
    const auto visible = platform::environment_variable("CUDA_VISIBLE_DEVICES");
    if (!visible)
        return {
            ErrorCode::not_found,
            "NVIDIA's driver is there and finds no device.",
            "use a machine with an NVIDIA device, or emit code for one: muster emit PROGRAM --backend cuda",
            {}};
    return {
        ErrorCode::not_found,
        fmt::format("NVIDIA's driver shows no device: CUDA_VISIBLE_DEVICES is \"{}\".", printable(*visible)),
        "unset CUDA_VISIBLE_DEVICES, or name devices that there are (nvidia-smi -L lists them)",
        {}};
}

}  // namespace

std::string version_text(int version) { return fmt::format("{}.{}", version / 1000, version % 1000 / 10); }

Result<std::shared_ptr<Instance>> Instance::create(const DriverTable& table) {
    CUresult result = CUDA_SUCCESS;
    auto initialised = check("cuInit", [&] { return result = table.cuInit(0); });
    if (result == CUDA_ERROR_NO_DEVICE) return std::unexpected(no_device());
    TRY(std::move(initialised));
    int version = 0, devices = 0;
    TRY(check("cuDriverGetVersion", [&] { return table.cuDriverGetVersion(&version); }));
    if (version < oldest_version)
        return fail(ErrorCode::unavailable,
                    fmt::format("NVIDIA's driver is for CUDA {}, older than the {} that is needed.",
                                version_text(version), version_text(oldest_version)),
                    "install a newer driver, 525 or later");
    TRY(check("cuDeviceGetCount", [&] { return table.cuDeviceGetCount(&devices); }));
    if (devices == 0) return std::unexpected(no_device());
    return std::shared_ptr<Instance>(new Instance(table, version));
}

Result<std::shared_ptr<Instance>> Instance::process() {
    static const ForkMark first_used;
    if (first_used.is_from_parent()) return std::unexpected(in_use_before_fork("NVIDIA's driver"));
    static auto* const shared =
        new SharedOnce<Instance>;  // never destroyed: devices may be in use until the process ends
    return shared->get([]() -> Result<std::shared_ptr<Instance>> { return create(TRY(open_libcuda())); });
}

std::shared_ptr<Context> Instance::context_in_use(CUdevice device) {
    const std::lock_guard lock(mutex_);
    const auto found = contexts_.find(device);
    return found != contexts_.end() ? found->second.lock() : nullptr;
}

Result<std::shared_ptr<Context>> Instance::context(CUdevice device, bool pooled) {
    const std::lock_guard lock(mutex_);
    std::weak_ptr<Context>& known = contexts_[device];
    if (auto context = known.lock()) {
        if (!context->lost()) return context;
        TRY(context->reset());
    }
    auto context = Context::retain(table_, device, pooled);
    if (!context && context.error().code == ErrorCode::device_lost) {  // lost by another user's kernel
        (void)table_.cuDevicePrimaryCtxReset(device);
        context = Context::retain(table_, device, pooled);
    }
    if (context) known = *context;
    return context;
}

}  // namespace muster::cuda
