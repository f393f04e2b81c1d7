// Routing: a program already seen, and a fresh decision. Backends are doubles, to measure the driver. Prints
// nanoseconds and allocations per call.
#include <benchmark/benchmark.h>
#include <support/allocations.hpp>
#include <support/doubles.hpp>

#include <muster/driver/routing/router.hpp>
#include <muster/driver/session/session.hpp>
#include <muster/foundation/build/ir_builder.hpp>

namespace {

using namespace muster;

/// data[i] = f(data[i]), with a different program for each number.
ValidProgram numbered(std::uint32_t number) {
    IrBuilder ir("bench", {64, 1, 1});
    const VariableId data = ir.variable(
        {.name = "data", .type = ir.types().runtime_array(u32_type), .space = AddressSpace::storage});
    const NodeId place = ir.ref_index(ir.ref(data), ir.extract(ir.builtin(Builtin::global_invocation_id), 0));
    ir.store(place, ir.binary(Op::add, ir.load(place), ir.constant(number + 1)));
    return *validate(*std::move(ir).finish());
}

Session session_of_three() {
    const auto scripts = {test::script("aa", 1), test::script("bb", 2), test::script("cc", 3)};
    return *Session::open(
        {.fleet = std::make_shared<Fleet>(test::entries(scripts)), .use_environment = false});
}

void report(benchmark::State& state, std::uint64_t before) {
    state.counters["allocations"] =
        static_cast<double>(test::allocations() - before) / static_cast<double>(state.iterations());
}

/// Goal: 100 ns, no allocation.
void route_seen(benchmark::State& state) {
    Session session = session_of_three();
    for (std::uint32_t i = 0; i < 100; ++i) session.route(numbered(i));
    const ValidProgram program = numbered(42);
    const std::uint64_t before = test::allocations();
    for (auto _ : state) benchmark::DoNotOptimize(session.route(program));
    report(state, before);
}
BENCHMARK(route_seen);

void route_seen_by_threads(benchmark::State& state) {
    static Session session = session_of_three();
    const ValidProgram program = numbered(42);
    for (auto _ : state) benchmark::DoNotOptimize(session.route(program));
}
BENCHMARK(route_seen_by_threads)->Threads(2);

void route_fresh(benchmark::State& state) {
    Session session = session_of_three();
    session.route(numbered(0));
    const ValidProgram program = numbered(42);
    std::vector<routing::BackendFacts> facts;
    for (std::size_t i = 0; i < session.fleet().size(); ++i)
        facts.push_back({&session.fleet().entry(i), session.fleet().probed(i), nullptr, {}});
    const std::uint64_t before = test::allocations();
    for (auto _ : state) benchmark::DoNotOptimize(routing::decide(*program, session.policy(), facts, {}));
    report(state, before);
}
BENCHMARK(route_fresh);

}  // namespace
