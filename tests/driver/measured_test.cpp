// Routing by measurement, with two fake devices: "near" starts at once and is slow, "far" is fast and takes a while to start. Their
// roofs are declared here; nothing is measured.
#include <doctest/doctest.h>
#include <support/doubles.hpp>
#include <support/programs.hpp>
#include <support/scratch_folder.hpp>

#include <muster/driver/helper/verdicts.hpp>
#include <muster/driver/routing/roof.hpp>
#include <muster/driver/session/session.hpp>
#include <muster/foundation/wgsl/wgsl.hpp>

using namespace muster;
using namespace muster::test;

namespace {

constexpr Roof near_roof{.copy_gb_s = 10,
                         .multiply_add_gflop_s = 10,
                         .lone_gflop_s = 10,
                         .launch_us = 0.2,
                         .to_device_gb_s = 10,
                         .from_device_gb_s = 10};
constexpr Roof far_roof{.copy_gb_s = 1000,
                        .multiply_add_gflop_s = 1000,
                        .lone_gflop_s = 10,
                        .launch_us = 10,
                        .to_device_gb_s = 10,
                        .from_device_gb_s = 10};

/// Two fakes of their own for each test, so that no test sees another's roofs.
struct Pair {
    ScriptPointer near, far;
    Session session;

    static Session open(const ScriptPointer& near, const ScriptPointer& far, Policy policy) {
        auto session = Session::open({.policy = std::move(policy),
                                      .fleet = std::make_shared<Fleet>(entries({near, far})),
                                      .use_environment = false});
        REQUIRE(session);
        return *session;
    }
    explicit Pair(const std::string& name, std::uint32_t near_rank = 100, std::uint32_t far_rank = 10,
                  Policy policy = {.choice = Measured{}})
        : near(script(name + "_near", near_rank)),
          far(script(name + "_far", far_rank)),
          session(open(near, far, std::move(policy))) {
        for (const ScriptPointer& one : {near, far}) {
            one->ends_at_once = true;
            one->takes_ns = 0;  // unknown
        }
    }
    void measure() {
        keep_roof(near->id, near->devices[0], Precision::exact, near_roof);
        keep_roof(far->id, far->devices[0], Precision::exact, far_roof);
    }
    int near_runs() const { return near->calls.submit; }
    int far_runs() const { return far->calls.submit; }
};

/// y[i] is multiplied `times` times.
ValidProgram powers(const std::string& times) {
    auto program = wgsl::parse(
        "@group(0) @binding(0) var<storage, read_write> y: array<f32>;"
        "@compute @workgroup_size(64) fn powers(@builtin(global_invocation_id) id: vec3u) {"
        "var s = y[id.x]; for (var i = 0; i < " +
            times + "; i++) { s *= 3; } y[id.x] = s; }",
        {});
    REQUIRE(program);
    auto proven = validate(*std::move(program));
    REQUIRE(proven);
    return *proven;
}

const CandidateRecord& record(const Route& route, const std::string& backend) {
    for (const CandidateRecord& candidate : route.decision().candidates)
        if (candidate.backend == backend) return candidate;
    FAIL("no record of " << backend);
    return route.decision().candidates.front();
}

std::vector<float> data(std::uint64_t count) { return std::vector<float>(count, 1); }

}  // namespace

TEST_CASE(
    "small grids stay where they start at once, large ones go where they end first, whatever the ranks") {
    for (const std::uint32_t far_rank : {10u, 1000u}) {
        Pair pair("grids" + std::to_string(far_rank), 100, far_rank);
        pair.measure();
        const Kernel kernel = *pair.session.prepare(powers("1000"));
        const Buffer few = *pair.session.buffer(data(64)), many = *pair.session.buffer(data(1 << 18));
        CHECK(pair.session.dispatch(kernel, {{"y", few}}, Invocations{64}));
        CHECK(pair.near_runs() == 1);
        CHECK(pair.session.dispatch(kernel, {{"y", many}}, Invocations{1 << 18}));
        CHECK(pair.far_runs() == 1);
        CHECK(pair.session.dispatch(kernel, {{"y", few}}, Invocations{64}));
        CHECK(pair.near_runs() == 2);
        CHECK(pair.far_runs() == 1);
    }
}

