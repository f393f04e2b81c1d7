// Lowering: texts with the same meaning give the same structure, others don't; and the structures that single
// features become.

#include <algorithm>
#include <array>

#include <muster/foundation/interpreter/interpret.hpp>
#include <muster/foundation/validate/validate.hpp>
#include <muster/foundation/wgsl/print/print.hpp>

#include "support/parse.hpp"

using namespace muster;
using test::in_main;

namespace {

Fingerprint print_of(std::string_view statements) { return test::parse(in_main(statements)).fingerprint(); }

std::size_t count(const Program& program, Op op) {
    std::size_t found = 0;
    for (std::uint32_t n = 0; n < program.node_count(); ++n)
        found += program.node(NodeId{n}).op == op ? 1 : 0;
    return found;
}

struct Pair {
    const char* a;
    const char* b;
};

}  // namespace

TEST_CASE("texts that mean the same have the same fingerprint") {
    constexpr std::array pairs{
        // Names, comments, layout and dead code make no difference.
        Pair{"let a = i[0]; i[1] = a;", "let other = i[0]; /* c */ i[1] = other;"},
        Pair{"i[0] = 1;", "let unused = i[3] * 2; i[0] = 1;"},
        Pair{"i[0] = 1;", "i[0] = 1; return; i[1] = 2;"},
        Pair{"i[0] = 1;", "i[0] = 1; return;"},
        Pair{"loop { i[0] = 1; break; let n = i[2]; continuing { i[1] = n; } }", "loop { i[0] = 1; break; }"},
        Pair{"loop { if i[0] > 1 { return; let n = i[2]; } break; i[3] = 1; continuing { i[1] = 2; } }",
             "loop { if i[0] > 1 { return; } break; }"},
        // Constants.
        Pair{"i[0] = 7;", "const c = 3; i[0] = c * 2 + 1;"},
        Pair{"f[0] = 2;", "f[0] = f32(1u) + 1.0f;"},
        Pair{"f[0] = 5;", "f[0] = length(vec2(3.0, 4.0));"},
        Pair{"i[1] = 1;", "i[1u] = 1;"},
        Pair{"f[0] = f[1] * 0.5;", "const half = 1 / 2.0; f[0] = f[1] * half;"},
        Pair{"if true { i[0] = 1; }", "if !false { i[0] = 1; }"},
        Pair{"i[0] = select(1, 2, true);", "i[0] = 2;"},
        // Assignments.
        Pair{"i[0] += 2;", "i[0] = i[0] + 2;"},
        Pair{"i[0]++;", "i[0] += 1;"},
        Pair{"u[0]--;", "u[0] -= 1u;"},
        Pair{"i[0] <<= 2;", "i[0] = i[0] << 2u;"},
        Pair{"var v = vec3(1.0, 2.0, 3.0); v.y = f[0]; f[1] = v.y;",
             "var v = vec3f(1, 2, 3); v[1] = f[0]; f[1] = v.g;"},
        // Scalars combined with vectors.
        Pair{"let v = vec2(f[0], f[1]) * f[2]; f[0] = v.x;",
             "let v = vec2(f[0], f[1]) * vec2(f[2]); f[0] = v.x;"},
        // Pointers refer to memory.
        Pair{"let p = &i[3]; *p = 4;", "i[3] = 4;"},
        Pair{"var a = 1; let p = &a; *p += 2; i[0] = *p;", "var a = 1; a += 2; i[0] = a;"},
        Pair{"var v = vec2(1, 2); let p = &v; p.y = 3; i[0] = p[0];",
             "var v = vec2(1, 2); v.y = 3; i[0] = v.x;"},
        Pair{"i[0] = *&i[1];", "i[0] = i[1];"},
        // Functions are inlined.
        Pair{"i[0] = two(i[1]);", "i[0] = i[1] * 2;"},
        Pair{"i[0] = S(i[1], 2.0).a;", "i[0] = i[1];"},
        Pair{"var a = i[0]; raise(&a); i[0] = a;", "var a = i[0]; a += 1; i[0] = a;"},
        Pair{"i[0] = early(i[1]);",
             "let v = i[1]; var r: i32; switch 0 { default: { if v > 0 { r = 1; break; } r = 2; break; } } "
             "i[0] = r;"},
        // Control.
        Pair{"while i[0] < 3 { i[0]++; }", "for (; i[0] < 3;) { i[0]++; }"},
        Pair{"for (var k = 0; k < 3; k++) { i[k] = k; }",
             "{ var k = 0; loop { if !(k < 3) { break; } i[k] = k; continuing { k += 1; } } }"},
        Pair{"while true { if n > 1 { break; } }", "loop { if n > 1 { break; } }"},
        Pair{"while true { if n > 1 { return; } }", "loop { if n > 1 { return; } }"},
        // A condition that is the only exit stays (WGSL section "While Statement").
        Pair{"while true { } i[0] = 1;", "loop { if !true { break; } } i[0] = 1;"},
        Pair{"if n > 1 { while true { if n > 2 { continue; } i[0] = 2; } i[1] = 1; }",
             "if n > 1 { loop { if false { break; } if n > 2 { continue; } i[0] = 2; } i[1] = 1; }"},
        Pair{"for (var k = 0; true; k++) { i[k] = k; } workgroupBarrier();",
             "var k = 0; loop { if false { break; } i[k] = k; continuing { k += 1; } } workgroupBarrier();"},
        Pair{"while true { loop { break; } }", "loop { if false { break; } loop { break; } }"},
        Pair{"for (;;) { while true { } break; }", "loop { loop { if false { break; } } break; }"},
        Pair{"loop { i[0]++; continuing { break if i[0] > 3; } }",
             "loop { i[0]++; continuing { let done = i[0] > 3; break if done; } }"},
        Pair{"if n > 1 { i[0] = 1; } else if n > 2 { i[0] = 2; } else { i[0] = 3; }",
             "if n > 1 { i[0] = 1; } else { if n > 2 { i[0] = 2; } else { i[0] = 3; } }"},
        Pair{"switch u[0] { case 1, 2: { i[0] = 1; } default: { i[0] = 2; } }",
             "switch u[0] { case 1u, 2u { i[0] = 1; } default { i[0] = 2; } }"},
        Pair{"{ i[0] = 1; }", "i[0] = 1;"},
        // && with a cheap right side evaluates both sides.
        Pair{"if n > 1 && n < 9 { i[0] = 1; }", "if (n > 1) & (n < 9) { i[0] = 1; }"},
        Pair{"if n > 1 || id.x < 9 { i[0] = 1; }", "if (n > 1) | (id.x < 9) { i[0] = 1; }"},
        Pair{"if n > 1 && i[2] > 3 { i[0] = 1; }",
             "let left = n > 1; var both = left; if left { both = i[2] > 3; } if both { i[0] = 1; }"},
        Pair{"if true && n > 1 { i[0] = 1; }", "if n > 1 { i[0] = 1; }"},
        // Conversions and functions.
        Pair{"f[0] = f32(i[0]);", "let a = i[0]; f[0] = f32(a);"},
        Pair{"u[0] = bitcast<u32>(f[0]);", "let a = f[0]; u[0] = bitcast<u32>(a);"},
        Pair{"f[0] = clamp(f[1], 0.0, 1.0);", "f[0] = saturate(f[1]);"},
        Pair{"f[0] = clamp(f[1], f[2], f[3]);",
             "let a = f[1]; let b = f[2]; let c = f[3]; f[0] = min(max(a, b), c);"},
        Pair{"f[0] = fract(f[1]);", "let a = f[1]; f[0] = a - floor(a);"},
        Pair{"f[0] = dot(vec2(f[1], f[2]), vec2(f[3], f[4]));",
             "let p = vec2(f[1], f[2]) * vec2(f[3], f[4]); f[0] = p.x + p.y;"},
        Pair{"let r = modf(f[1]); f[0] = r.fract + r.whole;",
             "let a = f[1]; let w = trunc(a); let p = a - w; f[0] = p + w;"},
    };
    const auto with_functions = [](const char* statements) {
        return "struct S { a: i32, b: f32 }\n"
               "fn two(v: i32) -> i32 { return v * 2; }\n"
               "fn raise(p: ptr<function, i32>) { *p += 1; }\n"
               "fn early(v: i32) -> i32 { if v > 0 { return 1; } return 2; }\n" +
               in_main(statements);
    };
    for (const Pair& each : pairs) {
        CAPTURE(std::string(each.a));
        CHECK_EQ(to_string(test::parse(with_functions(each.a)).fingerprint()),
                 to_string(test::parse(with_functions(each.b)).fingerprint()));
    }
}

