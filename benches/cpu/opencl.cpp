#include "opencl.hpp"

#ifdef MUSTER_BENCH_OPENCL
#define CL_TARGET_OPENCL_VERSION 120
#include <algorithm>
#include <cstdlib>
#include <map>
#include <utility>

#include <CL/cl.h>
#include <fmt/core.h>

namespace muster::bench {
namespace {

constexpr std::pair<std::string_view, std::string_view> short_names[]{{"Portable Computing Language", "pocl"},
                                                                      {"Intel(R) OpenCL", "Intel"}};

void check(const char* call, cl_int code) {
    if (code == CL_SUCCESS) return;
    fmt::print(stderr, "{} fails with code {}.\n", call, code);
    std::exit(1);
}

std::string name_of(cl_platform_id platform) {
    std::array<char, 256> name{};
    check("clGetPlatformInfo",
          clGetPlatformInfo(platform, CL_PLATFORM_NAME, name.size() - 1, name.data(), nullptr));
    const auto* found = std::ranges::find(short_names, std::string_view(name.data()),
                                          &std::pair<std::string_view, std::string_view>::first);
    return std::string(found != std::end(short_names) ? found->second : name.data());
}

struct Memory {
    HostMemory host;
    cl_mem buffer;
    ~Memory() { clReleaseMemObject(buffer); }
};
// A kernel and the memory that it has as arguments.
struct Launch {
    cl_kernel kernel;
    std::vector<std::shared_ptr<Memory>> memory = {};
    ~Launch() { clReleaseKernel(kernel); }
};

// A platform's CPU. Context, queue and programs live until the process ends.
class Cpu final : public OpenCl {
  public:
    Cpu(std::string name, cl_device_id device) : name_(std::move(name)), device_(device) {
        cl_int code = 0;
        context_ = clCreateContext(nullptr, 1, &device_, nullptr, nullptr, &code);
        check("clCreateContext", code);
        queue_ = clCreateCommandQueue(context_, device_, 0, &code);
        check("clCreateCommandQueue", code);
    }
    const std::string& name() const override { return name_; }
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
        const auto launch = std::shared_ptr<Launch>(new Launch{clCreateKernel(program_, name, &code)});
        check("clCreateKernel", code);
        for (cl_uint i = 0; i < arguments.size(); ++i) set(*launch, i, arguments[i]);
        for (std::size_t axis = 0; axis < 2; ++axis)
            global[axis] = (global[axis] + local[axis] - 1) / local[axis] * local[axis];
        return [this, launch, global, local] {
            check("clEnqueueNDRangeKernel",
                  clEnqueueNDRangeKernel(queue_, launch->kernel, 2, nullptr, global.data(), local.data(), 0,
                                         nullptr, nullptr));
        };
    }
    void finish() override { check("clFinish", clFinish(queue_)); }
    void on_host(const std::function<void()>& call) override {
        std::vector<std::pair<std::shared_ptr<Memory>, void*>> mapped;
        for (const auto& [data, known] : memory_)
            if (const auto memory = known.lock()) {
                cl_int code = 0;
                mapped.emplace_back(
                    memory, clEnqueueMapBuffer(queue_, memory->buffer, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0,
                                               memory->host.bytes, 0, nullptr, nullptr, &code));
                check("clEnqueueMapBuffer", code);
            }
        call();
        for (const auto& [memory, at] : mapped)
            check("clEnqueueUnmapMemObject",
                  clEnqueueUnmapMemObject(queue_, memory->buffer, at, 0, nullptr, nullptr));
        finish();
    }

  private:
    // The buffer of this memory: the same one for each kernel that has it.
    std::shared_ptr<Memory> share(const HostMemory& host) {
        std::weak_ptr<Memory>& known = memory_[host.data];
        if (auto memory = known.lock()) return memory;
        cl_int code = 0;
        const std::shared_ptr<Memory> memory(new Memory{
            host,
            clCreateBuffer(context_, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, host.bytes, host.data, &code)});
        check("clCreateBuffer", code);
        known = memory;
        return memory;
    }
    void set(Launch& launch, cl_uint i, const Argument& argument) {
        const auto set = [&](std::size_t bytes, const void* value) {
            check("clSetKernelArg", clSetKernelArg(launch.kernel, i, bytes, value));
        };
        if (const auto* host = std::get_if<HostMemory>(&argument)) {
            launch.memory.push_back(share(*host));
            set(sizeof(cl_mem), static_cast<const void*>(&launch.memory.back()->buffer));
        } else if (const auto* number = std::get_if<float>(&argument)) {
            set(sizeof(float), number);
        } else {
            set(4, &std::get<std::uint32_t>(argument));
        }
    }

    std::string name_;
    cl_device_id device_;
    cl_context context_;
    cl_command_queue queue_;
    cl_program program_ = nullptr;
    std::map<void*, std::weak_ptr<Memory>> memory_;
};

}  // namespace

std::vector<std::unique_ptr<OpenCl>> OpenCl::open_all() {
    std::array<cl_platform_id, 16> platforms{};
    cl_uint count = 0;
    std::vector<std::unique_ptr<OpenCl>> all;
    if (clGetPlatformIDs(platforms.size(), platforms.data(), &count) != CL_SUCCESS) return all;
    for (cl_uint i = 0; i < count && i < platforms.size(); ++i) {
        cl_device_id device = nullptr;
        if (clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_CPU, 1, &device, nullptr) == CL_SUCCESS)
            all.push_back(std::make_unique<Cpu>(name_of(platforms[i]), device));
    }
    return all;
}

}  // namespace muster::bench
#else
std::vector<std::unique_ptr<muster::bench::OpenCl>> muster::bench::OpenCl::open_all() { return {}; }
#endif
