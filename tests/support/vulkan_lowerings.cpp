// backend-vulkan with other modules than it would make for this machine's device: conformance cases and random
// programs run on each. They run only if they are named.
//
//   vulkan-old        SPIR-V 1.3; division, square root and fma from exact operations; workgroup memory zeroed by the
//                     module; sets and bindings as emitted
//   vulkan-optimised  the module after spirv-opt
//
// Both watch loops, even if the driver doesn't end them.
#include <cstring>
#include <string>

#include <support/around.hpp>
#include <support/variant.hpp>

#include <muster/backend-vulkan/backend.hpp>
#include <muster/backend-vulkan/compile/compile.hpp>
#include <muster/backend-vulkan/compile/tools.hpp>
#include <muster/foundation/base/try.hpp>

namespace muster::vulkan {
namespace {

struct Way {
    std::string id;
    VulkanVersion version = VulkanVersion::v1_1;
    bool emulates = false, optimises = false;
};

/// The device, with other claims about division, square root and fma, and another lowering.
class OtherwiseLowered final : public test::DeviceAround {
  public:
    OtherwiseLowered(std::unique_ptr<Device> device, DeviceInfo info, Way way)
        : DeviceAround(std::move(device)), info_(std::move(info)), way_(std::move(way)) {}

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

  private:
    DeviceInfo info_;
    Way way_;
};

class OtherBackend final : public ForwardingBackend {
  public:
    explicit OtherBackend(Way way)
        : ForwardingBackend(std::make_unique<VulkanBackend>(VulkanOptions{.id = way.id})),
          way_(std::move(way)) {}

    Result<std::vector<DeviceInfo>> probe() override {
        std::vector<DeviceInfo> infos = TRY(ForwardingBackend::probe());
        for (DeviceInfo& info : infos)
            if (way_.emulates)
                info.exactness.division = info.exactness.square_root = info.exactness.fma = Promise::no;
        return infos;
    }
    Result<std::unique_ptr<Device>> open(std::uint32_t ordinal) override {
        auto device = TRY(ForwardingBackend::open(ordinal));
        const std::vector<DeviceInfo> infos = TRY(probe());
        return std::make_unique<OtherwiseLowered>(std::move(device), infos[ordinal], way_);
    }

  private:
    Way way_;
};

Result<std::unique_ptr<Backend>> oldest() {
    return std::make_unique<OtherBackend>(Way{"vulkan-old", VulkanVersion::v1_1, true, false});
}
Result<std::unique_ptr<Backend>> optimised() {
    return std::make_unique<OtherBackend>(Way{"vulkan-optimised", VulkanVersion::v1_1, false, true});
}

}  // namespace

MUSTER_VARIANT(v1_1, "vulkan-old", oldest, test::variant_tags);
MUSTER_VARIANT(opt, "vulkan-optimised", optimised, test::variant_tags);

}  // namespace muster::vulkan
