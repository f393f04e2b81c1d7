// grid_barriers.hpp - how a device runs a program that has grid barriers: what routing knows of that. Pure.
#pragma once

#include <cstdint>
#include <string>

#include <muster/driver/contract/artifact.hpp>
#include <muster/driver/contract/device_info.hpp>
#include <muster/foundation/base/result.hpp>
#include <muster/foundation/ir/program.hpp>

namespace muster {

enum class FloatResults : std::uint8_t;  // grid_split.hpp

/// Whether a backend that offers these operations takes a program with grid barriers as it is.
bool has_own_grid_barriers(const OpSet& ops);

/// What is needed of a backend that gets the program split at its grid barriers.
OpSet without_grid_barriers(OpSet ops);

struct GridBarrierUse {
    enum class How : std::uint8_t {
        none,  // the program has none
        launched,  // as it is, in one launch; where not all of a grid's workgroups can be in progress at a time, split
        split,  // the driver splits it
    };
    How how = How::none;
    std::uint32_t dispatches = 0;               // split: programs that it becomes
    std::uint64_t scratch_bytes = 0;            // split: per invocation, for what lives across
    std::uint64_t workgroup_scratch_bytes = 0;  // split: per workgroup
    bool operator==(const GridBarrierUse&) const = default;
};
/// "cooperative launch"; "split into 3 dispatches, 8 bytes of scratch per invocation"; empty for none.
std::string to_string(const GridBarrierUse& use);

/// In fast mode a compiler may round the same operation otherwise in another part.
FloatResults float_results(const CompileOptions& options);

/// Errors: why the program can't be split.
Result<GridBarrierUse> grid_barrier_use(const Program& program, const OpSet& device,
                                        const CompileOptions& options);

}  // namespace muster
