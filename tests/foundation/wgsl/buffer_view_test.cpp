// Views of buffers: each access gives what the same access to a variable of the viewed type gives; what lies out of a view;
// sizes along calls; halves of words; refusals.

#include <array>
#include <random>
#include <string>
#include <vector>

#include "support/parse.hpp"
#include "support/reread.hpp"
#include "support/run_kernel.hpp"
#include "support/text.hpp"

using namespace muster;
using test::first_fault;
using test::Words;

namespace {

ValidProgram valid(const std::string& text) {
    INFO(text);
    const Program program = test::parse(text);
    test::printed(program);
    Result<ValidProgram> valid = validate(program);
    REQUIRE_MESSAGE(valid, (valid ? "" : valid.error().to_string()));
    return *valid;
}

/// Words of which neither a half nor the whole is a NaN or infinite.
Words numbers(std::size_t count, std::uint32_t seed) {
    std::mt19937 random(seed);
    Words words;
    for (std::size_t n = 0; n < count; ++n) words.push_back(random() & 0xbfffbfffu);
    return words;
}

constexpr std::uint32_t memory_words = 512;

constexpr std::string_view structures =
    "enable f16;\n"
    "struct S { a: f16, b: vec3f, c: u32, d: mat3x2f, e: vec3h, f: f16, g: array<f16, 5>, @size(32) h: "
    "vec2h, i: i32 }\n"
    "struct H { a: f16, b: array<f16, 3> }\n"
    "struct A { @align(64) a: mat3x3f, b: array<H, 3>, c: array<vec3f, 2> }\n"
    "struct L { a: u32, b: array<f32, 100>, c: array<array<vec3f, 3>, 9> }\n"
    "struct R { a: vec2f, b: array<S> }\n";

/// Runs `statements`, in which $ is a variable of type `type`: a storage variable, or a view into a buffer at `offset`.
/// They see u: array<u32> with indices 0 to 15 and i = 1. Gives the memory of the variable.
Words run_on_variable(const std::string& type, const std::string& statements, Words memory, bool is_view,
                      std::uint32_t offset = 0, std::string_view buffer = "buffer") {
    std::string text(structures);
    text += "@group(0) @binding(0) var<storage, read_write> b: " + (is_view ? std::string(buffer) : type) +
            ";\n@group(0) @binding(1) var<storage, read_write> u: array<u32>;\n"
            "@compute @workgroup_size(1) fn main() {\nlet i = u[1]; let o = u[16]; u[0] = 0;\n";
    // The first view's place is known, the second one's isn't.
    if (is_view)
        text += "let p = bufferView<" + type + ">(&b, " + std::to_string(offset) + ");\nlet q = bufferView<" +
                type + ">(&b, o);\n";
    else
        text += "let p = &b; let q = &b;\n";
    text += statements + "\n}\n";
    Words indices;
    for (std::uint32_t n = 0; n < 16; ++n) indices.push_back(n);
    indices.push_back(offset);
    memory.insert(memory.begin(), is_view ? offset / 4 : 0, 0xffffffffu);
    Words after = test::run(valid(text), {std::move(memory), indices})[0];
    after.erase(after.begin(), after.begin() + (is_view ? offset / 4 : 0));
    return after;
}

void compare(const std::string& type, const std::string& statements) {
    CAPTURE(type);
    CAPTURE(statements);
    const Words memory = numbers(memory_words, 1);
    const Words expected = run_on_variable(type, statements, memory, false);
    CHECK(expected != memory);
    CHECK(run_on_variable(type, statements, memory, true) == expected);
    CHECK(run_on_variable(type, statements, memory, true, 64) == expected);
    CHECK(run_on_variable(type, statements, memory, true, 192, "buffer<2240>") == expected);
}

}  // namespace

TEST_CASE("values of every type are loaded and stored through views as in variables") {
    std::vector<std::string> types{"u32",
                                   "i32",
                                   "f32",
                                   "f16",
                                   "S",
                                   "H",
                                   "A",
                                   "L",
                                   "array<u32, 5>",
                                   "array<array<f16, 3>, 3>",
                                   "array<vec3h, 4>",
                                   "array<S, 3>",
                                   "array<f32, 100>",
                                   "array<f16, 99>",
                                   "array<mat2x3h, 6>"};
    for (const std::string n : {"2", "3", "4"}) {
        for (const std::string letter : {"i", "u", "f", "h"}) types.push_back("vec" + n + letter);
        for (const std::string m : {"2", "3", "4"})
            for (const std::string letter : {"f", "h"}) types.push_back("mat" + n + "x" + m + letter);
    }
    // Two places of an array: a copy of the second to the first, by both views.
    for (const std::string& type : types) {
        const std::string pair = "array<" + type + ", 2>";
        compare(pair, "(*p)[0] = (*q)[1];");
        compare(pair, "(*q)[0] = (*p)[i];");
        compare(pair, "let v = (*p)[i]; (*q)[i] = (*q)[i - 1]; (*p)[0] = v;");
    }
}

