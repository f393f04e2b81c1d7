// instance.hpp - what leads from libcuda to the devices: its functions, initialised, and a context for each device in use.
//
// One per process, shared by all backends, made when first asked for and kept. Threads: any.
#pragma once

#include <map>
#include <memory>
#include <mutex>

#include <muster/backend-cuda/native/context.hpp>

namespace muster::cuda {

class Instance {
  public:
    /// Of these functions, for a test. Errors: unavailable: no device, or a driver that doesn't work, with what can be done.
    static Result<std::shared_ptr<Instance>> create(const DriverTable& table);
    /// The process's. An error isn't remembered. Errors: those of open_libcuda() and create().
    static Result<std::shared_ptr<Instance>> process();

    const DriverTable& table() const { return table_; }
    /// Of CUDA, that the driver was made for: 12040 is 12.4.
    int version() const { return version_; }

    /// The device's: the same as long as somebody has it and it isn't lost. Errors: those of Context::retain.
    Result<std::shared_ptr<Context>> context(CUdevice device, bool pooled);

  private:
    Instance(const DriverTable& table, int version) : table_(table), version_(version) {}

    const DriverTable table_;
    const int version_;
    std::mutex mutex_;
    std::map<CUdevice, std::weak_ptr<Context>> contexts_;
};

/// "12.4"
std::string version_text(int version);

}  // namespace muster::cuda
