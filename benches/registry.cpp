// The registry: reading the frozen slice (target: 2 ns, no allocation), finding a backend by id (15 ns), and
// freezing 3 backends of this process (20 us) and 1,000 in a section of their own (1 ms).
#include <cstdio>
#include <cstring>

#include <benchmark/benchmark.h>
#include <support/allocations.hpp>

#include <muster/driver/contract/inventory.hpp>
#include <muster/driver/registry/freeze.hpp>

namespace {

using namespace muster;

Result<std::unique_ptr<Backend>> make_nothing() {
    return fail(ErrorCode::unavailable, "It is only a record.");
}
const OpSet& no_ops() {
    static const OpSet none;
    return none;
}

constexpr BackendRegistration cuda{.id = "cuda", .factory = make_nothing, .supported_ops = no_ops};
constexpr BackendRegistration vulkan{.id = "vulkan", .factory = make_nothing, .supported_ops = no_ops};
constexpr BackendRegistration cpu{.id = "cpu", .factory = make_nothing, .supported_ops = no_ops};
constexpr BackendPrecedence cuda_rank{.id = "cuda", .rank = 100};
constexpr BackendPrecedence vulkan_rank{.id = "vulkan", .rank = 200};
constexpr BackendPrecedence cpu_rank{.id = "cpu", .rank = 300};
MUSTER_SUBMIT(cuda);
MUSTER_SUBMIT(vulkan);
MUSTER_SUBMIT(cpu);
MUSTER_SUBMIT(cuda_rank);
MUSTER_SUBMIT(vulkan_rank);
MUSTER_SUBMIT(cpu_rank);

void count_allocations(benchmark::State& state, std::uint64_t before) {
    state.counters["allocations"] = benchmark::Counter(static_cast<double>(test::allocations() - before),
                                                       benchmark::Counter::kAvgIterations);
}

void read_frozen_slice(benchmark::State& state) {
    registry();
    const std::uint64_t before = test::allocations();
    for (auto _ : state) benchmark::DoNotOptimize(registered_backends_by_precedence());
    count_allocations(state, before);
}
BENCHMARK(read_frozen_slice);

void find_by_id(benchmark::State& state) {
    const char* ids[]{"cpu", "cuda", "vulkan", "absent"};
    std::string_view id = ids[state.range(0)];
    state.SetLabel(ids[state.range(0)]);
    const std::uint64_t before = test::allocations();
    for (auto _ : state) {
        benchmark::DoNotOptimize(id);
        benchmark::DoNotOptimize(find_backend(id));
    }
    count_allocations(state, before);
}
BENCHMARK(find_by_id)->DenseRange(0, 3);

/// The cost of the first use: finding the modules, reading their records, checking and sorting them.
void freeze_3_of_this_process(benchmark::State& state) {
    for (auto _ : state) {
        const Registry registry = Registry::from(read_inventories());
        if (registry.by_id().size() != 3) state.SkipWithError("There aren't three backends.");
    }
}
BENCHMARK(freeze_3_of_this_process)->Unit(benchmark::kMicrosecond);

void freeze_1000(benchmark::State& state) {
    constexpr std::size_t count = 1000;
    struct Submitted {
        BackendRegistration registration = cpu;
        BackendPrecedence precedence = cpu_rank;
    };
    std::vector<Submitted> section(count);
    for (std::size_t i = 0; i < count; ++i) {
        char id[32]{};
        std::snprintf(id, sizeof(id), "backend-%zu", i * 7919 % count);
        std::memcpy(section[i].registration.id.characters.data(), id, sizeof(id));
        section[i].precedence.id = section[i].registration.id;
        section[i].precedence.rank = static_cast<std::uint32_t>(i % 10);
    }
    for (auto _ : state) {
        std::vector<Inventory> inventories(1);
        scan_records(std::as_bytes(std::span(section)), inventories.front());
        const Registry registry = Registry::from(std::move(inventories));
        if (registry.by_id().size() != count) state.SkipWithError("Not all backends are usable.");
    }
}
BENCHMARK(freeze_1000)->Unit(benchmark::kMicrosecond);

}  // namespace
