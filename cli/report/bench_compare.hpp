// bench_compare.hpp - the figures of an earlier `muster bench --json FILE`, to compare with.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <muster/foundation/base/result.hpp>
#include <muster/measuring/bench.hpp>

namespace muster::cli {

class EarlierBench {
  public:
    /// Errors: invalid_argument (it isn't JSON, or a member isn't what --json writes; the message names it).
    static Result<EarlierBench> parse(std::string_view text, std::string file);

    const std::string& file() const { return file_; }
    /// How many times as fast a kernel is as it was; none if it wasn't measured then, or
    /// on data of another size.
    std::optional<double> ratio(const bench::DeviceReport& device, const bench::KernelResult& result) const;
    /// Why these figures can't be compared with the report's: another mode, or another
    /// machine. None if they can.
    std::optional<std::string> misfit(const bench::Report& report) const;
    /// The kernels that this tool doesn't know.
    std::vector<std::string> unknown_kernels() const;

  private:
    struct Kernel {
        std::string name, size;
        std::uint64_t p50_ns = 0;
    };
    struct Device {
        std::string id, name;
        std::uint64_t memory_bytes = 0;
        std::vector<Kernel> kernels;
    };
    const Device* find(const std::string& id) const;

    std::string file_, mode_;
    std::vector<Device> devices_;
};

}  // namespace muster::cli
