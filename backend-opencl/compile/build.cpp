#include <fmt/format.h>

#include <muster/backend-opencl/compile/build.hpp>

namespace muster::opencl {

Result<Artifact> artifact_of(const ValidProgram& program, const std::string& target, const LowerTarget& how) {
    TRY(check_operations("OpenCL", *program, supported_ops()));
    Artifact artifact = c_text::make_artifact(program, how.options, lower(program, how));
    artifact.format = "clc";
    artifact.target = target;
    return artifact;
}

std::string build_options(const CompileOptions& options, const Exactness& exactness) {
    std::string all = options.subgroup_size == 0 ? "-cl-std=CL1.2 -w" : "-cl-std=CL3.0 -w";
    if (options.precision == Precision::fast) return all + " -cl-mad-enable -cl-unsafe-math-optimizations";
    if (exactness.division != Promise::no) all += " -cl-fp32-correctly-rounded-divide-sqrt";
    return all;
}

Result<std::shared_ptr<const Built>> Builder::from_text(std::string_view text,
                                                        const CompileOptions& options) const {
    const auto built = std::make_shared<Built>(device.api, context);
    const char* begin = text.data();
    const std::size_t bytes = text.size();
    TRY(make(built->program, device.api->clCreateProgramWithSource, context, 1u, &begin, &bytes));
    return build(built, options);
}

Result<std::shared_ptr<const Built>> Builder::from_binary_of(const Built& other,
                                                             const CompileOptions& options) const {
    const auto get = [&](cl_program_info which, std::size_t bytes, void* to) {
        return device.api->clGetProgramInfo(other.program.get(), which, bytes, to, nullptr);
    };
    std::size_t bytes = 0;  // of the context's only device
    TRY(get(CL_PROGRAM_BINARY_SIZES, sizeof bytes, &bytes));
    std::vector<unsigned char> binary(bytes);
    const unsigned char* begin = binary.data();
    TRY(get(CL_PROGRAM_BINARIES, sizeof begin, static_cast<void*>(&begin)));
    const auto built = std::make_shared<Built>(device.api, context);
    TRY(make(built->program, device.api->clCreateProgramWithBinary, context, 1u, &device.handle, &bytes,
             &begin, nullptr));
    return build(built, options);
}

Result<std::shared_ptr<const Built>> Builder::build(std::shared_ptr<const Built> built,
                                                    const CompileOptions& options) const {
    auto done =
        device.api->clBuildProgram(built->program.get(), 1, &device.handle,
                                   build_options(options, device.info.exactness).c_str(), nullptr, nullptr);
    if (done) return built;
    if (done.error().code == ErrorCode::compile_failed)
        done.error().message =
            fmt::format("The compiler of {} refuses the text:\n{}", device.info.name, log_of(*built));
    return std::unexpected(std::move(done).error());
}

std::string Builder::log_of(const Built& built) const {
    const auto get = [&](std::size_t bytes, void* to, std::size_t* needed) {
        return device.api->clGetProgramBuildInfo.pointer(built.program.get(), device.handle,
                                                         CL_PROGRAM_BUILD_LOG, bytes, to, needed);
    };
    std::size_t bytes = 0;
    if (get(0, nullptr, &bytes) != CL_SUCCESS) return "it gives no reason";
    std::string log(bytes, '\0');
    (void)get(bytes, log.data(), nullptr);
    while (!log.empty() && (log.back() == '\0' || log.back() == '\n')) log.pop_back();
    return log;
}

}  // namespace muster::opencl
