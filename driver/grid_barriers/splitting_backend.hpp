// splitting_backend.hpp - a backend whose devices run programs with grid barriers, whatever the
// backend inside can do: what acquire() and acquire_preferred() return. Sessions split programs
// with the same SplitExecutor.
//
//     auto backend = acquire("vulkan");                              // wrapped
//     auto device  = (*backend)->open(0);                            // its operations include the grid barrier
//     auto code    = (*device)->compile(program, {});                // of a program with barriers: an artifact file's bytes
//     auto loaded  = (*device)->load(*code);
//     (*device)->submit({.executable = loaded->get(), .bindings = bindings, .extent = grid, .grid = grid});
//
// A program with grid barriers is submitted over its whole grid, of any size that the device's limits allow.
// All other calls go to the backend inside. Threads: as the backend inside.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include <muster/driver/contract/forwarding_backend.hpp>
#include <muster/foundation/base/api.hpp>

namespace muster::grid_barriers {

/// The format of the code that a wrapped device compiles programs with grid barriers to: the bytes of an
/// artifact file, with the program and the codes of its parts.
inline constexpr std::string_view parts_format = "muster-parts";

/// The device as its wrapper has it: its operations include the grid barrier.
DeviceInfo with_grid_barriers(DeviceInfo info);

class SplittingBackend final : public ForwardingBackend {
  public:
    explicit SplittingBackend(std::shared_ptr<Backend> inside)
        : ForwardingBackend(inside), inside_(std::move(inside)) {}
    Result<std::vector<DeviceInfo>> probe() override;
    Result<std::unique_ptr<Device>> open(std::uint32_t ordinal) override;

  private:
    std::shared_ptr<Backend> inside_;
};

}  // namespace muster::grid_barriers
