#include <array>
#include <cstring>
#include <string>

#include <fmt/format.h>

#include <muster/backend-cuda/compile/load_data.hpp>
#include <muster/backend-cuda/compile/ptx_version.hpp>
#include <muster/backend-cuda/device/executable.hpp>
#include <muster/backend-cuda/native/instance.hpp>
#include <muster/driver/contract/refusals.hpp>

namespace muster::cuda {
namespace {

template <class T>
void put(const ModuleExecutable& executable, std::uint32_t offset, const T& value) {
    std::memcpy(executable.block.data() + offset, &value, sizeof value);
}

/// Loads the image; `result` gets the driver's code. An error's message includes the log
/// of the driver's compiler.
Result<void> load_image(const Context& context, const void* image, UniqueModule& module, CUresult& result) {
    std::array<char, 4096> log{};
    std::array options{CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    // NOLINTNEXTLINE(performance-no-int-to-ptr): CUDA passes numeric options in pointer-sized slots
    std::array<void*, options.size()> values{log.data(), reinterpret_cast<void*>(log.size() - 1)};
    auto loaded = context.check("cuModuleLoadDataEx", [&] {
        return result = context.table().cuModuleLoadDataEx(module.out(), image, options.size(),
                                                           options.data(), values.data());
    });
    if (!loaded && log[0] != '\0') loaded.error().message += fmt::format("\n{}", log.data());
    return loaded;
}

Error older_driver(const LoadTarget& target, std::string_view ptx) {
    const std::string cuda = version_text(target.cuda_version);
    return {
        ErrorCode::compile_failed,
        fmt::format(
            "NVIDIA's driver is for CUDA {} and takes PTX up to version {}; this PTX is of version {}, and "
            "the driver also refuses it as the older version.",
            cuda, newest_ptx(target.cuda_version), ptx_version(ptx)),
        fmt::format("update the driver, or let LD_LIBRARY_PATH lead to an NVRTC of CUDA {} or older", cuda),
        {}};
}

Result<void> load_ptx(const Context& context, const LoadTarget& target, const std::string& text,
                      UniqueModule& module) {
    CUresult result = CUDA_SUCCESS;
    auto loaded = load_image(context, text.c_str(), module, result);
    if (result != CUDA_ERROR_UNSUPPORTED_PTX_VERSION) return loaded;
    const std::string older = with_ptx_version(text, newest_ptx(target.cuda_version));
    loaded = load_image(context, older.c_str(), module, result);
    if (loaded || loaded.error().code != ErrorCode::compile_failed) return loaded;
    return std::unexpected(older_driver(target, text));
}

Result<void> load_cubin(const Context& context, const LoadTarget& target, std::span<const std::byte> bytes,
                        UniqueModule& module) {
    CUresult result = CUDA_SUCCESS;
    auto loaded = load_image(context, bytes.data(), module, result);
    if (!loaded && loaded.error().code == ErrorCode::compile_failed) {
        const std::string cuda = version_text(target.cuda_version);
        loaded.error().message += fmt::format(" NVIDIA's driver is for CUDA {}.", cuda);
        loaded.error().fix =
            fmt::format("update the driver, or let LD_LIBRARY_PATH lead to an NVRTC of CUDA {}", cuda);
    }
    return loaded;
}

/// Checks the shared memory limit, and opts in to dynamic shared memory: above 48 KiB CUDA requires it.
Result<void> allow_shared_memory(const Context& context, const LoadTarget& target,
                                 const ModuleExecutable& executable) {
    const DriverTable& table = context.table();
    int bytes = 0;
    TRY(context.check("cuFuncGetAttribute", [&] {
        return table.cuFuncGetAttribute(&bytes, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, executable.function);
    }));
    const std::uint64_t all = static_cast<std::uint64_t>(bytes) + executable.dynamic_shared_bytes;
    if (all > target.max_workgroup_bytes)
        return fail(
            ErrorCode::limit_exceeded,
            fmt::format(
                "The kernel needs {} bytes of workgroup memory, more than the {} that a workgroup may "
                "have on this device.",
                all, target.max_workgroup_bytes),
            "use less workgroup memory");
    if (executable.dynamic_shared_bytes == 0) return {};
    return context.check("cuFuncSetAttribute", [&] {
        return table.cuFuncSetAttribute(executable.function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                        static_cast<int>(executable.dynamic_shared_bytes));
    });
}

Result<void> prepare_grid_barriers(const Context& context, Transfer& transfer, const LoadTarget& target,
                                   std::uint32_t offset, ModuleExecutable& executable) {
    int blocks = 0;
    TRY(context.check("cuOccupancyMaxActiveBlocksPerMultiprocessor", [&] {
        return context.table().cuOccupancyMaxActiveBlocksPerMultiprocessor(
            &blocks, executable.function, static_cast<int>(executable.workgroup_size.count()),
            executable.dynamic_shared_bytes);
    }));
    executable.resident_workgroups = static_cast<std::uint64_t>(blocks) * target.multiprocessors;
    executable.barrier_state = TRY(DeviceMemory::allocate(transfer, barrier_state_bytes));
    TRY(transfer.zero(executable.barrier_state->address(), barrier_state_bytes));
    put(executable, offset, executable.barrier_state->address());
    return {};
}

}  // namespace

void fill(const ModuleExecutable& executable, const Parameter& parameter, const BoundMemory& bound,
          CUdeviceptr address) {
    const auto put_value = [&] {
        std::memcpy(executable.block.data() + parameter.value_offset, bound.value,
                    std::min<std::uint64_t>(bound.bytes, parameter.value_bytes));
    };
    switch (parameter.kind) {
        case ParameterKind::storage:
            put(executable, parameter.offset, address);
            if (parameter.array_stride != 0)
                put(executable, parameter.length_offset,
                    static_cast<std::uint32_t>(std::min<std::uint64_t>(
                        (bound.bytes - parameter.array_offset) / parameter.array_stride, UINT32_MAX)));
            return;
        case ParameterKind::uniform_memory: put(executable, parameter.offset, address); return;
        case ParameterKind::uniform_value: put_value(); return;
        case ParameterKind::uniform_either:
            put(executable, parameter.offset, address);
            if (address == 0) put_value();
            return;
    }
}

void fill_grid(const ModuleExecutable& executable, const Launch& launch) {
    if (executable.origin_offset) put(executable, *executable.origin_offset, launch.origin);
    if (executable.grid_offset) put(executable, *executable.grid_offset, launch.grid);
}

Result<std::unique_ptr<Executable>> load_module(const Context& context, Transfer& transfer,
                                                const LoadTarget& target, const Artifact& artifact) {
    const bool is_ptx = artifact.format == "ptx";
    if ((!is_ptx && artifact.format != "cubin") || (!artifact.in_process && artifact.load_data.empty()))
        return not_loadable("CUDA", "cubins and PTX that were compiled for dispatch", artifact.format);
    const CudaSource elsewhere = artifact.in_process ? CudaSource{} : TRY(read_load_data(artifact.load_data));
    const CudaSource& source =
        artifact.in_process ? *static_cast<const CudaSource*>(artifact.in_process.get()) : elsewhere;
    const Context::Scope scope = TRY(context.enter());
    auto executable = std::make_unique<ModuleExecutable>();
    executable->module = UniqueModule(context);
    if (is_ptx)
        TRY(load_ptx(context, target, std::string(artifact.text()), executable->module));
    else
        TRY(load_cubin(context, target, artifact.bytes, executable->module));
    TRY(context.check("cuModuleGetFunction", [&] {
        return context.table().cuModuleGetFunction(&executable->function, executable->module.get(),
                                                   source.entry.c_str());
    }));
    executable->workgroup_size = source.workgroup_size;
    executable->dynamic_shared_bytes = source.dynamic_shared_bytes;
    executable->parameters = source.parameters;
    executable->origin_offset = source.origin_offset;
    executable->grid_offset = source.grid_offset;
    executable->block.resize(source.parameter_bytes);
    TRY(allow_shared_memory(context, target, *executable));
    if (source.barrier_state_offset)
        TRY(prepare_grid_barriers(context, transfer, target, *source.barrier_state_offset, *executable));
    return executable;
}

}  // namespace muster::cuda
