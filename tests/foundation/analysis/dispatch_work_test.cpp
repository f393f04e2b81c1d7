// What a dispatch is estimated to do: exactly where the program alone decides it, a guess where stored data do.
#include <array>
#include <cstring>

#include <doctest/doctest.h>

#include <muster/foundation/analysis/dispatch_work.hpp>

#include "support/parse.hpp"
#include "support/random_program.hpp"

using namespace muster;

namespace {

constexpr std::uint64_t invocation_count = 6400;

constexpr const char* declarations = R"(
@group(0) @binding(0) var<uniform> n: u32;
@group(0) @binding(1) var<storage, read> x: array<f32>;
@group(0) @binding(2) var<storage, read_write> y: array<f32>;
var<workgroup> tile: array<f32, 64>;
)";

/// The work of one invocation for each element of y, with these statements; `n` is known if it isn't 0.
DispatchWork work_of(const std::string& statements, std::uint32_t n = 0,
                     std::uint64_t x_count = invocation_count) {
    const Program program =
        test::parse(std::string(declarations) +
                    "@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3u, "
                    "@builtin(local_invocation_index) lane: u32) { " +
                    statements + " }");
    std::vector<KnownBinding> bindings;
    for (const VariableId binding : program.bindings()) {
        const std::string& name = program.variable(binding).name;
        if (name == "n")
            bindings.push_back({4, n == 0 ? std::span<const std::byte>() : std::as_bytes(std::span(&n, 1))});
        else
            bindings.push_back({4 * (name == "x" ? x_count : invocation_count), {}});
    }
    return dispatch_work(program, {.grid = {invocation_count / 64, 1, 1}, .bindings = bindings});
}

/// The operations of an invocation, without those of a store of `x[id.x]` alone.
double operations(const std::string& statements, std::uint32_t n = 0) {
    const double all = work_of("var s = x[id.x]; " + statements + " y[id.x] = s;", n).operations;
    return (all - work_of("y[id.x] = x[id.x];").operations) / invocation_count;
}

}  // namespace

TEST_CASE("bytes are those of the accesses, and of a binding at most the whole") {
    const DispatchWork once = work_of("y[id.x] = x[id.x] + 1;");
    CHECK(once.bytes == 4.0 * invocation_count * 2);
    CHECK(once.operations == invocation_count * 3.0);  // a load, an addition, a store
    CHECK(once.workgroups == invocation_count / 64);
    CHECK_FALSE(once.is_guess);
    const DispatchWork again = work_of("y[id.x] = x[id.x] + x[(id.x + 1) % arrayLength(&x)];");
    CHECK(again.bytes == once.bytes);
    const DispatchWork both = work_of("y[id.x] += x[id.x];");
    CHECK(both.bytes == 4.0 * invocation_count * 3);  // y is read and written
}

TEST_CASE("loops invocation_count as often as they run, long ones too") {
    for (const int times : {0, 1, 2, 3, 4, 5, 10}) {
        CAPTURE(times);
        CHECK(operations("for (var i = 0; i < " + std::to_string(times) + "; i++) { s *= 3; }") == times);
    }
    CHECK(operations("for (var i = 0; i < 1000; i++) { s *= 3; }") == 1000);
    CHECK(operations("for (var i = 7u; i <= 1000; i += 3) { s *= 3; }") == 332);
    CHECK(operations("for (var i = 1000; i > 0; i -= 2) { s *= 3; }") == 500);
    CHECK(operations("for (var i = 0; i != 500; i++) { s *= 3; }") == 500);
    CHECK(operations("var i = 0; loop { s *= 3; i++; if i >= 300 { break; } }") == 300);
    CHECK(operations("var i = 0; loop { s *= 3; continuing { i++; break if i >= 300; } }") == 300);
    CHECK(operations("for (var i = 128u; i > 0; i >>= 1) { s *= 3; }") == 8);
    CHECK(operations("for (var i = 0; i < 100; i++) { for (var j = 0; j < 50; j++) { s *= 3; } }") == 5000);
}

TEST_CASE("a loop that known values end runs as often as they say") {
    // x doubles until it reaches 1000, and the limit isn't reached.
    CHECK(
        operations("var x = 1f; for (var i = 0; i < 200; i++) { s *= 3; if x > 1000 { break; } x *= 2; }") ==
        doctest::Approx(11).epsilon(0.01));
    // An escape time, which differs between invocations.
    const double all = operations(
        "var z = f32(id.x) / 6400; for (var i = 0; i < 100; i++) { if z > 2 { break; } z += z * z; s += 1; "
        "}");
    CHECK(all > 10);
    CHECK(all < 100);
}

