// mine.hpp - a complete backend class, except for the parts that a source leaves out: #define WITHOUT_PROBE
// before it.
#include <muster/driver/contract/inventory.hpp>
#include <muster/driver/contract/make_backend.hpp>

using namespace muster;

namespace {

class Mine final : public Backend {
  public:
#if !defined(WITHOUT_ID)
    std::string_view id() const override { return "mine"; }
#endif
#if defined(OTHER_PROBE)
    Result<std::vector<DeviceInfo>> probe() const { return std::vector<DeviceInfo>{}; }
#elif !defined(WITHOUT_PROBE)
    Result<std::vector<DeviceInfo>> probe() override { return std::vector<DeviceInfo>{}; }
#endif
#if !defined(WITHOUT_OPEN)
    Result<std::unique_ptr<Device>> open(std::uint32_t) override {
        return fail(ErrorCode::not_found, "None.");
    }
#endif
#if !defined(WITHOUT_DEFAULT_ARCH)
    std::string default_arch() const override { return "m1"; }
#endif
#if !defined(WITHOUT_FORMATS)
    std::span<const std::string> formats() const override { return {}; }
#endif
#if !defined(WITHOUT_SPECS)
    std::span<const SpecInfo> specs() const override { return {}; }
#endif
#if !defined(WITHOUT_DESCRIBE)
    Result<Target> describe(std::string_view) override { return Target{}; }
#endif
#if !defined(WITHOUT_EMIT)
    Result<Artifact> emit(const ValidProgram&, const Target&, const EmitRequest&) override {
        return Artifact{};
    }
#endif
};

}  // namespace
