// instance.hpp - the initialised driver: libcuda's functions, and a context for each device in use.
//
// One per process, shared by all backends, made when first requested and never destroyed. Threads: any.
#pragma once

#include <map>
#include <memory>
#include <mutex>

#include <muster/backend-cuda/native/context.hpp>

namespace muster::cuda {

class Instance {
  public:
    /// Makes an instance from these functions; tests pass their own. Errors: not_found (no device),
    /// unavailable (the driver doesn't work; the fix says what to do).
    static Result<std::shared_ptr<Instance>> create(const DriverTable& table);
    /// The process's instance. An error isn't cached. Errors: those of open_libcuda() and create().
    static Result<std::shared_ptr<Instance>> process();

    const DriverTable& table() const { return table_; }
    /// The CUDA version that the driver supports: 12040 is 12.4.
    int version() const { return version_; }

    /// The device's context, shared while it is in use and not lost. Errors: those of Context::retain.
    Result<std::shared_ptr<Context>> context(CUdevice device, bool pooled);
    /// The device's context if it is in use, else null.
    std::shared_ptr<Context> context_in_use(CUdevice device);

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
