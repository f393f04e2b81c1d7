// The row about grid barriers: one program with a thousand of them, as one cooperative launch and as the
// driver splits it, compared with cooperative groups' barrier and with a thousand launches.
#include <cstdio>
#include <memory>

#include <fmt/core.h>

#include <muster/backend-cuda/backend.hpp>

#include "bench.hpp"

namespace muster::bench {
namespace {

constexpr std::uint32_t workgroups = 64, threads = 256, turns = 1000;

const char* const text =
    "enable muster_grid_barrier;\n"
    "@group(0) @binding(0) var<storage, read_write> data: array<u32>;\n"
    "@compute @workgroup_size(256) fn steps(@builtin(global_invocation_id) id: vec3u) {\n"
    "    for (var turn = 0u; turn < 1000; turn++) {\n"
    "        data[id.x] += turn;\n"
    "        gridBarrier();\n"
    "    }\n"
    "}\n";

/// A session on the same device in which programs with grid barriers are split.
Session open_split(std::uint32_t ordinal) {
    const auto make = []() -> Result<std::unique_ptr<Backend>> {
        return std::make_unique<cuda::CudaBackend>(cuda::CudaOptions{.cooperative = false});
    };
    FleetEntry entry{.id = "cuda",
                     .rank = 0,
                     .dispatches = true,
                     .tags = {},
                     .supported_ops = cuda::supported_ops(),
                     .factory = make,
                     .fault = {}};
    return must(Session::open({.policy = {.backends = {{fmt::format("cuda:{}", ordinal)}}},
                               .fleet = std::make_shared<Fleet>(std::vector{std::move(entry)}),
                               .use_environment = false}));
}

Contender of_session(const std::string& name, Session& session, const Words& start) {
    const Kernel kernel = prepare(session, text, Precision::exact);
    const Buffer data = must(session.buffer(start));
    const auto run = [=, &session] {
        must(must(session.dispatch(kernel, {{"data", data}}, Workgroups{workgroups})).wait());
    };
    Contender made = ours(run, data, start);
    made.name = name;
    return made;
}

}  // namespace

void print_barriers(Bench& bench, std::uint32_t ordinal, int rounds) {
    const Words start(std::size_t{workgroups} * threads);
    Session split = open_split(ordinal);
    const RawBuffer data = bench.raw_buffer(start);
    const auto get = [&](const char* name) {
        return bench.raw.kernel(name, Precision::exact, Access::plain);
    };
    const auto by_hand = [&](const char* name, std::vector<RawLaunch> launches) {
        return bench.peer(
            name, [&bench, launches = std::move(launches)] { bench.raw.run(launches); }, data, start);
    };
    const RawLaunch groups{get("steps"), {workgroups, 1}, {threads, 1}, {data, turns}, true};
    std::vector<RawLaunch> launches;
    for (std::uint32_t turn = 0; turn < turns; ++turn)
        launches.push_back({get("step"), {workgroups, 1}, {threads, 1}, {data, turn}});
    Contest contest;
    contest.contenders = {of_session("one launch", bench.session, start), of_session("split", split, start),
                          by_hand("cooperative groups", {groups}), by_hand("launches", std::move(launches))};
    if (const std::string wrong = compare_results(contest); !wrong.empty()) {
        fmt::print("| 1,000 grid barriers | WRONG: {} | | | | |\n", wrong);
        return;
    }
    const Times times = time_in_turns(contest.contenders, rounds);
    const auto each = [&](std::size_t which) { return times.seconds[which] * 1e6 / turns; };
    const auto line = [&](const char* what, std::size_t mine, std::size_t peer, double target) {
        const double ratio = times.seconds[mine] / times.seconds[peer];
        fmt::print("| {} | {:.2f} us | {:.2f} us | {:.2f} | <= {:.3g} | {} |\n", what, each(mine), each(peer),
                   ratio, target, ratio <= target ? "met" : "missed");
    };
    line("1,000 grid barriers, each; theirs cooperative groups", 0, 2, 1.1);
    line("the same; theirs 1,000 launches", 0, 3, 1);
    line("the same, split; theirs 1,000 launches", 1, 3, 1.1);
    std::fflush(stdout);
}

}  // namespace muster::bench
