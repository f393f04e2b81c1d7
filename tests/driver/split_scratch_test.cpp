// Tests of the scratch of split programs: how much of it is kept, and when it is freed. The device has little memory
// and runs nothing.
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>
#include <support/doubles.hpp>

#include <muster/driver/grid_barriers/scratch_pool.hpp>
#include <muster/driver/grid_barriers/split_executor.hpp>
#include <muster/driver/grid_barriers/split_run.hpp>
#include <muster/foundation/wgsl/wgsl.hpp>

using namespace muster;
using namespace muster::test;

namespace {

constexpr std::uint64_t mebibyte = 1 << 20;
constexpr Extent3 grid{100, 1, 1};

/// A device's allocated bytes, and its requests.
struct Account {
    std::uint64_t most = UINT64_MAX, live = 0;
    int allocations = 0, loads = 0;
    bool has_room(std::uint64_t bytes) const { return bytes <= most - live; }
};

struct ClaimedMemory final : Memory {
    Account& account;
    std::uint64_t size;
    ClaimedMemory(Account& of, std::uint64_t bytes) : account(of), size(bytes) { account.live += size; }
    ~ClaimedMemory() override { account.live -= size; }
    std::uint64_t bytes() const override { return size; }
};

class ScarceDevice final : public Device {
  public:
    explicit ScarceDevice(Account& account) : account_(account) {}
    const DeviceInfo& info() const override { return info_; }
    Result<Artifact> compile(const ValidProgram&, const CompileOptions&) override { return Artifact{}; }
    /// Fails if not a byte of memory is left.
    Result<std::unique_ptr<Executable>> load(const Artifact&) override {
        ++account_.loads;
        if (!account_.has_room(1)) return fail(ErrorCode::out_of_memory, "No byte is left.");
        return std::make_unique<Executable>();
    }
    Result<std::unique_ptr<Memory>> allocate(std::uint64_t bytes) override {
        ++account_.allocations;
        if (!account_.has_room(bytes)) return fail(ErrorCode::out_of_memory, "Too few bytes are left.");
        return std::make_unique<ClaimedMemory>(account_, bytes);
    }
    Result<void> write(Memory&, std::uint64_t, std::span<const std::byte>) override { return {}; }
    Result<void> read(const Memory&, std::uint64_t, std::span<std::byte>) override { return {}; }
    Result<Submitted> submit(const Launch&) override { return Timing{}; }
    void abandon() override {}

  private:
    Account& account_;
    DeviceInfo info_ = fit_device();
};

ValidProgram program_of(const std::string& body) {
    auto parsed = wgsl::parse(
        "enable muster_grid_barrier;\n"
        "@group(0) @binding(0) var<storage, read_write> a: array<u32>;\n"
        "@compute @workgroup_size(8) fn main(@builtin(global_invocation_id) id: vec3<u32>) {\n"
        "let i = id.x;\n" +
        body + "}\n");
    if (!parsed) FAIL(parsed.error().to_string());
    auto valid = validate(*std::move(parsed));
    if (!valid) FAIL(valid.error().to_string());
    return *valid;
}

/// A program that carries a word per invocation across the barrier.
ValidProgram carries() { return program_of("let x = a[i]; gridBarrier(); a[799u - i] = x;"); }

/// A program whose loop makes the host check from time to time that an invocation is left.
ValidProgram returns() {
    return program_of(
        "var k = 0u; loop { if (a[i] < 102u + k) { return; } k += 1u; a[i] = k; gridBarrier(); }");
}

struct ScratchFixture {
    Account account;
    ScarceDevice device{account};
    grid_barriers::ScratchPool pool;

    std::shared_ptr<Memory> taken(std::uint64_t bytes) {
        auto memory = pool.take(device, bytes);
        if (!memory) FAIL(memory.error().to_string());
        return *std::move(memory);
    }
    void take_and_give(int times, std::uint64_t bytes) {
        std::vector<std::shared_ptr<Memory>> all;
        for (int i = 0; i < times; ++i) all.push_back(taken(bytes));
        for (auto& one : all) pool.give(std::move(one));
    }
};

grid_barriers::LoadedParts loaded(const ValidProgram& whole) {
    auto made = split_at_grid_barriers(*whole);
    if (!made) FAIL(made.error().to_string());
    grid_barriers::LoadedParts parts{.program = *std::move(made)};
    for (std::size_t i = 0; i < parts.program.parts.size(); ++i)
        parts.parts.push_back(std::make_unique<Executable>());
    parts.idle_kernel = std::make_unique<Executable>();
    return parts;
}

}  // namespace

TEST_CASE_FIXTURE(ScratchFixture, "what is kept is used again, and is bounded in bytes") {
    take_and_give(4, mebibyte);
    CHECK(account.live == 4 * mebibyte);
    take_and_give(4, mebibyte);
    CHECK(account.allocations == 4);
    take_and_give(3, 40 * mebibyte);
    CHECK(account.live == 40 * mebibyte);
    take_and_give(2, 200 * mebibyte);  // one block is kept, of any size
    CHECK(account.live == 200 * mebibyte);
}

TEST_CASE_FIXTURE(ScratchFixture, "what is too small is let go of before more is taken") {
    account.most = 300 * mebibyte;
    take_and_give(1, 200 * mebibyte);
    const auto larger = taken(300 * mebibyte);
    CHECK(account.live == 300 * mebibyte);
    CHECK(account.allocations == 2);
}

TEST_CASE_FIXTURE(ScratchFixture, "memory and executables take the place of scratch that is kept") {
    grid_barriers::SplitExecutor executor(device);
    const auto allocate = [&](std::uint64_t bytes) {
        return executor.with_room([&] { return device.allocate(bytes); });
    };
    const grid_barriers::SplitArtifact artifact = *executor.compile(carries(), {});
    const auto executable = *executor.load(artifact);
    const auto a = *allocate(3200);
    const std::vector<BoundMemory> bound{{.memory = a.get(), .bytes = 3200}};
    REQUIRE(executor.submit(*executable, {.bindings = bound, .extent = grid, .grid = grid}));
    REQUIRE(account.live == 3200 + 3264);
    SUBCASE("memory") {
        account.most = 3200 + 3264 + 99;
        CHECK(allocate(100));
    }
    SUBCASE("executables") {
        account.most = account.live;
        CHECK(executor.load(artifact));
    }
    CHECK(account.live == 3200);
    account.allocations = 0;
    CHECK(allocate(4000).error().code == ErrorCode::out_of_memory);
    CHECK(account.allocations == 1);  // no scratch is left to free, so no second try
}

TEST_CASE_FIXTURE(ScratchFixture, "scratch that parts may still write to isn't given back") {
    const grid_barriers::LoadedParts parts = loaded(returns());
    REQUIRE(parts.program.uses_scratch);
    const auto a = *device.allocate(3200);
    const std::vector<BoundMemory> bound{{.memory = a.get(), .bytes = 3200}};
    const Launch launch{.executable = nullptr, .bindings = bound, .extent = grid, .grid = grid};
    bool is_kept = false;
    SUBCASE("nothing was submitted") {
        is_kept = true;
        REQUIRE(grid_barriers::SplitRun::make(device, pool, parts, launch));
    }
    SUBCASE("it waits for the host") {
        const auto run = *grid_barriers::SplitRun::make(device, pool, parts, launch);
        CHECK_FALSE(run->start());
    }
    CHECK((account.live > 3200) == is_kept);
}
