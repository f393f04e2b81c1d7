// clusters.hpp - clusters for tests: of doubles that run programs with the interpreter, and small kernels for them.
#pragma once

#include <memory>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>
#include <support/interpreting_double.hpp>

#include <muster/cluster/execution/cluster_session.hpp>
#include <muster/foundation/wgsl/wgsl.hpp>

namespace muster::test {

inline ValidProgram compiled(const char* text) {
    auto parsed = wgsl::parse(text, {.file = "test.wgsl"});
    if (!parsed) FAIL(parsed.error().to_string());
    auto valid = validate(*std::move(parsed));
    if (!valid) FAIL(valid.error().to_string());
    return *valid;
}

inline constexpr const char* saxpy_text = R"(
    @group(0) @binding(0) var<uniform> a: u32;
    @group(0) @binding(1) var<storage, read> x: array<u32>;
    @group(0) @binding(2) var<storage, read_write> y: array<u32>;
    @compute @workgroup_size(8) fn saxpy(@builtin(global_invocation_id) id: vec3u) {
        if id.x < arrayLength(&y) { y[id.x] = a * x[id.x] + y[id.x]; }
    })";
/// Each word is the sum of its neighbours.
inline constexpr const char* neighbours_text = R"(
    @group(0) @binding(0) var<storage, read> given: array<u32>;
    @group(0) @binding(1) var<storage, read_write> sums: array<u32>;
    @compute @workgroup_size(8) fn neighbours(@builtin(global_invocation_id) id: vec3u) {
        let i = id.x;
        if i == 0 || i + 1 >= arrayLength(&sums) { return; }
        sums[i] = given[i - 1] + given[i + 1];
    })";
inline constexpr const char* count_text = R"(
    @group(0) @binding(0) var<storage, read> values: array<u32>;
    @group(0) @binding(1) var<storage, read_write> counts: array<atomic<u32>, 4>;
    @compute @workgroup_size(8) fn count(@builtin(global_invocation_id) id: vec3u) {
        if id.x < arrayLength(&values) { atomicAdd(&counts[values[id.x] % 4], 1); }
    })";
inline constexpr const char* follow_text = R"(
    @group(0) @binding(0) var<storage, read> next: array<u32>;
    @group(0) @binding(1) var<storage, read_write> marks: array<u32>;
    @compute @workgroup_size(8) fn follow(@builtin(global_invocation_id) id: vec3u) {
        if id.x < arrayLength(&next) { marks[next[id.x]] = id.x; }
    })";
inline constexpr const char* sweeps_text = R"(
    enable muster_grid_barrier;
    @group(0) @binding(0) var<uniform> sweeps: u32;
    @group(0) @binding(1) var<storage, read_write> even: array<u32>;
    @group(0) @binding(2) var<storage, read_write> odd: array<u32>;
    @compute @workgroup_size(8) fn sweep(@builtin(global_invocation_id) id: vec3u) {
        let i = id.x;
        if i == 0 || i + 1 >= arrayLength(&even) { return; }
        for (var s = 0u; s < sweeps; s++) {
            if s % 2 == 0 { odd[i] = even[i - 1] + even[i + 1]; } else { even[i] = odd[i - 1] + odd[i + 1]; }
            gridBarrier();
        }
    })";

/// `count` words, from `first` on.
inline std::vector<std::uint32_t> counted(std::uint32_t count, std::uint32_t first = 0) {
    std::vector<std::uint32_t> words(count);
    std::iota(words.begin(), words.end(), first);
    return words;
}

/// What `steps` sums of neighbours make of the words; the outer ones keep what `other`, the first target, has.
inline std::vector<std::uint32_t> summed(std::vector<std::uint32_t> from, std::vector<std::uint32_t> to,
                                         int steps) {
    for (int step = 0; step < steps; ++step) {
        for (std::size_t i = 1; i + 1 < to.size(); ++i) to[i] = from[i - 1] + from[i + 1];
        std::swap(from, to);
    }
    return from;
}

/// Devices that interpret, "d0:0", "d1:0" and so on, one for each member of a cluster.
struct Doubles {
    std::vector<DeviceScriptPointer> scripts;

    explicit Doubles(std::size_t count) {
        for (std::size_t i = 0; i < count; ++i) {
            scripts.push_back(std::make_shared<DeviceScript>());
            scripts.back()->id = "d" + std::to_string(i);
        }
    }
    ~Doubles() {
        for (const auto& script : scripts) script->gate.open();
    }
    ClusterOptions options() const {
        ClusterOptions made{.balance = Balance::given};
        std::vector<FleetEntry> entries;
        for (const auto& script : scripts) {
            made.devices.push_back(script->id);
            entries.push_back(entry(script));
        }
        made.session.fleet = std::make_shared<Fleet>(std::move(entries), std::chrono::minutes(1));
        made.session.use_environment = false;
        made.session.close_timeout = std::chrono::milliseconds(50);
        return made;
    }
    ClusterSession open() const { return opened(options()); }
    /// One for which a dispatch that isn't cut is an error.
    ClusterSession open_refusing() const {
        ClusterOptions strict = options();
        strict.refuse_uncut = true;
        return opened(std::move(strict));
    }
    static ClusterSession opened(ClusterOptions options) {
        auto cluster = ClusterSession::open(std::move(options));
        if (!cluster) FAIL(cluster.error().to_string());
        return *cluster;
    }
};

template <class T>
T good(Result<T> result) {
    if (!result) FAIL(result.error().to_string());
    return *std::move(result);
}

template <class T>
std::string refusal(const Result<T>& result) {
    REQUIRE_FALSE(result);
    return result.error().to_string();
}

}  // namespace muster::test
