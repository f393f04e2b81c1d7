// The check of a device before routing trusts it, with doubles that compute right, lie, hang or crash.
#include <array>
#include <cstdlib>
#include <memory>
#include <regex>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>
#include <support/around.hpp>
#include <support/interpreting_double.hpp>
#include <support/programs.hpp>
#include <support/scratch_folder.hpp>

#include <muster/driver/contract/records.hpp>
#include <muster/driver/policy/log.hpp>
#include <muster/driver/probing/isolation.hpp>
#include <muster/driver/proving/check_device.hpp>
#include <muster/driver/proving/check_kernels.hpp>
#include <muster/driver/registry/registry.hpp>
#include <muster/driver/routing/fit.hpp>
#include <muster/driver/session/preferred.hpp>
#include <muster/driver/session/session.hpp>
#include <muster/foundation/wgsl/print/print.hpp>
#include <muster/foundation/wgsl/wgsl.hpp>

using namespace muster;
using namespace muster::test;
using namespace std::chrono_literals;

namespace {

enum class Lie { none, wrong_multiplication, wrong_fma, lost_stores, missing_barriers, torn_atomics };

/// The text of a program that does the lie in place of what it says.
std::string lied(Lie lie, const std::string& text) {
    switch (lie) {
        case Lie::none:
        case Lie::lost_stores: return text;
        case Lie::wrong_multiplication:
            return std::regex_replace(text, std::regex(R"(reverseBits\()"), "countTrailingZeros(");
        case Lie::wrong_fma: return std::regex_replace(text, std::regex(R"(fma\()"), "clamp(");
        case Lie::missing_barriers:
            return std::regex_replace(text, std::regex(R"(workgroupBarrier\(\);)"), "");
        case Lie::torn_atomics:  // a load and a store, between which others come
            return std::regex_replace(text, std::regex(R"(atomicAdd\(([^;]*), ([^,;]*)\);)"),
                                      "atomicLoad($1); atomicStore($1, atomicLoad($1) + $2);");
    }
    return text;
}

class LyingDevice final : public DeviceAround {
  public:
    LyingDevice(std::unique_ptr<Device> device, Lie lie) : DeviceAround(std::move(device)), lie_(lie) {}
    Result<Artifact> compile(const ValidProgram& program, const CompileOptions& options) override {
        return DeviceAround::compile(TRY(validate(TRY(wgsl::parse(lied(lie_, wgsl::print(*program)))))),
                                     options);
    }
    Result<void> read(const Memory& memory, std::uint64_t offset, std::span<std::byte> to) override {
        TRY(DeviceAround::read(memory, offset, to));
        if (lie_ == Lie::lost_stores && to.size() > 2000)
            std::ranges::fill(to.subspan(1996, 4), std::byte{0});
        return {};
    }

  private:
    Lie lie_;
};

struct LyingBackend final : ForwardingBackend {
    LyingBackend(const DeviceScriptPointer& script, Lie lie)
        : ForwardingBackend(std::make_shared<InterpretingBackend>(script)), script(script), lie(lie) {}
    Result<std::vector<DeviceInfo>> probe() override {
        std::vector<DeviceInfo> devices{script->info};
        for (std::uint32_t i = 1; i < script->info.uuid[0]; ++i) {
            devices.push_back(script->info);
            devices.back().ordinal = i;
        }
        return devices;
    }
    /// Only the first device lies.
    Result<std::unique_ptr<Device>> open(std::uint32_t ordinal) override {
        return std::make_unique<LyingDevice>(TRY(ForwardingBackend::open(ordinal)),
                                             ordinal == 0 ? lie : Lie::none);
    }
    DeviceScriptPointer script;
    Lie lie;
};

DeviceCheck checked(Lie lie) {
    const auto script = std::make_shared<DeviceScript>();
    LyingBackend backend(script, lie);
    return proving::check_device(backend, 0);
}

DeviceScriptPointer named(const std::string& id, std::uint32_t rank) {
    auto script = std::make_shared<DeviceScript>();
    script->id = id;
    script->rank = rank;
    script->info.driver = "driver 1";
    return script;
}

/// A machine with a first backend that lies and a second that doesn't, and a cache of its own.
struct Machine {
    ScratchFolder folder;
    DeviceScriptPointer first = named("first", 1), second = named("second", 2);
    Lie lie = Lie::torn_atomics;