TEST_CASE("parts of views are loaded and stored as parts of variables, out of bounds too") {
    compare("vec4f", "p.x = q.w; (*q)[i] = p[3]; (*q)[u[4]] = 7; p.z = (*p)[u[9]];");
    compare("vec3h", "p.x = q.z; (*q)[i] = p[2]; (*q)[u[3]] = 7;");
    compare("mat3x4f", "p[0] = q[i]; (*q)[u[2]][u[3]] = p[1][i]; (*q)[3u * i] = vec4f(1); p[i][u[4]] = 1;");
    compare("mat4x3h", "p[0] = q[i]; (*q)[u[2]][u[2]] = p[1][i]; (*q)[u[4]] = vec3h(1); p[i].y += 1;");
    compare("S",
            "p.a = q.f; p.e = p.e.zxy; p.b.y = f32(q.c); p.d[i] *= 2; q.g[u[4]] = p.g[i]; q.g[u[5]] = 1;");
    compare("S", "q.h = q.h.yx; p.i++; q.g[u[2]] += q.g[u[7]]; p.g = array<f16, 5>();");
    compare("A",
            "p.b[i].b[u[2]] = q.b[u[2]].a; q.b[u[2]].b[3u * i] = 9; p.b[u[3]].a = 9; p.c[i].y = q.a[1].z;");
    compare("A", "p.b[0] = q.b[u[2]]; let e = &q.b[i]; e.a = 3; (*e).b[i] = e.b[0]; *(&(*e).b) = p.b[0].b;");
    compare("L",
            "p.b[u[7]] = q.c[u[8]][u[2]].z; q.c[i] = p.c[u[8]]; p.c[u[9]][0] = vec3f(); p.a = u32(q.b[99]);");
    compare("array<u32>",
            "p[1] = arrayLength(p); q[u[5]] = arrayLength(q); p[u[3]] = p[u[15]]; p[u[15] * 1000] = 1;");
    compare(
        "array<f16>",
        "p[1] = q[u[2]]; q[u[5]] = p[i]; q[7] = 4; p[u[15] * 1000] = 1; q[u[6] * 100] = 1; p[4] = q[5000];");
    compare("R",
            "p.a = vec2f(q.b[i].h); q.b[u[3]].g[i] = p.b[2].f; q.b[0] = p.b[u[2]]; p.b[u[10] * 9] = p.b[0];");
}

namespace {

/// Runs a module; it has no data races.
std::vector<Words> run_module(const std::string& text, std::vector<Words> memory,
                              std::uint32_t workgroups = 1) {
    const auto report = test::try_run(valid(text), memory, test::groups(workgroups), {.report_races = true});
    REQUIRE_MESSAGE(report, (report ? "" : report.error().to_string()));
    CHECK(report->findings.empty());
    return memory;
}

/// What `expression` of type u32 gives with b: buffer of words 1 to 8, and o: u32 = `offset`.
std::uint32_t seen(const std::string& expression, std::uint32_t offset = 0) {
    const std::string text =
        "@group(0) @binding(0) var<storage, read_write> b: buffer;\n"
        "@group(0) @binding(1) var<storage, read_write> r: array<u32>;\n"
        "struct R { n: vec2u, a: array<vec2u> }\n"
        "@compute @workgroup_size(1) fn main() {\nlet o = r[0]; let s = i32(o);\n"
        "r[0] = bufferLength(&b);\nr[0] = " +
        expression + ";\n}\n";
    return run_module(text, {{1, 2, 3, 4, 5, 6, 7, 8}, {offset}})[1][0];
}

/// The words of a buffer, 1 to 8 before, after `statement`, with o: u32 = `offset`.
Words stored(const std::string& statement, std::uint32_t offset) {
    const std::string text =
        "@group(0) @binding(0) var<storage, read_write> b: buffer;\n"
        "@group(0) @binding(1) var<storage, read> r: array<u32>;\n"
        "@compute @workgroup_size(1) fn main() {\nlet o = r[0];\n" +
        statement + "\n}\n";
    return run_module(text, {{1, 2, 3, 4, 5, 6, 7, 8}, {offset}})[0];
}

}  // namespace

