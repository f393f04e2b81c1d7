#include <fmt/format.h>

#include <muster/backend-opencl/compile/build.hpp>

namespace muster::opencl {

Artifact artifact_of(const ValidProgram& program, const std::string& target, const LowerTarget& how) {
    c_text::Text text = lower(program, how);
    Artifact artifact = make_artifact(program, how.options);
    artifact.bytes = artifact_bytes(text.text);
    artifact.format = "clc";
    artifact.target = target;
    artifact.entry = std::move(text.entry);
    artifact.debug_map = std::move(text.debug_map);
    return artifact;
}

std::string_view text_of(const Artifact& artifact) {
    return {reinterpret_cast<const char*>(artifact.bytes.data()), artifact.bytes.size()};
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
    TRY(make("clCreateProgramWithSource", built->program, [&](cl_int* code) {
        return device.api->clCreateProgramWithSource(context, 1, &begin, &bytes, code);
    }));
    TRY(build(*built, options));
    return built;
}

Result<std::shared_ptr<const Built>> Builder::from_binary_of(const Built& other,
                                                             const CompileOptions& options) const {
    const auto get = [&](cl_program_info which, std::size_t bytes, void* to) {
        return check("clGetProgramInfo", [&] {
            return device.api->clGetProgramInfo(other.program.get(), which, bytes, to, nullptr);
        });
    };
    std::size_t bytes = 0;  // of the context's only device
    TRY(get(CL_PROGRAM_BINARY_SIZES, sizeof bytes, &bytes));
    std::vector<unsigned char> binary(bytes);
    const unsigned char* begin = binary.data();
    TRY(get(CL_PROGRAM_BINARIES, sizeof begin, static_cast<void*>(&begin)));
    const auto built = std::make_shared<Built>(device.api, context);
    TRY(make("clCreateProgramWithBinary", built->program, [&](cl_int* code) {
        return device.api->clCreateProgramWithBinary(context, 1, &device.handle, &bytes, &begin, nullptr,
                                                     code);
    }));
    TRY(build(*built, options));
    return built;
}

Result<void> Builder::build(const Built& built, const CompileOptions& options) const {
    auto done = check("clBuildProgram", [&] {
        return device.api->clBuildProgram(built.program.get(), 1, &device.handle,
                                          build_options(options, device.info.exactness).c_str(), nullptr,
                                          nullptr);
    });
    if (!done && done.error().code == ErrorCode::compile_failed)
        done.error().message =
            fmt::format("The compiler of {} refuses the text:\n{}", device.info.name, log_of(built));
    return done;
}

std::string Builder::log_of(const Built& built) const {
    const auto get = [&](std::size_t bytes, void* to, std::size_t* needed) {
        return device.api->clGetProgramBuildInfo(built.program.get(), device.handle, CL_PROGRAM_BUILD_LOG,
                                                 bytes, to, needed);
    };
    std::size_t bytes = 0;
    if (get(0, nullptr, &bytes) != CL_SUCCESS) return "it gives no reason";
    std::string log(bytes, '\0');
    (void)get(bytes, log.data(), nullptr);
    while (!log.empty() && (log.back() == '\0' || log.back() == '\n')) log.pop_back();
    return log;
}

}  // namespace muster::opencl