    std::shared_ptr<Fleet> fleet(bool keeps = true) const {
        FleetEntry lying = entry(first);
        lying.factory = [script = first, how = lie]() -> Result<std::unique_ptr<Backend>> {
            return std::make_unique<LyingBackend>(script, how);
        };
        const DiskCache cache(keeps ? folder.path.string() : std::string());
        return std::make_shared<Fleet>(std::vector{std::move(lying), entry(second)}, 60s, nullptr,
                                       proving::device_checker(Verdicts(cache)));
    }
    Session session(Policy policy = {}, bool keeps = true) const {
        return *Session::open({.policy = std::move(policy), .fleet = fleet(keeps), .use_environment = false});
    }
    Route route(Policy policy = {}) const { return session(std::move(policy)).route(saxpy()); }
};

const CandidateRecord& record_of(const Route& route, const std::string& id) {
    for (const CandidateRecord& record : route.decision().candidates)
        if (record.id() == id) return record;
    FAIL(("no record of " + id));
    return route.decision().candidates.front();
}

std::string winner(const Route& route) { return route.execute() ? route.execute()->id() : "none"; }

struct Logged {
    Logged() {
        set_log_sink([this](LogLevel, std::string_view text) { lines += std::string(text) + "\n"; });
    }
    ~Logged() { set_log_sink({}); }
    std::string lines;
};

const OpSet& all_exact_ops() {
    static const OpSet all = OpSet::all_exact();
    return all;
}

const std::string torn = "It doesn't compute right (checked here: 5 of 6). The kernel \"atomics\" gives ";

}  // namespace

TEST_CASE(
    "the kernels of the check are valid, differ in what they use, and any device of WebGPU's limits fits") {
    DeviceInfo least = fit_device();
    least.limits.max_storage_bindings = 8;
    for (const proving::CheckKernel& kernel : proving::check_kernels()) {
        CAPTURE(kernel.name);
        auto program = wgsl::parse(kernel.text);
        if (!program) FAIL(program.error().to_string());
        const auto valid = validate(*std::move(program));
        if (!valid) FAIL(valid.error().to_string());
        CHECK((*valid)->entry() == kernel.name);
        CHECK(fit(**valid, least).empty());
    }
    CHECK(proving::check_input().size() == 1024);
}

TEST_CASE("a device that computes right passes every kernel, whatever order its invocations have") {
    const DeviceCheck check = checked(Lie::none);
    CHECK_MESSAGE(!check.fails(), check.failure);
    CHECK(check.passed == 6);
    CHECK(check.total == 6);
    CHECK(check.is_lasting);
    CHECK(check.to_string() == "checked here: 6 of 6");
}

TEST_CASE("each lie fails the kernel that it concerns, with the values") {
    const struct {
        Lie lie;
        std::string kernel;
    } expected[] = {{Lie::wrong_multiplication, "integers"},
                    {Lie::wrong_fma, "floats"},
                    {Lie::lost_stores, "integers"},
                    {Lie::missing_barriers, "barriers"},
                    {Lie::torn_atomics, "atomics"}};
    const std::regex values(" gives [0-9]+, not [0-9]+, as word [0-9]+ of its output\\.");
    for (const auto& [lie, kernel] : expected) {
        CAPTURE(kernel);
        const DeviceCheck check = checked(lie);
        CHECK(check.fails());
        CHECK(check.is_lasting);
        CHECK(check.total == 6);
        CHECK(check.passed < 6);
        CHECK_MESSAGE(check.failure.starts_with("The kernel \"" + kernel + "\" gives "), check.failure);
        CHECK_MESSAGE(std::regex_search(check.failure, values), check.failure);
    }
}

