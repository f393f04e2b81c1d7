#include <array>

#include <muster/backend-reference/backend.hpp>
#include <muster/backend-reference/compile.hpp>
#include <muster/backend-reference/device.hpp>
#include <muster/driver/contract/refusals.hpp>
#include <muster/driver/platform/memory.hpp>
#include <muster/foundation/ir/grid_barrier.hpp>

namespace muster::reference {

const OpSet& supported_ops() {
    static const OpSet all = OpSet(OpSet::all_exact())
                                 .insert(OpGroup::packed)
                                 .insert(OpGroup::subgroup)
                                 .insert(grid_barrier_id)
                                 .insert(grid_uniform_load_id);
    return all;
}

Result<std::vector<DeviceInfo>> ReferenceBackend::probe() { return std::vector{host_info()}; }

Result<std::unique_ptr<Device>> ReferenceBackend::open(std::uint32_t ordinal) {
    if (ordinal != 0) return no_such_device("reference", ordinal, 1);
    return std::make_unique<ReferenceDevice>();
}

std::span<const std::string> ReferenceBackend::formats() const {
    static const std::array<std::string, 1> all{"wgsl"};
    return all;
}

Result<Target> ReferenceBackend::describe(std::string_view arch) {
    if (arch != "wgsl") return no_such_target("reference", arch, "wgsl");
    const DeviceInfo host = host_info();
    return Target{.backend = "reference",
                  .arch = "wgsl",
                  .kind = host.kind,
                  .limits = host.limits,
                  .ops = host.ops,
                  .scalars = host.scalars,
                  .exactness = host.exactness,
                  .subgroup_size = host.subgroup_size,
                  .subgroup_sizes = host.subgroup_sizes};
}

std::optional<std::uint64_t> ReferenceBackend::free_memory(std::uint32_t) {
    return platform::free_host_memory_bytes();
}

Result<Artifact> ReferenceBackend::emit(const ValidProgram& program, const Target& target,
                                        const EmitRequest& request) {
    return lower(program, target.to_string(), request.options);
}

}  // namespace muster::reference