TEST_CASE("the record has each estimate beside the rank") {
    Pair pair("record");
    pair.measure();
    const ValidProgram program = powers("1000");
    const Buffer y = *pair.session.buffer(data(1 << 18));
    const Route route = *pair.session.route(program, std::array{Argument{"y", y}}, Invocations{1 << 18});
    REQUIRE(route.execute());
    CHECK(route.execute()->backend == "record_far");
    const CandidateRecord& far = record(route, "record_far");
    CHECK(far.reason == Reason::chosen);
    CHECK(far.rank == 10);
    REQUIRE(far.estimate);
    // 2^18 invocations with 1000 multiplications, a load and a store, at 1000 a nanosecond; 1 MiB at 10 bytes.
    CHECK(far.estimate->run_us == doctest::Approx(10 + 262.144 * 1.002).epsilon(0.001));
    CHECK(far.estimate->move_bytes == 1 << 20);
    CHECK(far.estimate->move_us == doctest::Approx(104.8576));
    CHECK(far.message ==
          "It fits, and is estimated to finish first: 378 us, 105 us of it to move 1048576 bytes there.");
    const CandidateRecord& near = record(route, "record_near");
    CHECK(near.reason == Reason::estimated_slower);
    CHECK(near.message ==
          "It fits, but is estimated to take 26.4 ms, 105 us of it to move 1048576 bytes there.");
    CHECK(near.fix == "name record_near:0 as the backend");
    CHECK(pair.far->calls.submit + pair.far->calls.compile == 0);
}

TEST_CASE("without a dispatch, ranks decide") {
    Pair pair("ranks");
    pair.measure();
    CHECK(pair.session.route(powers("1")).execute()->backend == "ranks_far");
    CHECK_FALSE(record(pair.session.explain(powers("1")), "ranks_far").estimate);
}

TEST_CASE("other choices get estimates, which decide nothing") {
    Pair pair("ranked", 100, 10, Policy{});
    pair.measure();
    const Buffer y = *pair.session.buffer(data(64));
    const Route route = *pair.session.route(powers("1"), std::array{Argument{"y", y}}, Invocations{64});
    CHECK(route.execute()->backend == "ranked_far");
    CHECK(record(route, "ranked_far").estimate->run_us > record(route, "ranked_near").estimate->run_us);
    const Kernel kernel = *pair.session.prepare(powers("1"));
    CHECK(pair.session.dispatch(kernel, {{"y", y}}, Invocations{64}));
    CHECK(pair.far_runs() == 1);
}

TEST_CASE("if the first device by rank isn't measured, ranks decide, and a note says so") {
    Pair pair("unmeasured");
    keep_roof(pair.near->id, pair.near->devices[0], Precision::exact, near_roof);
    const Buffer y = *pair.session.buffer(data(64));
    const Route route = *pair.session.route(powers("1"), std::array{Argument{"y", y}}, Invocations{64});
    CHECK(route.execute()->backend == "unmeasured_far");
    REQUIRE(route.decision().notes.size() == 1);
    CHECK(route.decision().notes[0] ==
          "The policy chooses by measurement, and unmeasured_far:0 isn't measured: ranks decide. Fix: muster "
          "bench "
          "--backend unmeasured_far:0 measures it, once for this machine.");
    const Kernel kernel = *pair.session.prepare(powers("1"));
    CHECK(pair.session.dispatch(kernel, {{"y", y}}, Invocations{64}));
    CHECK(pair.far_runs() == 1);
}

TEST_CASE("a later device that isn't measured is passed over, and its record says how to measure it") {
    Pair pair("later");
    keep_roof(pair.far->id, pair.far->devices[0], Precision::exact, far_roof);
    const Buffer y = *pair.session.buffer(data(64));
    const Route route = *pair.session.route(powers("1"), std::array{Argument{"y", y}}, Invocations{64});
    CHECK(route.execute()->backend == "later_far");
    CHECK(record(route, "later_near").message == "It fits, but isn't measured: later_far:0 comes first.");
    CHECK(record(route, "later_near").fix == "measure it: muster bench --backend later_near:0");
}

TEST_CASE("a kernel leaves its device only for a clearly shorter time") {
    const std::array estimates{Estimate{.run_us = 100}, Estimate{.run_us = 81}, Estimate{.run_us = 90}};
    CHECK(first_to_finish(estimates, std::nullopt) == 1);
    CHECK(first_to_finish(estimates, 0) == 0);
    CHECK(first_to_finish(estimates, 2) == 2);
    const std::array clear{Estimate{.run_us = 100}, Estimate{.run_us = 79}};
    CHECK(first_to_finish(clear, 0) == 1);
    const std::array moved{Estimate{.run_us = 100}, Estimate{.run_us = 10, .move_us = 200, .credit_us = 130}};
    CHECK(first_to_finish(moved, 0) == 1);
}

