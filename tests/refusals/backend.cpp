// backend.cpp - records of backends that must not compile, and some that must (check_refusals). The class is complete; with WITHOUT_PROBE it
// lacks probe(), with OTHER_PROBE it doesn't declare it as Backend does.
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

// case backend_accepted
// compiles
constexpr BackendRegistration registration{
    .id = "mine", .factory = make_backend<Mine>, .supported_ops = OpSet::all_exact};
MUSTER_SUBMIT(registration);

// case backend_accepted_by_id -DMUSTER_BACKEND_ID="mine"
// compiles
constexpr BackendRegistration registration{
    .id = MUSTER_BACKEND_ID, .factory = make_backend<Mine>, .supported_ops = OpSet::all_exact};
MUSTER_SUBMIT(registration);

// case backend_accepted_sanitized -fsanitize=undefined
// compiles
// Records are constants under this sanitizer, too, although it hides a function's address from GCC's constant
// evaluation.
constexpr BackendRegistration registration{
    .id = "mine", .factory = make_backend<Mine>, .supported_ops = OpSet::all_exact};
MUSTER_SUBMIT(registration);

// case backend_other_signature -DOTHER_PROBE
// error: abstract class type
constexpr BackendRegistration registration{
    .id = "mine", .factory = make_backend<Mine>, .supported_ops = OpSet::all_exact};
MUSTER_SUBMIT(registration);

// case backend_without_probe -DWITHOUT_PROBE
// error: abstract class type
constexpr BackendRegistration registration{
    .id = "mine", .factory = make_backend<Mine>, .supported_ops = OpSet::all_exact};
MUSTER_SUBMIT(registration);

// case patterns_without_pack
// error: patterns need a \.pack
constexpr BackendPatterns patterns{.id = "mine"};
MUSTER_SUBMIT(patterns);

// case registration_of_another_id -DMUSTER_BACKEND_ID="yours"
// error: a record.s id is the NAME of muster_backend.NAME.
constexpr BackendRegistration registration{
    .id = "mine", .factory = make_backend<Mine>, .supported_ops = OpSet::all_exact};
MUSTER_SUBMIT(registration);

// case registration_tagged_wrongly
// error: a registration.s tags
constexpr BackendRegistration registration{
    .id = "mine", .factory = make_backend<Mine>, .supported_ops = OpSet::all_exact, .tags = "Debug!"};
MUSTER_SUBMIT(registration);

// case registration_without_factory
// error: a registration needs a \.factory
constexpr BackendRegistration registration{.id = "mine", .supported_ops = OpSet::all_exact};
MUSTER_SUBMIT(registration);

// case registration_without_id
// error: a backend.s id is lower case letters
constexpr BackendRegistration registration{.factory = make_backend<Mine>, .supported_ops = OpSet::all_exact};
MUSTER_SUBMIT(registration);

// case registration_without_ops
// error: a registration needs \.supported_ops
constexpr BackendRegistration registration{.id = "mine", .factory = make_backend<Mine>};
MUSTER_SUBMIT(registration);