TEST_CASE(
    "a loop that only its condition leaves is valid, and what follows it is reached by those that don't "
    "enter") {
    const Program program = test::parse(
        "@group(0) @binding(0) var<storage, read_write> y: array<u32>;\n"
        "fn waits() { while true { y[1]++; } }\n"
        "@compute @workgroup_size(1) fn main() { if y[0] > 1 { waits(); y[2] = 1; } y[3] = 5; }");
    const Result<ValidProgram> valid = validate(program);
    REQUIRE_MESSAGE(valid, (valid ? "" : valid.error().to_string()));
    CHECK_EQ(test::parse(wgsl::print(program)).fingerprint(), program.fingerprint());
    const auto interpreted = [&](std::array<std::uint32_t, 4>& y) {
        const std::array bound{BoundBytes{std::as_writable_bytes(std::span(y))}};
        return interpret(*valid, bound, {.extent = {1, 1, 1}, .grid = {1, 1, 1}}, {.max_steps = 10'000});
    };
    std::array<std::uint32_t, 4> y{};
    REQUIRE(interpreted(y));
    CHECK_EQ(y[3], 5);
    y = {2};
    const auto stopped = interpreted(y);
    REQUIRE_FALSE(stopped);
    CHECK_EQ(stopped.error().code, ErrorCode::timed_out);
    CHECK_EQ(y[2] + y[3], 0);
    CHECK_GT(y[1], 1);
}

TEST_CASE("texts that mean something else have another fingerprint") {
    constexpr std::array pairs{
        Pair{"i[0] = 1;", "i[0] = 2;"},
        Pair{"i[0] = 1;", "i[1] = 1;"},
        Pair{"i[0] = 1;", "u[0] = 1;"},
        Pair{"f[0] = f[1] + f[2];", "f[0] = f[2] + f[1];"},
        Pair{"f[0] = -f[1];", "f[0] = 0 - f[1];"},
        Pair{"i[0] = i[1] >> 1;", "u[0] = u[1] >> 1;"},
        Pair{"if n > 1 { i[0] = 1; }", "if n >= 1 { i[0] = 1; }"},
        Pair{"workgroupBarrier();", "storageBarrier();"},
        Pair{"loop { break; }", "loop { if n > 0 { break; } }"},
        Pair{"let v = vec2(i[0], i[1]).yx; i[0] = v.x + 2 * v.y;",
             "let v = vec2(i[0], i[1]).xy; i[0] = v.x + 2 * v.y;"},
    };
    for (const Pair& each : pairs) {
        CAPTURE(std::string(each.a));
        CHECK_NE(to_string(print_of(each.a)), to_string(print_of(each.b)));
    }
}

TEST_CASE("what matters outside is in the fingerprint, in any order of declaration") {
    constexpr std::string_view a =
        "@group(0) @binding(1) var<storage, read_write> y: array<f32>;\n"
        "@group(0) @binding(0) var<storage> x: array<f32>;\n"
        "fn g(v: f32) -> f32 { return v * k; }\n"
        "const k = 2;\n"
        "@compute @workgroup_size(8) fn main(@builtin(global_invocation_id) id: vec3u) { y[id.x] = "
        "g(x[id.x]); }\n";
    constexpr std::string_view b =
        "alias Id = vec3<u32>; struct In { @builtin(global_invocation_id) id: Id, @builtin(workgroup_id) w: "
        "Id }\n"
        "@compute @workgroup_size(4 * 2, 1, 1) fn main(inputs: In) { let at = inputs.id.x; y[at] = x[at] * "
        "2.0; }\n"
        "@binding(0) @group(0) var<storage, read> x: array<f32>;\n"
        "@group(0) @binding(1) var<storage, read_write> y: array<f32>;\n"
        "@group(0) @binding(2) var<storage, read_write> unused: array<f32>;\n";
    const Program first = test::parse(a);
    // The addresses of x and y are taken by different nodes, so compare the shared structure.
    CHECK_EQ(to_string(first.fingerprint()), to_string(test::parse(a).fingerprint()));
    const Program second = test::parse(b);
    CHECK_EQ(second.bindings().size(), 2);
    CHECK_EQ(count(first, Op::mul), count(second, Op::mul));
    const auto with = [&](std::string_view from, std::string_view to) {
        std::string text(a);
        text.replace(text.find(from), from.size(), to);
        return test::parse(text).fingerprint();
    };
    CHECK_EQ(with("v * k", "v * k "), first.fingerprint());
    CHECK_NE(with("binding(1)", "binding(3)"), first.fingerprint());
    CHECK_NE(with("workgroup_size(8)", "workgroup_size(9)"), first.fingerprint());
    CHECK_NE(with("k = 2", "k = 3"), first.fingerprint());
}

TEST_CASE("nodes know their places and names") {
    const Program program = test::parse(
        in_main("let sum = i[0] +\n  i[1];\nvar twice = sum * 2;\ni[0] = twice;"), {.file = "k.wgsl"});
    bool seen = false;
    for (std::uint32_t n = 0; n < program.node_count(); ++n) {
        if (program.node(NodeId{n}).op != Op::add) continue;
        seen = true;
        CHECK_EQ(program.name(NodeId{n}), "sum");
        CHECK_EQ(to_string(program.location(NodeId{n}), program.file(program.location(NodeId{n}))),
                 "k.wgsl:6:16");
    }
    CHECK(seen);
    const auto local = std::ranges::find(program.variables(), "twice", &Variable::name);
    REQUIRE(local != program.variables().end());
    CHECK_EQ(local->location.line, 8);
    CHECK_EQ(local->space, AddressSpace::function);
    const auto bound = std::ranges::find(program.variables(), "i", &Variable::name);
    REQUIRE(bound != program.variables().end());
    CHECK_EQ(bound->location.line, 2);
    CHECK(bound->is_read);
    CHECK(bound->is_written);
}

TEST_CASE("atomics become atomic operations on their places") {
    constexpr std::string_view head =
        "struct Counters { hits: atomic<u32>, low: array<atomic<i32>, 4> }\n"
        "@group(0) @binding(0) var<storage, read_write> c: Counters;\n"
        "var<workgroup> w: atomic<i32>;\n"
        "fn add(p: ptr<workgroup, atomic<i32>>) -> i32 { return atomicAdd(p, 2); }\n";
    const auto program = [&](std::string_view body) {
        return test::parse(std::string(head) +
                           "@compute @workgroup_size(4) fn main(@builtin(local_invocation_index) i: u32) {" +
                           std::string(body) + "}");
    };
    struct Case {
        const char* text;
        Op op;
    };
    for (const Case& each :
         {Case{"atomicStore(&c.hits, 1);", Op::atomic_store}, Case{"atomicAdd(&c.hits, 1);", Op::atomic_add},
          Case{"atomicSub(&c.low[i], -1);", Op::atomic_sub}, Case{"atomicMax(&w, 1);", Op::atomic_max},
          Case{"_ = atomicMin(&w, 1);", Op::atomic_min}, Case{"atomicAnd(&w, 1);", Op::atomic_and},
          Case{"atomicOr(&w, 1);", Op::atomic_or}, Case{"atomicXor(&w, 1);", Op::atomic_xor},
          Case{"atomicExchange(&w, 1);", Op::atomic_exchange},
          Case{"atomicStore(&w, atomicLoad(&c.low[0]));", Op::atomic_load},
          Case{"atomicStore(&w, add(&w));", Op::atomic_add}}) {
        CAPTURE(std::string(each.text));
        CHECK_EQ(count(program(each.text), each.op), 1);
    }
    const Program exchange = program(
        "let r = atomicCompareExchangeWeak(&w, 1, 2); if r.exchanged { atomicStore(&c.low[1], r.old_value); "
        "}");
    CHECK_EQ(count(exchange, Op::atomic_compare_exchange), 1);
    CHECK_EQ(count(exchange, Op::eq), 1);
    CHECK_EQ(count(exchange, Op::compose), 0);
}

TEST_CASE("built-in values that are made of others are computed") {
    const auto ops = [](std::string_view builtin) {
        return test::parse(
            "@group(0) @binding(0) var<storage, read_write> u: array<u32>;\n@compute @workgroup_size(4, 2, "
            "3) fn main(@builtin(" +
            std::string(builtin) + ") i: u32) { u[i] = 1; }");
    };
    CHECK_EQ(count(ops("local_invocation_index"), Op::mul), 0);
    CHECK_EQ(count(ops("workgroup_index"), Op::mul), 2);
    CHECK_EQ(count(ops("global_invocation_index"), Op::mul), 4);
}

TEST_CASE("a return inside loops and switches leaves them all") {
    const Program program = test::parse(
        "fn find(v: i32) -> i32 { for (var a = 0; a < 4; a++) { switch a { case 2: { return v; } default: { "
        "loop { if v > a { return a; } break; } } } } return -1; }\n" +
        in_main("i[0] = find(i[1]);"));
    CHECK_EQ(count(program, Op::scope), 1);
    CHECK_EQ(count(program, Op::return_), 0);
    // The flag is tested after the inner loop, the switch and the outer loop.
    const auto flag = std::ranges::find(program.variables(), "find_returned", &Variable::name);
    REQUIRE(flag != program.variables().end());
    std::size_t tests = 0;
    for (std::uint32_t n = 0; n < program.node_count(); ++n)
        if (program.node(NodeId{n}).op == Op::load &&
            program.node(program.operand(NodeId{n}, 0)).op == Op::ref_variable &&
            &program.variable(program.root_variable(program.operand(NodeId{n}, 0))) == &*flag)
            ++tests;
    CHECK_EQ(tests, 3);
    CHECK_EQ(count(test::parse(in_main("for (;;) { if n > 1 { return; } }")), Op::return_), 1);
}

TEST_CASE("every built-in function lowers") {
    constexpr std::array calls{
        "f[0] = acos(f[1]) + acosh(f[1]) + asin(f[1]) + asinh(f[1]) + atan(f[1]) + atanh(f[1]) + atan2(f[1], "
        "f[2]);",
        "f[0] = cos(f[1]) + cosh(f[1]) + sin(f[1]) + sinh(f[1]) + tan(f[1]) + tanh(f[1]) + exp(f[1]) + "
        "exp2(f[1]);",
        "f[0] = log(f[1]) + log2(f[1]) + pow(f[1], f[2]) + sqrt(f[1]) + inverseSqrt(f[1]) + fma(f[1], f[2], "
        "f[3]);",
        "f[0] = abs(f[1]) + ceil(f[1]) + floor(f[1]) + round(f[1]) + trunc(f[1]) + fract(f[1]) + sign(f[1]);",
        "f[0] = degrees(f[1]) + radians(f[1]) + step(f[1], f[2]) + smoothstep(f[1], f[2], f[3]) + mix(f[1], "
        "f[2], f[3]);",
        "let v = vec3(f[1], f[2], f[3]); f[0] = dot(v, v) + length(v) + distance(v, v.zyx) + normalize(v).x "
        "+ cross(v, v.yzx).y;",
        "let v = vec3(f[1], f[2], f[3]); f[0] = reflect(v, v.yxz).x + refract(v, v.yxz, f[4]).x + "
        "faceForward(v, v.yxz, v).x;",
        "let r = frexp(vec2(f[1], f[2])); f[0] = ldexp(r.fract.x, r.exp.y) + quantizeToF16(f[3]) + "
        "modf(f[4]).whole;",
        "var r = frexp(f[1]); r.exp += 1; f[0] = ldexp(r.fract, r.exp);",
        "i[0] = abs(i[1]) + sign(i[1]) + min(i[1], i[2]) + max(i[1], i[2]) + clamp(i[1], i[2], i[3]) + "
        "countOneBits(i[1]);",
        "i[0] = countLeadingZeros(i[1]) + countTrailingZeros(i[1]) + firstLeadingBit(i[1]) + "
        "firstTrailingBit(i[1]) + reverseBits(i[1]);",
        "u[0] = extractBits(u[1], u[2], u[3]) + insertBits(u[1], u[2], u[3], 4) + dot4U8Packed(u[1], u[2]) + "
        "firstLeadingBit(u[1]);",
        "i[0] = dot4I8Packed(u[1], u[2]) + dot(vec2(i[1], i[2]), vec2(3, 4));",
        "let v = vec4(f[1], f[2], f[3], f[4]); u[0] = pack4x8snorm(v) + pack4x8unorm(v) + "
        "pack2x16snorm(v.xy) + pack2x16unorm(v.xy) + pack2x16float(v.xy);",
        "let v = unpack4xI8(u[1]); let w = unpack4xU8(u[1]); u[0] = pack4xI8(v) + pack4xI8Clamp(v) + "
        "pack4xU8(w) + pack4xU8Clamp(w);",
        "f[0] = unpack4x8snorm(u[0]).x + unpack4x8unorm(u[0]).y + unpack2x16snorm(u[0]).x + "
        "unpack2x16unorm(u[0]).y + unpack2x16float(u[0]).x;",
        "let c = vec2(f[0], f[1]) < vec2(f[2], f[3]); if all(c) || any(c) { f[0] = select(vec2(f[1]), "
        "vec2(f[2], 1), c).x; }",
    };
    for (const char* each : calls) {
        CAPTURE(std::string(each));
        CHECK(wgsl::parse(in_main(each)));
    }
}
