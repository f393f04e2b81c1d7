// backend-vulkan with modules other than those that it would make for the device at hand: conformance cases and random
// programs run on each. Nobody gets them unasked.
//
//   vulkan-old        SPIR-V 1.3; division, square root and fma from exact operations; workgroup memory zeroed by the
//                     module; sets and bindings as emitted
//   vulkan-optimised  what spirv-opt makes of it
//
// Both watch loops, whatever the driver does with them.
#include <cstring>
#include <string>

#include <muster/backend-vulkan/backend.hpp>
#include <muster/backend-vulkan/compile.hpp>
#include <muster/backend-vulkan/tools.hpp>
#include <muster/driver/inventory.hpp>
#include <muster/foundation/try.hpp>

namespace muster::vulkan {
namespace {

struct Way {
    std::string id;
    VulkanVersion version = VulkanVersion::v1_1;
    bool emulates = false, optimises = false;
};

/// The device, but for what it says of division, square root and fma, and what it compiles.
class OtherwiseLowered final : public Device {
  public:
    OtherwiseLowered(std::unique_ptr<Device> device, DeviceInfo info, Way way)
        : device_(std::move(device)), info_(std::move(info)), way_(std::move(way)) {}

    const DeviceInfo& info() const override { return info_; }
    Result<Artifact> compile(const ValidProgram& program, const CompileOptions& options) override {
        const Exactness& exactness = info_.exactness;
        const FloatControls controls{
            .denorm_preserve = exactness.subnormals == Promise::promised,
            .signed_zero_inf_nan_preserve = exactness.signed_zero_inf_nan == Promise::promised,
            .rounding_rte = exactness.round_to_nearest_even == Promise::promised};
        Artifact made = TRY(compile_spirv(program, {.version = way_.version,
                                                    .options = options,
                                                    .float_controls = controls,
                                                    .folds_grid = true,
                                                    .one_set = way_.optimises,
                                                    .long_loops = LongLoops::watched}));
        if (!way_.optimises) return made;
        std::vector<std::uint32_t> words(made.bytes.size() / 4);
        std::memcpy(words.data(), made.bytes.data(), made.bytes.size());
        words = TRY(optimise(words, way_.version));
        made.bytes.resize(words.size() * 4);
        std::memcpy(made.bytes.data(), words.data(), made.bytes.size());
        return made;
    }
    Result<std::unique_ptr<Executable>> load(const Artifact& artifact) override {
        return device_->load(artifact);
    }
    Result<std::unique_ptr<Memory>> allocate(std::uint64_t bytes) override {
        return device_->allocate(bytes);
    }
    Result<void> write(Memory& memory, std::uint64_t offset, std::span<const std::byte> from) override {
        return device_->write(memory, offset, from);
    }
    Result<void> read(const Memory& memory, std::uint64_t offset, std::span<std::byte> to) override {
        return device_->read(memory, offset, to);
    }
    Result<Submitted> submit(const Launch& launch) override { return device_->submit(launch); }
    void abandon() override { device_->abandon(); }

  private:
    std::unique_ptr<Device> device_;
    DeviceInfo info_;
    Way way_;
};

class OtherBackend final : public Backend {
  public:
    explicit OtherBackend(Way way) : way_(std::move(way)), backend_({.id = way_.id}) {}

    std::string_view id() const override { return way_.id; }
    Result<std::vector<DeviceInfo>> probe() override {
        std::vector<DeviceInfo> infos = TRY(backend_.probe());
        for (DeviceInfo& info : infos)
            if (way_.emulates)
                info.exactness.division = info.exactness.square_root = info.exactness.fma = Promise::no;
        return infos;
    }
    Result<std::unique_ptr<Device>> open(std::uint32_t ordinal) override {
        auto device = TRY(backend_.open(ordinal));
        const std::vector<DeviceInfo> infos = TRY(probe());
        return std::make_unique<OtherwiseLowered>(std::move(device), infos[ordinal], way_);
    }
    std::string default_arch() const override { return backend_.default_arch(); }
    std::span<const std::string> formats() const override { return backend_.formats(); }
    std::span<const SpecInfo> specs() const override { return backend_.specs(); }
    Result<Target> describe(std::string_view arch) override { return backend_.describe(arch); }
    Result<Artifact> emit(const ValidProgram& program, const Target& target,
                          const EmitRequest& request) override {
        return backend_.emit(program, target, request);
    }

  private:
    Way way_;
    VulkanBackend backend_;
};

Result<std::unique_ptr<Backend>> oldest() {
    return std::make_unique<OtherBackend>(Way{"vulkan-old", VulkanVersion::v1_1, true, false});
}
Result<std::unique_ptr<Backend>> optimised() {
    return std::make_unique<OtherBackend>(Way{"vulkan-optimised", VulkanVersion::v1_1, false, true});
}

constexpr Tags tags = "debug test";
constexpr BackendRegistration v1_1{
    .id = "vulkan-old", .factory = oldest, .supported_ops = supported_ops, .tags = tags};
constexpr BackendRegistration opt{
    .id = "vulkan-optimised", .factory = optimised, .supported_ops = supported_ops, .tags = tags};
constexpr BackendCapability v1_1_runs{.id = "vulkan-old", .dispatches = true};
constexpr BackendCapability opt_runs{.id = "vulkan-optimised", .dispatches = true};

}  // namespace

MUSTER_SUBMIT(v1_1);
MUSTER_SUBMIT(opt);
MUSTER_SUBMIT(v1_1_runs);
MUSTER_SUBMIT(opt_runs);

}  // namespace muster::vulkan