TEST_CASE("offsets are rounded down, and a view that isn't within its buffer is empty") {
    constexpr const char* sum = "dot(*bufferView<vec4u>(&b, o), vec4u(1))";
    constexpr std::array<std::array<std::uint32_t, 2>, 9> sums{{{0, 10},
                                                                {15, 10},
                                                                {16, 26},
                                                                {31, 26},
                                                                {32, 0},
                                                                {36, 0},
                                                                {0x80000000u, 0},
                                                                {0xfffffff0u, 0},
                                                                {0xffffffffu, 0}}};
    for (const auto& [offset, expected] : sums) {
        CAPTURE(offset);
        CHECK(seen(sum, offset) == expected);
        CHECK(seen("dot(*bufferView<vec4u>(&b, s), vec4u(1))", offset) == expected);
    }
    CHECK(seen("*bufferView<u32>(&b, 28)") == 8);
    CHECK(seen("*bufferView<u32>(&b, 32)") == 0);
    CHECK(seen("bufferView<vec2u>(&b, 4294967288u).y") == 0);
    CHECK(seen("*bufferView<u32>(&b, o)", 31) == 8);
    CHECK(seen("bufferView<vec3u>(&b, o).z", 16) == 7);  // 12 bytes of 16
    CHECK(seen("(*bufferView<array<u32, 8>>(&b, o))[7]") == 8);
    CHECK(seen("(*bufferView<array<u32, 8>>(&b, o))[0]", 4) == 0);
    CHECK(seen("(*bufferView<array<u32, 9>>(&b, 0))[0]") == 0);

    const Words all{1, 2, 3, 4, 5, 6, 7, 8};
    CHECK(stored("*bufferView<vec2u>(&b, o) = vec2u(9);", 13) == Words{1, 2, 9, 9, 5, 6, 7, 8});
    CHECK(stored("*bufferView<vec4u>(&b, o) = vec4u(9);", 32) == all);
    CHECK(stored("*bufferView<array<u32, 3>>(&b, o) = array(9u, 9u, 9u);", 24) == all);
    CHECK(stored("(*bufferView<array<u32, 3>>(&b, o))[0] = 9;", 24) == all);
    CHECK(stored("(*bufferView<array<u32, 3>>(&b, o))[0] += 9;", 20) == Words{1, 2, 3, 4, 5, 15, 7, 8});
    CHECK(stored("(*bufferView<array<u32, 3>>(&b, 0))[o] = 9;", 3) == all);
    CHECK(stored("let p = bufferView<vec3u>(&b, 16); p.y = o; p[o] = 9;", 3) ==
          Words{1, 2, 3, 4, 5, 3, 7, 8});
}

TEST_CASE("arrays sized at run time have the elements that fit") {
    CHECK(seen("arrayLength(bufferView<array<u32>>(&b, 0))") == 8);
    CHECK(seen("arrayLength(bufferView<array<vec2u>>(&b, 8))") == 3);
    CHECK(seen("arrayLength(bufferView<array<vec2u>>(&b, o))", 15) == 3);
    CHECK(seen("arrayLength(bufferView<array<vec3u>>(&b, o))", 16) == 1);
    CHECK(seen("arrayLength(bufferView<array<vec3u>>(&b, o))", 32) == 0);
    CHECK(seen("arrayLength(bufferView<array<u32>>(&b, o))", 0xfffffffcu) == 0);
    CHECK(seen("arrayLength(&bufferView<R>(&b, o).a)", 0) == 3);
    CHECK(seen("arrayLength(&bufferView<R>(&b, o).a)", 16) == 1);
    CHECK(seen("arrayLength(&bufferView<R>(&b, o).a)", 24) == 0);
    CHECK(seen("bufferView<R>(&b, o).n.x", 24) == 0);  // no element fits, so the rest isn't there either
    CHECK(seen("bufferView<R>(&b, o).a[0].y", 16) == 8);
    CHECK(seen("bufferView<array<vec2u>>(&b, 8)[o].x", 2) == 7);
    CHECK(seen("bufferView<array<vec2u>>(&b, 8)[o].x", 3) == 0);
    CHECK(seen("bufferView<array<vec2u>>(&b, 8)[o].x", 0x20000000u) == 0);
    CHECK(seen("bufferView<array<vec2u>>(&b, 8)[0x1fffffffu].x") == 0);

    CHECK(seen("arrayLength(bufferArrayView<array<vec2u>>(&b, 8, 16))") == 2);
    CHECK(seen("arrayLength(bufferArrayView<array<vec2u>>(&b, 8, o))", 23) == 2);
    CHECK(seen("arrayLength(bufferArrayView<array<vec2u>>(&b, 8, o))", 24) == 3);
    CHECK(seen("arrayLength(bufferArrayView<array<vec2u>>(&b, 8, o))", 32) == 0);
    CHECK(seen("arrayLength(bufferArrayView<array<vec2u>>(&b, 8, o))", 7) == 0);
    CHECK(seen("arrayLength(bufferArrayView<array<vec2u>>(&b, o, 8))", 31) == 1);
    CHECK(seen("arrayLength(bufferArrayView<array<vec2u>>(&b, o, 8))", 32) == 0);
    CHECK(seen("arrayLength(bufferArrayView<array<vec2u>>(&b, o, 16))", 24) == 0);
    CHECK(seen("arrayLength(bufferArrayView<array<vec2u>>(&b, s, s))", 0xfffffff8u) == 0);
    CHECK(seen("arrayLength(&bufferArrayView<R>(&b, 8, o).a)", 23) == 1);
    CHECK(seen("arrayLength(&bufferArrayView<R>(&b, 8, o).a)", 15) == 0);
    CHECK(seen("bufferArrayView<R>(&b, 8, 16).a[0].x + bufferArrayView<R>(&b, 8, o).a[1].x", 16) == 5);
    CHECK(seen("bufferArrayView<array<vec2u>>(&b, 8, o)[1].y", 16) == 6);
    CHECK(seen("bufferArrayView<array<vec2u>>(&b, 8, o)[1].y", 15) == 0);
}

