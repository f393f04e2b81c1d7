// Plugins: listing 100 from their files, none opened (target: 10 ms, cold), searching an empty search path
// (100 us), and reading the registry after ten were loaded, which should cost the same as before.
#include <cstdlib>

#include <benchmark/benchmark.h>
#include <fcntl.h>
#include <support/allocations.hpp>
#include <support/plugin_scratch.hpp>
#include <unistd.h>

#include <muster/driver/plugins/plugins.hpp>
#include <muster/driver/registry/freeze.hpp>

namespace {

using namespace muster;

const std::string& original() {
    static const std::string bytes = test::file_bytes(MUSTER_TEST_PLUGIN);
    return bytes;
}

/// A plugin of one backend, whose id has the same length as the original's.
std::string copy_with(const std::string& id) { return test::renamed(original(), "thread-0", id); }

std::string write_plugin(const test::PluginScratch& folder, std::size_t n) {
    const std::string id = "copy-" + std::to_string(100 + n);
    return folder.add(id, copy_with(id));
}

/// Drops the file from the system's page cache.
void make_cold(const std::string& path) {
    const int file = open(path.c_str(), O_RDONLY);
    fsync(file);
    posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED);
    close(file);
}

void list_100_plugins(benchmark::State& state) {
    const bool cold = state.range(0) != 0;
    state.SetLabel(cold ? "files not in memory" : "files in memory");
    registry();
    const test::PluginScratch folder;
    std::vector<std::string> files;
    for (std::size_t n = 0; n < 100; ++n) files.push_back(write_plugin(folder, n));
    for (auto _ : state) {
        if (cold) {
            state.PauseTiming();
            for (const std::string& file : files) make_cold(file);
            state.ResumeTiming();
        }
        Plugins plugins({{folder.path().string()}});
        if (plugins.entries().size() != 100) state.SkipWithError("Not all plugins are listed.");
    }
}
BENCHMARK(list_100_plugins)->Arg(0)->Arg(1)->Unit(benchmark::kMillisecond);

/// Searches the whole search path of this process, which has no plugin.
void search_an_empty_path(benchmark::State& state) {
    registry();
    for (auto _ : state) {
        Plugins plugins(plugin_folders(*environment_plugins()));
        if (!plugins.entries().empty()) state.SkipWithError("There are plugins on the search path.");
    }
}
BENCHMARK(search_an_empty_path)->Unit(benchmark::kMicrosecond);

void read_frozen_slice(benchmark::State& state) {
    registry();
    const std::uint64_t before = test::allocations();
    for (auto _ : state) benchmark::DoNotOptimize(registered_backends_by_precedence());
    state.counters["allocations"] = benchmark::Counter(static_cast<double>(test::allocations() - before),
                                                       benchmark::Counter::kAvgIterations);
}

void find_by_id(benchmark::State& state) {
    std::string_view id = "copy-104";
    for (auto _ : state) {
        benchmark::DoNotOptimize(id);
        benchmark::DoNotOptimize(find_backend(id));
    }
}

void load_ten(benchmark::State& state) {
    static const test::PluginScratch folder;
    Plugins plugins({{folder.path().string()}});
    std::size_t n = 0;
    for (auto _ : state) {
        const std::string file = write_plugin(folder, n++);
        if (auto loaded = plugins.load(file); !loaded) state.SkipWithError(loaded.error().message.c_str());
    }
    if (registered_backends().size() != 10) state.SkipWithError("There aren't ten backends.");
}

BENCHMARK(read_frozen_slice)->Name("read_frozen_slice, nothing loaded");
BENCHMARK(find_by_id)->Name("find_by_id, nothing loaded");
BENCHMARK(load_ten)->Iterations(10)->Unit(benchmark::kMicrosecond);
BENCHMARK(read_frozen_slice)->Name("read_frozen_slice, ten plugins loaded");
BENCHMARK(find_by_id)->Name("find_by_id, ten plugins loaded");

}  // namespace
