// The interface in C beside the C++ one: the same calls through the table, on a device that runs nothing. Goals: a call at most 20 ns
// more; a dispatch with its wait below 300 ns where C++'s takes 200.
#include <algorithm>
#include <vector>

#include <benchmark/benchmark.h>
#include <support/null_device.hpp>

#include <muster/c/objects.hpp>
#include <muster/driver/session/session.hpp>
#include <muster/foundation/build/ir_builder.hpp>

namespace {

using namespace muster;

ValidProgram fill() {
    IrBuilder ir("fill", {64, 1, 1});
    const VariableId y = ir.variable(
        {.name = "y", .type = ir.types().runtime_array(u32_type), .space = AddressSpace::storage});
    const NodeId i = ir.extract(ir.builtin(Builtin::global_invocation_id), 0);
    ir.store(ir.ref_index(ir.ref(y), i), i);
    return *validate(*std::move(ir).finish());
}

void in_short_rounds(benchmark::internal::Benchmark* bench) {
    bench->Iterations(1000)->Repetitions(300)->DisplayAggregatesOnly(true)->ComputeStatistics(
        "min", [](const std::vector<double>& all) { return *std::ranges::min_element(all); });
}

/// The same objects, in C++ and by handle.
struct Both {
    Session session = test::null_session(nullptr, {});
    Kernel kernel = *session.prepare(fill());
    Buffer y = *session.zeros<std::uint32_t>(64);
    const muster_api* api = nullptr;
    muster_session c_session{};
    muster_kernel c_kernel{};
    muster_buffer c_y{};
    muster_argument argument{};
    muster_dispatch dispatch{};

    Both() {
        (void)session.dispatch(kernel, {{"y", y}}, Workgroups{1})->wait();  // uploads y to the device
        (void)muster_get_api(MUSTER_API_VERSION, &api, nullptr);
        const auto object = std::make_shared<c::SessionObject>(session, Precision::exact);
        (void)c::give_handle(&c_session, object);
        (void)c::give_handle(&c_kernel, std::make_shared<c::KernelObject>(object, kernel));
        (void)c::give_handle(&c_y, std::make_shared<c::BufferObject>(object, y));
        argument.struct_size = sizeof(argument);
        argument.name = muster_text("y");
        argument.buffer = c_y;
        dispatch.struct_size = sizeof(dispatch);
        dispatch.arguments = &argument;
        dispatch.argument_count = 1;
        dispatch.grid = MUSTER_GRID_WORKGROUPS;
        dispatch.axes = 1;
        dispatch.size[0] = 1;
    }
    ~Both() {
        for (const std::uint64_t id : {c_y.id, c_kernel.id, c_session.id}) (void)api->release(id);
    }
};

void done_cxx(benchmark::State& state) {
    const Both both;
    Session session = both.session;
    const Ticket ticket = *session.dispatch(both.kernel, {{"y", both.y}}, Workgroups{1});
    for (auto _ : state) benchmark::DoNotOptimize(ticket.wait());
}
BENCHMARK(done_cxx)->Apply(in_short_rounds);

void done_c(benchmark::State& state) {
    const Both both;
    muster_ticket ticket{};
    (void)both.api->dispatch(both.c_session, both.c_kernel, &both.dispatch, &ticket);
    for (auto _ : state) benchmark::DoNotOptimize(both.api->wait(ticket, MUSTER_FOREVER, nullptr));
    (void)both.api->release(ticket.id);
}
BENCHMARK(done_c)->Apply(in_short_rounds);

void read_cxx(benchmark::State& state) {
    const Both both;
    std::array<std::byte, 4> word{};
    for (auto _ : state) benchmark::DoNotOptimize(both.y.read_bytes(word));
}
BENCHMARK(read_cxx)->Apply(in_short_rounds);

void read_c(benchmark::State& state) {
    const Both both;
    std::array<std::byte, 4> word{};
    for (auto _ : state)
        benchmark::DoNotOptimize(
            both.api->buffer_read(both.c_y, 0, word.data(), word.size(), MUSTER_FOREVER));
}
BENCHMARK(read_c)->Apply(in_short_rounds);

void dispatch_and_wait_cxx(benchmark::State& state) {
    const Both both;
    Session session = both.session;
    for (auto _ : state) {
        auto ticket = session.dispatch(both.kernel, {{"y", both.y}}, Workgroups{1});
        benchmark::DoNotOptimize(ticket->wait());
    }
}
BENCHMARK(dispatch_and_wait_cxx)->Apply(in_short_rounds);

void dispatch_and_wait_c(benchmark::State& state) {
    const Both both;
    for (auto _ : state) {
        muster_ticket ticket{};
        (void)both.api->dispatch(both.c_session, both.c_kernel, &both.dispatch, &ticket);
        benchmark::DoNotOptimize(both.api->wait(ticket, MUSTER_FOREVER, nullptr));
        (void)both.api->release(ticket.id);
    }
}
BENCHMARK(dispatch_and_wait_c)->Apply(in_short_rounds);

void run_c(benchmark::State& state) {
    const Both both;
    for (auto _ : state)
        benchmark::DoNotOptimize(
            both.api->run(both.c_session, both.c_kernel, &both.dispatch, MUSTER_FOREVER, nullptr));
}
BENCHMARK(run_c)->Apply(in_short_rounds);

}  // namespace
