#include "opencl.hpp"

#ifdef MUSTER_BENCH_OPENCL
#define CL_TARGET_OPENCL_VERSION 120
#include <cstdlib>
#include <string_view>

#include <CL/cl.h>
#include <fmt/core.h>

namespace muster::bench {
namespace {

void check(const char* call, cl_int code) {
    if (code == CL_SUCCESS) return;
    fmt::print(stderr, "{} fails with code {}.\n", call, code);
    std::exit(1);
}

cl_platform_id find_pocl() {
    std::array<cl_platform_id, 16> platforms{};
    cl_uint count = 0;
    if (clGetPlatformIDs(platforms.size(), platforms.data(), &count) != CL_SUCCESS) return nullptr;
    for (cl_uint i = 0; i < count && i < platforms.size(); ++i) {
        std::array<char, 256> name{};
        clGetPlatformInfo(platforms[i], CL_PLATFORM_NAME, name.size() - 1, name.data(), nullptr);
        if (std::string_view(name.data()) == "Portable Computing Language") return platforms[i];
    }
    return nullptr;
}

// The OpenCL peer. Its objects live until the process ends.
class Pocl final : public OpenCl {
  public:
    explicit Pocl(cl_device_id device) : device_(device) {
        cl_int code = 0;
        context_ = clCreateContext(nullptr, 1, &device_, nullptr, nullptr, &code);
        check("clCreateContext", code);
        queue_ = clCreateCommandQueue(context_, device_, 0, &code);
        check("clCreateCommandQueue", code);
    }
    void build(const std::string& source, const std::string& options) override {
        cl_int code = 0;
        const char* text = source.c_str();
        program_ = clCreateProgramWithSource(context_, 1, &text, nullptr, &code);
        check("clCreateProgramWithSource", code);
        check("clBuildProgram", clBuildProgram(program_, 1, &device_, options.c_str(), nullptr, nullptr));
    }
    std::function<void()> kernel(const char* name, std::vector<Argument> arguments, Range global,
                                 Range local) override {
        cl_int code = 0;
        cl_kernel made = clCreateKernel(program_, name, &code);
        check("clCreateKernel", code);
        for (cl_uint i = 0; i < arguments.size(); ++i) set(made, i, arguments[i]);
        for (std::size_t axis = 0; axis < 2; ++axis)
            global[axis] = (global[axis] + local[axis] - 1) / local[axis] * local[axis];
        return [this, made, global, local, arguments] {
            check("clEnqueueNDRangeKernel", clEnqueueNDRangeKernel(queue_, made, 2, nullptr, global.data(),
                                                                   local.data(), 0, nullptr, nullptr));
        };
    }
    void finish() override { check("clFinish", clFinish(queue_)); }

  private:
    void set(cl_kernel kernel, cl_uint i, const Argument& argument) {
        if (const auto* memory = std::get_if<HostMemory>(&argument)) {
            cl_int code = 0;
            cl_mem buffer = clCreateBuffer(context_, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, memory->bytes,
                                           memory->data, &code);
            check("clCreateBuffer", code);
            check("clSetKernelArg",
                  clSetKernelArg(kernel, i, sizeof(cl_mem), static_cast<const void*>(&buffer)));
        } else if (const auto* number = std::get_if<float>(&argument)) {
            check("clSetKernelArg", clSetKernelArg(kernel, i, sizeof(float), number));
        } else {
            check("clSetKernelArg", clSetKernelArg(kernel, i, 4, &std::get<std::uint32_t>(argument)));
        }
    }

    cl_device_id device_;
    cl_context context_;
    cl_command_queue queue_;
    cl_program program_ = nullptr;
};

}  // namespace

std::unique_ptr<OpenCl> OpenCl::open() {
    const cl_platform_id pocl = find_pocl();
    cl_device_id device = nullptr;
    if (pocl == nullptr || clGetDeviceIDs(pocl, CL_DEVICE_TYPE_CPU, 1, &device, nullptr) != CL_SUCCESS)
        return nullptr;
    return std::make_unique<Pocl>(device);
}

}  // namespace muster::bench
#else
std::unique_ptr<muster::bench::OpenCl> muster::bench::OpenCl::open() { return nullptr; }
#endif
