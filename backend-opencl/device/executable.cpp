#include <fmt/format.h>

#include <muster/backend-opencl/device/executable.hpp>

namespace muster::opencl {
namespace {

Result<std::shared_ptr<const Built>> built_of(const Builder& builder, const Artifact& artifact) {
    const auto built = std::static_pointer_cast<const Built>(artifact.in_process);
    if (built && built->context == builder.context) return built;
    if (built)
        if (auto from_binary = builder.from_binary_of(*built, artifact.options)) return from_binary;
    return builder.from_text(artifact.text(), artifact.options);
}

Result<void> check_size(const Builder& builder, const KernelExecutable& executable) {
    std::size_t most = 0;
    TRY(builder.device.api->clGetKernelWorkGroupInfo(executable.kernel.get(), builder.device.handle,
                                                     CL_KERNEL_WORK_GROUP_SIZE, sizeof most, &most, nullptr));
    if (executable.workgroup_size.count() <= most) return {};
    return fail(
        ErrorCode::limit_exceeded,
        fmt::format("The kernel has workgroups of {} invocations, more than the {} that it may have on {}.",
                    executable.workgroup_size.count(), most, builder.device.info.name),
        "use a smaller workgroup, or fewer variables in the kernel");
}

}  // namespace

Result<std::unique_ptr<Executable>> load_kernel(const Builder& builder, const Artifact& artifact) {
    if (artifact.format != "clc") return not_loadable("OpenCL", "OpenCL C", artifact.format);
    auto executable = std::make_unique<KernelExecutable>();
    executable->workgroup_size = launched_size(artifact.workgroup_size, artifact.options);
    executable->built = TRY(built_of(builder, artifact));
    executable->kernel = UniqueKernel(*builder.device.api);
    TRY(make(executable->kernel, builder.device.api->clCreateKernel, executable->built->program.get(),
             artifact.entry.c_str()));
    TRY(check_size(builder, *executable));
    return executable;
}

}  // namespace muster::opencl