TEST_CASE("data move once enough dispatches would have gained by it") {
    Pair pair("credit");
    pair.measure();
    Roof remote = far_roof;
    remote.to_device_gb_s = 1;
    keep_roof(pair.far->id, pair.far->devices[0], Precision::exact, remote);
    // For 2 MiB read and written, near takes 210 us and far 12, but 1153 to move 1 MiB there: six dispatches' gain.
    const Kernel kernel = *pair.session.prepare(powers("1"));
    const Buffer y = *pair.session.buffer(data(1 << 18));
    const Session at_near = Pair::open(pair.near, pair.far, {.backends = {{pair.near->id}}});
    CHECK(
        Session(at_near).dispatch(*Session(at_near).prepare(powers("1")), {{"y", y}}, Invocations{1 << 18}));
    const int before = pair.near_runs();
    int until = 0;
    while (pair.far_runs() == 0 && until < 100) {
        CHECK(pair.session.dispatch(kernel, {{"y", y}}, Invocations{1 << 18}));
        ++until;
    }
    CHECK(until == 7);
    CHECK(pair.near_runs() == before + until - 1);
    for (int i = 0; i < 5; ++i) CHECK(pair.session.dispatch(kernel, {{"y", y}}, Invocations{1 << 18}));
    CHECK(pair.far_runs() == 6);  // it stays with its data
}

TEST_CASE("what a dispatch has taken corrects the next estimate for its device") {
    Pair pair("correction");
    pair.measure();
    pair.far->takes_ns = 100'000'000;  // some 400 times as long as its roof says
    const Kernel kernel = *pair.session.prepare(powers("1000"));
    const Buffer y = *pair.session.buffer(data(1 << 18));
    const auto run = [&] { CHECK(pair.session.dispatch(kernel, {{"y", y}}, Invocations{1 << 18})); };
    run();
    CHECK(pair.far_runs() == 1);
    run();
    CHECK(pair.near_runs() == 1);
    const Route route = *pair.session.route(kernel, std::array{Argument{"y", y}}, Invocations{1 << 18});
    CHECK(record(route, "correction_far").estimate->correction == doctest::Approx(366.7).epsilon(0.01));
    CHECK(route.execute()->backend == "correction_near");
}

TEST_CASE("a device on which the kernel can't be prepared is passed over, with a warning") {
    Pair pair("unprepared", 10, 100);
    pair.measure();
    pair.far->compile = Act::fail;
    const Kernel kernel = *pair.session.prepare(powers("1000"));
    const Buffer y = *pair.session.buffer(data(1 << 18));
    for (int i = 0; i < 3; ++i) CHECK(pair.session.dispatch(kernel, {{"y", y}}, Invocations{1 << 18}));
    CHECK(pair.near_runs() == 3);
    CHECK(pair.far->calls.compile == 1);
}

TEST_CASE("a dispatch that doesn't fit the chosen device runs where the kernel was prepared") {
    Pair pair("limits", 10, 100);
    pair.far->devices[0].limits.max_storage_binding_bytes = 4096;
    pair.measure();
    const Kernel kernel = *pair.session.prepare(powers("1000"));
    const Buffer y = *pair.session.buffer(data(1 << 18));
    CHECK(
        pair.session.route(kernel, std::array{Argument{"y", y}}, Invocations{1 << 18})->execute()->backend ==
        "limits_far");
    CHECK(pair.session.dispatch(kernel, {{"y", y}}, Invocations{1 << 18}));
    CHECK(pair.near_runs() == 1);
    CHECK(pair.far_runs() == 0);
}

TEST_CASE("a dispatch that is shorter than a launch teaches next to nothing") {
    Pair pair("short", 100, 10);
    pair.measure();
    pair.near->takes_ns = 1'000;  // 1 us, a hundred times what the roof says of so little work
    const Kernel kernel = *pair.session.prepare(powers("1"));
    const Buffer y = *pair.session.buffer(data(64));
    for (int i = 0; i < 2; ++i) CHECK(pair.session.dispatch(kernel, {{"y", y}}, Invocations{64}));
    const Route route = *pair.session.route(kernel, std::array{Argument{"y", y}}, Invocations{64});
    const Estimate& near = *record(route, "short_near").estimate;
    CHECK(near.correction == doctest::Approx(5).epsilon(0.2));  // (0.2 + 1) / (0.2 + 0.05)
    CHECK(pair.near_runs() == 2);
}

