// opencl.hpp - the peers with the same kernels: kernels.cl on each CPU platform that the OpenCL loader finds.
//
// Buffers are the caller's memory, used in place where the platform can; on_host() brings it up to date. An
// error ends the program with the call's name and code.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <variant>
#include <vector>

namespace muster::bench {

struct HostMemory {
    void* data;
    std::size_t bytes;
    std::shared_ptr<const void> owner = {};  // lives as long as a kernel that has it as an argument
};
template <class T>
HostMemory host_memory(std::vector<T>& of) {
    return {of.data(), of.size() * sizeof(T)};
}
template <class T>
HostMemory host_memory(const std::shared_ptr<std::vector<T>>& of) {
    return {of->data(), of->size() * sizeof(T), of};
}

class OpenCl {
  public:
    using Argument = std::variant<HostMemory, float, std::uint32_t>;
    using Range = std::array<std::size_t, 2>;

    /// Opens the platforms that have a CPU. None if this was built without OpenCL.
    static std::vector<std::unique_ptr<OpenCl>> open_all();
    virtual ~OpenCl() = default;
    /// "pocl", "Intel", or else the platform's name.
    virtual const std::string& name() const = 0;
    /// Builds the text; kernel() uses the last one.
    virtual void build(const std::string& source, const std::string& options) = 0;
    /// Returns a function that enqueues the kernel.
    virtual std::function<void()> kernel(const char* name, std::vector<Argument> arguments, Range global,
                                         Range local) = 0;
    virtual void finish() = 0;
    /// Calls a function that reads or writes the memory of kernels, none of which may be running.
    virtual void on_host(const std::function<void()>& call) = 0;
};

}  // namespace muster::bench
