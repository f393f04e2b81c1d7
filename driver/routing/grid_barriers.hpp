// grid_barriers.hpp - determines for routing how a device runs a program with grid barriers. Pure.
#pragma once

#include <cstdint>
#include <string>

#include <muster/driver/contract/artifact.hpp>
#include <muster/driver/contract/device_info.hpp>
#include <muster/foundation/base/api.hpp>
#include <muster/foundation/base/result.hpp>
#include <muster/foundation/ir/program.hpp>
#include <muster/foundation/validate/validate.hpp>

namespace muster {
MUSTER_API_BEGIN

enum class FloatResults : std::uint8_t;  // grid_split.hpp
struct SplitProgram;                     // likewise

/// True if these operations include the grid barrier, so that a program with grid barriers needn't be split.
bool has_own_grid_barriers(const OpSet& ops);

/// The operations that remain to be supported if the driver splits the program at its grid barriers.
OpSet without_grid_barriers(OpSet ops);

struct GridBarrierUse {
    enum class How : std::uint8_t {
        none,      // the program has no grid barriers
        launched,  // unsplit, in one launch; split for grids whose workgroups can't all be in progress at a time
        split,     // the driver splits it
    };
    How how = How::none;
    std::uint32_t dispatches = 0;     // if split: the number of parts, without SplitProgram::liveness_checks
    std::uint64_t scratch_bytes = 0;  // if split: per invocation, for values that live across barriers
    std::uint64_t workgroup_scratch_bytes = 0;  // if split: the same per workgroup
    bool operator==(const GridBarrierUse&) const = default;
};
/// The use in words: "cooperative launch"; "split into 3 dispatches, 8 bytes of scratch per
/// invocation"; empty for none.
std::string to_string(const GridBarrierUse& use);

/// `varying` in fast mode, in which a compiler may round the same operation differently in different parts.
FloatResults float_results(const CompileOptions& options);

/// True if running the parts takes one more kernel, the idle one: the host waits for
/// earlier submissions with it.
bool needs_idle_kernel(const SplitProgram& split);
/// A kernel that does nothing. It ends once all earlier submissions have ended.
Result<ValidProgram> idle_kernel();

/// The way in which a device with these operations runs the program. Errors: why the program can't be split.
Result<GridBarrierUse> grid_barrier_use(const Program& program, const OpSet& device,
                                        const CompileOptions& options);

MUSTER_API_END
}  // namespace muster
