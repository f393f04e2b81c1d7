// Clusters of one process: cuts, exchanges, reductions, phases, distributions of buffers, weights, faults.
#include <stdexcept>

#include <doctest/doctest.h>

#include "cluster/execution/clusters.hpp"

using namespace muster;
using namespace muster::test;

TEST_CASE("each member runs its part, and results are those of one device") {
    for (const std::size_t members : {1u, 2u, 3u, 4u, 7u}) {
        CAPTURE(members);
        Doubles doubles(members);
        ClusterSession cluster = doubles.open();
        const ClusterKernel saxpy = good(cluster.prepare(compiled(saxpy_text)));
        const ClusterBuffer x = good(cluster.buffer(counted(200), Sharded{})),
                            y = good(cluster.buffer(counted(200, 7), Sharded{}));
        const ClusterTicket ticket =
            good(cluster.dispatch(saxpy, {{"a", 3u}, {"x", x}, {"y", y}}, Invocations{200}));
        CHECK(ticket.wait());
        CHECK(ticket.work().is_cut);
        const auto seen = good(y.read_all<std::uint32_t>());
        for (std::uint32_t i = 0; i < 200; ++i) CHECK(seen[i] == 4 * i + 7);
        for (const auto& script : doubles.scripts) CHECK(script->submits >= 1);
    }
}

TEST_CASE("a halo is sent before each step, and what lies in between runs without waiting for it") {
    Doubles doubles(3);
    ClusterSession cluster = doubles.open();
    const ClusterKernel neighbours = good(cluster.prepare(compiled(neighbours_text)));
    ClusterBuffer from = good(cluster.buffer(counted(240), Sharded{})),
                  to = good(cluster.zeros<std::uint32_t>(240, Sharded{}));
    for (int step = 0; step < 5; ++step) {
        const ClusterTicket ticket =
            good(cluster.dispatch(neighbours, {{"given", from}, {"sums", to}}, Invocations{240}));
        CHECK(ticket.work().bytes_sent == 4 * 4);  // a word each way at two borders
        std::swap(from, to);
    }
    CHECK(good(from.read_all<std::uint32_t>()) == summed(counted(240), std::vector<std::uint32_t>(240), 5));
    CHECK(doubles.scripts[1]->submits == 5 * 3);  // the middle one: its interior, and both borders
}

TEST_CASE("sums by atomics are made on each member and combined") {
    Doubles doubles(3);
    ClusterSession cluster = doubles.open();
    const ClusterKernel count = good(cluster.prepare(compiled(count_text)));
    const ClusterBuffer values = good(cluster.buffer(counted(1000), Sharded{}));
    const ClusterBuffer counts = good(cluster.buffer(std::vector<std::uint32_t>{1, 2, 3, 4}));
    for (std::uint32_t times = 1; times < 4; ++times) {
        const ClusterTicket ticket =
            good(cluster.dispatch(count, {{"values", values}, {"counts", counts}}, Invocations{1000}));
        CHECK(ticket.work().is_cut);
        CHECK(good(counts.read_all<std::uint32_t>()) ==
              std::vector<std::uint32_t>{1 + 250 * times, 2 + 250 * times, 3 + 250 * times, 4 + 250 * times});
    }
}

TEST_CASE("the phases of a program with grid barriers are dispatches of their own") {
    for (const std::size_t members : {1u, 2u, 4u}) {
        CAPTURE(members);
        Doubles doubles(members);
        ClusterSession cluster = doubles.open();
        const ClusterKernel sweep = good(cluster.prepare(compiled(sweeps_text)));
        const ClusterBuffer even = good(cluster.buffer(counted(160), Sharded{})),
                            odd = good(cluster.zeros<std::uint32_t>(160, Sharded{}));
        for (int times = 0; times < 2; ++times) {
            const ClusterTicket ticket = good(
                cluster.dispatch(sweep, {{"sweeps", 4u}, {"even", even}, {"odd", odd}}, Invocations{160}));
            CHECK(ticket.wait());
            CHECK(ticket.work().is_cut);
            if (times == 0) continue;  // before, the first phase's buffers lie otherwise
            CHECK_MESSAGE(ticket.explain().find("\n  2 times") != std::string::npos, ticket.explain());
        }
        CHECK(good(even.read_all<std::uint32_t>()) ==
              summed(counted(160), std::vector<std::uint32_t>(160), 8));
    }
}

