// Routing: a program already seen (the figure that users meet on each dispatch), a fresh decision, and
// dispatch itself. Backends are doubles: what is measured is the driver. Prints nanoseconds and allocations
// per call.
#include <atomic>
#include <cstdlib>
#include <new>

#include <benchmark/benchmark.h>

#include <muster/driver/router.hpp>
#include <muster/driver/session.hpp>
#include <muster/foundation/ir_builder.hpp>

#include "../tests/support/doubles.hpp"

namespace {

std::atomic<std::uint64_t> allocations{0};

}  // namespace

[[gnu::noinline]] void* operator new(std::size_t bytes) {
    allocations.fetch_add(1, std::memory_order_relaxed);
    if (void* memory = std::malloc(bytes)) return memory;
    throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace {

using namespace muster;

/// data[i] = f(data[i]), told apart by its number.
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
        static_cast<double>(allocations.load() - before) / static_cast<double>(state.iterations());
}

/// Goal: 100 ns, no allocation.
void route_seen(benchmark::State& state) {
    Session session = session_of_three();
    for (std::uint32_t i = 0; i < 100; ++i) session.route(numbered(i));
    const ValidProgram program = numbered(42);
    const std::uint64_t before = allocations.load();
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
    std::vector<BackendFacts> facts;
    for (std::size_t i = 0; i < session.fleet().size(); ++i)
        facts.push_back({&session.fleet().entry(i), session.fleet().probed(i), nullptr, {}});
    const std::uint64_t before = allocations.load();
    for (auto _ : state) benchmark::DoNotOptimize(decide(*program, session.policy(), facts, {}));
    report(state, before);
}
BENCHMARK(route_fresh);

/// Bind, submit and wait, on a device that does nothing.
void dispatch_and_wait(benchmark::State& state) {
    Session session = session_of_three();
    const Kernel kernel = *session.prepare(numbered(0));
    const Buffer data = *session.zeros<std::uint32_t>(64);
    const std::uint64_t before = allocations.load();
    for (auto _ : state) {
        auto ticket = session.dispatch(kernel, {{"data", data}}, Workgroups{1});
        benchmark::DoNotOptimize(ticket->wait());
    }
    report(state, before);
}
BENCHMARK(dispatch_and_wait)->Iterations(20000);

}  // namespace
