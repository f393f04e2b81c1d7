// The examples with grid barriers, on every device, compared with plain C++.
#include <bit>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <queue>
#include <random>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <muster/foundation/wgsl/wgsl.hpp>

#include "conformance/devices.hpp"

using namespace muster;
using namespace muster::conformance;

namespace {

using Words = std::vector<std::uint32_t>;
constexpr std::uint32_t unreached = UINT32_MAX;

template <class T>
T must(Result<T> result) {
    if (!result) FAIL(result.error().to_string());
    return *std::move(result);
}

ValidProgram example(const std::string& path) {
    std::ifstream file(std::filesystem::path(MUSTER_EXAMPLES) / path);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    return must(validate(must(wgsl::parse(text))));
}

// Runs the check on each device: every one takes the program, whole or split at its grid barriers.
template <class Check>
void on_every_device(const std::string& path, Check check) {
    const ValidProgram program = example(path);
    for (const TestDevice& device : devices()) {
        CAPTURE(device.id);
        Session session = must(Session::open({.policy = policy_for(device), .use_environment = false}));
        check(session, must(session.prepare(program)));
    }
}

void run(Session& session, const Kernel& kernel, std::initializer_list<Argument> arguments,
         const Grid& grid) {
    must(must(session.dispatch(kernel, arguments, grid)).wait());
}

Words random_words(std::size_t count) {
    std::mt19937 random(7);
    Words all(count);
    for (std::uint32_t& word : all) word = static_cast<std::uint32_t>(random());
    return all;
}

Words exclusive_sums(const Words& values) {
    Words sums;
    std::uint32_t sum = 0;
    for (const std::uint32_t value : values) {
        sums.push_back(sum);
        sum += value;
    }
    return sums;
}

std::vector<float> jacobi(std::vector<float> now, std::size_t width, std::size_t height, int sweeps) {
    for (int sweep = 0; sweep < sweeps; ++sweep) {
        std::vector<float> next = now;
        for (std::size_t y = 1; y + 1 < height; ++y)
            for (std::size_t x = 1; x + 1 < width; ++x) {
                const std::size_t at = y * width + x;
                next[at] = 0.25f * (now[at - 1] + now[at + 1] + now[at - width] + now[at + width]);
            }
        now = next;
    }
    return now;
}

struct Graph {
    Words first, targets;
};

Graph graph(const std::vector<Words>& edges) {
    Graph made{{0}, {}};
    for (const Words& targets : edges) {
        made.targets.insert(made.targets.end(), targets.begin(), targets.end());
        made.first.push_back(static_cast<std::uint32_t>(made.targets.size()));
    }
    return made;
}

Words distances_from_0(const Graph& graph) {
    Words distances(graph.first.size() - 1, unreached);
    std::queue<std::uint32_t> reached({0u});
    distances[0] = 0;
    for (; !reached.empty(); reached.pop()) {
        const std::uint32_t from = reached.front();
        for (std::uint32_t edge = graph.first[from]; edge < graph.first[from + 1]; ++edge) {
            const std::uint32_t to = graph.targets[edge];
            if (distances[to] != unreached) continue;
            distances[to] = distances[from] + 1;
            reached.push(to);
        }
    }
    return distances;
}

}  // namespace

TEST_CASE("exclusive scan: any number of values by any number of workgroups") {
    on_every_device("scan/scan.wgsl", [](Session& session, const Kernel& kernel) {
        for (const std::uint32_t count : {1u, 255u, 2049u, 20000u})
            for (const std::uint32_t groups : {1u, 3u, 300u}) {
                CAPTURE(count);
                CAPTURE(groups);
                const Words start = random_words(count);
                const Buffer values = must(session.buffer(start));
                const Buffer totals = must(session.zeros<std::uint32_t>(groups));
                run(session, kernel, {{"values", values}, {"totals", totals}}, Workgroups{groups});
                CHECK(must(values.read_all<std::uint32_t>()) == exclusive_sums(start));
            }
    });
}

TEST_CASE("Jacobi iteration: any number of sweeps, also none") {
    constexpr std::uint32_t width = 45, height = 21;
    on_every_device("jacobi/jacobi.wgsl", [](Session& session, const Kernel& kernel) {
        std::vector<float> start;
        for (const std::uint32_t word : random_words(width * height))
            start.push_back(static_cast<float>(word % 1000));
        for (const std::uint32_t sweeps : {0u, 1u, 8u, 13u}) {
            CAPTURE(sweeps);
            const Buffer even = must(session.buffer(start)), odd = must(session.buffer(start));
            const std::array problem{width, height, sweeps};
            run(session, kernel, {{"problem", problem}, {"even", even}, {"odd", odd}},
                Invocations{width, height});
            const Buffer& result = sweeps % 2 == 0 ? even : odd;
            CHECK(must(result.read_all<float>()) == jacobi(start, width, height, static_cast<int>(sweeps)));
        }
    });
}

TEST_CASE("breadth-first search: ends when no vertex is found") {
    std::mt19937 random(11);
    std::vector<Words> dense(700), path(90), apart(40);
    for (Words& targets : dense)
        for (int edge = 0; edge < 3; ++edge) targets.push_back(static_cast<std::uint32_t>(random() % 700));
    for (std::uint32_t vertex = 0; vertex + 1 < 90; ++vertex) path[vertex] = {vertex + 1};
    apart[7] = {0};  // no edge leaves vertex 0
    const std::vector<Graph> graphs{graph(dense), graph(path), graph(apart)};
    on_every_device("bfs/bfs.wgsl", [&](Session& session, const Kernel& kernel) {
        for (const Graph& each : graphs) {
            const Words expected = distances_from_0(each);
            CAPTURE(expected.size());
            const Buffer distances = must(session.zeros<std::uint32_t>(expected.size()));
            const Buffer deepest = must(session.zeros<std::uint32_t>(1));
            run(session, kernel,
                {{"source", 0u},
                 {"first", must(session.buffer(each.first))},
                 {"targets", must(session.buffer(each.targets))},
                 {"distances", distances},
                 {"deepest", deepest}},
                Invocations{expected.size()});
            CHECK(must(distances.read_all<std::uint32_t>()) == expected);
            std::uint32_t greatest = 0;
            for (const std::uint32_t distance : expected)
                if (distance != unreached) greatest = std::max(greatest, distance);
            CHECK(must(deepest.read_all<std::uint32_t>()) == Words{greatest});
        }
    });
}
