#include "rows.hpp"

#include <array>
#include <random>

namespace muster::bench {

Kernel Bench::kernel(const std::string& text, const std::string& entry) {
    return must(session.prepare(must(validate(must(wgsl::parse(text, {.entry = entry}))))));
}

namespace {

std::string read_by_hand(const std::string& name) {
    return read_text("benches/grid_barriers/kernels/" + name);
}

Words random_words(std::size_t count, std::uint32_t below) {
    std::minstd_rand random(7);
    Words all(count);
    for (std::uint32_t& word : all) word = static_cast<std::uint32_t>(random()) % below;
    return all;
}

/// A contender that leaves its result in `out`, which has the contents `start` before.
Contender contender(const std::string& name, const std::function<void()>& run, const Buffer& out,
                    const Words& start) {
    Contender made = ours(run, out, start);
    made.name = name;
    return made;
}

// Eight values per invocation.
Work scan(Bench& bench, std::size_t count) {
    const std::size_t groups = (count + 2047) / 2048;
    const Words start = random_words(count, 1000);
    const Buffer values = must(bench.session.buffer(start));
    const Buffer totals = must(bench.session.zeros<std::uint32_t>(groups));
    const Buffer in_front = must(bench.session.zeros<std::uint32_t>(groups * 256));
    const std::string example = read_text("examples/scan/scan.wgsl"),
                      cut = example + read_by_hand("scan.wgsl");
    const Kernel whole = bench.kernel(example);
    const Kernel sum_groups = bench.kernel(cut, "sum_groups");
    const Kernel scan_totals = bench.kernel(cut, "scan_totals");
    const Kernel scan_groups = bench.kernel(cut, "scan_groups");
    const std::vector<Argument> ours{{"values", values}, {"totals", totals}};
    const std::vector<Argument> theirs{{"values", values}, {"totals", totals}, {"in_front", in_front}};
    const std::vector<Argument> of_totals{{"totals", totals}};
    Contest contest{.work = 8e-9 * static_cast<double>(count), .unit = "GB/s"};
    const auto run = [=, &bench] { must(bench.submit(whole, ours, Workgroups{groups}).wait()); };
    const auto run_by_hand = [=, &bench] {
        bench.submit(sum_groups, theirs, Workgroups{groups});
        bench.submit(scan_totals, of_totals, Workgroups{1});
        must(bench.submit(scan_groups, theirs, Workgroups{groups}).wait());
    };
    contest.contenders = {contender("muster", run, values, start),
                          contender("by hand", run_by_hand, values, start)};
    return {std::move(contest), whole};
}

Work jacobi(Bench& bench, std::uint32_t side, std::uint32_t sweeps) {
    const std::array problem{side, side, sweeps};
    const std::array size{side, side};
    const Floats plate = random_floats(std::size_t{side} * side, 0, 1);
    const Words start = bits(plate);
    const Buffer even = must(bench.session.buffer(plate)), odd = must(bench.session.buffer(plate));
    const Kernel whole = bench.kernel(read_text("examples/jacobi/jacobi.wgsl"));
    const Kernel sweep = bench.kernel(read_by_hand("jacobi.wgsl"));
    const std::vector<Argument> ours{{"problem", problem}, {"even", even}, {"odd", odd}};
    const std::vector<Argument> there{{"size", size}, {"now", even}, {"next", odd}};
    const std::vector<Argument> back{{"size", size}, {"now", odd}, {"next", even}};
    const Invocations grid{side, side};
    Contest contest{.work = 1e-9 * sweeps * side * side, .unit = "G points/s"};
    const auto run = [=, &bench] { must(bench.submit(whole, ours, grid).wait()); };
    const auto run_by_hand = [=, &bench] {
        for (std::uint32_t i = 0; i + 1 < sweeps; ++i) bench.submit(sweep, i % 2 == 0 ? there : back, grid);
        must(bench.submit(sweep, sweeps % 2 == 0 ? back : there, grid).wait());
    };
    contest.contenders = {contender("muster", run, even, start),
                          contender("by hand", run_by_hand, even, start)};
    return {std::move(contest), whole};
}

// Ten edges per vertex, to random vertices.
Work bfs(Bench& bench, std::uint32_t vertices) {
    Words first(vertices + 1);
    for (std::uint32_t v = 0; v <= vertices; ++v) first[v] = 10 * v;
    const Buffer edges = must(bench.session.buffer(random_words(first.back(), vertices)));
    const Buffer firsts = must(bench.session.buffer(first));
    const Buffer distances = must(bench.session.zeros<std::uint32_t>(vertices));
    const Buffer deepest = must(bench.session.zeros<std::uint32_t>(1));
    const std::string example = read_text("examples/bfs/bfs.wgsl"), cut = example + read_by_hand("bfs.wgsl");
    const Kernel whole = bench.kernel(example);
    const Kernel begin = bench.kernel(cut, "start");
    const Kernel visit = bench.kernel(cut, "visit");
    const std::uint32_t source = 0;
    const std::vector<Argument> ours{{"source", source},
                                     {"first", firsts},
                                     {"targets", edges},
                                     {"distances", distances},
                                     {"deepest", deepest}};
    const std::vector<Argument> to_begin{{"source", source}, {"distances", distances}, {"deepest", deepest}};
    const Invocations grid{vertices};
    Contest contest{.work = 1e-6 * first.back(), .unit = "M edges/s"};
    const auto run = [=, &bench] { must(bench.submit(whole, ours, grid).wait()); };
    const auto run_by_hand = [=, &bench] {
        bench.submit(begin, to_begin, grid);
        std::vector<std::uint32_t> reached(1);
        for (std::uint32_t level = 0; reached[0] == level; ++level) {
            bench.submit(visit,
                         {{"level", level},
                          {"first", firsts},
                          {"targets", edges},
                          {"distances", distances},
                          {"deepest", deepest}},
                         grid);
            must(deepest.read(reached));
        }
    };
    const Words start(vertices);
    contest.contenders = {contender("muster", run, distances, start),
                          contender("by hand", run_by_hand, distances, start)};
    return {std::move(contest), whole};
}

const Row all_rows[]{
    {"scan, 64 k", [](Bench& bench) { return scan(bench, (64u << 10) / bench.small); }},
    {"scan, 1 M", [](Bench& bench) { return scan(bench, (1u << 20) / bench.small); }},
    {"scan, 16 M", [](Bench& bench) { return scan(bench, (16u << 20) / bench.small); }},
    {"jacobi, 64 x 64, 50 sweeps", [](Bench& bench) { return jacobi(bench, 64 / bench.small, 50); }},
    {"jacobi, 1024 x 1024, 50 sweeps", [](Bench& bench) { return jacobi(bench, 1024 / bench.small, 50); }},
    {"bfs, 10 k edges", [](Bench& bench) { return bfs(bench, 1000 / bench.small); }},
    {"bfs, 1 M edges", [](Bench& bench) { return bfs(bench, 100'000 / bench.small); }},
};

}  // namespace

std::span<const Row> rows() { return all_rows; }

}  // namespace muster::bench