TEST_CASE("data are read from the device that holds them before they move") {
    Pair pair("holder");
    pair.measure();
    const Buffer y = *pair.session.buffer(data(1 << 18));
    const Session far_only = Pair::open(pair.near, pair.far, {.backends = {{pair.far->id}}});
    CHECK(Session(far_only).dispatch(*Session(far_only).prepare(powers("1")), {{"y", y}},
                                     Invocations{1 << 18}));
    const Route route = *pair.session.route(powers("1"), std::array{Argument{"y", y}}, Invocations{1 << 18});
    CHECK(record(route, "holder_near").estimate->move_us == doctest::Approx(2 * 104.8576));
    CHECK(record(route, "holder_far").estimate->move_us == 0);
}

TEST_CASE("a kernel that is let go of goes, with those that it has elsewhere") {
    Pair pair("released", 10, 100);
    pair.measure();
    std::weak_ptr<const Kernel::State> released;
    {
        const Kernel kernel = *pair.session.prepare(powers("1000"));
        released = kernel.state();
        const Buffer few = *pair.session.buffer(data(64)), many = *pair.session.buffer(data(1 << 18));
        CHECK(pair.session.dispatch(kernel, {{"y", few}}, Invocations{64}));
        CHECK(pair.session.dispatch(kernel, {{"y", many}}, Invocations{1 << 18}));
        CHECK(pair.near_runs() == 1);
        CHECK(pair.far_runs() == 1);
    }
    CHECK(released.expired());
}

TEST_CASE("a kernel can be prepared where its dispatch shall run") {
    Pair pair("prepared", 10, 100);
    pair.measure();
    const Buffer y = *pair.session.buffer(data(1 << 18));
    const ArtifactFile file{.program = powers("1000"), .codes = {}};
    const Kernel kernel = *pair.session.prepare_for(file, std::array{Argument{"y", y}}, Invocations{1 << 18});
    CHECK(kernel.backend() == "prepared_far");
    CHECK(record(kernel.route(), "prepared_near").estimate);
    CHECK(pair.session.dispatch(kernel, {{"y", y}}, Invocations{1 << 18}));
    CHECK(pair.far_runs() == 1);
    CHECK(pair.near->calls.compile == 0);
}

TEST_CASE("wrong arguments and grids are the errors of a dispatch") {
    Pair pair("wrong");
    pair.measure();
    const Buffer y = *pair.session.buffer(data(64));
    const auto unknown = pair.session.route(powers("1"), std::array{Argument{"z", y}}, Invocations{64});
    REQUIRE_FALSE(unknown);
    CHECK(unknown.error().message == "powers has no binding \"z\".");
    const Kernel kernel = *pair.session.prepare(powers("1"));
    CHECK_FALSE(pair.session.dispatch(kernel, {{"z", y}}, Invocations{64}));
    CHECK(pair.session.dispatch(kernel, {{"y", y}}, Workgroups{0}));
    CHECK(pair.near_runs() + pair.far_runs() == 0);
}

TEST_CASE("roofs are kept for later processes, as long as the device is the same") {
    const ScratchFolder folder;
    const Verdicts verdicts{DiskCache(folder.path / "cache")};
    DeviceInfo device = fit_device();
    const std::string subject = "roof of stored:0 in exact mode";
    const std::string circumstances = device.name + "\n\nd1\n0";
    keep_roof(verdicts, "stored", device, Precision::exact, far_roof);
    CHECK(kept_roof(verdicts, "stored", device, Precision::exact) == far_roof);
    CHECK_FALSE(kept_roof(verdicts, "stored", device, Precision::fast));
    device.driver = "newer";
    CHECK_FALSE(kept_roof(verdicts, "stored", device, Precision::exact));
    const auto text = verdicts.find(subject, circumstances);
    REQUIRE(text);
    const auto read = [&](const std::string& kept) {
        verdicts.keep(subject, circumstances, kept);
        return kept_roof(verdicts, "stored", fit_device(), Precision::exact);
    };
    CHECK(read(*text) == far_roof);
    CHECK_FALSE(read(text->substr(0, 20)));
    CHECK_FALSE(read(""));
    CHECK_FALSE(read("copy_gb_s -1" + text->substr(text->find('\n'))));
}
