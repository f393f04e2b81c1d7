#include <array>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <muster/backend-cuda/compile/compile.hpp>
#include <muster/backend-cuda/compile/debug_map.hpp>
#include <muster/backend-cuda/compile/emit.hpp>
#include <muster/backend-cuda/compile/load_data.hpp>
#include <muster/backend-cuda/lowering/arch.hpp>
#include <muster/backend-cuda/lowering/lower.hpp>
#include <muster/driver/contract/refusals.hpp>
#include <muster/foundation/base/try.hpp>

namespace muster::cuda {
namespace {

/// Launch requirements, as a side file for formats that have no comments.
std::string launch_text(const CudaSource& source) {
    return fmt::format(
        "{} has grid barriers. Launch it cooperatively (cuLaunchCooperativeKernel), with no more blocks than "
        "the device\n"
        "holds at once (cuOccupancyMaxActiveBlocksPerMultiprocessor, for each multiprocessor). Its last "
        "parameter, at byte {},\n"
        "is a pointer to {} bytes of the device's memory, aligned to 4: zero before the first launch; a "
        "launch that has ended\n"
        "leaves them so that the next can begin. Launches that may run at the same time need memory of their "
        "own.\n",
        source.entry, *source.barrier_state_offset, barrier_state_bytes);
}

}  // namespace

std::span<const std::string> emission_formats() {
    static const std::array<std::string, 3> all{"cuda", "ptx", "cubin"};
    return all;
}

std::span<const SpecInfo> emission_specs() { return {}; }

std::string default_target() { return "sm_75"; }

Result<Target> describe_target(std::string_view name) {
    const Arch* arch = find_arch(name);
    if (arch == nullptr) {
        std::vector<std::string_view> names;
        for (const Arch& one : archs()) names.push_back(one.name);
        return no_such_target("CUDA", name, fmt::format("{}", fmt::join(names, ", ")));
    }
    Target target{.backend = "cuda", .arch = std::string(name)};
    target.limits = arch->limits();
    if (arch != &archs().back()) target.next = (arch + 1)->name;
    target.ops = supported_ops();
    target.scalars.set();
    target.exactness = exactness;
    target.subgroup_size = warp_size;
    target.subgroup_sizes = {warp_size, warp_size};
    return target;
}

Result<Artifact> emit_kernel(const ValidProgram& program, const Target& target, const EmitRequest& request) {
    if (request.to_load && request.format == "cuda")
        return fail(ErrorCode::invalid_argument, "CUDA C++ isn't loaded on a device.",
                    "ask for the format cubin, or ptx, which later devices load, too");
    CudaSource source = TRY(lower(program, {.options = request.options, .dispatched = request.to_load}));
    Artifact artifact = artifact_of(program, source, request.options);
    artifact.format = !request.format.empty() ? request.format : request.to_load ? "cubin" : "cuda";
    if (request.to_load) artifact.load_data = load_data(source);
    artifact.target = target.to_string();
    if (artifact.format == "cuda") {
        artifact.bytes = artifact_bytes(source.text);
        artifact.debug_map = std::move(source.debug_map);
        return artifact;
    }
    if (source.barrier_state_offset && !request.to_load)
        artifact.side_files.emplace_back(source.entry + ".launch.txt", launch_text(source));
    const bool is_ptx = artifact.format == "ptx";
    const auto nvrtc = TRY(Nvrtc::process());
    artifact.bytes = TRY(compile_text(*nvrtc, *program, source, request.options, target.arch,
                                      is_ptx ? ImageFormat::ptx : ImageFormat::cubin));
    if (is_ptx) artifact.debug_map = map_ptx(*program, source, artifact.text());
    return artifact;
}

}  // namespace muster::cuda
