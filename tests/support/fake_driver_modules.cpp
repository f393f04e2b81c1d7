// The fake driver's modules and launches.
#include <support/fake_driver_state.hpp>

namespace muster::test {

void FakeDriver::State::fill_modules() {
    table.cuModuleLoadDataEx = [](CUmodule* handle, const void* image, unsigned count, CUjit_option* options,
                                  void** values) {
        Call call("cuModuleLoadDataEx");
        CUresult result = CUDA_SUCCESS;
        Context* const context = call->current(call.name, result);
        if (!context) return result;
        const std::string_view text(static_cast<const char*>(image));
        const std::size_t version = text.find(".version ");
        if (text.starts_with("cubin") || text.starts_with("\x7f"
                                                          "ELF")) {
            if (!call->fake.takes_cubin) return CUDA_ERROR_INVALID_IMAGE;
        } else if (version == text.npos) {
            for (unsigned i = 0; i < count; ++i)
                if (options[i] == CU_JIT_ERROR_LOG_BUFFER)
                    std::strcpy(static_cast<char*>(values[i]), "ptxas fatal: what is that?");
            return CUDA_ERROR_INVALID_PTX;
        } else if (text.substr(version + 9, 3) > call->fake.newest_ptx) {
            return CUDA_ERROR_UNSUPPORTED_PTX_VERSION;
        }
        Module* const module = call->add(call->modules);
        module->context = context;
        *handle = as<CUmodule>(module);
        return CUDA_SUCCESS;
    };
    table.cuModuleUnload = [](CUmodule handle) {
        Call call("cuModuleUnload");
        CUresult result = CUDA_SUCCESS;
        if (!call->current(call.name, result)) return result;
        Module* const module = call->find(call->modules, handle, call.name);
        if (!module) return CUDA_ERROR_INVALID_HANDLE;
        std::erase_if(call->functions, [&](auto& one) { return one.second->module == module; });
        call->modules.erase(call->modules.find(handle));
        return CUDA_SUCCESS;
    };
    table.cuModuleGetFunction = [](CUfunction* handle, CUmodule of, const char* name) {
        Call call("cuModuleGetFunction");
        Module* const module = call->find(call->modules, of, call.name);
        if (!module) return CUDA_ERROR_INVALID_HANDLE;
        if (!call->kernels.contains(name)) return CUDA_ERROR_NOT_FOUND;
        Function* const function = call->add(call->functions);
        function->module = module;
        function->name = name;
        *handle = as<CUfunction>(function);
        return CUDA_SUCCESS;
    };
    table.cuFuncGetAttribute = [](int* value, CUfunction_attribute which, CUfunction handle) {
        Call call("cuFuncGetAttribute");
        const Function* const function = call->find(call->functions, handle, call.name);
        if (!function || which != CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES) return CUDA_ERROR_INVALID_VALUE;
        *value = call->kernels.at(function->name).static_shared_bytes;
        return CUDA_SUCCESS;
    };
    table.cuFuncSetAttribute = [](CUfunction handle, CUfunction_attribute which, int value) {
        Call call("cuFuncSetAttribute");
        Function* const function = call->find(call->functions, handle, call.name);
        if (!function || which != CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES)
            return CUDA_ERROR_INVALID_VALUE;
        const FakeDevice& device =
            call->fake.devices[static_cast<std::size_t>(function->module->context->device)];
        if (value > device.shared_bytes)
            return call->complain("cuFuncSetAttribute: more than the device has");
        function->most_dynamic_shared = value;
        return CUDA_SUCCESS;
    };
    table.cuOccupancyMaxActiveBlocksPerMultiprocessor = [](int* blocks, CUfunction handle, int threads,
                                                           std::size_t shared) {
        Call call("cuOccupancyMaxActiveBlocksPerMultiprocessor");
        const Function* const function = call->find(call->functions, handle, call.name);
        if (!function) return CUDA_ERROR_INVALID_HANDLE;
        if (threads < 1 || threads > 1024 || shared > static_cast<std::size_t>(function->most_dynamic_shared))
            return call->complain("cuOccupancyMaxActiveBlocksPerMultiprocessor: no launch of it is so");
        *blocks = call->kernels.at(function->name).resident;
        return CUDA_SUCCESS;
    };
    table.cuLaunchKernelEx = [](const CUlaunchConfig* config, CUfunction function, void** parameters,
                                void** extra) {
        Call call("cuLaunchKernelEx");
        if (parameters) return call->complain("cuLaunchKernelEx: parameters one by one");
        if (config->numAttrs != 1 || config->attrs->id != CU_LAUNCH_ATTRIBUTE_COOPERATIVE)
            return call->complain("cuLaunchKernelEx: not one attribute, or another");
        return call->launch(function,
                            {.block = {},
                             .grid = {config->gridDimX, config->gridDimY, config->gridDimZ},
                             .workgroup = {config->blockDimX, config->blockDimY, config->blockDimZ},
                             .dynamic_shared_bytes = config->sharedMemBytes,
                             .cooperative = config->attrs->value.cooperative != 0},
                            config->hStream, extra);
    };
    table.cuLaunchKernel = [](CUfunction function, unsigned x, unsigned y, unsigned z, unsigned bx,
                              unsigned by, unsigned bz, unsigned shared, CUstream stream, void** parameters,
                              void** extra) {
        Call call("cuLaunchKernel");
        if (parameters) return call->complain("cuLaunchKernel: parameters one by one");
        return call->launch(function, {{}, {x, y, z}, {bx, by, bz}, shared}, stream, extra);
    };
}

CUresult FakeDriver::State::launch(CUfunction handle, const FakeLaunch& launch, CUstream stream,
                                   void** extra) {
    const Function* const function = find(functions, handle, "cuLaunchKernel");
    if (!function) return CUDA_ERROR_INVALID_HANDLE;
    const FakeKernel& kernel = kernels.at(function->name);
    if (extra[0] != CU_LAUNCH_PARAM_BUFFER_POINTER || extra[2] != CU_LAUNCH_PARAM_BUFFER_SIZE ||
        extra[4] != CU_LAUNCH_PARAM_END)
        return complain("cuLaunchKernel: not a block of parameters");
    const std::size_t bytes = *static_cast<std::size_t*>(extra[3]);
    if (bytes != kernel.parameter_bytes)
        return complain(
            fmt::format("cuLaunchKernel: {} bytes of parameters, not {}", bytes, kernel.parameter_bytes));
    if (launch.grid.count() == 0 || launch.grid.y > 65535 || launch.grid.z > 65535 ||
        launch.workgroup.count() > 1024)
        return complain("cuLaunchKernel: its grid");
    if (launch.cooperative != kernel.cooperative)
        return complain(kernel.cooperative
                            ? "cuLaunchKernel: blocks that wait for each other, and may not be there"
                            : "cuLaunchKernel: cooperative without need");
    const FakeDevice& device = fake.devices[static_cast<std::size_t>(function->module->context->device)];
    if (launch.cooperative && !device.cooperative) return CUDA_ERROR_NOT_SUPPORTED;
    if (launch.cooperative && launch.grid.count() > static_cast<std::uint64_t>(kernel.resident) *
                                                        static_cast<std::uint64_t>(device.multiprocessors))
        return CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE;
    if (launch.dynamic_shared_bytes > static_cast<std::uint32_t>(function->most_dynamic_shared))
        return complain("cuLaunchKernel: more shared memory than was allowed");
    const auto* const begin = static_cast<const std::byte*>(extra[1]);
    const auto run = [launch, run = kernel.run, block = std::vector(begin, begin + bytes)] {
        FakeLaunch given = launch;
        given.block = block;
        return run ? run(given) : CUDA_SUCCESS;
    };
    std::function<bool()> ready;
    if (kernel.endless) ready = [this] { return endless_end; };
    return enqueue(stream, "cuLaunchKernel", {.run = run, .ready = ready, .host_memory = {}});
}

}  // namespace muster::test
