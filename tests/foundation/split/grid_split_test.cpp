// Programs cut at their grid barriers: the parts do what the whole does, even with the scratch poisoned between
// them, and carry no more than the live values.
#include <string>
#include <vector>

#include <support/parse.hpp>
#include <support/split_run.hpp>

#include <muster/foundation/ir/grid_barrier.hpp>

using namespace muster;
using namespace muster::test;
using Words = std::vector<std::uint32_t>;

namespace {

constexpr Extent3 grid{3, 1, 1};
constexpr std::uint32_t size = 8, invocations = 24;

/// A program with storage arrays a, b, c of u32 and a uniform n: u32; i is the invocation's number, l its number
/// in its workgroup of 8.
ValidProgram program(const std::string& body, const std::string& before = {}) {
    const std::string text =
        "enable muster_grid_barrier;\n"
        "@group(0) @binding(0) var<storage, read_write> a: array<u32>;\n"
        "@group(0) @binding(1) var<storage, read_write> b: array<u32>;\n"
        "@group(0) @binding(2) var<storage, read_write> c: array<atomic<u32>>;\n"
        "@group(0) @binding(3) var<uniform> n: u32;\n" +
        before +
        "\n@compute @workgroup_size(8) fn main(@builtin(global_invocation_id) id: vec3<u32>, "
        "@builtin(local_invocation_index) l: u32, @builtin(workgroup_id) w: vec3<u32>) {\n"
        "let i = id.x;\n_ = &a; _ = &b; _ = &c; _ = &n;\n" +
        body + "\n}\n";
    auto valid = validate(parse(text));
    if (!valid) FAIL(valid.error().to_string());
    return *valid;
}

SplitProgram split(const ValidProgram& whole) {
    auto made = split_at_grid_barriers(whole);
    if (!made) FAIL(made.error().to_string());
    return *std::move(made);
}

struct Ran {
    Words a, b, c;
    std::vector<std::uint32_t> parts;
    std::size_t reads = 0, fetches = 0;
};

/// Runs the parts. Initially a[i] = 100 + i; b and c are zero.
Ran run_parts(const SplitProgram& split, std::uint32_t n = 0) {
    Words a(invocations), b(invocations), c(invocations);
    for (std::uint32_t i = 0; i < invocations; ++i) a[i] = 100 + i;
    std::vector<Words> memory;
    const Words given[] = {a, b, c, {n}};
    for (const VariableId id : split.program.bindings())
        memory.push_back(given[split.program.variable(id).binding]);
    InterpretedParts host(split, memory, grid, n);
    GridWalk walk(split, grid, sizes_of(memory));
    const auto ended = walk.go_on(host, 10'000);
    if (!ended) FAIL(ended.error().to_string());
    CHECK(*ended);
    Ran ran{a, b, c, host.ran, host.reads, host.fetches};
    for (std::size_t k = 0; k < memory.size(); ++k) {
        const std::uint32_t binding = split.program.variable(split.program.bindings()[k]).binding;
        if (binding == 0) ran.a = memory[k];
        if (binding == 1) ran.b = memory[k];
        if (binding == 2) ran.c = memory[k];
    }
    return ran;
}

template <class Value>
Words each(const Value& value) {
    Words words(invocations);
    for (std::uint32_t i = 0; i < invocations; ++i) words[i] = value(i);
    return words;
}

std::uint32_t mirrored(std::uint32_t i) { return invocations - 1 - i; }

}  // namespace

TEST_CASE("a load before a barrier isn't done again after it") {
    const SplitProgram parts = split(program("let x = a[23u - i]; gridBarrier(); a[i] = x;"));
    CHECK(parts.parts.size() == 2);
    CHECK(parts.invocation_words == 1);
    CHECK(parts.workgroup_words == 0);
    CHECK_FALSE(parts.waits);
    CHECK(run_parts(parts).a == each([](std::uint32_t i) { return 100 + mirrored(i); }));
}

TEST_CASE("an atomic before a barrier happens once") {
    const SplitProgram parts =
        split(program("let old = atomicAdd(&c[0], 1u); gridBarrier(); b[old] = atomicLoad(&c[0]);"));
    const Ran ran = run_parts(parts);
    CHECK(ran.c[0] == invocations);
    CHECK(ran.b == Words(invocations, invocations));
}

TEST_CASE("values are computed again where nothing changes what they are made of") {
    const SplitProgram parts =
        split(program("let x = (i * 3u + n) ^ w.x; b[i] = x; gridBarrier(); a[i] = b[23u - i] + x;"));
    CHECK(parts.invocation_words == 0);
    CHECK_FALSE(parts.uses_scratch);
    const auto x = [](std::uint32_t i) { return (i * 3 + 5) ^ (i / size); };
    CHECK(run_parts(parts, 5).a == each([&](std::uint32_t i) { return x(mirrored(i)) + x(i); }));
}

TEST_CASE("only what may still be read is carried, and words are shared") {
    // x and y live across the first barrier, y and z across the second: two words.
    const SplitProgram parts =
        split(program("let x = a[i]; let y = a[23u - i]; gridBarrier(); let z = a[i] + x; a[i] = x + y;"
                      "gridBarrier(); b[i] = y + z; gridBarrier(); b[i] += 1u;"));
    CHECK(parts.parts.size() == 4);
    CHECK(parts.invocation_words == 2);
    CHECK(run_parts(parts).b == each([](std::uint32_t i) { return 100 + mirrored(i) + 2 * (100 + i) + 1; }));
}

TEST_CASE("variables keep what was assigned, arrays too") {
    const SplitProgram parts =
        split(program("var x = a[i]; var t: array<u32, 6>; for (var k = 0u; k < 6u; k++) { t[k] = a[i] * k; "
                      "} if (i % 2u == 0u) { x += 7u; }"
                      "gridBarrier(); a[i] = 0u; x *= 2u; gridBarrier(); b[i] = x + t[i % 6u];"));
    CHECK(parts.invocation_words == 7);
    CHECK(run_parts(parts).b ==
          each([](std::uint32_t i) { return (100 + i + (i % 2 == 0 ? 7 : 0)) * 2 + (100 + i) * (i % 6); }));
}

TEST_CASE("a variable that is assigned anew before it is read isn't carried") {
    const SplitProgram parts =
        split(program("var x = a[i]; b[i] = x; gridBarrier(); x = b[23u - i]; gridBarrier(); b[i] = x;"));
    CHECK(parts.invocation_words == 1);
    CHECK(run_parts(parts).b == each([](std::uint32_t i) { return 100 + mirrored(i); }));
}

TEST_CASE("a private variable has its initial value once") {
    const SplitProgram parts =
        split(program("if (i % 3u == 0u) { p = a[i]; } gridBarrier(); a[i] = p + q; p = 1u; gridBarrier(); "
                      "b[i] = a[23u - i] + p;",
                      "var<private> p: u32 = 40u; var<private> q: u32 = 2u;"));
    CHECK(parts.invocation_words == 1);
    CHECK(run_parts(parts).b ==
          each([](std::uint32_t i) { return (mirrored(i) % 3 == 0 ? 100 + mirrored(i) : 40) + 2 + 1; }));
}

TEST_CASE("a private variable that a branch alone changes is there on either way") {
    const SplitProgram parts =
        split(program("b[i] = 1u; gridBarrier(); if (n > 2u) { p = b[i] + 8u; gridBarrier(); b[i] = 2u; } "
                      "gridBarrier(); a[i] = p;",
                      "var<private> p: u32 = 40u;"));
    CHECK(run_parts(parts, 1).a == Words(invocations, 40));
    CHECK(run_parts(parts, 3).a == Words(invocations, 9));
}

TEST_CASE("bools, floats, vectors and structures survive") {
    const SplitProgram parts =
        split(program("let v = vec3<f32>(vec3(a[i], a[i] + 1u, a[i] + 2u)) * 0.5; let odd = a[i] % 2u == 1u; "
                      "var s = S(vec2(i32(a[i]), -1), odd);"
                      "gridBarrier(); a[i] = 0u; gridBarrier(); s.v.y -= 1; b[i] = u32(v.x + v.y + v.z) + "
                      "select(0u, 1000u, odd && s.f) "
                      "+ u32(s.v.x + s.v.y);",
                      "struct S { v: vec2<i32>, f: bool }"));
    CHECK(run_parts(parts).b == each([](std::uint32_t i) {
              const std::uint32_t x = 100 + i;
              return (3 * x + 3) / 2 + (x % 2 == 1 ? 1000 : 0) + x - 2;
          }));
}

TEST_CASE("who has returned stays away: by its condition computed again") {
    const SplitProgram parts =
        split(program("if (i >= n) { return; } b[i] = i; gridBarrier(); a[i] = b[n - 1u - i];"));
    CHECK(parts.invocation_words == 0);
    CHECK(run_parts(parts, 10).a == each([](std::uint32_t i) { return i < 10 ? 9 - i : 100 + i; }));
}

TEST_CASE("who has returned stays away: by a word where its condition can't be computed again") {
    const SplitProgram parts =
        split(program("if (a[i] % 2u == 0u) { return; } b[i] = 1u; gridBarrier(); a[i] = 0u; gridBarrier(); "
                      "if (b[i] == 1u) { b[i] = 5u; }"));
    CHECK(parts.invocation_words == 1);
    const Ran ran = run_parts(parts);
    CHECK(ran.b == each([](std::uint32_t i) { return i % 2 == 0 ? 0u : 5u; }));
    CHECK(ran.a == each([](std::uint32_t i) { return i % 2 == 0 ? 100 + i : 0u; }));
}

TEST_CASE("a part runs over the workgroups that write in it") {
    const ValidProgram whole = program(
        "b[i] = a[i]; gridBarrier();"
        "if w.x == 0 { for (var k = l; k < 24; k += 8) { b[k] += 1000; } } gridBarrier();"
        "if i < 9 { a[i] = b[i + 8]; }");
    const SplitProgram parts = split(whole);
    REQUIRE(parts.parts.size() == 3);
    CHECK(part_grid(parts.parts[0], grid) == grid);
    CHECK(part_grid(parts.parts[1], grid) == Extent3{1, 1, 1});
    CHECK(part_grid(parts.parts[2], grid) == Extent3{2, 1, 1});
    const Ran ran = run_parts(parts);
    CHECK(ran.a == each([](std::uint32_t i) { return i < 9 ? 1108 + i : 100 + i; }));
    CHECK(ran.b == each([](std::uint32_t i) { return 1100 + i; }));
}

TEST_CASE("a loop with a grid-uniform condition is walked by the host, without waiting") {
    const SplitProgram parts =
        split(program("for (var t = 0u; t < n; t++) { let x = a[(i + 1u) % 24u]; gridBarrier(); a[i] = x + "
                      "t; gridBarrier(); }"));
    CHECK(parts.parts.size() == 2);
    CHECK(parts.invocation_words == 1);
    CHECK_FALSE(parts.waits);
    for (const std::uint32_t turns : {0u, 1u, 5u}) {
        const Ran ran = run_parts(parts, turns);
        CHECK(ran.parts.size() == 2 * turns);
        CHECK(ran.a == each([&](std::uint32_t i) {
                  return 100 + (i + turns) % invocations + turns * (turns == 0 ? 0 : turns - 1) / 2;
              }));
    }
}

TEST_CASE("a loop ends on data that gridUniformLoad reads") {
    const SplitProgram parts = split(
        program("loop { if (atomicLoad(&c[1]) < 1000u && i == 0u) { atomicAdd(&c[0], n); } gridBarrier();"
                "let sum = gridUniformLoad(&c[0]); if (sum > 10u) { break; } b[i] += sum; }"));
    CHECK(parts.waits);
    const Ran ran = run_parts(parts, 3);
    CHECK(ran.c[0] == 12);
    CHECK(ran.b == Words(invocations, 3 + 6 + 9));
    CHECK(ran.fetches == 0);
}

TEST_CASE("a loaded word isn't changed by what comes after its barrier") {
    const SplitProgram parts =
        split(program("a[0] = 7u; gridBarrier(); let x = gridUniformLoad(&a[n]); a[0] = 9u; b[i] = x; "
                      "gridBarrier(); b[i] += x;"));
    CHECK(run_parts(parts, 0).b == Words(invocations, 14));
    CHECK(run_parts(parts, 1000).b == Words(invocations, 0));  // out of bounds
}

TEST_CASE("branches and switches around barriers are walked by the host") {
    const SplitProgram parts =
        split(program("let x = a[23u - i]; switch (n) { case 0u, 3u: { gridBarrier(); a[i] = x; } case 1u: { "
                      "b[i] = i; gridBarrier(); a[i] = b[23u - i]; }"
                      "default: { if (n > 5u) { gridBarrier(); a[i] = x + 1u; } else { b[i] = 6u; } } }"));
    const auto reversed = [](std::uint32_t more) {
        return each([&](std::uint32_t i) { return 100 + mirrored(i) + more; });
    };
    CHECK(run_parts(parts, 0).a == reversed(0));
    CHECK(run_parts(parts, 3).a == reversed(0));
    CHECK(run_parts(parts, 1).a == each(mirrored));
    CHECK(run_parts(parts, 2).b == Words(invocations, 6));
    CHECK(run_parts(parts, 9).a == reversed(1));
}

TEST_CASE("what the host can't evaluate by itself, a part does") {
    const SplitProgram parts = split(program(
        "var turns = 0u; for (var k = 0u; k < n; k++) { turns += k; } var t: array<u32, 2>; t[0] = turns;"
        "for (var k = 0u; k < t[0]; k++) { b[i] += 1u; gridBarrier(); }"));
    const Ran ran = run_parts(parts, 4);
    CHECK(ran.fetches == 7);
    CHECK(ran.b == Words(invocations, 6));
}

TEST_CASE("workgroup memory that lives across is saved once per workgroup") {
    const SplitProgram parts = split(program("t[l] = a[i]; gridBarrier(); a[i] = 0u; b[i] = t[7u - l];",
                                             "var<workgroup> t: array<u32, 8>;"));
    CHECK(parts.invocation_words == 0);
    CHECK(parts.workgroup_words == 8);
    CHECK(run_parts(parts).b == each([](std::uint32_t i) { return 100 + i / size * size + 7 - i % size; }));
}

TEST_CASE("workgroup memory that is overwritten first isn't") {
    const SplitProgram parts =
        split(program("for (var k = 0u; k < n; k++) { t[l] = a[i]; workgroupBarrier(); let x = t[7u - l]; "
                      "gridBarrier(); a[i] = x + 1u; gridBarrier(); }",
                      "var<workgroup> t: array<u32, 8>;"));
    CHECK(parts.workgroup_words == 0);
    CHECK(parts.invocation_words == 1);
    CHECK(run_parts(parts, 2).a == each([](std::uint32_t i) { return 102 + i; }));
}

TEST_CASE("workgroup memory is saved by all, whoever has returned") {
    const SplitProgram parts =
        split(program("if (l == 0u) { s = a[i]; atomicStore(&m, a[i] + 1u); } if (a[i] % 2u == 0u) { return; "
                      "} gridBarrier(); b[i] = s + atomicLoad(&m);",
                      "var<workgroup> s: u32; var<workgroup> m: atomic<u32>;"));
    CHECK(parts.workgroup_words == 2);
    CHECK(run_parts(parts).b ==
          each([](std::uint32_t i) { return i % 2 == 0 ? 0 : 2 * (100 + i / size * size) + 1; }));
}

TEST_CASE("workgroup memory that a branch alone writes is zero on the other way") {
    const SplitProgram parts =
        split(program("b[i] = 1u; gridBarrier(); if (n > 2u) { if (l == 3u) { s = a[i]; } gridBarrier(); "
                      "b[i] = 2u; } gridBarrier(); b[i] = s;",
                      "var<workgroup> s: u32;"));
    CHECK(run_parts(parts, 0).b == Words(invocations, 0));
    CHECK(run_parts(parts, 3).b == each([](std::uint32_t i) { return 100 + i / size * size + 3; }));
}

TEST_CASE("a function's early return after its barrier skips the rest of the function only") {
    const SplitProgram parts =
        split(program("var r = 0u; for (var k = 0u; k < n; k++) { r += f(i, k); } b[i] = r;",
                      "fn f(i: u32, k: u32) -> u32 { a[i] += 1u; if (n > 1u) { gridBarrier(); if (a[23u - i] "
                      "% 2u == 0u) { return 5u; } b[i] += 100u; }"
                      " b[i] += k; return b[i]; }"));
    const auto expected = [](std::uint32_t n) {
        Words a = each([](std::uint32_t i) { return 100 + i; }), b(invocations), r(invocations);
        for (std::uint32_t k = 0; k < n; ++k) {
            for (std::uint32_t& x : a) ++x;
            for (std::uint32_t i = 0; i < invocations; ++i) {
                if (n > 1 && a[mirrored(i)] % 2 == 0) {
                    r[i] += 5;
                    continue;
                }
                if (n > 1) b[i] += 100;
                b[i] += k;
                r[i] += b[i];
            }
        }
        return r;
    };
    for (const std::uint32_t n : {0u, 1u, 2u, 3u}) CHECK(run_parts(parts, n).b == expected(n));
}

TEST_CASE("who leaves a function early keeps what the others assign anew") {
    const SplitProgram parts =
        split(program("p = a[i]; f(i); gridBarrier(); b[i] = p;",
                      "var<private> p: u32; fn f(i: u32) { gridBarrier(); for (var k = 0u; k < 3u; k++) { "
                      "switch (i % 3u) { case 1u: "
                      "{ if (k == 1u) { return; } } default: { a[i] += 1u; } } } p = 5u; }"));
    const Ran ran = run_parts(parts);
    CHECK(ran.b == each([](std::uint32_t i) { return i % 3 == 1 ? 100 + i : 5; }));
    CHECK(ran.a == each([](std::uint32_t i) { return 100 + i + (i % 3 == 1 ? 0 : 3); }));
}

TEST_CASE("a loop that all leave by returning ends") {
    const SplitProgram parts = split(
        program("var k = 0u; loop { if (a[i] < 102u + k) { return; } k += 1u; b[i] = k; gridBarrier(); }"));
    CHECK(parts.liveness_checks == 1);
    const Ran ran = run_parts(parts);
    CHECK(ran.b == each([](std::uint32_t i) { return i < 2 ? 0 : i - 1; }));
    CHECK(ran.parts.size() < 200);
}

TEST_CASE("a return that all take ends the walk") {
    const SplitProgram parts =
        split(program("loop { b[i] += 1u; gridBarrier(); if (b[0] == 77u) { b[i] = 0u; } if (n == 3u) { "
                      "return; } break; } b[i] += 10u;"));
    CHECK(run_parts(parts, 3).b == Words(invocations, 1));
    CHECK(run_parts(parts, 4).b == Words(invocations, 11));
}

TEST_CASE("a barrier that can't be reached isn't there") {
    const auto whole = program(
        "for (var k = 0u; k < 3u; k++) { if (w.x == k) { b[i] += 1u; continue; } else { "
        "break; } gridBarrier(); b[i] += 10u; }");
    CHECK_FALSE(has_grid_barriers(*whole));
}

TEST_CASE("a counter that is copied keeps what it was") {
    const SplitProgram parts =
        split(program("var k = n; let before = k; k += 1u; gridBarrier(); let then = k; k *= 2u; "
                      "gridBarrier(); b[i] = before * 10000u + then * 100u + k;"));
    CHECK(parts.invocation_words == 0);
    CHECK(run_parts(parts, 4).b == Words(invocations, 4 * 10000 + 5 * 100 + 10));
}

TEST_CASE("a workgroup barrier behind a condition that lives across is refused with the reason") {
    const auto whole = program(
        "var k = w.x * w.x; if (k > 1u) { k = w.x; } gridBarrier(); if (k > 0u) { workgroupBarrier(); b[i] = "
        "1u; }");
    const auto refused = split_at_grid_barriers(whole);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == ErrorCode::unsupported);
    CHECK(refused.error().message.find("lives across a grid barrier") != std::string::npos);
}

