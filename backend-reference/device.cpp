#include <cstring>
#include <thread>

#include <fmt/format.h>

#include <muster/backend-reference/backend.hpp>
#include <muster/backend-reference/compile.hpp>
#include <muster/backend-reference/device.hpp>
#include <muster/backend-reference/launch.hpp>
#include <muster/backend-reference/memory.hpp>
#include <muster/driver/platform/memory.hpp>
#include <muster/foundation/base/try.hpp>
#include <muster/foundation/base/version.hpp>
#include <muster/foundation/ir/program_limits.hpp>

namespace muster::reference {

DeviceInfo host_info() {
    DeviceInfo info;
    info.name = fmt::format("interpreter on {} cores", std::thread::hardware_concurrency());
    info.arch = "wgsl";
    info.kind = DeviceKind::cpu;
    info.software_emulated = true;  // real devices rank before it
    info.driver = "muster " MUSTER_VERSION;
    info.memory_bytes = platform::physical_memory_bytes();
    if (const unsigned cores = std::thread::hardware_concurrency(); cores != 0)
        info.hardware.compute_units = cores;
    info.hardware.free_memory_bytes = platform::free_host_memory_bytes();
    info.hardware.unified_memory = true;
    info.hardware.asynchronous_copies = false;
    info.subgroup_size = default_subgroup_size;
    info.subgroup_sizes = {limits::least_subgroup, limits::most_subgroup};
    info.limits = {.max_workgroup_size = {1024, 1024, 1024},
                   .max_workgroup_invocations = 1024,
                   .max_workgroup_bytes = 1 << 20,
                   .max_workgroups = {65535, 65535, 65535},
                   .max_storage_binding_bytes = (std::uint64_t{8} << 30) - 4,
                   .max_uniform_binding_bytes = 1 << 16,
                   .max_storage_bindings = 1024,
                   .max_uniform_bindings = 1024,
                   .max_private_bytes = 1 << 18};
    info.ops = supported_ops();
    info.ops.f16 = info.ops.f32_atomics = info.ops.core;
    info.ops.wide_atomics = true;
    info.scalars.set();
    info.exactness = {Promise::promised, Promise::promised, Promise::promised, Promise::promised,
                      Promise::promised, Promise::promised, Promise::promised, Promise::promised};
    return info;
}

Result<Artifact> ReferenceDevice::compile(const ValidProgram& program, const CompileOptions& options) {
    return reference::compile(program, options);
}

Result<std::unique_ptr<Executable>> ReferenceDevice::load(const Artifact& artifact) {
    return load_code(artifact);
}

Result<std::unique_ptr<Memory>> ReferenceDevice::allocate(std::uint64_t bytes) {
    return allocate_host(bytes);
}

Result<std::unique_ptr<Memory>> ReferenceDevice::wrap(std::span<std::byte> host) { return wrap_host(host); }

Result<void> ReferenceDevice::write(Memory& memory, std::uint64_t offset, std::span<const std::byte> from) {
    std::memcpy(host_bytes(memory).subspan(offset).data(), from.data(), from.size());
    return {};
}

Result<void> ReferenceDevice::read(const Memory& memory, std::uint64_t offset, std::span<std::byte> to) {
    std::memcpy(to.data(), host_bytes(memory).subspan(offset).data(), to.size());
    return {};
}

Result<Submitted> ReferenceDevice::submit(const Launch& launch) { return queue_.submit(work_of(launch)); }

}  // namespace muster::reference