TEST_CASE("a kernel that doesn't fit is left out, one that doesn't compile fails, no memory is no verdict") {
    auto script = std::make_shared<DeviceScript>();
    script->info.exactness = {};
    InterpretingBackend backend(script);
    CHECK(proving::check_device(backend, 0).to_string() == "checked here: 5 of 5");  // no floats
    script->info.limits.max_workgroup_invocations = 32;
    CHECK(proving::check_device(backend, 0).to_string() == "not checked");
    CHECK_FALSE(proving::check_device(backend, 0).is_lasting);

    script->info = fit_device();
    script->fails_to_compile = true;
    const DeviceCheck rejected = proving::check_device(backend, 0);
    CHECK(rejected.failure == "The kernel \"integers\" doesn't run: The double rejects the code on purpose.");
    CHECK(rejected.is_lasting);
    script->fails_to_compile = false;

    script->full_at = script->allocations + 5;
    const DeviceCheck full = proving::check_device(backend, 0);
    CHECK_FALSE(full.fails());
    CHECK_FALSE(full.is_lasting);
    CHECK(full.not_done ==
          "The kernel \"memory\" of its check can't run now: The double is full on purpose.");
}

TEST_CASE("a kernel that doesn't end, or loses its device, fails the device, but not for later processes") {
    auto hanging = std::make_shared<DeviceScript>();
    hanging->hangs_at = 3;
    InterpretingBackend hangs(hanging);
    const DeviceCheck late = proving::check_device(hangs, 0, 20ms);
    CHECK(late.failure == "The kernel \"memory\" doesn't run: The double still runs.");
    CHECK(late.passed == 2);
    CHECK_FALSE(late.is_lasting);
    CHECK(hanging->abandons == 1);
    CHECK(hanging->submits == 3);  // nothing runs after it

    auto losing = std::make_shared<DeviceScript>();
    losing->lost_at = 1;
    InterpretingBackend loses(losing);
    const DeviceCheck lost = proving::check_device(loses, 0);
    CHECK(lost.failure == "The kernel \"integers\" doesn't run: The double is lost on purpose.");
    CHECK_FALSE(lost.is_lasting);
    CHECK(losing->submits == 1);
}

TEST_CASE("a verdict is read as it was written, and nothing else is") {
    const DeviceCheck check{
        .passed = 5, .total = 6, .failure = "It lies.\n", .not_done = {}, .is_lasting = true};
    const std::string text = device_check_text(check);
    const auto read = read_device_check(text);
    REQUIRE(read);
    CHECK(read->passed == 5);
    CHECK(read->failure == "It lies.\\n");  // safe to print
    for (std::size_t length = 0; length < text.size(); ++length)
        CHECK_FALSE(read_device_check(text.substr(0, length)));
    CHECK_FALSE(read_device_check(text + "x"));
    CHECK_FALSE(read_device_check("muster probe 1\n"));
}

TEST_CASE("routing passes over a device that fails its check, and says why and what runs instead") {
    const Machine machine;
    machine.first->id = "passed-over";  // warnings are logged once for each id
    const Logged log;
    const Route route = machine.route();
    CHECK(winner(route) == "second:0");
    const CandidateRecord& record = record_of(route, "passed-over:0");
    CHECK(record.reason == Reason::check_failed);
    CHECK(record.stage == Stage::open);
    CHECK_MESSAGE(record.message.starts_with(torn), record.message);
    CHECK(record.fix.contains("name passed-over:0 as the backend"));
    CHECK(record.failed_first);
    REQUIRE(record.check);
    CHECK(record.check->passed == 5);
    CHECK(record_of(route, "second:0").message ==
          "It fits, and comes first: rank 2, native; checked here: 6 of 6.");
    CHECK_MESSAGE(log.lines.contains("passed-over:0 failed, and saxpy runs on second:0"), log.lines);
}