TEST_CASE("what can't be proven runs on one member, or is refused with its line") {
    Doubles doubles(2);
    const auto next = counted(64, 1);
    ClusterSession cluster = doubles.open();
    const ClusterKernel follow = good(cluster.prepare(compiled(follow_text)));
    const ClusterBuffer from = good(cluster.buffer(next, Sharded{})),
                        marks = good(cluster.zeros<std::uint32_t>(80, Sharded{}));
    const ClusterTicket ticket =
        good(cluster.dispatch(follow, {{"next", from}, {"marks", marks}}, Invocations{64}));
    CHECK_FALSE(ticket.work().is_cut);
    const auto seen = good(marks.read_all<std::uint32_t>());
    for (std::uint32_t i = 0; i < 80; ++i) CHECK(seen[i] == (i >= 1 && i <= 64 ? i - 1 : 0));

    ClusterSession refusing = doubles.open_refusing();
    const ClusterKernel same = good(refusing.prepare(compiled(follow_text)));
    const ClusterBuffer a = good(refusing.buffer(next)), b = good(refusing.zeros<std::uint32_t>(80));
    const auto refused = refusing.dispatch(same, {{"next", a}, {"marks", b}}, Invocations{64});
    CHECK(refusal(refused).find("test.wgsl:5:") != std::string::npos);
    CHECK(refused.error().code == ErrorCode::unsupported);
}