TEST_CASE("of a loop whose iterations differ, the middle one stands for the others") {
    const double all =
        operations("for (var i = 0; i < 1000; i++) { for (var j = 0; j < i; j++) { s *= 3; } }");
    CHECK(all == doctest::Approx(1000 * 999 / 2).epsilon(0.01));
}

TEST_CASE("a bound that is given at dispatch counts, and is guessed without") {
    const std::string loop = "for (var i = 0u; i < n; i++) { s *= 3; }";
    CHECK(operations(loop, 40) == 40);
    CHECK(operations(loop, 4000) == 4000);
    CHECK(work_of("var s = 0f; " + loop + " y[id.x] = s;").is_guess);
    CHECK_FALSE(work_of("var s = 0f; " + loop + " y[id.x] = s;", 40).is_guess);
}

TEST_CASE("branches that ids and sizes decide are followed, others invocation_count half") {
    CHECK(work_of("if id.x < arrayLength(&y) / 2 { y[id.x] = 1; }").operations ==
          doctest::Approx(invocation_count * 1.5).epsilon(0.04));  // each compares
    CHECK(work_of("if id.x >= 3200 { return; } y[id.x] = 1;").operations ==
          doctest::Approx(invocation_count * 1.5).epsilon(0.04));
    CHECK(operations("if s > 0 { s *= 3; s *= 4; }") == 2);  // a comparison, and half of two
    CHECK(work_of("if x[id.x] > 0 { y[id.x] = 1; }").is_guess);
    CHECK(operations("switch i32(s) { case 1: { s *= 3; } case 2, 3: { s *= 3; s *= 3; } default: { } }") ==
          2);
}

TEST_CASE("a loop that stored data end goes through the arrays that it reads") {
    // A sparse matrix: some 10 elements in each row.
    const std::string rows =
        "var s = 0f; for (var i = u32(y[id.x]); i < u32(y[id.x + 1]); i++) { s += x[i]; } y[id.x] = s;";
    const DispatchWork guessed = work_of(rows, 0, 10 * invocation_count);
    CHECK(guessed.is_guess);
    CHECK(guessed.bytes >= 4.0 * 10 * invocation_count);
    // A limit that is known counts instead. Invocations leave at different times, so each has a counter of its own.
    CHECK(operations("for (var i = 0; i < 100; i++) { s *= 3; if s > 1e9 { break; } }") == 500);
}

TEST_CASE("barriers count the invocations that arrive, and costly operations more") {
    const DispatchWork work = work_of(
        "tile[lane] = 1; workgroupBarrier(); for (var i = 0; i < 10; i++) { workgroupBarrier(); } "
        "y[id.x] = tile[63 - lane];");
    CHECK(work.arrivals == 11.0 * invocation_count);
    CHECK(operations("s = exp(s);") > operations("s = 1 / s;"));
    CHECK(operations("s = 1 / s;") > operations("s *= 3;"));
}

TEST_CASE("what is the same for a workgroup isn't counted") {
    CHECK(operations("let k = n * 3 + 4; s += f32(k);") == 1);
}

TEST_CASE("an empty grid does nothing, and a loop without an end ends here") {
    const Program program = test::parse(
        "@group(0) @binding(0) var<storage, read_write> y: array<u32>;"
        "@compute @workgroup_size(64) fn main() { while y[0] == 0 { y[1] += 1; } }");
    const std::array bindings{KnownBinding{1024, {}}};
    CHECK(dispatch_work(program, {.grid = {0, 1, 1}, .bindings = bindings}).operations == 0);
    const DispatchWork endless = dispatch_work(program, {.grid = {1, 1, 1}, .bindings = bindings});
    CHECK(endless.is_guess);
    CHECK(endless.operations < 1e9);
}

TEST_CASE("the work of random programs is finite, whatever is known of their bindings") {
    for (std::uint64_t seed = 0; seed < 300; ++seed) {
        CAPTURE(seed);
        const Program program = test::parse(testing::random_program(seed).text());
        for (const bool has_values : {false, true}) {
            const std::vector<std::byte> zeros(256);
            std::vector<KnownBinding> bindings;
            for (std::size_t i = 0; i < program.bindings().size(); ++i)
                bindings.push_back(
                    {zeros.size(), has_values ? std::span(zeros) : std::span<const std::byte>()});
            const DispatchWork work = dispatch_work(program, {.grid = {3, 2, 1}, .bindings = bindings});
            CHECK(work.operations >= 0);
            CHECK(work.operations < 1e12);
            CHECK(work.bytes >= 0);
            CHECK(work.bytes <= 2.0 * 256 * static_cast<double>(bindings.size()));
        }
    }
}