TEST_CASE("a buffer is as small as the smallest parameter that it was passed through") {
    const std::string text =
        "@group(0) @binding(0) var<storage, read_write> r: array<u32>;\n"
        "@group(0) @binding(1) var<storage> large: buffer<4096>;\n"
        "@group(0) @binding(2) var<storage> small: buffer<2048>;\n"
        "@group(0) @binding(3) var<storage> rest: buffer;\n"
        "override words = 16;\nvar<workgroup> shared_: buffer<words * 4>;\n"
        "fn length(p: ptr<storage, buffer>) -> u32 { return bufferLength(p); }\n"
        "fn through(p: ptr<storage, buffer<1024>>) -> u32 { return length(p); }\n"
        "fn fixed(p: ptr<storage, buffer<256>>) -> u32 { return bufferLength(p); }\n"
        "fn last(p: ptr<storage, buffer>) -> u32 { let a = bufferView<array<u32>>(p, 0);\n"
        "    return arrayLength(a) * 1000 + (*a)[arrayLength(a) - 1]; }\n"
        "fn eighth(p: ptr<storage, buffer<32>>) -> u32 { let q = p; return last(q); }\n"
        "fn shared_length(p: ptr<workgroup, buffer>) -> u32 { return bufferLength(p); }\n"
        "fn at(p: ptr<storage, buffer<32>>, o: u32) -> u32 { return *bufferView<u32>(p, o); }\n"
        "@compute @workgroup_size(1) fn main() {\n"
        "    r[0] = bufferLength(&large); r[1] = length(&large); r[2] = length(&small);\n"
        "    r[3] = through(&large); r[4] = through(&small); r[5] = fixed(&large);\n"
        "    r[6] = bufferLength(&rest); r[7] = length(&rest); r[8] = last(&rest);\n"
        "    r[9] = eighth(&large); r[10] = shared_length(&shared_); r[11] = 64 + at(&small, 24);\n"
        "    r[12] = at(&large, r[14]); r[13] = at(&large, r[15]);\n}\n";
    Words large;
    for (std::uint32_t n = 0; n < 1024; ++n) large.push_back(n);
    Words results(16);
    results[14] = 31, results[15] = 32;
    const Words after = run_module(text, {results, large, Words(512), Words(7, 5)})[0];
    CHECK(Words(after.begin(), after.begin() + 14) ==
          Words{4096, 4096, 2048, 1024, 1024, 256, 28, 28, 7005, 8007, 64, 64, 7, 0});
    const Program program = test::parse(text);
    CHECK(program.types()[program.variable(program.bindings()[1]).type].size == 4096);
}

