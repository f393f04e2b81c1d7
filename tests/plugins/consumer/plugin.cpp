// A plugin that only emits: the records, and the parts of a backend that they need.
#include <muster/driver/contract/inventory.hpp>
#include <muster/muster.hpp>

namespace {

using namespace muster;

class Extra final : public Backend {
  public:
    std::string_view id() const override { return "extra"; }
    Result<std::vector<DeviceInfo>> probe() override { return std::vector<DeviceInfo>{}; }
    Result<std::unique_ptr<Device>> open(std::uint32_t) override {
        return fail(ErrorCode::not_found, "It has no device.");
    }
    std::string default_arch() const override { return "text"; }
    std::span<const std::string> formats() const override { return {}; }
    std::span<const SpecInfo> specs() const override { return {}; }
    Result<Target> describe(std::string_view) override {
        return fail(ErrorCode::not_found, "It has no target.");
    }
    Result<Artifact> emit(const ValidProgram&, const Target&, const EmitRequest&) override {
        return fail(ErrorCode::unsupported, "It emits nothing.");
    }
};

Result<std::unique_ptr<Backend>> make() { return std::make_unique<Extra>(); }
const OpSet& all_exact() { return OpSet::all_exact(); }

constexpr BackendRegistration registration{.id = "extra", .factory = make, .supported_ops = all_exact};
constexpr BackendPrecedence precedence{.id = "extra", .rank = 7};
MUSTER_SUBMIT(registration);
MUSTER_SUBMIT(precedence);

}  // namespace
