#include "device.hpp"

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <deque>

#include "backend.hpp"
#include "lowering.hpp"

namespace backend_mine {

using namespace muster;

DeviceInfo device_info() {
    // NEXT 1: the device's own values. A capability that isn't stated here isn't used.
    DeviceInfo info;
    info.ordinal = 0;
    info.name = "muster's interpreter";
    info.arch = "host";
    info.kind = DeviceKind::cpu;
    info.software_emulated = true;  // comes after all devices that aren't
    info.driver = "none yet";
    info.memory_bytes = std::uint64_t{1} << 30;
    // The least that WebGPU asks of a device.
    info.limits = {.max_workgroup_size = {256, 256, 64},
                   .max_workgroup_invocations = 256,
                   .max_workgroup_bytes = 16384,
                   .max_workgroups = {65535, 65535, 65535},
                   .max_storage_binding_bytes = 134217728,
                   .max_uniform_binding_bytes = 65536,
                   .max_storage_bindings = 8,
                   .max_uniform_bindings = 12,
                   .max_private_bytes = 8192};
    info.ops = supported_ops();
    info.scalars.set();
    // The interpreter's arithmetic is exact. NEXT 1: promise only what the device's specification does. Division, square roots
    // and fma that aren't promised are written with other operations before compile() is called; without the first two
    // promises, exact programs with floats aren't run.
    info.exactness = all_promised;
    return info;
}

namespace {

// NEXT 3: call the device's API by functions that check themselves: their errors name the call, and tests make them fail
// (muster/driver/contract/native_function.hpp). The C library's door is check_errno().
//     std::optional<Error> translate(MineStatus status);  // by native_error(), from a table of codes
//     struct MineApi {
//         NativeFunction<decltype(&::MineOpen), translate> MineOpen{"MineOpen"};
//     };

/// Zeroed memory of this machine; the system zeroes it on first touch.
class HostMemory final : public Memory {
  public:
    explicit HostMemory(std::uint64_t bytes) : data_(std::calloc(bytes, 1)), bytes_(bytes) {}
    ~HostMemory() override { std::free(data_); }
    HostMemory(const HostMemory&) = delete;
    HostMemory& operator=(const HostMemory&) = delete;
    bool is_there() const { return data_ != nullptr; }
    std::uint64_t bytes() const override { return bytes_; }
    std::byte* data() const { return static_cast<std::byte*>(data_); }

  private:
    void* data_;
    std::uint64_t bytes_;
};

/// The driver passes a device only memory that the device has allocated.
std::byte* data_of(const Memory& memory) { return static_cast<const HostMemory&>(memory).data(); }

/// A program that is ready to run.
struct MineExecutable final : Executable {
    explicit MineExecutable(InterpreterCode interpreted) : code(std::move(interpreted)) {}
    InterpreterCode code;
};

/// A launch's arguments. `values` has copies, because the launch's own values end with submit().
struct Arguments {
    std::deque<std::vector<std::byte>> values;  // never moves its elements
    std::vector<BoundBytes> bindings;

    explicit Arguments(const Launch& launch) {
        for (const BoundMemory& bound : launch.bindings)
            if (bound.memory)
                bindings.push_back({{data_of(*bound.memory) + bound.offset, bound.bytes}});
            else
                bindings.push_back({values.emplace_back(bound.value, bound.value + bound.bytes)});
    }
};

}  // namespace

Result<Artifact> MineDevice::compile(const ValidProgram& program, const CompileOptions& options) {
    Artifact artifact = TRY(lower(program, std::string(MUSTER_BACKEND_ID ":") + info_.arch, options));
    // NEXT 3: compile artifact.bytes for the device. The interpreter runs the program itself, whatever lower() wrote.
    artifact.in_process = std::make_shared<const InterpreterCode>(TRY(InterpreterCode::compile(program)));
    return artifact;
}

Result<std::unique_ptr<Executable>> MineDevice::load(const Artifact& artifact) {
    // NEXT 3: hand artifact.bytes to the driver, and look up the kernel artifact.entry in them.
    if (artifact.in_process)
        return std::make_unique<MineExecutable>(
            *static_cast<const InterpreterCode*>(artifact.in_process.get()));
    const Program program = TRY(wgsl::parse(artifact.text(), {.entry = artifact.entry}));
    return std::make_unique<MineExecutable>(TRY(InterpreterCode::compile(TRY(validate(program)))));
}

Result<std::unique_ptr<Memory>> MineDevice::allocate(std::uint64_t bytes) {
    // NEXT 3: the device's memory, zeroed. `bytes` is never 0.
    auto memory = std::make_unique<HostMemory>(bytes);
    TRY(check_errno("calloc", [&] { return memory->is_there() ? 0 : ENOMEM; }));
    return memory;
}

Result<void> MineDevice::write(Memory& memory, std::uint64_t offset, std::span<const std::byte> from) {
    std::memcpy(data_of(memory) + offset, from.data(), from.size());
    return {};
}

Result<void> MineDevice::read(const Memory& memory, std::uint64_t offset, std::span<std::byte> to) {
    std::memcpy(to.data(), data_of(memory) + offset, to.size());
    return {};
}

Result<Submitted> MineDevice::submit(const Launch& launch) {
    // NEXT 3: launch the kernel on the device, over the workgroups [origin, origin + extent). The kernel reads `grid` as
    // num_workgroups.
    return queue_.submit([arguments = std::make_shared<Arguments>(launch),
                          code = static_cast<const MineExecutable*>(launch.executable)->code,
                          grid = LaunchGrid{launch.origin, launch.extent, launch.grid}](
                             std::stop_token stop) -> Result<Timing> {
        const auto start = std::chrono::steady_clock::now();
        (void)TRY(interpret(code, arguments->bindings, grid, {.stop = std::move(stop)}));
        return Timing::since(start);
    });
}

}  // namespace backend_mine