TEST_CASE("uniform and workgroup buffers have views, and integers keep all bits") {
    const std::string text =
        "@group(0) @binding(0) var<storage, read_write> r: buffer;\n"
        "@group(0) @binding(1) var<uniform> n: buffer<32>;\n"
        "struct S { v: vec3f, i: i32 }\n"
        "var<workgroup> w: buffer<64>;\n"
        "fn put(p: ptr<workgroup, buffer>, i: u32, v: vec2f) { *bufferView<vec2f>(p, i * 8) = v; }\n"
        "fn negated(p: ptr<uniform, S>) -> vec3f { return -(*p).v; }\n"
        "@compute @workgroup_size(4) fn main(@builtin(local_invocation_index) i: u32) {\n"
        "    put(&w, i, vec2f(f32(i), 0.5));\n"
        "    let shared_ = workgroupUniformLoad(bufferView<vec2f>(&w, 8));\n"
        "    if i == 0 {\n"
        "        let floats = bufferView<array<f32>>(&w, 0);\n"
        "        let out = bufferView<array<f32>>(&r, 0);\n"
        "        for (var k = 0u; k < 16; k++) { out[k] = floats[7 - k] + f32(arrayLength(floats)); }\n"
        "        let of_uniform = bufferView<array<vec2i>>(&n, 0);\n"
        "        *bufferView<vec2i>(&r, 64) = of_uniform[arrayLength(of_uniform) - 1];\n"
        "        *bufferView<vec3f>(&r, 80) = negated(bufferView<S>(&n, 0));\n"
        "        *bufferView<f32>(&r, 92) = shared_.x;\n"
        "    }\n}\n";
    using test::bits;
    const Words after =
        run_module(text, {Words(24, 7), {bits(1), bits(-2), bits(3), 4, 5, 6, 0x7fc12345u, 0xffc00001u}})[0];
    const float expected[] = {16.5f, 19, 16.5f, 18, 16.5f, 17, 16.5f, 16};
    for (std::size_t k = 0; k < 16; ++k) CHECK(after[k] == bits(k < 8 ? expected[k] : 16));
    CHECK(after[16] == 0x7fc12345u);
    CHECK(after[17] == 0xffc00001u);
    CHECK(after[18] == 7);
    CHECK(Words(after.begin() + 20, after.end()) == Words{bits(-1), bits(2), bits(-3), bits(1)});
}

TEST_CASE("control flow that depends on a view's workgroupUniformLoad is uniform") {
    const std::string text =
        "var<workgroup> w: buffer<64>;\n@group(0) @binding(0) var<storage, read_write> r: buffer;\n"
        "@compute @workgroup_size(4) fn main(@builtin(local_invocation_index) i: u32, "
        "@builtin(workgroup_id) g: vec3u) {\n"
        "    bufferView<array<u32>>(&w, 0)[i] = i + 2;\n"
        "    let n = workgroupUniformLoad(bufferView<vec2u>(&w, 8)).x;\n"
        "    let m = workgroupUniformLoad(&bufferView<array<u32>>(&w, 0)[g.x + 1]);\n"
        "    for (var k = 0u; k < n + m; k++) { workgroupBarrier(); }\n"
        "    *bufferView<u32>(&r, i * 4) = n + m;\n}\n";
    CHECK(run_module(text, {Words(4)})[0] == Words(4, 7));
}

TEST_CASE("an f16 stored through a view leaves the other half of its word to others") {
    const std::string text =
        "enable f16;\n@group(0) @binding(0) var<storage, read_write> b: buffer;\n"
        "@group(0) @binding(1) var<storage, read_write> c: buffer;\n"
        "var<workgroup> w: buffer<128>;\n"
        "fn store(p: ptr<workgroup, buffer>, i: u32) { bufferView<array<f16>>(p, 0)[i] = f16(i); }\n"
        "@compute @workgroup_size(64) fn main(@builtin(local_invocation_index) i: u32) {\n"
        "    store(&w, i);\n"
        "    workgroupBarrier();\n"
        "    let h = bufferView<array<f16>>(&b, 2);\n"
        "    h[i] = bufferView<array<f16>>(&w, 0)[i ^ 1] + h[i];\n"
        "    bufferView<array<vec2h>>(&c, 0)[i] = vec2h(bufferView<array<f16>>(&b, 2)[i]);\n}\n";
    const auto half = [](float x) { return std::uint32_t{f16(x).bits()}; };
    Words b(33, half(1) | half(1) << 16);
    const std::vector<Words> after = run_module(text, {b, Words(64)});
    for (std::uint32_t i = 0; i < 64; ++i) {
        CAPTURE(i);
        const std::uint32_t expected = half(static_cast<float>(i ^ 1u) + 1);
        CHECK((after[0][(i + 1) / 2] >> ((i + 1) % 2 * 16) & 0xffffu) == expected);
        CHECK(after[1][i] == (expected | expected << 16));
    }
    CHECK((after[0][0] & 0xffffu) == half(1));
    CHECK((after[0][32] >> 16) == half(1));
    // Only where halves are stored, words are atomics.
    const Program program = test::parse(text);
    for (std::uint32_t n = 0; n < 3; ++n) {
        const Variable& variable = program.variable(VariableId{n});
        CHECK(program.types().contains_atomic(variable.type) == (variable.name != "c"));
    }
}

