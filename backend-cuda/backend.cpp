#include <algorithm>

#include <muster/backend-cuda/backend.hpp>
#include <muster/backend-cuda/compile/compile.hpp>
#include <muster/backend-cuda/compile/emit.hpp>
#include <muster/backend-cuda/device/device.hpp>
#include <muster/backend-cuda/lowering/arch.hpp>
#include <muster/driver/contract/refusals.hpp>
#include <muster/foundation/base/try.hpp>

namespace muster::cuda {

/// The probe's result: the driver and its devices.
struct CudaBackend::Found {
    std::shared_ptr<Instance> instance;
    std::vector<PhysicalDevice> devices;
};

CudaBackend::CudaBackend(CudaOptions options) : options_(std::move(options)) {
    if (!options_.instance) options_.instance = Instance::process;
    if (!options_.compiler) {
        options_.compiler = compile_for_device;
        options_.missing_compiler = [] { return Nvrtc::missing(); };
    }
}

Result<std::shared_ptr<const CudaBackend::Found>> CudaBackend::found() {
    return found_.get([&]() -> Result<std::shared_ptr<const Found>> {
        auto found = std::make_shared<Found>();
        found->instance = TRY(options_.instance());
        found->devices = TRY(physical_devices(*found->instance));
        if (options_.missing_compiler && !found->devices.empty()) {
            const std::optional<Missing> missing = options_.missing_compiler();
            for (PhysicalDevice& device : found->devices) device.info.no_compiler = missing;
        }
        if (!options_.cooperative)
            for (PhysicalDevice& device : found->devices) device.info.ops.extensions.clear();
        return found;
    });
}

Result<std::vector<DeviceInfo>> CudaBackend::probe() {
    std::vector<DeviceInfo> infos;
    for (const PhysicalDevice& device : TRY(found())->devices) infos.push_back(device.info);
    return infos;
}

Result<std::unique_ptr<Device>> CudaBackend::open(std::uint32_t ordinal) {
    const auto found = TRY(this->found());
    for (const PhysicalDevice& device : found->devices)
        if (device.info.ordinal == ordinal) return CudaDevice::open(found->instance, device, options_);
    return no_such_device("CUDA", ordinal, found->devices.size());
}

std::string CudaBackend::default_arch() const { return default_target(); }
std::span<const std::string> CudaBackend::formats() const { return emission_formats(); }
std::span<const SpecInfo> CudaBackend::specs() const { return emission_specs(); }

Result<Target> CudaBackend::describe(std::string_view arch) {
    Target target = TRY(describe_target(arch));
    target.backend = options_.id;
    return target;
}

Result<Artifact> CudaBackend::emit(const ValidProgram& program, const Target& target,
                                   const EmitRequest& request) {
    return emit_kernel(program, target, request);
}

// A cubin runs on later devices of its major version, PTX on every later one.
std::string CudaBackend::objection(const Artifact& code, const DeviceInfo& device) const {
    const std::string_view target = code.target;
    const auto needed = number_of(target.substr(std::min(target.size(), target.find(':') + 1)));
    const auto there = number_of(device.arch);
    const bool runs =
        needed && there && *needed <= *there && (code.format == "ptx" || *needed / 10 == *there / 10);
    return runs ? std::string() : Backend::objection(code, device);
}

// CUDA tells it in a context, which takes long to make, and memory: only that of a device in use is asked.
std::optional<std::uint64_t> CudaBackend::free_memory(std::uint32_t ordinal) {
    const auto found = this->found();
    if (!found) return std::nullopt;
    for (const PhysicalDevice& device : (*found)->devices)
        if (device.info.ordinal == ordinal)
            if (const auto context = (*found)->instance->context_in_use(device.handle))
                return context->free_memory();
    return std::nullopt;
}

Result<std::string> CudaBackend::disassemble(const Artifact& code) const {
    if (code.format != "cubin") return Backend::disassemble(code);
    return fail(ErrorCode::unsupported,
                "A cubin holds NVIDIA's own instructions, which muster has no disassembler for.",
                "store PTX instead (muster emit --format ptx), or write the cubin to a file (-o FILE.cubin) "
                "for nvdisasm, of the "
                "CUDA Toolkit");
}

}  // namespace muster::cuda