TEST_CASE("a device that the policy asks for runs though it fails its check, with a warning") {
    const Machine machine;
    for (const Policy& policy : {Policy{.backends = {{"first"}}}, Policy{.backends = {{"first:0", "second"}}},
                                 Policy{.choice = Pinned{"first"}}}) {
        const Route route = machine.route(policy);
        CHECK(winner(route) == "first:0");
        REQUIRE(route.decision().notes.size() == 1);
        CHECK(route.decision().notes[0].starts_with(
            "first:0 doesn't compute right (checked here: 5 of 6), and is used "
            "because the policy names it. The kernel \"atomics\" gives "));
        CHECK(record_of(route, "first:0").message.ends_with("; checked here: 5 of 6."));
    }
    CHECK(winner(machine.route({.backends = {{"first", "second"}}})) == "second:0");
    machine.first->id = "warned-of";
    const Logged log;
    (void)machine.route({.backends = {{"warned-of"}}});
    CHECK_MESSAGE(log.lines.contains("saxpy runs on warned-of:0 (double 0), which doesn't compute right"),
                  log.lines);
}

TEST_CASE("of the devices of a backend that is asked for, those that compute right come first") {
    const Machine machine;
    machine.first->info.uuid[0] = 2;  // two devices, of which the first lies
    const Route route = machine.route({.backends = {{"first"}}});
    CHECK(winner(route) == "first:1");
    CHECK(record_of(route, "first:0").message.starts_with("It fits, but doesn't compute right"));
    CHECK(winner(machine.route()) == "first:1");
    CHECK(winner(machine.route({.backends = {{"first:0"}}})) == "first:0");
}

TEST_CASE("only one: a device that fails its check is none of those that fit") {
    const Machine machine;
    CHECK(winner(machine.route({.choice = OnlyOne{}})) == "second:0");
    Machine honest;
    honest.lie = Lie::none;
    const Route route = honest.route({.choice = OnlyOne{}});
    CHECK(record_of(route, "first:0").reason == Reason::ambiguous);
}

TEST_CASE("only devices that would be chosen are checked, and none if the policy says so") {
    Machine machine;
    machine.lie = Lie::none;
    CHECK(winner(machine.route()) == "first:0");
    CHECK(machine.first->submits == 6);
    CHECK(machine.second->submits == 0);
    machine.lie = Lie::torn_atomics;
    CHECK(winner(machine.route({.check_devices = false})) == "first:0");
    CHECK(machine.first->submits == 6);
    const Route route = machine.route({.check_devices = false});
    CHECK(record_of(route, "first:0").message == "It fits, and comes first: rank 1, native.");
    CHECK_FALSE(record_of(route, "first:0").check);
}

TEST_CASE("a verdict is kept for later processes, as long as driver and device are the same") {
    const Machine machine;
    CHECK(winner(machine.route()) == "second:0");
    CHECK(machine.first->submits == 6);
    CHECK(machine.second->submits == 6);
    CHECK(winner(machine.route()) == "second:0");  // another fleet: as in another process
    CHECK(machine.first->submits == 6);
    CHECK(machine.second->submits == 6);
    machine.second->info.driver = "driver 2";
    CHECK(winner(machine.route()) == "second:0");
    CHECK(machine.second->submits == 12);
    machine.first->info.arch = "d2";
    CHECK(winner(machine.route()) == "second:0");
    CHECK(machine.first->submits == 12);
}

TEST_CASE("without a cache a device is checked once in a process, by all sessions of a fleet together") {
    const Machine machine;
    const auto fleet = machine.fleet(false);
    for (int i = 0; i < 3; ++i) {
        Session session = *Session::open({.fleet = fleet, .use_environment = false});
        CHECK(winner(session.route(saxpy())) == "second:0");
    }
    CHECK(machine.first->submits == 6);
    CHECK(machine.second->submits == 6);
    const Fleet successor({fleet->entry(0), fleet->entry(1)}, *fleet);
    REQUIRE(successor.checked(0, 0));
    CHECK(successor.checked(0, 0)->fails());
}

TEST_CASE("what is known of a check is told without running it") {
    const Machine machine;
    const auto fleet = machine.fleet();
    const DeviceInfo device = fleet->probe(0).devices[0];
    CHECK_FALSE(fleet->known_check(0, device));
    CHECK(machine.first->submits == 0);
    CHECK(fleet->check(0, device).fails());
    CHECK(fleet->known_check(0, device)->fails());
    CHECK(machine.fleet()->known_check(0, device)->fails());  // from the cache
    CHECK(machine.first->submits == 6);
}