TEST_CASE("words of scratch that 64 bits don't count are the most that they do") {
    const SplitProgram parts =
        split(program("let x = a[i]; let y = b[i]; gridBarrier(); a[i] = y; b[i] = x;"));
    REQUIRE(parts.invocation_words == 2);
    CHECK(scratch_words(parts, {1000, 10, 1}) == scratch_header_words + 1000 * 10 * 8 * 2);
    CHECK(scratch_words(parts, {1u << 30, 1u << 30, 1}) == UINT64_MAX);
    CHECK(scratch_words(parts, {UINT32_MAX, UINT32_MAX, UINT32_MAX}) == UINT64_MAX);
}

TEST_CASE("a walk pauses after so many steps, also in a loop without parts") {
    const SplitProgram parts = split(program("for (var k = 0u; k < n; k++) { gridBarrier(); } b[i] = 1u;"));
    std::vector<Words> memory;
    for (const VariableId id : parts.program.bindings())
        memory.push_back(parts.program.variable(id).binding == 3 ? Words{1000} : Words(invocations));
    InterpretedParts host(parts, memory, grid);
    GridWalk walk(parts, grid, sizes_of(memory));
    for (int i = 0; i < 10; ++i) CHECK_FALSE(*walk.go_on(host, UINT64_MAX, 100));
    CHECK(host.ran.empty());
    CHECK(*walk.go_on(host));
    CHECK(host.ran.size() == 1);
}

