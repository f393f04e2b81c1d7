// The interpreter: order of invocations and workgroups, barriers, threads, findings, limits.

#include <algorithm>
#include <array>
#include <chrono>
#include <set>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

#include <muster/foundation/interpreter/interpret.hpp>

#include "support/run_kernel.hpp"

using namespace muster;
using namespace muster::test;

namespace {

const InterpretOptions races{.threads = 1, .report_races = true};

// Sums 64 words per workgroup in a tree through workgroup memory. Without `barriers`, the one in the loop is
// left out.
ValidProgram reduction(bool barriers) {
    Kernel k({64, 1, 1});
    const VariableId in = k.words("in"), out = k.words("out");
    const VariableId tile = k.in(AddressSpace::workgroup, k.ir.types().array(u32_type, 64), "tile");
    const NodeId i = k.local_index();
    k.ir.at({.file = 0, .line = 5, .column = 1});
    k.set_at(tile, i, k.get(in, k.global_x()));
    k.ir.barrier(Op::workgroup_barrier);
    const VariableId step = k.local(u32_type, k.u(32));
    k.ir.begin_loop();
    k.ir.begin_if(k.ir.binary(Op::eq, k.get(step), k.u(0)));
    k.ir.break_();
    k.ir.end_if();
    k.ir.begin_if(k.ir.binary(Op::lt, i, k.get(step)));
    k.ir.at({.file = 0, .line = 9, .column = 5});
    const NodeId sum = k.add(k.get(tile, i), k.get(tile, k.add(i, k.get(step))));
    k.ir.at({.file = 0, .line = 10, .column = 5});
    k.set_at(tile, i, sum);
    k.ir.end_if();
    if (barriers) k.ir.barrier(Op::workgroup_barrier);
    k.ir.begin_continuing();
    k.set(step, k.ir.binary(Op::shift_right, k.get(step), k.u(1)));
    k.ir.end_loop();
    k.ir.begin_if(k.ir.binary(Op::eq, i, k.u(0)));
    k.set_at(out, k.ir.extract(k.ir.builtin(Builtin::workgroup_id), 0), k.get(tile, 0u));
    k.ir.end_if();
    return k.finish();
}

std::vector<Words> reduction_memory(std::uint32_t workgroups) {
    std::vector<Words> memory{Words(workgroups * 64), Words(workgroups)};
    for (std::uint32_t i = 0; i < memory[0].size(); ++i) memory[0][i] = i * 2654435761u;
    return memory;
}

Words sums(const std::vector<Words>& memory) {
    Words sums(memory[1].size());
    for (std::uint32_t i = 0; i < memory[0].size(); ++i) sums[i / 64] += memory[0][i];
    return sums;
}

// Each invocation adds its index + 1 to a counter and stores the old value.
ValidProgram tickets(Extent3 workgroup) {
    Kernel k(workgroup);
    const VariableId counter = k.storage("counter", k.ir.types().atomic(Scalar::u32));
    const VariableId out = k.words("out");
    k.set_at(out, k.global_x(), k.ir.atomic(Op::atomic_add, k.ir.ref(counter), k.u(1)));
    return k.finish();
}

InterpretReport report_of(const ValidProgram& program, std::vector<Words> memory, const LaunchGrid& grid,
                          const InterpretOptions& options) {
    const Result<InterpretReport> report = try_run(program, memory, grid, options);
    REQUIRE_MESSAGE(report, (report ? "" : report.error().to_string()));
    return *report;
}

ErrorCode error_of(const ValidProgram& program, std::vector<Words> memory, const LaunchGrid& grid,
                   const InterpretOptions& options = {}) {
    const Result<InterpretReport> report = try_run(program, memory, grid, options);
    REQUIRE_FALSE(report);
    return report.error().code;
}

}  // namespace

TEST_CASE("a reduction with barriers is right for every seed, on any number of threads") {
    const ValidProgram program = reduction(true);
    const std::vector<Words> memory = reduction_memory(3);
    for (std::uint64_t seed = 0; seed < 20; ++seed)
        for (const std::uint32_t threads : {1u, 4u})
            CHECK(run(program, memory, groups(3), {.seed = seed, .threads = threads})[1] == sums(memory));
}

