#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include <muster/backend-cpu/compile/compile_isolated.hpp>
#include <muster/backend-cpu/compile/compiler_module.hpp>
#include <muster/backend-cpu/device/device.hpp>
#include <muster/backend-cpu/device/executable.hpp>
#include <muster/backend-cpu/device/memory.hpp>
#include <muster/backend-cpu/native/host.hpp>
#include <muster/driver/platform/memory.hpp>
#include <muster/foundation/base/try.hpp>
#include <muster/foundation/base/version.hpp>

namespace muster::cpu {
namespace {

/// Below it optimised code takes some 10 ms, half of which nothing saves.
constexpr std::uint32_t least_nodes_for_quick_code = 40;

std::uint32_t threads_of(const CpuOptions& options) {
    return options.threads != 0 ? options.threads : host().cores;
}
const std::string& arch_of(const CpuOptions& options) {
    return options.arch.empty() ? host().arch : options.arch;
}

}  // namespace

DeviceLimits limits() {
    return {.max_workgroup_size = {1024, 1024, 1024},
            .max_workgroup_invocations = 1024,
            .max_workgroup_bytes = 1 << 20,
            .max_workgroups = {UINT32_MAX, UINT32_MAX, UINT32_MAX},
            .max_storage_binding_bytes = (std::uint64_t{8} << 30) - 4,
            .max_uniform_binding_bytes = 1 << 16,
            .max_storage_bindings = 1024,
            .max_uniform_bindings = 1024,
            .max_private_bytes = 1 << 18};
}

// Without an fma instruction, the driver expands fma into exact operations.
Exactness exactness(bool has_fma) {
    Exactness all = all_promised;
    all.mathematics = Promise::promised;
    if (!has_fma) all.fma = Promise::no;
    return all;
}

std::uint32_t subgroup_size(std::uint32_t lanes) { return std::max(lanes, subgroup_sizes.least); }

DeviceInfo host_info(const CpuOptions& options) {
    const ArchTraits* traits = arch_traits(arch_of(options));
    DeviceInfo info;
    info.ordinal = options.ordinal;
    info.on_request = options.ordinal != 0;
    info.name = host().name;
    info.arch = arch_of(options);
    info.kind = DeviceKind::cpu;
    info.driver = fmt::format("muster {}, {} threads", MUSTER_VERSION, threads_of(options));
    info.memory_bytes = host().memory_bytes;
    info.subgroup_size = subgroup_size(options.width != 0 ? options.width : traits ? traits->width : 1);
    info.subgroup_sizes = subgroup_sizes;
    info.limits = limits();
    info.ops = supported_ops();
    info.exactness = exactness(options.arch.empty() ? host().has_fma : traits && traits->has_fma);
    info.scalars.set();
    info.compiler =
        fmt::format("{}; {}, {} lanes{}", compiler_identity(),
                    options.arch.empty() ? "with all that it has" : "its level alone", options.width,
                    options.debug_info ? ", debug information"
                    : options.quick    ? ", quick"
                                       : "");
    info.hardware.compute_units = threads_of(options);
    if (host().clock_mhz != 0) info.hardware.clock_mhz = host().clock_mhz;
    info.hardware.free_memory_bytes = platform::free_host_memory_bytes();
    info.hardware.unified_memory = true;
    info.hardware.asynchronous_copies = false;
    info.no_compiler = missing_compiler();
    return info;
}

CpuDevice::CpuDevice(const CpuOptions& options)
    : options_(options), info_(host_info(options)), queue_(threads_of(options)) {}

Result<CompileRequest> CpuDevice::request(const CompileOptions& options) const {
    std::uint32_t width = options_.width;
    for (const auto& [key, value] : options.specs)
        if (key == "width") width = TRY(parse_width(value));
    return CompileRequest{.target = {.arch = info_.arch, .host = options_.arch.empty()},
                          .options = options,
                          .width = width,
                          .format = "image",
                          .symbol = {},
                          .debug_info = options_.debug_info};
}

Result<Artifact> CpuDevice::compile(const ValidProgram& program, const CompileOptions& options) {
    CompileRequest asked = TRY(request(options));
    asked.quick = options_.quick;
    if (asked.quick)
        if (auto quick = cpu::compile(program, asked)) return quick;
    asked.quick = false;
    return cpu::compile(program, asked);
}

// In fast mode LLVM joins multiplications and additions where it generates optimised code alone. Debuggers see one
// code for a program. On aarch64 LLVM generates such code in another way, which nothing has tried.
Result<std::optional<Artifact>> CpuDevice::compile_quickly(const ValidProgram& program,
                                                           const CompileOptions& options) {
    if (program->node_count() < least_nodes_for_quick_code || options.precision != Precision::exact ||
        options_.debug_info || !info_.arch.starts_with("x86-64"))
        return std::nullopt;
    CompileRequest quick = TRY(request(options));
    quick.quick = true;
    return TRY(cpu::compile(program, quick));
}

Result<std::unique_ptr<Executable>> CpuDevice::load(const Artifact& artifact) {
    return load_image(artifact, options_.debug_info);
}

Result<std::unique_ptr<Memory>> CpuDevice::allocate(std::uint64_t bytes) { return allocate_host(bytes); }

Result<std::unique_ptr<Memory>> CpuDevice::wrap(std::span<std::byte> host) { return wrap_host(host); }

Result<void> CpuDevice::write(Memory& memory, std::uint64_t offset, std::span<const std::byte> from) {
    std::memcpy(host_bytes(memory).subspan(offset).data(), from.data(), from.size());
    return {};
}

Result<void> CpuDevice::read(const Memory& memory, std::uint64_t offset, std::span<std::byte> to) {
    std::memcpy(to.data(), host_bytes(memory).subspan(offset).data(), to.size());
    return {};
}

}  // namespace muster::cpu
