// Isolated probes: whatever a backend does, it does to the helper, and disables only itself.
#include <csignal>
#include <cstdlib>
#include <string>

#include <doctest/doctest.h>
#include <support/doubles.hpp>
#include <support/own_process.hpp>
#include <support/programs.hpp>
#include <sys/wait.h>
#include <unistd.h>

#include <muster/driver/probing/isolation.hpp>
#include <muster/driver/probing/probe_answer.hpp>
#include <muster/driver/session/session.hpp>

using namespace muster;
using namespace muster::test;
using namespace std::chrono_literals;

namespace {

constexpr auto patient = 60s;  // for probes that answer

ProbeResult probe(const std::string& id, std::chrono::nanoseconds budget = patient,
                  const std::string& module = MUSTER_PROBED_DOUBLES) {
    return probing::Isolation(MUSTER_PROBE_HELPER).probe(id, module, budget);
}

/// Sets an environment variable during its lifetime.
struct Setting {
    const char* name;
    Setting(const char* called, const std::string& value) : name(called) { setenv(name, value.c_str(), 1); }
    ~Setting() { unsetenv(name); }
};

/// Lets a signal end the helper in a sanitized build, too; otherwise the sanitizer ends it, with an exit status.
struct Unsanitized {
    Setting address{"ASAN_OPTIONS", "handle_segv=0:handle_abort=0"};
    Setting thread{"TSAN_OPTIONS", "handle_segv=0:handle_abort=0"};
};

bool same(const DeviceInfo& a, const DeviceInfo& b) {
    return probing::probe_answer({.devices = {a}}) == probing::probe_answer({.devices = {b}});
}

}  // namespace

TEST_CASE("an isolated probe answers what one in this process does") {
    const ProbeResult result = probe("sound");
    REQUIRE_MESSAGE(result.state == ProbeState::answered, result.error.to_string());
    REQUIRE(result.devices.size() == 1);
    CHECK(same(result.devices[0], fit_device()));
    CHECK(result.took > 0ns);
}

TEST_CASE("isolated: no device, and a hundred of them") {
    const ProbeResult none = probe("none");
    CHECK(none.state == ProbeState::answered);
    CHECK(none.devices.empty());
    const ProbeResult hundred = probe("hundred");
    REQUIRE(hundred.devices.size() == 100);
    for (std::uint32_t i = 0; i < 100; ++i) CHECK(hundred.devices[i].ordinal == i);
}

TEST_CASE("isolated: a crash is told of once, by the process that asked") {
    const Unsanitized helper;
    CHECK(run_in_own_process([] { (void)probe("crashes"); }).standard_error.empty());
    CHECK(run_in_own_process([] { (void)probe("aborts"); }).standard_error.empty());
}

TEST_CASE("isolated: a crash costs only its backend, and says which signal") {
    const Unsanitized helper;
    const ProbeResult crashed = probe("crashes");
    CHECK(crashed.state == ProbeState::crashed);
    CHECK(crashed.error.message == "The probe of crashes crashed: signal 11 (segmentation fault).");
    CHECK_FALSE(crashed.error.fix.empty());
    CHECK(probe("aborts").error.message == "The probe of aborts crashed: signal 6 (aborted).");
    CHECK(probe("killed").error.message == "The probe of killed crashed: signal 9.");
    const ProbeResult exited = probe("exits");
    CHECK(exited.state == ProbeState::crashed);
    CHECK(exited.error.message == "The probe of exits ended its process, with status 7.");
}

TEST_CASE("isolated: a hang is timed out, and its process ended") {
    const auto start = std::chrono::steady_clock::now();
    const ProbeResult result = probe("hangs", 500ms);
    CHECK(result.state == ProbeState::timed_out);
    CHECK(result.error.code == ErrorCode::timed_out);
    CHECK(result.error.message == "The probe of hangs hasn't answered after 500 ms; its process was ended.");
    CHECK(std::chrono::steady_clock::now() - start < 30s);
    CHECK(waitpid(-1, nullptr, WNOHANG) == -1);  // no child is left
}