TEST_CASE("a buffer that ends within a word has no f16 beyond its end") {
    const std::string text =
        "enable f16;\nvar<workgroup> w: buffer<6>; @group(0) @binding(0) var<storage, read_write> r: "
        "array<u32>;\n"
        "@compute @workgroup_size(1) fn main() {\n"
        "    let all = bufferView<array<f16>>(&w, 0);\n    let end = 6u;\n    all[2] = 1;\n    all[3] = 1;\n"
        "    *bufferView<f16>(&w, end) = 1;\n    *bufferView<f16>(&w, r[0]) = 1;\n"
        "    r[0] = arrayLength(all);\n    r[1] = u32(*bufferView<f16>(&w, end - 2));\n"
        "    r[2] = u32(*bufferView<f16>(&w, end));\n    r[3] = bufferLength(&w);\n}\n";
    CHECK(run_module(text, {{6, 9, 9, 9}})[0] == Words{3, 1, 0, 6});
    const std::string one =
        "enable f16;\nvar<workgroup> w: buffer<2>; @group(0) @binding(0) var<storage, read_write> r: "
        "array<u32>;\n"
        "@compute @workgroup_size(1) fn main() {\n    let end = 2u;\n    *bufferView<f16>(&w, end) = 1;\n"
        "    *bufferView<f16>(&w, end - 2) = 2;\n    r[0] = u32(*bufferView<f16>(&w, end));\n"
        "    r[1] = u32(*bufferView<f16>(&w, 0));\n}\n";
    CHECK(run_module(one, {{9, 9}})[0] == Words{0, 2});
}

TEST_CASE("a word of a buffer can be loaded for the whole grid") {
    const std::string text =
        "enable muster_grid_barrier;\n@group(0) @binding(0) var<storage, read_write> b: buffer;\n"
        "@compute @workgroup_size(1) fn main(@builtin(global_invocation_id) id: vec3u) {\n"
        "    let words = bufferView<array<i32>>(&b, 4);\n"
        "    words[id.x] += 5;\n    gridBarrier();\n"
        "    let n = gridUniformLoad(&words[1]);\n    gridBarrier();\n    words[id.x] += n;\n}\n";
    CHECK(run_module(text, {{1, 2, 3, 4}}, 3)[0] == Words{1, 15, 16, 17});
}

