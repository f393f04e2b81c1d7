// Each allocation of a run on the reference backend fails once: the result is an error or std::bad_alloc.
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <optional>
#include <vector>

#include <doctest/doctest.h>

#include <muster/driver/session/session.hpp>
#include <muster/foundation/wgsl/wgsl.hpp>

namespace {

constexpr std::int64_t never = INT64_MAX;
std::atomic<std::int64_t> made{0};       // by all threads, since it was set to 0
std::atomic<std::int64_t> first{never};  // the first one that fails
std::atomic<std::int64_t> last{never};

bool fails() {
    const std::int64_t number = made.fetch_add(1);
    return number >= first && number <= last;
}

/// Makes these allocations fail during its lifetime.
struct Failing {
    Failing(std::int64_t from, std::int64_t to) {
        made = 0;
        last = to;
        first = from;
    }
    ~Failing() { first = never; }
};

}  // namespace

[[gnu::noinline]] void* operator new(std::size_t bytes) {
    if (!fails())
        if (void* memory = std::malloc(bytes)) return memory;
    throw std::bad_alloc();
}
// A replacement, so that the memory goes to the same operator delete.
[[gnu::noinline]] void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
    return fails() ? nullptr : std::malloc(bytes);
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, const std::nothrow_t&) noexcept { std::free(memory); }

using namespace muster;

namespace {

constexpr const char* text = R"(
@group(0) @binding(0) var<uniform> a: f32;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;
@compute @workgroup_size(4) fn scale(@builtin(global_invocation_id) id: vec3u) { y[id.x] *= a; }
)";

/// Does what a user does, from the text to the result. Errors: those of every call.
Result<float> run() {
    auto program = wgsl::parse(text);
    if (!program) return std::unexpected(program.error());
    auto valid = validate(*program);
    if (!valid) return std::unexpected(valid.error());
    auto session = Session::open({.policy = {.backends = {{"reference"}}}, .use_environment = false});
    if (!session) return std::unexpected(session.error());
    auto kernel = session->prepare(*valid);
    if (!kernel) return std::unexpected(kernel.error());
    auto y = session->buffer(std::vector<float>{1, 2, 3, 4});
    if (!y) return std::unexpected(y.error());
    auto ticket = session->dispatch(*kernel, {{"a", 3.0f}, {"y", *y}}, Workgroups{1});
    if (!ticket) return std::unexpected(ticket.error());
    if (auto end = ticket->wait(); !end) return std::unexpected(end.error());
    auto result = y->read_all<float>();
    if (!result) return std::unexpected(result.error());
    return result->at(3);
}

struct Tally {
    std::int64_t right = 0, wrong = 0, errors = 0, thrown = 0;
};

/// Runs with the allocations from `from` to `to` failing.
void run_failing(std::int64_t from, std::int64_t to, Tally& tally) {
    const Failing failing(from, to);
    try {
        const auto result = run();
        ++(!result ? tally.errors : *result == 12.0f ? tally.right : tally.wrong);
    } catch (const std::bad_alloc&) {
        ++tally.thrown;
    }
}

}  // namespace

TEST_CASE("whichever allocation of a run fails, alone or with all later ones, the process goes on") {
    REQUIRE(run());
    made = 0;
    REQUIRE(run());
    const std::int64_t allocations = made;
    Tally alone, later;
    for (std::int64_t i = 0; i < allocations; ++i) {
        run_failing(i, i, alone);
        run_failing(i, never, later);
    }
    for (const Tally& tally : {alone, later}) {
        CHECK(tally.wrong == 0);
        CHECK(tally.errors + tally.thrown > 0);
    }
    const auto after = run();
    REQUIRE(after);
    CHECK(*after == 12.0f);
}
