// expect:
#include <muster/driver/inventory.hpp>
#include <muster/driver/make_backend.hpp>

using namespace muster;

namespace {

class Mine final : public Backend {
  public:
    std::string_view id() const override { return "mine"; }
    Result<std::vector<DeviceInfo>> probe() override { return std::vector<DeviceInfo>{}; }
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

constexpr BackendRegistration registration{
    .id = "mine", .factory = make_backend<Mine>, .supported_ops = OpSet::all_exact};
MUSTER_SUBMIT(registration);

}  // namespace