TEST_CASE("buffers and views are refused where WGSL doesn't allow them") {
    struct Case {
        const char* text;
        const char* fault;
    };
    constexpr std::array declarations{
        Case{"var<workgroup> w: buffer<0>;", "1:26: A buffer's size is 0 bytes."},
        Case{"var<workgroup> w: buffer<-4>;", "1:26: A buffer's size is -4 bytes."},
        Case{"var<workgroup> w: buffer<6>;", "1:26: A buffer's size is 6 bytes, no multiple of 4."},
        Case{"enable f16; var<workgroup> w: buffer<6>;", ""},
        Case{"enable f16; var<workgroup> w: buffer<7>;",
             "1:38: A buffer's size is 7 bytes, no multiple of 2."},
        Case{"override n = 5; var<workgroup> w: buffer<n>;",
             "1:42: A buffer's size is 5 bytes, no multiple of 4."},
        Case{"override n: i32; var<workgroup> w: buffer<n>;", ""},
        Case{"var<workgroup> w: buffer<4294967296>;",
             "1:26: A buffer's size is 4294967296 bytes; the limit is 4294967295."},
        Case{"var<workgroup> w: buffer<4.0>;", "1:26: A buffer's size has type AbstractFloat."},
        Case{"var<workgroup> w: buffer<4, 4>;", "1:19: buffer takes its size in bytes, 2 arguments given."},
        Case{"var<workgroup> w: buffer;", "1:16: The workgroup variable w is a buffer sized at run time."},
        Case{"@group(0) @binding(0) var<uniform> w: buffer;",
             "1:36: The uniform variable w is a buffer sized at run time."},
        Case{"override n = 8; @group(0) @binding(0) var<storage> w: buffer<n>;",
             "1:52: The size of the storage buffer w comes from an override."},
        Case{"var<private> w: buffer<4>;", "1:14: The variable w is a buffer in the address space private."},
        Case{"var<immediate> w: buffer<4>;",
             "1:16: The variable w is a buffer in the address space immediate."},
        Case{"alias b = array<buffer<4>, 2>;", "1:11: An array can't have elements of type buffer<4>."},
        Case{"struct S { b: buffer<4> }", "1:12: A structure's member can't have type buffer<4>."},
        Case{"alias b = atomic<buffer>;", "1:11: atomic<buffer> isn't a type."},
        Case{"alias b = ptr<function, buffer>;", "1:11: A buffer is never in the address space function."},
        Case{"fn f(b: buffer<4>) {}", "1:6: A parameter can't have type buffer<4>."},
        Case{"fn f() -> buffer {}", "1:11: A function can't return buffer."},
        Case{"alias b = buffer<4>; var<workgroup> w: b; fn f(p: ptr<workgroup, buffer<4i>>) {} fn g() { "
             "f(&w); }",
             ""},
    };
    for (const Case& each : declarations) {
        CAPTURE(each.text);
        CHECK(first_fault(each.text) == each.fault);
    }
    constexpr const char* module_text =
        "@group(0) @binding(0) var<storage, read_write> b: buffer; @group(0) @binding(1) var<uniform> c: "
        "buffer<64>; "
        "struct R { n: vec4u, a: array<vec2u> } struct T { a: atomic<u32> } override o: i32 = 40; "
        "override wide = 4; var<workgroup> w: buffer<wide * 4>; @group(0) @binding(2) var<storage> d: "
        "buffer<32>; "
        "fn one(p: ptr<storage, buffer<32>, read>) {} fn any(p: ptr<uniform, buffer>) {} "
        "fn some(p: ptr<workgroup, buffer<16>>) {} fn all(p: ptr<workgroup, buffer>) {} "
        "fn write(p: ptr<storage, buffer, read_write>, q: ptr<storage, buffer, read_write>) {\n"
        "*bufferView<u32>(p, 0) = *bufferView<u32>(q, 0); }\n"
        "@compute @workgroup_size(1) fn main() { var i = 0; var u = 0u; var f = 0.0;\n";
    constexpr std::array statements{
        Case{"let p = bufferView<vec4u>(&c, 48);", ""},
        Case{"let p = bufferView<vec4u>(&c, 40);",
             "4:31: The offset 40 isn't a multiple of 16, the alignment of vec4<u32>."},
        Case{"let p = bufferView<vec4u>(&c, o);",
             "4:31: The offset 40 isn't a multiple of 16, the alignment of vec4<u32>."},
        Case{"let p = bufferView<vec4u>(&b, o);",
             "4:31: The offset 40 isn't a multiple of 16, the alignment of vec4<u32>."},
        Case{"let p = bufferView<vec4u>(&c, -16);", "4:31: The offset of bufferView is -16."},
        Case{"let p = bufferView<vec4u>(&c, o - 56);", "4:33: The offset of bufferView is -16."},
        Case{"let p = bufferView<vec4u>(&c, 64);",
             "4:31: A view of vec4<u32> ends at byte 80 of a buffer of 64."},
        Case{"let p = bufferView<vec2u>(&c, o + 24);",
             "4:33: A view of vec2<u32> ends at byte 72 of a buffer of 64."},
        Case{"let p = bufferView<vec4u>(&b, 1000000000);", ""},
        Case{"let p = bufferView<array<u32, 17>>(&c, u);",
             "4:40: array<u32, 17> takes 68 bytes; the buffer has 64."},
        Case{"let p = bufferView<array<array<u32, 17>>>(&c, u);",
             "4:47: array<array<u32, 17>> takes at least 68 bytes; the buffer has 64."},
        Case{"let p = bufferView<R>(&c, 48);", "4:27: A view of R ends at byte 72 of a buffer of 64."},
        Case{"let p = bufferView<bool>(&c, 0);", "4:20: A buffer can't be seen as bool."},
        Case{"let p = bufferView<atomic<u32>>(&b, 0);", "4:20: A buffer can't be seen as atomic<u32>."},
        Case{"let p = bufferView<array<T>>(&b, 0);", "4:20: A buffer can't be seen as array<T>."},
        Case{"let p = bufferView<buffer<4>>(&b, 0);", "4:20: A buffer can't be seen as buffer<4>."},
        Case{"let p = bufferView<array<u32, wide>>(&b, 0);",
             "4:20: A buffer can't be seen as array<u32, 4>."},
        Case{"let p = bufferView(&b, 0);", "4:9: bufferView takes one template argument, 0 given."},
        Case{"let p = bufferView<u32>(&b);", "4:9: bufferView takes 2 arguments, 1 given."},
        Case{"let p = bufferView<u32>(b, 0);", "4:25: bufferView takes a pointer to a buffer, not buffer."},
        Case{"let p = bufferView<u32>(&i, 0);",
             "4:25: bufferView takes a pointer to a buffer, not ptr<function, i32>."},
        Case{"let p = bufferView<u32>(&b, f);", "4:29: The offset of bufferView has type f32."},
        Case{"let p = bufferView<u32>(&b, vec2(0));", "4:34: The offset of bufferView has type vec2<i32>."},
        Case{"let p = bufferView<u32>(&w, 16);", "4:29: A view of u32 ends at byte 20 of a buffer of 16."},
        Case{"bufferView<u32>(&b, 0);", "4:1: The value of bufferView isn't used."},
        Case{"let n = bufferLength(b);", "4:22: bufferLength takes a pointer to a buffer, not buffer."},
        Case{"bufferLength(&b);", "4:1: The value of bufferLength isn't used."},
        Case{"let p = bufferArrayView<u32>(&b, 0, 4);",
             "4:25: bufferArrayView takes a type sized at run time, not u32."},
        Case{"let p = bufferArrayView<array<u32>>(&b, 0);",
             "4:9: bufferArrayView takes 3 arguments, 2 given."},
        Case{"let p = bufferArrayView<array<vec2u>>(&b, 4, 8);",
             "4:43: The offset 4 isn't a multiple of 8, the alignment of array<vec2<u32>>."},
        Case{"let p = bufferArrayView<array<vec2u>>(&b, 0, 4);",
             "4:46: array<vec2<u32>> takes at least 8 bytes; the view has 4."},
        Case{"let p = bufferArrayView<array<vec2u>>(&b, 0, 20);",
             "4:46: A view of 20 bytes doesn't end with an element of array<vec2<u32>>."},
        Case{"let p = bufferArrayView<R>(&b, i, 32);", ""},
        Case{"let p = bufferArrayView<R>(&b, i, 36);",
             "4:35: A view of 36 bytes doesn't end with an element of R."},
        Case{"let p = bufferArrayView<R>(&b, i, 16);", "4:35: R takes at least 24 bytes; the view has 16."},
        Case{"let p = bufferArrayView<array<u32>>(&b, 0, -4);", "4:44: The size of bufferArrayView is -4."},
        Case{"let p = bufferArrayView<array<u32>>(&c, 48, 20);",
             "4:41: A view of array<u32> ends at byte 68 of a buffer of 64."},
        Case{"let p = bufferArrayView<array<u32>>(&c, i, 68);",
             "4:44: A view of array<u32> ends at byte 68 of a buffer of 64."},
        Case{"let p = bufferArrayView<array<u32>>(&c, 68, u);",
             "4:41: A view of array<u32> ends at byte 68 of a buffer of 64."},
        Case{"let p = bufferArrayView<array<array<u32, 17>>>(&c, i, u);",
             "4:52: array<array<u32, 17>> takes at least 68 bytes; the buffer has 64."},
        Case{"if false && *bufferView<u32>(&c, 3) == 0 {}", ""},
        Case{"let x = b;", "4:9: A value of type buffer can't be read as a whole."},
        Case{"b = c;", "4:1: A value of type buffer can't be assigned as a whole."},
        Case{"var x: buffer<4>;", "4:5: A variable x can't have type buffer<4>."},
        Case{"let p: ptr<uniform, buffer> = &c;",
             "4:31: p takes ptr<uniform, buffer>, not ptr<uniform, buffer<64>>."},
        Case{"*bufferView<u32>(&c, 0) = 1;", "4:1: c is read-only."},
        Case{"(*bufferView<array<vec2f, 2>>(&d, 0))[1].x = 1;", "4:1: d is read-only."},
        Case{"one(&d); any(&c); all(&w);", ""},
        Case{"one(&b);",
             "4:5: The parameter p of one takes ptr<storage, buffer<32>, read>, not ptr<storage, buffer, "
             "read_write>."},
        Case{
            "some(&w);",
            "4:6: The parameter p of some takes ptr<workgroup, buffer<16>>, not ptr<workgroup, buffer<16>>."},
        Case{"any(&w);",
             "4:5: The parameter p of any takes ptr<uniform, buffer>, not ptr<workgroup, buffer<16>>."},
        Case{
            "write(&b, &b);",
            "4:11: The parameters p and q of write both point into b, and write writes through one of them."},
        Case{"let q = bufferView<array<u32>>(&b, 0); let x = q[-1];",
             "4:49: The index -1 is outside array<u32>."},
    };
    for (const Case& each : statements) {
        CAPTURE(each.text);
        CHECK(first_fault(module_text + std::string(each.text) + "\n}\n") == each.fault);
    }
    // A smaller parameter is smaller for the views in its function; a larger one isn't taken.
    CHECK(
        first_fault("@group(0) @binding(0) var<uniform> c: buffer<32>; fn f(p: ptr<uniform, buffer<64>>) {}\n"
                    "@compute @workgroup_size(1) fn main() { f(&c); }") ==
        "2:43: The parameter p of f takes ptr<uniform, buffer<64>>, not ptr<uniform, buffer<32>>.");
    CHECK(first_fault("fn f(p: ptr<uniform, buffer<8>>) -> vec4f { return *bufferView<vec4f>(p, 0); }") ==
          "1:74: vec4<f32> takes 16 bytes; the buffer has 8.");
}