TEST_CASE("a reduction without its barrier is wrong for most seeds") {
    const ValidProgram program = reduction(false);
    const std::vector<Words> memory = reduction_memory(1);
    int wrong = 0;
    for (std::uint64_t seed = 0; seed < 20; ++seed)
        wrong += run(program, memory, groups(1), {.seed = seed, .threads = 1})[1] != sums(memory);
    CHECK(wrong >= 15);
}

TEST_CASE("invocations and workgroups are taken in the order that the seed gives") {
    const ValidProgram program = tickets({8, 1, 1});
    const auto order = [&](std::uint64_t seed) {
        return run(program, {{0}, Words(64)}, groups(8), {.seed = seed, .threads = 1})[1];
    };
    std::set<Words> orders;
    for (std::uint64_t seed = 0; seed < 8; ++seed) {
        CHECK(order(seed) == order(seed));
        Words sorted = order(seed);
        orders.insert(sorted);
        std::ranges::sort(sorted);
        for (std::uint32_t i = 0; i < 64; ++i) CHECK(sorted[i] == i);
    }
    CHECK(orders.size() == 8);
}

TEST_CASE("workgroups that communicate are run interleaved") {
    // Each invocation takes two tickets; if workgroups ran one after another, those of each would be 16 in a
    // row.
    Kernel k({8, 1, 1});
    const VariableId counter = k.storage("counter", k.ir.types().atomic(Scalar::u32));
    const VariableId out = k.words("out");
    k.ir.atomic(Op::atomic_add, k.ir.ref(counter), k.u(1));
    k.set_at(out, k.global_x(), k.ir.atomic(Op::atomic_add, k.ir.ref(counter), k.u(1)));
    const Words got = run(k.finish(), {{0}, Words(32)}, groups(4), {.threads = 1})[1];
    std::set<std::uint32_t> interleaved;
    for (std::uint32_t g = 0; g < 4; ++g) {
        const auto [low, high] = std::ranges::minmax(std::span(got).subspan(g * 8, 8));
        if (high - low >= 16) interleaved.insert(g);
    }
    CHECK(!interleaved.empty());
}

TEST_CASE("threads give what one thread gives, and count right with atomics") {
    const ValidProgram program = tickets({16, 1, 1});
    const std::uint32_t count = 16 * 200;
    std::vector<Words> memory{{0}, Words(count)};
    const Result<InterpretReport> report = try_run(program, memory, groups(200), {.threads = 4});
    REQUIRE(report);
    CHECK(report->threads == 4);
    CHECK(memory[0][0] == count);
    std::ranges::sort(memory[1]);
    for (std::uint32_t i = 0; i < count; ++i)
        if (memory[1][i] != i) FAIL("ticket " << i << " is given twice or not at all");
}

TEST_CASE("waiting for another invocation of the workgroup ends") {
    Kernel k({2, 1, 1});
    const VariableId out = k.words("out");
    const VariableId flag = k.in(AddressSpace::workgroup, k.ir.types().atomic(Scalar::u32));
    k.ir.begin_if(k.ir.binary(Op::eq, k.local_index(), k.u(0)));
    k.ir.begin_loop();
    k.ir.begin_if(k.ir.binary(Op::eq, k.ir.atomic(Op::atomic_load, k.ir.ref(flag)), k.u(1)));
    k.ir.break_();
    k.ir.end_if();
    k.ir.end_loop();
    k.set_at(out, 0u, k.u(1));
    k.ir.begin_else();
    k.ir.atomic(Op::atomic_store, k.ir.ref(flag), k.u(1));
    k.ir.end_if();
    const ValidProgram program = k.finish();
    for (std::uint64_t seed = 0; seed < 10; ++seed)
        CHECK(run(program, {{0}}, groups(1), {.seed = seed, .max_steps = 1'000'000})[0][0] == 1);
}

