// Dispatch: bind, submit and wait, on a device that runs nothing, to measure the driver. Prints
// nanoseconds and allocations per dispatch: the fastest and the median of many short rounds, since other
// work on the machine makes a round slower and never faster. Goals: 150 ns for one dispatch including its
// wait, one allocation at most.
#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>
#include <support/allocations.hpp>
#include <support/null_device.hpp>

#include <muster/driver/routing/roof.hpp>
#include <muster/driver/session/session.hpp>
#include <muster/driver/trace/recorder.hpp>
#include <muster/foundation/build/ir_builder.hpp>

namespace {

using namespace muster;

/// A kernel: y[i] = a, or y[i] = i without `a`.
ValidProgram fill(bool with_value) {
    IrBuilder ir("fill", {64, 1, 1});
    const VariableId y = ir.variable(
        {.name = "y", .type = ir.types().runtime_array(u32_type), .space = AddressSpace::storage});
    const NodeId i = ir.extract(ir.builtin(Builtin::global_invocation_id), 0);
    NodeId value = i;
    if (with_value)
        value = ir.load(ir.ref(ir.variable({.name = "a",
                                            .type = u32_type,
                                            .space = AddressSpace::uniform,
                                            .access = Access::read,
                                            .binding = 1})));
    ir.store(ir.ref_index(ir.ref(y), i), value);
    return *validate(*std::move(ir).finish());
}

void report(benchmark::State& state, std::uint64_t before) {
    state.counters["allocations"] =
        static_cast<double>(test::allocations() - before) / static_cast<double>(state.iterations());
}

void in_short_rounds(benchmark::internal::Benchmark* bench) {
    bench->Iterations(1000)->Repetitions(300)->DisplayAggregatesOnly(true)->ComputeStatistics(
        "min", [](const std::vector<double>& all) { return *std::ranges::min_element(all); });
}

void one_at_a_time(benchmark::State& state, const std::shared_ptr<test::NullWork>& work, Policy policy = {}) {
    Session session = test::null_session(work, std::move(policy));
    const Kernel kernel = *session.prepare(fill(false));
    const Buffer y = *session.zeros<std::uint32_t>(64);
    (void)session.dispatch(kernel, {{"y", y}}, Workgroups{1})->wait();  // uploads y to the device
    const std::uint64_t before = test::allocations();
    for (auto _ : state) {
        auto ticket = session.dispatch(kernel, {{"y", y}}, Workgroups{1});
        benchmark::DoNotOptimize(ticket->wait());
    }
    report(state, before);
}

void ended_within_submit(benchmark::State& state) { one_at_a_time(state, nullptr); }
BENCHMARK(ended_within_submit)->Apply(in_short_rounds);

void submit_and_wait(benchmark::State& state) { one_at_a_time(state, std::make_shared<test::NullWork>()); }
BENCHMARK(submit_and_wait)->Apply(in_short_rounds);

/// With a trace: what recording a dispatch adds.
void submit_recorded_and_wait(benchmark::State& state) {
    const std::string path = (std::filesystem::temp_directory_path() / "muster_bench_dispatch.json").string();
    if (const auto started = trace::start(path); !started) return state.SkipWithError("no trace");
    one_at_a_time(state, std::make_shared<test::NullWork>());
    trace::end();
    std::filesystem::remove(path);
}
BENCHMARK(submit_recorded_and_wait)->Apply(in_short_rounds);

/// Chooses between two measured devices before each dispatch.
void chosen_by_measurement(benchmark::State& state) {
    const Roof roof{.copy_gb_s = 10,
                    .multiply_add_gflop_s = 10,
                    .launch_us = 1,
                    .to_device_gb_s = 10,
                    .from_device_gb_s = 10};
    for (const std::uint32_t ordinal : {0u, 1u})
        keep_roof("null", test::fit_device(ordinal), Precision::exact, roof);
    Session session = test::null_session(nullptr, {.choice = Measured{}}, 2);
    const Kernel kernel = *session.prepare(fill(false));
    const Buffer y = *session.zeros<std::uint32_t>(64);
    (void)session.dispatch(kernel, {{"y", y}}, Workgroups{1})->wait();
    const std::uint64_t before = test::allocations();
    for (auto _ : state) {
        auto ticket = session.dispatch(kernel, {{"y", y}}, Workgroups{1});
        benchmark::DoNotOptimize(ticket->wait());
    }
    report(state, before);
}
BENCHMARK(chosen_by_measurement)->Apply(in_short_rounds);

/// Validated, which the fastest rounds are without a check: those after the 1024th dispatch or so.
void submit_validated_and_wait(benchmark::State& state) {
    one_at_a_time(state, std::make_shared<test::NullWork>(), {.validate = Validation::warn});
}
BENCHMARK(submit_validated_and_wait)->Apply(in_short_rounds);

/// Dispatches with a value, which is copied to the device each time.
void submit_with_a_value_and_wait(benchmark::State& state) {
    Session session = test::null_session(std::make_shared<test::NullWork>());
    const Kernel kernel = *session.prepare(fill(true));
    const Buffer y = *session.zeros<std::uint32_t>(64);
    (void)session.dispatch(kernel, {{"y", y}, {"a", 7u}}, Workgroups{1})->wait();
    const std::uint64_t before = test::allocations();
    for (auto _ : state) {
        auto ticket = session.dispatch(kernel, {{"y", y}, {"a", 7u}}, Workgroups{1});
        benchmark::DoNotOptimize(ticket->wait());
    }
    report(state, before);
}
BENCHMARK(submit_with_a_value_and_wait)->Apply(in_short_rounds);

/// Submits 1,000 before the first ends, then waits for all. Figures are per dispatch.
void thousand_in_flight(benchmark::State& state) {
    auto work = std::make_shared<test::NullWork>();
    work->until_told = true;
    Session session = test::null_session(work);
    const Kernel kernel = *session.prepare(fill(false));
    const Buffer y = *session.zeros<std::uint32_t>(64);
    std::vector<Ticket> tickets;
    tickets.reserve(1000);
    const auto round = [&] {
        for (int i = 0; i < 1000; ++i)
            tickets.push_back(*session.dispatch(kernel, {{"y", y}}, Workgroups{1}));
        work->ended = true;
        for (const Ticket& ticket : tickets) benchmark::DoNotOptimize(ticket.wait());
        tickets.clear();
    };
    round();
    const std::uint64_t before = test::allocations();
    while (state.KeepRunningBatch(1000)) round();
    report(state, before);
}
BENCHMARK(thousand_in_flight)->Apply(in_short_rounds);

/// A recorded sequence of 1,000, submitted and waited for. Figures are per dispatch.
void thousand_in_a_sequence(benchmark::State& state) {
    Session session = test::null_session(std::make_shared<test::NullWork>());
    const Kernel kernel = *session.prepare(fill(false));
    const Buffer y = *session.zeros<std::uint32_t>(64);
    Sequence sequence = session.sequence();
    for (int i = 0; i < 1000; ++i) (void)sequence.dispatch(kernel, {{"y", y}}, Workgroups{1});
    (void)sequence.submit()->wait();
    const std::uint64_t before = test::allocations();
    while (state.KeepRunningBatch(1000)) benchmark::DoNotOptimize(sequence.submit()->wait());
    report(state, before);
}
BENCHMARK(thousand_in_a_sequence)->Apply(in_short_rounds);

}  // namespace
