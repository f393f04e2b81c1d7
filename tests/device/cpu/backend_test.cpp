// The backend's description of its devices and its targets, and what it refuses before it asks the compiler.
#include <span>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <muster/backend-cpu/backend.hpp>
#include <muster/backend-cpu/native/host.hpp>
#include <muster/driver/contract/grid.hpp>
#include <muster/driver/process/backends.hpp>
#include <muster/driver/registry/freeze.hpp>
#include <muster/driver/routing/fit.hpp>
#include <muster/driver/session/session.hpp>
#include <muster/foundation/wgsl/wgsl.hpp>

using namespace muster;
using namespace muster::cpu;

namespace {

ValidProgram nothing() {
    return validate(wgsl::parse("@compute @workgroup_size(1) fn nothing() {}").value()).value();
}

}  // namespace

TEST_CASE("it is registered, comes before what emulates, and claims dispatch") {
    CHECK(backend_precedence("cpu") == 100);
    CHECK(backend_dispatches("cpu"));
    const auto backend = acquire("cpu");
    REQUIRE(backend);
    CHECK((*backend)->id() == "cpu");
}

TEST_CASE("the device is the machine, exact, with every operation") {
    const auto devices = CpuBackend().probe();
    REQUIRE(devices);
    const DeviceInfo& info = devices->front();
    CHECK_FALSE(info.on_request);
    CHECK(info.kind == DeviceKind::cpu);
    CHECK_FALSE(info.software_emulated);
    CHECK(info.exactness.exact());
    CHECK((info.exactness.fma == Promise::promised) == host().has_fma);
    CHECK(info.ops.contains(OpSet::all_exact()));
    CHECK(info.ops.contains(Op::exp));
    CHECK(info.subgroup_size == arch_traits(host().arch)->width);
    CHECK(info.limits.max_workgroup_bytes >= 65536);
    CHECK(info.limits.max_workgroup_invocations >= 1024);
    CHECK(info.hardware.compute_units == host().cores);
    CHECK(info.hardware.unified_memory == true);
    CHECK_FALSE(info.hardware.pci_address);
    REQUIRE(info.hardware.free_memory_bytes);
    CHECK(*info.hardware.free_memory_bytes <= info.memory_bytes);
    CHECK(CpuBackend().free_memory(0));
}

TEST_CASE("tests may ask for another width, level and number of threads") {
    CpuBackend backend({.id = "cpu-w4", .width = 4, .arch = "x86-64-v1", .threads = 3});
    CHECK(backend.id() == "cpu-w4");
    const DeviceInfo info = backend.probe()->front();
    CHECK(info.subgroup_size == 4);
    CHECK(info.arch == "x86-64-v1");
    CHECK(info.exactness.fma == Promise::no);
    CHECK(info.driver.find("3 threads") != std::string::npos);
    CHECK(info.hardware.compute_units == 3);
}

TEST_CASE("a grid of 2^32 workgroups on one axis is refused with the limit") {
    const auto groups = workgroups(Workgroups{std::uint64_t{1} << 32, 1, 1}, {1, 1, 1});
    REQUIRE_FALSE(groups);
    CHECK(groups.error().code == ErrorCode::limit_exceeded);
    CHECK(groups.error().fix.find("at most 4294967295 workgroups") != std::string::npos);
    CHECK(workgroups(Workgroups{UINT32_MAX, 1, 1}, {1, 1, 1}));
}

TEST_CASE("targets: each level of x86-64, and aarch64") {
    CpuBackend backend;
    CHECK(backend.describe(backend.default_arch()));
    CHECK(backend.describe("x86-64-v4")->subgroup_size == 16);
    CHECK(backend.describe("x86-64-v1")->exactness.fma == Promise::no);
    CHECK(backend.describe("aarch64")->to_string() == "cpu:aarch64");
    const auto none = backend.describe("z80");
    REQUIRE_FALSE(none);
    CHECK(none.error().code == ErrorCode::not_found);
    CHECK(none.error().fix.find("x86-64-v1, x86-64-v2, x86-64-v3, x86-64-v4, aarch64") != std::string::npos);
}

TEST_CASE("each level of the machine's architecture that it has is a device on request") {
    CpuBackend backend;
    const auto devices = backend.probe();
    REQUIRE(devices);
    std::vector<std::string> levels;
    for (const DeviceInfo& device : std::span(*devices).subspan(1)) {
        CHECK(device.on_request);
        levels.push_back(device.arch);
        const auto opened = backend.open(device.ordinal);
        REQUIRE(opened);
        CHECK((*opened)->info().arch == device.arch);
        CHECK((*opened)->info().ordinal == device.ordinal);
        CHECK((device.exactness.fma == Promise::promised) == arch_traits(device.arch)->has_fma);
    }
    CHECK(!levels.empty());
    CHECK(levels.back() == host().arch);
    CHECK_FALSE(backend.open(static_cast<std::uint32_t>(devices->size())));
}

TEST_CASE("a policy that names a level compiles programs for it") {
    const std::string level = host().arch == "aarch64" ? "aarch64" : "x86-64-v1";
    for (const Policy& policy :
         {Policy{.backends = {{"cpu:" + level}}}, Policy{.choice = Pinned{"cpu:" + level}}}) {
        auto session = Session::open({.policy = policy}).value();
        auto kernel = session.prepare(nothing());
        REQUIRE(kernel);
        CHECK(kernel->device().arch == level);
        CHECK(kernel->artifact().target == "cpu:" + level);
        CHECK(kernel->route().execute()->id() == "cpu:" + level);
    }
    const auto refused = Session::open({.policy = {.backends = {{"cpu:z80"}}}}).value().prepare(nothing());
    REQUIRE_FALSE(refused);
    CHECK(refused.error().fix.find("cpu:" + level) != std::string::npos);
    CHECK(Session::open({}).value().prepare(nothing())->route().execute()->id().find(':' + level) ==
          std::string::npos);
}

TEST_CASE("compile specs are checked") {
    CpuBackend backend;
    const Target target = backend.describe("x86-64-v3").value();
    const auto refusal = [&](const char* key, const char* value) {
        const auto artifact =
            backend.emit(nothing(), target, {.format = "object", .options = {.specs = {{key, value}}}});
        REQUIRE_FALSE(artifact);
        CHECK(artifact.error().code == ErrorCode::invalid_argument);
        return artifact.error().message;
    };
    for (const char* width : {"0", "3", "128", "-4", "4x", "", "99999999999"})
        CHECK(refusal("width", width).find("power of two") != std::string::npos);
    for (const char* symbol : {"", "1a", "a b", "a-b", "\xc3\xa4"})
        CHECK(refusal("symbol", symbol).find("no name in C") != std::string::npos);
}