TEST_CASE("a program that never ends is stopped after max_steps, or when asked") {
    Kernel k({4, 1, 1});
    const VariableId out = k.words("out");
    const VariableId i = k.local(u32_type);
    k.ir.begin_loop();
    k.set(i, k.add(k.get(i), k.u(1)));
    k.ir.begin_continuing();
    k.ir.break_if(k.ir.binary(Op::eq, k.ir.binary(Op::mul, k.get(i), k.u(2)), k.u(1)));  // never
    k.ir.end_loop();
    k.set_at(out, 0u, k.get(i));
    const ValidProgram program = k.finish();
    CHECK(error_of(program, {{0}}, groups(3), {.max_steps = 100'000}) == ErrorCode::timed_out);
    CHECK(error_of(program, {{0}}, groups(3), {.threads = 2, .max_steps = 100'000}) == ErrorCode::timed_out);
    std::stop_source source;
    std::jthread stopper([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        source.request_stop();
    });
    CHECK(error_of(program, {{0}}, groups(3), {.threads = 2, .stop = source.get_token()}) ==
          ErrorCode::timed_out);
}

TEST_CASE("a workgroup that takes too many steps is stopped; as a finding, with the loop that it is in") {
    Kernel k({1, 1, 1});
    const VariableId out = k.words("out");
    const VariableId i = k.local(u32_type);
    k.ir.at({.file = 0, .line = 4, .column = 3});
    k.ir.begin_loop();
    k.ir.at({.file = 0, .line = 5, .column = 3});
    k.ir.begin_loop();
    k.ir.at({.file = 0, .line = 6, .column = 3});
    k.set(i, k.add(k.get(i), k.u(1)));
    k.ir.begin_continuing();
    k.ir.break_if(k.ir.binary(Op::ge, k.get(i), k.u(1000)));
    k.ir.end_loop();
    k.ir.begin_continuing();
    k.ir.break_if(k.ir.binary(Op::eq, k.ir.extract(k.ir.builtin(Builtin::workgroup_id), 0), k.u(0)));
    k.ir.end_loop();
    k.set_at(out, 0u, k.get(i));
    const ValidProgram program = k.finish();
    std::vector<Words> memory{Words(1)};
    CHECK(try_run(program, memory, groups(1), {.max_workgroup_steps = 2'000'000}));
    const Result<InterpretReport> refused =
        try_run(program, memory, groups(2), {.max_workgroup_steps = 2'000'000});
    REQUIRE_FALSE(refused);
    CHECK(refused.error().message == "A workgroup of \"main\" hasn't ended after 2000000 steps.");
    for (const InterpretOptions& options :
         {InterpretOptions{.report_step_limit = true, .max_workgroup_steps = 2'000'000},
          InterpretOptions{.report_step_limit = true, .max_steps = 2'000'000}}) {
        const InterpretReport report = report_of(program, {{0}}, groups(2), options);
        REQUIRE(report.findings.size() == 1);
        CHECK(report.findings[0].kind == FindingKind::step_limit);
        CHECK(report.findings[0].where.line == 4);
        CHECK(report.findings[0].invocation.workgroup == Extent3{1, 0, 0});
        CHECK(report.findings[0].message ==
              "Invocation (0, 0, 0) of workgroup (1, 0, 0) is still in this loop after 2000000 steps.");
    }
    // A request to stop, made while it runs, is none.
    std::stop_source source;
    CHECK(error_of(program, {{0}}, groups(2),
                   {.report_step_limit = true, .stop = source.get_token(), .progress = [&](std::uint64_t) {
                        source.request_stop();
                    }}) == ErrorCode::timed_out);
}

TEST_CASE("a launch may name the workgroups that run") {
    const ValidProgram program = tickets({1, 1, 1});
    const std::array<Extent3, 3> only{Extent3{6, 0, 0}, Extent3{1, 0, 0}, Extent3{4, 0, 0}};
    LaunchGrid grid = groups(7);
    grid.only = only;
    for (std::uint64_t seed = 0; seed < 4; ++seed) {
        const auto memory = run(program, {{0}, Words(7, 99)}, grid, {.seed = seed});
        CHECK(memory[0][0] == 3);
        for (const std::uint32_t id : {0u, 2u, 3u, 5u}) CHECK(memory[1][id] == 99);
        for (const std::uint32_t id : {1u, 4u, 6u}) CHECK(memory[1][id] < 3);
    }
    // Findings and built-in values are those of the whole grid.
    Kernel k({1, 1, 1});
    const VariableId data = k.words("data");
    k.set_at(data, k.ir.extract(k.ir.builtin(Builtin::num_workgroups), 0), k.u(1));
    const InterpretReport report = report_of(k.finish(), {Words(7)}, grid, {.report_out_of_bounds = true});
    REQUIRE(report.findings.size() == 1);
    CHECK(report.findings[0].place == "data[7]");
    CHECK(report.findings[0].times == 3);
    const std::set<std::uint32_t> ids{1, 4, 6};
    CHECK(ids.contains(report.findings[0].invocation.workgroup.x));

    const std::array<Extent3, 1> outside{Extent3{7, 0, 0}};
    grid.only = outside;
    std::vector<Words> memory{{0}, Words(7)};
    const Result<InterpretReport> refused = try_run(program, memory, grid);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().message == "The launch names workgroup (7, 0, 0), which it doesn't have.");
}

TEST_CASE("progress is told while a run lasts") {
    Kernel k({1, 1, 1});
    const VariableId out = k.words("out");
    const VariableId i = k.local(u32_type);
    k.ir.begin_loop();
    k.set(i, k.add(k.get(i), k.u(1)));
    k.ir.begin_continuing();
    k.ir.break_if(k.ir.binary(Op::eq, k.get(i), k.u(1'000'000)));
    k.ir.end_loop();
    k.set_at(out, 0u, k.get(i));
    std::vector<std::uint64_t> told;
    run(k.finish(), {{0}}, groups(3),
        {.threads = 1, .progress = [&](std::uint64_t begun) { told.push_back(begun); }});
    CHECK(told.size() > 3);
    CHECK(std::ranges::is_sorted(told));
    CHECK(told.back() == 3);
}

TEST_CASE("steps are counted") {
    const ValidProgram program = reduction(true);
    const InterpretReport small = report_of(program, reduction_memory(1), groups(1), {});
    const InterpretReport large = report_of(program, reduction_memory(4), groups(4), {});
    CHECK(small.steps > 64);
    CHECK(large.steps > 3 * small.steps);
    CHECK(large.steps < 5 * small.steps);
}

TEST_CASE("a proper reduction has no findings") {
    InterpretOptions all = races;
    all.report_out_of_bounds = all.report_reads_before_write = true;
    const ValidProgram program = reduction(true);
    for (all.seed = 0; all.seed < 5; ++all.seed)
        CHECK(report_of(program, reduction_memory(3), groups(3), all).findings.empty());
}

TEST_CASE("a missing barrier is a race, found once per place, with both sides") {
    const InterpretReport report = report_of(reduction(false), reduction_memory(2), groups(2), races);
    REQUIRE_FALSE(report.findings.empty());
    CHECK(report.findings.size() <= 4);
    for (const Finding& f : report.findings) {
        CHECK(f.kind == FindingKind::data_race);
        CHECK(f.variable == "tile");
        CHECK(f.place == "tile[" + std::to_string(f.index) + "]");
        REQUIRE(f.other);
        CHECK(f.other->workgroup == f.invocation.workgroup);
        CHECK(f.other->local != f.invocation.local);
        REQUIRE(f.other_where);
        CHECK(std::set<std::uint32_t>{9, 10}.contains(f.where.line));
        CHECK(f.message.find("no barrier") != std::string::npos);
    }
}

TEST_CASE("races in storage: within a workgroup, across workgroups, and what isn't one") {
    struct Case {
        const char* what;
        bool same_word, two_groups, writes, is_race;
        Op barrier;
    };
    const Op none = Op::load;
    const std::array cases{
        Case{"all write one word", true, false, true, true, none},
        Case{"workgroups write one word", true, true, true, true, none},
        Case{"all read one word", true, true, false, false, none},
        Case{"each writes its own", false, true, true, false, none},
        Case{"writes parted by a storage barrier", true, false, true, false, Op::storage_barrier},
        Case{"writes parted by a workgroup barrier", true, false, true, true, Op::workgroup_barrier},
        Case{"a storage barrier parts no workgroups", true, true, true, true, Op::storage_barrier},
    };
    for (const Case& c : cases) {
        CAPTURE(c.what);
        Kernel k({c.barrier == none && !c.two_groups ? 4u : c.two_groups ? 1u : 2u, 1, 1});
        const VariableId data = k.words("data");
        const VariableId out = k.words("out");
        const NodeId place = c.same_word ? k.u(0) : k.global_x();
        if (c.barrier == none) {
            if (c.writes) k.set_at(data, place, k.global_x());
            if (!c.writes) k.set_at(out, k.global_x(), k.get(data, place));
        } else {
            for (const std::uint32_t who : {0u, 1u}) {
                k.ir.begin_if(k.ir.binary(Op::eq, c.two_groups ? k.global_x() : k.local_index(), k.u(who)));
                k.set_at(data, place, k.u(who));
                k.ir.end_if();
                if (who == 0) k.ir.barrier(c.barrier);
            }
        }
        std::vector<Words> memory{Words(8)};
        if (!c.writes) memory.push_back(Words(8));
        const ValidProgram program = k.finish();
        for (std::uint64_t seed = 0; seed < 4; ++seed) {
            InterpretOptions options = races;
            options.seed = seed;
            CHECK(!report_of(program, memory, groups(c.two_groups ? 2 : 1), options).findings.empty() ==
                  c.is_race);
        }
    }
}

TEST_CASE("a write after reads by several, and reads after a write, are races") {
    for (const bool writer_first : {false, true}) {
        Kernel k({4, 1, 1});
        const VariableId out = k.words("out");
        const VariableId x = k.in(AddressSpace::workgroup, u32_type, "x");
        // The shuffled order puts the write before, between and after the reads.
        k.ir.begin_if(k.ir.binary(Op::eq, k.local_index(), k.u(writer_first ? 0 : 3)));
        k.set(x, k.u(1));
        k.ir.begin_else();
        k.set_at(out, k.global_x(), k.get(x));
        k.ir.end_if();
        const ValidProgram program = k.finish();
        for (std::uint64_t seed = 0; seed < 10; ++seed) {
            InterpretOptions options = races;
            options.seed = seed;
            CHECK_FALSE(report_of(program, {Words(4)}, groups(1), options).findings.empty());
        }
    }
}

TEST_CASE("a write by one who has read races with the others' reads") {
    Kernel k({2, 1, 1});
    const VariableId out = k.words("out");
    const VariableId x = k.in(AddressSpace::workgroup, u32_type, "x");
    k.set_at(out, k.global_x(), k.get(x));
    k.ir.begin_if(k.ir.binary(Op::eq, k.local_index(), k.u(0)));
    k.set(x, k.u(1));
    k.ir.end_if();
    const ValidProgram program = k.finish();
    for (std::uint64_t seed = 0; seed < 10; ++seed) {
        InterpretOptions options = races;
        options.seed = seed;
        CHECK(report_of(program, {Words(2)}, groups(1), options).findings.size() == 1);
    }
}

TEST_CASE("atomics are no races") {
    InterpretOptions all = races;
    all.report_reads_before_write = true;
    CHECK(report_of(tickets({8, 1, 1}), {{0}, Words(32)}, groups(4), all).findings.empty());
}

TEST_CASE("reads before any write are found in workgroup memory and in storage without data") {
    Kernel k({1, 1, 1});
    const VariableId in = k.words("in"), out = k.words("out");
    const VariableId tile = k.in(AddressSpace::workgroup, k.ir.types().array(u32_type, 4), "tile");
    k.set_at(tile, 1u, k.u(5));
    k.ir.at({.file = 0, .line = 7, .column = 3});
    const NodeId fine = k.get(tile, 1u), early = k.get(tile, 2u);
    k.ir.at({.file = 0, .line = 8, .column = 3});
    k.set_at(out, 0u, k.add(k.add(fine, early), k.get(in, 3u)));
    const ValidProgram program = k.finish();
    const InterpretOptions options{.report_reads_before_write = true};

    InterpretReport report = report_of(program, {Words(4), Words(1)}, groups(1), options);
    REQUIRE(report.findings.size() == 1);
    CHECK(report.findings[0].kind == FindingKind::read_before_write);
    CHECK(report.findings[0].place == "tile[2]");
    CHECK(report.findings[0].where.line == 7);

    Words data(4), result(1);
    const std::array bound{BoundBytes{std::as_writable_bytes(std::span(data)), false},
                           BoundBytes{std::as_writable_bytes(std::span(result)), false}};
    const Result<InterpretReport> both = interpret(program, bound, groups(1), options);
    REQUIRE(both);
    REQUIRE(both->findings.size() == 2);
    CHECK(both->findings[1].place == "in[3]");
    CHECK(both->findings[1].where.line == 8);
}

TEST_CASE("out-of-bounds accesses are found with index, place and invocation") {
    Kernel k({1, 1, 1});
    const VariableId data = k.words("data");
    k.ir.at({.file = 0, .line = 3, .column = 9});
    const NodeId x =
        k.get(data, k.ir.binary(Op::sub, k.ir.bitcast(Scalar::i32, k.global_x()), k.ir.constant(1)));
    k.ir.at({.file = 0, .line = 4, .column = 1});
    k.set_at(data, k.add(k.global_x(), k.u(3)), x);
    const ValidProgram program = k.finish();
    const InterpretReport report = report_of(program, {Words(4)}, groups(2), {.report_out_of_bounds = true});
    REQUIRE(report.findings.size() == 2);
    const bool load_first = report.findings[0].where.line == 3;
    const Finding& load = report.findings[load_first ? 0 : 1];
    const Finding& store = report.findings[load_first ? 1 : 0];
    CHECK(load.place == "data[-1]");
    CHECK(load.index == -1);
    CHECK(load.invocation == InvocationId{{0, 0, 0}, {0, 0, 0}});
    CHECK(store.where.line == 4);
    CHECK(store.place == "data[4]");
    CHECK(store.invocation.workgroup == Extent3{1, 0, 0});
    CHECK(store.message.find("has 4 elements") != std::string::npos);
}

TEST_CASE("places in structures are named as their reader would") {
    Kernel k({2, 1, 1});
    const std::array members{MemberDeclaration{"weight", u32_type},
                             MemberDeclaration{"velocity", type_of(Scalar::u32, 3)}};
    const TypeId particle = k.ir.types().structure("Particle", members);
    const VariableId tile = k.in(AddressSpace::workgroup, k.ir.types().array(particle, 4), "tile");
    const VariableId data = k.storage("data", k.ir.types().runtime_array(particle));
    for (const VariableId v : {tile, data}) {
        const NodeId velocity = k.ir.ref_member(k.at(v, 2u), 1);
        k.ir.store(k.ir.ref_index(velocity, k.u(1)), k.local_index());
    }
    const InterpretReport report = report_of(k.finish(), {Words(32)}, groups(1), races);
    REQUIRE(report.findings.size() == 2);
    std::set<std::string> places;
    for (const Finding& f : report.findings) {
        places.insert(f.place);
        CHECK(f.index == 2);
    }
    CHECK(places == std::set<std::string>{"data[2].velocity.y", "tile[2].velocity.y"});
}

TEST_CASE("findings are bounded; the rest is counted") {
    Kernel k({1, 1, 1});
    const VariableId data = k.words("data");
    for (std::uint32_t i = 0; i < 10; ++i) k.set_at(data, 100 + i, k.u(1));
    const ValidProgram program = k.finish();
    const InterpretReport report =
        report_of(program, {Words(4)}, groups(3), {.report_out_of_bounds = true, .max_findings = 4});
    CHECK(report.findings.size() == 4);
    CHECK(report.findings_left_out == 6);
}

TEST_CASE("bindings and options that don't fit are refused") {
    Kernel k({1, 1, 1});
    const VariableId fixed = k.storage("fixed", k.ir.types().array(u32_type, 4));
    const VariableId data = k.words("data");
    k.set_at(data, 0u, k.get(fixed, 3u));
    const ValidProgram program = k.finish();
    CHECK(error_of(program, {Words(4)}, groups(1)) == ErrorCode::invalid_argument);
    CHECK(error_of(program, {Words(3), Words(1)}, groups(1)) == ErrorCode::invalid_argument);
    CHECK(error_of(program, {Words(4), Words(1)}, groups(1u << 24, 1u << 24)) == ErrorCode::limit_exceeded);
    Words words(8);
    const auto bytes = std::as_writable_bytes(std::span(words));
    const std::array bound{BoundBytes{bytes.subspan(2, 16)}, BoundBytes{bytes.first(4)}};
    CHECK(interpret(program, bound, groups(1)).error().code == ErrorCode::invalid_argument);
    const auto code = InterpreterCode::compile(program);
    REQUIRE(code);
    const std::array fine{BoundBytes{bytes.first(16)}, BoundBytes{bytes.last(4)}};
    CHECK(interpret(*code, fine, groups(1), races).error().code == ErrorCode::invalid_argument);
    CHECK(interpret(*code, fine, groups(1)));
    CHECK(interpret(*code, fine, groups(0)));
}

TEST_CASE("programs that need too much memory are refused") {
    Kernel k({1024, 1, 1});
    const VariableId data = k.words("data");
    const VariableId big = k.local(k.ir.types().array(u32_type, 250'000));
    k.set_at(big, k.global_x(), k.u(1));
    k.ir.barrier(Op::workgroup_barrier);
    k.set_at(data, k.global_x(), k.get(big, k.global_x()));
    const Result<InterpreterCode> code = InterpreterCode::compile(k.finish());
    REQUIRE_FALSE(code);
    CHECK(code.error().code == ErrorCode::limit_exceeded);
}
