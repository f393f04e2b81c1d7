// mine.hpp - a complete backend class. With WITHOUT_PROBE it lacks probe(), with OTHER_PROBE it declares another one.
#include <muster/driver/contract/inventory.hpp>
#include <muster/driver/contract/make_backend.hpp>

using namespace muster;

namespace {

class Mine final : public Backend {
  public:
    std::string_view id() const override { return "mine"; }
#if defined(OTHER_PROBE)
    Result<std::vector<DeviceInfo>> probe() const { return std::vector<DeviceInfo>{}; }
#elif !defined(WITHOUT_PROBE)
    Result<std::vector<DeviceInfo>> probe() override { return std::vector<DeviceInfo>{}; }
#endif
    Result<std::unique_ptr<Device>> open(std::uint32_t) override {
        return fail(ErrorCode::not_found, "None.");
    }
    std::string default_arch() const override { return "m1"; }
    std::span<const std::string> formats() const override { return {}; }
    std::span<const SpecInfo> specs() const override { return {}; }
    Result<Target> describe(std::string_view) override { return Target{}; }
    Result<Artifact> emit(const ValidProgram&, const Target&, const EmitRequest&) override {
        return Artifact{};
    }
};

}  // namespace