TEST_CASE("isolated: garbage on the pipe is its own state") {
    for (const char* id : {"garbles", "babbles", "exits-well"}) {
        CAPTURE(id);
        const ProbeResult result = probe(id);
        CHECK(result.state == ProbeState::unreadable);
        CHECK(result.error.message.find("answers what can't be read") != std::string::npos);
    }
}

TEST_CASE("isolated: what fails, throws or lies is told as in this process") {
    const ProbeResult failed = probe("fails");
    CHECK(failed.state == ProbeState::failed);
    CHECK(failed.error.to_string() == "There is no driver.\nFix: install it");
    CHECK(probe("throws").error.message == "The probe of throws throws: thrown on purpose.");
    CHECK(probe("throws").state == ProbeState::failed);
    CHECK(probe("lies-of-ordinals").state == ProbeState::failed);
    CHECK(probe("lies-of-limits").state == ProbeState::failed);
    CHECK(probe("impostor").state == ProbeState::factory_failed);
}

TEST_CASE("isolated: what a probe leaves running doesn't hold it up") {
    const ProbeResult result = probe("leaves-one-behind");
    CHECK(result.state == ProbeState::answered);
    CHECK(result.took < 15s);
}

TEST_CASE("isolated: a library that hangs or crashes when it is opened costs only its backend") {
    const auto opened = [](const char* what, std::chrono::nanoseconds budget) {
        const Setting when("MUSTER_TEST_WHEN_OPENED", what);
        return probe("hurts-when-opened", budget, MUSTER_OPENED_DOUBLE).state;
    };
    CHECK(opened("hangs", 500ms) == ProbeState::timed_out);
    CHECK(opened("crashes", patient) == ProbeState::crashed);
    CHECK(opened("sound", patient) == ProbeState::answered);
}

TEST_CASE("isolated: a missing helper, one that doesn't start, a file that isn't there") {
    const auto with = [](Result<std::string> helper) {
        return probing::Isolation(std::move(helper)).probe("sound", MUSTER_PROBED_DOUBLES, patient);
    };
    const ProbeResult missing =
        with(fail(ErrorCode::not_found, "muster-probe isn't installed.", "install it"));
    CHECK(missing.state == ProbeState::no_helper);
    CHECK(missing.error.to_string() ==
          "sound isn't probed: muster-probe isn't installed.\n"
          "Fix: install it, or leave MUSTER_PROBE unset");
    CHECK(with("/nowhere/muster-probe").state == ProbeState::no_helper);
    CHECK(with("/nowhere/muster-probe").error.message.find("No such file") != std::string::npos);
    CHECK(with("/bin/true").state == ProbeState::unreadable);
    CHECK(probe("sound", patient, "/nowhere/backend.so").state == ProbeState::failed);
    CHECK(probe("nobody").error.message.find("registers no backend nobody") != std::string::npos);
}

TEST_CASE("isolated: what is part of this program isn't probed, and says so") {
    for (const std::string module : {"", "/proc/self/exe"}) {
        const ProbeResult result = probe("sound", patient, module);
        CHECK(result.state == ProbeState::not_isolated);
        CHECK(result.error.message ==
              "sound is part of this program: no other process can load it to probe it.");
    }
}

TEST_CASE("isolated: a program that takes its children's status itself is answered all the same") {
    const auto before = std::signal(SIGCHLD, SIG_IGN);
    CHECK(probe("sound").state == ProbeState::answered);
    CHECK(probe("crashes").state == ProbeState::unreadable);  // its exit status is unknown
    std::signal(SIGCHLD, before);
}