TEST_CASE("a device that can't be checked is used, and the route says that it wasn't") {
    Machine machine;
    machine.lie = Lie::none;
    machine.first->full_at = 1;
    const Route route = machine.route();
    CHECK(winner(route) == "first:0");
    REQUIRE(route.decision().notes.size() == 1);
    CHECK(route.decision().notes[0] ==
          "first:0 isn't checked. The kernel \"integers\" of its check can't run now: The double is full on "
          "purpose.");
}

TEST_CASE(
    "a device that fails its check isn't preferred by whoever acquires a backend, unless the policy doesn't "
    "ask") {
    static const DeviceScriptPointer wrong = named("acquired-wrong", 1), right = named("acquired-right", 2);
    static constexpr std::array registrations{
        BackendRegistration{.id = "acquired-wrong",
                            .factory = []() -> Result<std::unique_ptr<Backend>> {
                                return std::make_unique<LyingBackend>(wrong, Lie::torn_atomics);
                            },
                            .supported_ops = &all_exact_ops},
        BackendRegistration{.id = "acquired-right",
                            .factory = []() -> Result<std::unique_ptr<Backend>> {
                                return std::make_unique<InterpretingBackend>(right);
                            },
                            .supported_ops = &all_exact_ops}};
    static constexpr std::array precedences{BackendPrecedence{.id = "acquired-wrong", .rank = 1},
                                            BackendPrecedence{.id = "acquired-right", .rank = 2}};
    static constexpr std::array capabilities{BackendCapability{.id = "acquired-wrong", .dispatches = true},
                                             BackendCapability{.id = "acquired-right", .dispatches = true}};
    const Registry registry = Registry::from_records(registrations, precedences, capabilities);
    CHECK(acquire_preferred(registry).value().backend->id() == "acquired-right");
    setenv("MUSTER_CHECK_DEVICES", "0", 1);
    CHECK(acquire_preferred(registry).value().backend->id() == "acquired-wrong");
    unsetenv("MUSTER_CHECK_DEVICES");
}

TEST_CASE("a fleet without a checker checks nothing, and neither does one for the backends of a session") {
    const Machine machine;
    const Fleet fleet({entry(machine.first)});
    CHECK_FALSE(fleet.checks_devices(0));
    auto own = std::make_shared<LyingBackend>(named("own", 0), Lie::torn_atomics);
    Session session =
        *Session::open({.fleet = machine.fleet(), .backends = {{.backend = own}}, .use_environment = false});
    CHECK(winner(session.route(saxpy())) == "own:0");
    CHECK(own->script->submits == 0);
}

TEST_CASE(
    "isolated: a check runs in a process of its own, and one that crashes or hangs there fails its device") {
    const probing::Isolation isolation(MUSTER_PROBE_HELPER);
    const auto check = [&](const std::string& id, std::chrono::nanoseconds budget = 60s) {
        return isolation.check(id, MUSTER_PROBED_DOUBLES, fit_device(), budget);
    };
    const DeviceCheck sound = check("computes");
    CHECK_MESSAGE(sound.to_string() == "checked here: 6 of 6", (sound.failure + sound.not_done));
    CHECK(sound.is_lasting);
    CHECK(check("sound").not_done == "It can't be opened to be checked: It is only probed.");
    const DeviceCheck crashed = check("crashes-when-opened");
    CHECK_MESSAGE(crashed.failure.starts_with("The check of crashes-when-opened:0 crashed: signal 9"),
                  crashed.failure);
    CHECK_FALSE(crashed.is_lasting);
    CHECK(check("exits-when-opened").failure ==
          "The check of exits-when-opened:0 ended its process, with status 7.");
    CHECK(check("hangs-when-opened", 300ms).failure ==
          "The check of hangs-when-opened:0 hasn't ended after 300 ms; its process was ended.");
    CHECK(check("garbles-when-opened")
              .failure.starts_with("The check of garbles-when-opened:0 answers what can't be read: "));
    CHECK(check("nobody").not_done.contains("registers no backend nobody"));
}