TEST_CASE("a phase that can't be cut is refused before an earlier one runs") {
    Doubles doubles(2);
    ClusterSession cluster = doubles.open_refusing();
    const ClusterKernel scatter = good(cluster.prepare(compiled(R"(
        enable muster_grid_barrier;
        @group(0) @binding(0) var<storage, read_write> x: array<u32>;
        @group(0) @binding(1) var<storage, read_write> y: array<u32>;
        @compute @workgroup_size(8) fn scatter(@builtin(global_invocation_id) id: vec3u) {
            x[id.x] = 7;
            gridBarrier();
            y[x[id.x] * id.x % 160] = 1;
        })")));
    const ClusterBuffer x = good(cluster.buffer(counted(160), Sharded{})),
                        y = good(cluster.zeros<std::uint32_t>(160, Sharded{}));
    const auto refused = cluster.dispatch(scatter, {{"x", x}, {"y", y}}, Invocations{160});
    CHECK(refusal(refused).find("test.wgsl:8:") != std::string::npos);
    CHECK(good(x.read_all<std::uint32_t>()) == counted(160));
}

TEST_CASE("a buffer's blocks are cut by weight, or by the caller's rule") {
    Doubles doubles(3);
    ClusterOptions options = doubles.options();
    options.weights = {1, 2, 1};
    ClusterSession cluster = Doubles::opened(options);
    std::vector<std::uint64_t> given;
    const auto rule = [&](std::uint64_t rows, std::span<const double> weights) {
        CHECK(weights[1] == 2);
        given = {rows - 3, 0, 3};
        return given;
    };
    const ClusterBuffer x = good(cluster.buffer(counted(40), Sharded{.row_bytes = 16, .blocks = rule}));
    CHECK(given == std::vector<std::uint64_t>{7, 0, 3});
    CHECK(good(x.read_all<std::uint32_t>()) == counted(40));
    const auto wrong = [](std::uint64_t, std::span<const double>) {
        return std::vector<std::uint64_t>{1, 1, 1};
    };
    CHECK(refusal(cluster.buffer(counted(40), Sharded{.row_bytes = 16, .blocks = wrong}))
              .find("gives 3 members 3 rows; there are 3 and 10") != std::string::npos);
    const auto throwing = [](std::uint64_t, std::span<const double>) -> std::vector<std::uint64_t> {
        throw std::runtime_error("no rows");
    };
    CHECK(refusal(cluster.buffer(counted(40), Sharded{.row_bytes = 16, .blocks = throwing}))
              .find("Sharded::blocks throws: no rows.") != std::string::npos);
    CHECK(refusal(cluster.buffer(counted(40), Sharded{.row_bytes = 6})).find("isn't a multiple of 4") !=
          std::string::npos);
    CHECK(refusal(cluster.buffer(6)).find("6 bytes, which isn't a multiple of 4") != std::string::npos);
    const ClusterBuffer one = good(cluster.buffer(counted(40), Sharded{.row_bytes = UINT64_MAX - 3}));
    CHECK(good(one.read_all<std::uint32_t>()) == counted(40));  // one row has all
}

TEST_CASE(
    "wrong arguments, kernels and buffers of other clusters are errors, after which the cluster works") {
    Doubles doubles(2);
    ClusterSession cluster = doubles.open(), other = doubles.open();
    const ClusterKernel saxpy = good(cluster.prepare(compiled(saxpy_text)));
    const ClusterBuffer x = good(cluster.buffer(counted(64))), y = good(cluster.buffer(counted(64)));
    const ClusterBuffer foreign = good(other.buffer(counted(64)));
    CHECK(refusal(cluster.dispatch(saxpy, {{"a", 3u}, {"x", x}}, Invocations{64}))
              .find("(\"y\") isn't given") != std::string::npos);
    CHECK(refusal(cluster.dispatch(saxpy, {{"a", 3u}, {"x", x}, {"y", foreign}}, Invocations{64}))
              .find("A buffer of another cluster is given.") != std::string::npos);
    CHECK(refusal(other.dispatch(saxpy, {}, Invocations{64})).find("A kernel of another cluster") !=
          std::string::npos);
    CHECK(refusal(cluster.dispatch(saxpy, {{"a", 3u}, {"x", x}, {"y", y}}, PartOfGrid{{{}, {1, 1, 1}}, {8}}))
              .find("A cluster cuts whole grids.") != std::string::npos);
    CHECK(cluster.dispatch(saxpy, {{"a", 3u}, {"x", x}, {"y", y}}, Invocations{0}));
    CHECK(good(y.read_all<std::uint32_t>()) == counted(64));
    CHECK(cluster.dispatch(saxpy, {{"a", 3u}, {"x", x}, {"y", y}}, Invocations{64}));
    CHECK(refusal(ClusterSession::open({.devices = {"d0", "d1"}, .weights = {1}}))
              .find("1 weights are given for 2 members") != std::string::npos);
}

TEST_CASE("a device that is lost is the error of the wait, and of every later call") {
    Doubles doubles(2);
    doubles.scripts[1]->lost_at = 1;
    ClusterSession cluster = doubles.open();
    const ClusterKernel saxpy = good(cluster.prepare(compiled(saxpy_text)));
    const ClusterBuffer x = good(cluster.buffer(counted(64))), y = good(cluster.buffer(counted(64)));
    const auto ticket = cluster.dispatch(saxpy, {{"a", 3u}, {"x", x}, {"y", y}}, Invocations{64});
    REQUIRE(ticket);
    const auto ended = ticket->wait();
    REQUIRE_FALSE(ended);
    CHECK(ended.error().code == ErrorCode::device_lost);
    CHECK(ended.error().to_string().find("running the part of member 1") != std::string::npos);
    CHECK(cluster.dispatch(saxpy, {{"a", 3u}, {"x", x}, {"y", y}}, Invocations{64}).error().code ==
          ErrorCode::device_lost);
    CHECK(y.read_all<std::uint32_t>().error().code == ErrorCode::device_lost);
}

TEST_CASE("a plan is explained with the members that run it, before anything runs") {
    Doubles doubles(2);
    ClusterSession cluster = doubles.open();
    const ClusterKernel neighbours = good(cluster.prepare(compiled(neighbours_text)));
    const ClusterBuffer from = good(cluster.buffer(counted(160), Sharded{})),
                        to = good(cluster.zeros<std::uint32_t>(160, Sharded{}));
    const std::string text = good(cluster.explain(
        neighbours, std::vector<ClusterArgument>{{"given", from}, {"sums", to}}, Invocations{160}));
    CHECK_MESSAGE(text.find("neighbours: 20 workgroups, cut along x over 2 ranks") == 0, text);
    CHECK_MESSAGE(
        text.find("member 1 (d1:0): workgroups 10 to 19, 11 to 19 while words come in") != std::string::npos,
        text);
    CHECK(doubles.scripts[0]->submits == 0);
}

TEST_CASE("each phase is explained with its buffers as the one before leaves them") {
    Doubles doubles(2);
    ClusterSession cluster = doubles.open();
    const ClusterKernel both = good(cluster.prepare(compiled(R"(
        enable muster_grid_barrier;
        @group(0) @binding(0) var<storage, read_write> first: array<u32>;
        @group(0) @binding(1) var<storage, read_write> second: array<u32>;
        @compute @workgroup_size(8) fn both(@builtin(global_invocation_id) id: vec3u) {
            first[id.x] = id.x;
            gridBarrier();
            second[id.x] = first[159 - id.x];
        })")));
    const ClusterBuffer first = good(cluster.zeros<std::uint32_t>(160)),
                        second = good(cluster.zeros<std::uint32_t>(160));
    const std::vector<ClusterArgument> arguments{{"first", first}, {"second", second}};
    const std::string text = good(cluster.explain(both, arguments, Invocations{160}));
    CHECK_MESSAGE(text.find("640 bytes are exchanged: \"first\" 640") != std::string::npos, text);
    CHECK(good(cluster.explain(both, arguments, Invocations{160})) == text);
    const ClusterTicket ticket = good(cluster.dispatch(both, arguments, Invocations{160}));
    CHECK(ticket.work().bytes_sent == 640);
    CHECK(ticket.explain() == text);
}

TEST_CASE("what only a run knows is unknown in an explanation") {
    Doubles doubles(2);
    ClusterSession cluster = doubles.open_refusing();
    const ClusterKernel scan = good(cluster.prepare(compiled(R"(
        enable muster_grid_barrier;
        @group(0) @binding(0) var<storage, read_write> x: array<u32>;
        @compute @workgroup_size(8) fn scan(@builtin(global_invocation_id) id: vec3u) {
            for (var step = 1u; step < arrayLength(&x); step *= 2u) {
                x[id.x] += x[id.x + step];
                gridBarrier();
            }
        })")));
    const ClusterBuffer x = good(cluster.zeros<std::uint32_t>(160, Sharded{}));
    const std::string text =
        good(cluster.explain(scan, std::vector<ClusterArgument>{{"x", x}}, Invocations{160}));
    CHECK_MESSAGE(text.find("on one rank: test.wgsl:6:") != std::string::npos, text);
}

TEST_CASE("members get shares by what their last dispatch took, once these are off by a fifth") {
    Doubles doubles(2);
    doubles.scripts[0]->takes_ns = 300;
    doubles.scripts[1]->takes_ns = 100;
    ClusterOptions options = doubles.options();
    options.balance = Balance::measured;
    ClusterSession cluster = Doubles::opened(options);
    const ClusterKernel saxpy = good(cluster.prepare(compiled(saxpy_text)));
    const ClusterBuffer x = good(cluster.buffer(counted(320))), y = good(cluster.buffer(counted(320)));
    const std::vector<ClusterArgument> arguments{{"a", 1u}, {"x", x}, {"y", y}};
    for (const char* share :
         {"member 0 (d0:0): workgroups 0 to 19\n", "member 0 (d0:0, weight 0.33): workgroups 0 to 9\n"}) {
        const ClusterTicket ticket = good(cluster.dispatch(saxpy, arguments, Invocations{320}));
        CHECK(ticket.wait());
        const std::string text = good(cluster.explain(saxpy, arguments, Invocations{320}));
        CHECK_MESSAGE((text + "\n").find(share) != std::string::npos, text);
        CHECK_MESSAGE(ticket.explain().find(share) != std::string::npos, ticket.explain());
    }
}