TEST_CASE("where floats may round otherwise elsewhere, a part decides by them, once") {
    const auto whole = program(
        "let q = f32(n) * 1.5 + 0.25 > 2.0; let r = f32(i) * 0.5 > 3.0; if (r) { return; } if (q) { "
        "gridBarrier(); "
        "b[i] += 1u; gridBarrier(); } if (q) { b[i] += 100u; }");
    const SplitProgram exact = split(whole);
    CHECK_FALSE(exact.waits);
    CHECK(exact.invocation_words == 0);
    const SplitProgram fast = *split_at_grid_barriers(whole, FloatResults::varying);
    CHECK(fast.waits);
    CHECK(fast.invocation_words == 2);  // q, and whether the invocation has returned
    for (const std::uint32_t n : {0u, 2u}) CHECK(run_parts(fast, n).b == run_parts(exact, n).b);
}

TEST_CASE("a walk that can't wait pauses, and goes on") {
    const SplitProgram parts =
        split(program("b[i] = i; gridBarrier(); let x = gridUniformLoad(&b[5]); a[i] = x;"));
    std::vector<Words> memory{Words(invocations), Words(invocations)};
    InterpretedParts impatient(parts, memory, grid, 0, false), patient(parts, memory, grid);
    GridWalk walk(parts, grid, sizes_of(memory));
    CHECK_FALSE(*walk.go_on(impatient));
    CHECK(impatient.ran.size() == 1);
    CHECK(*walk.go_on(patient));
    CHECK(memory[0] == Words(invocations, 5));
}

TEST_CASE("what the parts add is bound where the program leaves room, up to the last number") {
    const auto whole = wgsl::parse(
        "enable muster_grid_barrier;\n"
        "@group(0) @binding(1) var<uniform> n: u32;\n"
        "@group(0) @binding(65535) var<storage, read_write> b: array<u32>;\n"
        "@compute @workgroup_size(4) fn main(@builtin(global_invocation_id) id: vec3u) {\n"
        "  let x = b[id.x] + n; gridBarrier(); b[id.x + 1] = x;\n}\n");
    REQUIRE(whole);
    const auto parts = split_at_grid_barriers(*whole);
    REQUIRE_MESSAGE(parts, (parts ? "" : parts.error().to_string()));
    for (const SplitPart& part : parts->parts)
        for (const VariableId id : part.program->bindings())
            CHECK(part.program->variable(id).binding <= 65535);
}