TEST_CASE("a backend that hurt its helper is neither loaded nor constructed here") {
    auto hurting = script("crashes", 1), next = script("sound", 2), lazy = script("aborts", 3);
    auto all = entries({hurting, next, lazy});
    for (FleetEntry& entry : all) entry.module = MUSTER_PROBED_DOUBLES;
    int loads = 0;
    all[2].load = [&]() -> Result<LoadedBackend> {
        ++loads;
        return LoadedBackend{OpSet::all_exact(), {}};
    };
    auto fleet = std::make_shared<Fleet>(std::move(all), patient,
                                         std::make_shared<const probing::Isolation>(MUSTER_PROBE_HELPER));
    auto session = Session::open({.fleet = fleet, .use_environment = false});
    const Route route = session->explain(saxpy());
    REQUIRE(route.execute());
    CHECK(route.execute()->backend == "sound");
    const auto reason = [&](std::string_view id) {
        for (const CandidateRecord& candidate : route.decision().candidates)
            if (candidate.backend == id) return candidate.reason;
        return Reason::not_registered;
    };
    CHECK(reason("crashes") == Reason::probe_crashed);
    CHECK(reason("aborts") == Reason::probe_crashed);
    CHECK(loads == 0);
    CHECK(hurting->calls.all() == 0);
    CHECK_FALSE(fleet->backend(*fleet->find("crashes")));
    CHECK(hurting->calls.all() == 0);
    CHECK(fleet->backend(*fleet->find("sound")));
    CHECK(next->calls.factory == 1);
    CHECK(next->calls.probe == 0);  // only the helper probed it

    const Fleet successor(entries({hurting, next}), *fleet);  // with other modules: no results are shared
    CHECK_FALSE(successor.probed(0));
}

TEST_CASE("a probe's answer is read as it was written, and whatever else comes is an error") {
    DeviceInfo odd = fit_device(7);
    odd.name = "a name\nwith 3:lines \xff";
    odd.kind = DeviceKind::integrated_gpu;
    odd.software_emulated = true;
    odd.uuid = {1, 2, 255};
    odd.driver = "";
    odd.memory_bytes = UINT64_MAX;
    odd.ops.insert("muster.grid_barrier");
    odd.scalars.flip(1);
    odd.exactness.fma = Promise::sampled;
    odd.hardware = {.compute_units = 132,
                    .clock_mhz = 1980,
                    .free_memory_bytes = UINT64_MAX - 1,
                    .vendor = 0x10de,
                    .device = std::nullopt,
                    .pci_address = PciAddress{1, 0x3b, 2, 3},
                    .unified_memory = false,
                    .asynchronous_copies = true};
    const std::string text = probing::probe_answer({.devices = {odd, fit_device()}});
    const auto read = probing::read_probe_answer(text);
    REQUIRE(read);
    REQUIRE(read->devices.size() == 2);
    const DeviceInfo& back = read->devices[0];
    CHECK(back.name == odd.name);
    CHECK(back.kind == odd.kind);
    CHECK(back.software_emulated);
    CHECK(back.uuid == odd.uuid);
    CHECK(back.memory_bytes == UINT64_MAX);
    CHECK(back.ops == odd.ops);
    CHECK(back.scalars == odd.scalars);
    CHECK(back.exactness.fma == Promise::sampled);
    CHECK(back.limits.max_workgroup_size.z == 64);
    CHECK(back.hardware == odd.hardware);
    CHECK(read->devices[1].hardware == DeviceHardware{});
    CHECK(back.limits.max_private_bytes == odd.limits.max_private_bytes);
    CHECK(probing::probe_answer(*read) == text);

    const auto failed = probing::read_probe_answer(
        probing::probe_answer({.state = ProbeState::failed,
                               .error = {ErrorCode::not_found, "None.", "get one", {"looking", "asking"}}}));
    REQUIRE(failed);
    CHECK(failed->state == ProbeState::failed);
    CHECK(failed->error.code == ErrorCode::not_found);
    CHECK(failed->error.context == std::vector<std::string>{"looking", "asking"});

    for (std::size_t length = 0; length < text.size(); ++length)
        CHECK_FALSE(probing::read_probe_answer(std::string_view(text).substr(0, length)));
    CHECK_FALSE(probing::read_probe_answer(text + "x"));
    std::size_t understood = 0;  // a changed digit or letter may make another answer, but nothing worse
    for (std::size_t i = 0; i < text.size(); ++i)
        for (const char other : {'9', ':', '\n', '\xff'}) {
            std::string changed = text;
            changed[i] = other;
            if (const auto result = probing::read_probe_answer(changed)) ++understood;
        }
    CHECK(understood < text.size());
}
