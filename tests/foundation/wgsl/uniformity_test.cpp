// WGSL's section "Uniformity", on texts: a case or more for each of its rules, accepted and refused.
#include <array>
#include <string>

#include <fmt/format.h>
#include <support/text.hpp>

#include "support/parse.hpp"

using namespace muster;
using muster::test::first_fault;
using muster::test::has;

namespace {

struct Text {
    const char* body;               // of the entry point
    const char* declarations = "";  // at module scope
};

// rw, p, w and at aren't uniform; u, ro and o are. lane differs between invocations, group between workgroups, sub between
// the subgroups of one.
std::string text_of(const Text& text, std::string_view directives = "") {
    return fmt::format(
        "enable subgroups;\n{}"
        "struct Pair {{ a: i32, b: i32 }}\n"
        "@group(0) @binding(0) var<storage, read_write> rw: array<i32>;\n"
        "@group(0) @binding(1) var<storage> ro: array<i32>;\n"
        "@group(0) @binding(2) var<uniform> u: i32;\n"
        "var<private> p: i32;\n"
        "var<workgroup> w: array<i32, 64>;\n"
        "var<workgroup> at: atomic<i32>;\n"
        "override o: i32 = 3;\n"
        "{}\n"
        "@compute @workgroup_size(64) fn main(@builtin(local_invocation_index) lane: u32,\n"
        "    @builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u,\n"
        "    @builtin(subgroup_id) sub: u32, @builtin(subgroup_size) size: u32, @builtin(num_subgroups) "
        "subs: u32) {{\n"
        "{}\n}}\n",
        directives, text.declarations, text.body);
}

void check_accepted(const Text& text, std::string_view directives = "") {
    const std::string whole = text_of(text, directives);
    CHECK_MESSAGE(first_fault(whole) == "", whole);
}

void check_refused(const Text& text, std::string_view directives = "") {
    const std::string whole = text_of(text, directives), fault = first_fault(whole);
    const auto says = [&](const char* part) { return fault.find(part) != std::string::npos; };
    CHECK_MESSAGE((says("stands in non-uniform control flow") || says("uniform over the subgroup") ||
                   says("isn't uniform: it depends on")),
                  fault, "\n", whole);
}

constexpr std::array accepted{
    // Values that are uniform.
    Text{"if true { workgroupBarrier(); }"},
    Text{"if 1 < 2 { storageBarrier(); }"},
    Text{"if o == 1 { workgroupBarrier(); }"},
    Text{"if u == 1 { workgroupBarrier(); }"},
    Text{"if ro[3] == 1 { workgroupBarrier(); }"},
    Text{"if ro[u] == ro[group.x] { workgroupBarrier(); }"},
    Text{"if arrayLength(&rw) > 3 { workgroupBarrier(); }"},
    Text{"if group.x == 0 { workgroupBarrier(); }"},
    Text{"if groups.x * size == subs { workgroupBarrier(); }"},
    Text{"if min(u, 3) + abs(ro[0]) > 2 { workgroupBarrier(); }"},
    Text{"if vec2(u, o).y == 1 { workgroupBarrier(); }"},
    Text{"if bitcast<f32>(u) > f32(o) { workgroupBarrier(); }"},
    Text{"const c = 4; if c == u { workgroupBarrier(); }"},
    Text{"let a = u; if a == 1 { workgroupBarrier(); }"},
    Text{"var a = u; if a == 1 { workgroupBarrier(); }"},
    Text{"var a: i32; if a == 1 { workgroupBarrier(); }"},
    Text{"if workgroupUniformLoad(&w[3]) == 1 { workgroupBarrier(); }"},
    Text{"if workgroupUniformLoad(&w[u]) + workgroupUniformLoad(&at) == 1 { workgroupBarrier(); }"},
    Text{"let q = &w[u]; if workgroupUniformLoad(q) == 1 { workgroupBarrier(); }"},
    // Variables over time.
    Text{"var a = rw[0]; a = u; if a == 1 { workgroupBarrier(); }"},
    Text{"var a = u; if a == 1 { workgroupBarrier(); } a = rw[0];"},
    Text{"var a: Pair; a = Pair(u, 1); if a.a == 1 { workgroupBarrier(); }"},
    Text{"var a: Pair; a.a = rw[0]; a = Pair(); if a.b == 0 { workgroupBarrier(); }"},
    Text{"var a: array<i32, 4>; a[u] = u; if a[o] == 1 { workgroupBarrier(); }"},
    Text{"var a = u; a += ro[1]; a++; a -= 2; if a == 1 { workgroupBarrier(); }"},
    Text{"var a = u; *&a = 4; if a == 4 { workgroupBarrier(); }"},
    Text{"var a = rw[0]; let q = &a; *q = 4; if a == 4 { workgroupBarrier(); }"},
    // If.
    Text{"if lane == 0 { rw[0] = 1; } workgroupBarrier();"},
    Text{"if lane == 0 { rw[0] = 1; } else { rw[1] = 1; } storageBarrier();"},
    Text{"var a = 1; if u == 0 { a = 2; } else { a = ro[1]; } if a == 2 { workgroupBarrier(); }"},
    Text{"var a = 1; if lane == 0 { let b = a; rw[0] = b; } if a == 1 { workgroupBarrier(); }"},
    Text{"if u == 0 { return; } workgroupBarrier();"},
    Text{"if u == 0 { return; } else { workgroupBarrier(); } workgroupBarrier();"},
    Text{"if lane == 0 { if u == 1 { rw[0] = 1; } } workgroupBarrier();"},
    Text{"workgroupBarrier(); if lane == 0 { return; }"},
    // Unreachable code isn't analysed.
    Text{"return; if lane == 0 { workgroupBarrier(); }"},
    Text{"if lane == 0 { return; workgroupBarrier(); }"},
    Text{"loop { break; if rw[0] == 0 { workgroupBarrier(); } }"},
    // Short circuit.
    Text{"if u == 1 && ro[0] == 1 { workgroupBarrier(); }"},
    Text{"if u == 1 || workgroupUniformLoad(&at) == 1 { workgroupBarrier(); }"},
    Text{"rw[0] = i32(lane == 0 && rw[1] == 2); workgroupBarrier();"},
    // Loops.
    Text{"for (var i = 0; i < u; i++) { workgroupBarrier(); }"},
    Text{"for (var i = lane; i < 64; i += 3) { rw[i] = 1; } workgroupBarrier();"},
    Text{"while u > 3 { workgroupBarrier(); }"},
    Text{"var i = 0; loop { if i == u { break; } workgroupBarrier(); continuing { i++; } }"},
    Text{"var i = 0; loop { workgroupBarrier(); continuing { i++; break if i == u; } }"},
    Text{"var i = 0; loop { i++; if lane == 3 { continue; } rw[i] = 1; continuing { break if i > 4; } } "
         "workgroupBarrier();"},
    Text{"loop { if lane == 3 { break; } rw[0] = 1; } workgroupBarrier();"},
    Text{"loop { if u == 3 { return; } workgroupBarrier(); } "},
    Text{"for (var i = 0; i < u; i++) { if i == 2 { continue; } workgroupBarrier(); }"},
    Text{"var a = 0; for (var i = 0; i < 4; i++) { a += u; } if a == 3 { workgroupBarrier(); }"},
    Text{"loop { workgroupBarrier(); break; continuing { break if rw[0] == 0; } }"},
    // Switch.
    Text{"switch u { case 1: { workgroupBarrier(); } default: {} }"},
    Text{"switch lane { case 1: { rw[0] = 1; } case 2, 3: { rw[1] = 1; break; } default: {} } "
         "workgroupBarrier();"},
    Text{"switch lane { case 1: { if rw[0] == 1 { break; } rw[0] = 1; } default: {} } workgroupBarrier();"},
    Text{"switch u { case 1: { return; } default: {} } workgroupBarrier();"},
    Text{"var a = 0; switch u { case 1: { a = 1; } case 2: { a = ro[0]; } default: { a = 3; } } "
         "if a == 1 { workgroupBarrier(); }"},
    Text{"var a = rw[0]; switch u { case 1: { a = 1; } default: { a = 3; break; } } if a == 1 { "
         "workgroupBarrier(); }"},
    // Function calls.
    Text{"f();", "fn f() { workgroupBarrier(); }"},
    Text{"if u == 1 { f(); }", "fn f() { g(); } fn g() { workgroupBarrier(); }"},
    Text{"f(u);", "fn f(x: i32) { if x == 1 { workgroupBarrier(); } }"},
    Text{"f(i32(lane));", "fn f(x: i32) { rw[x] = 1; workgroupBarrier(); }"},
    Text{"f(u, i32(lane));", "fn f(x: i32, y: i32) { if x == 1 { workgroupBarrier(); } rw[y] = 1; }"},
    Text{"if f(u) == 1 { workgroupBarrier(); }", "fn f(x: i32) -> i32 { return x + 1; }"},
    Text{"if f(i32(lane)) == 1 { workgroupBarrier(); }", "fn f(x: i32) -> i32 { rw[x] = 1; return u; }"},
    Text{"if f(u, i32(lane)) == 1 { workgroupBarrier(); }",
         "fn f(x: i32, y: i32) -> i32 { rw[y] = 1; return x; }"},
    Text{"if f(i32(lane)) == 1 { workgroupBarrier(); }",
         "fn f(x: i32) -> i32 { var r = 0; if x == 1 { rw[0] = 1; } return r; }"},
    // Pointers.
    Text{"var a = u; f(&a); if a == 1 { workgroupBarrier(); }", "fn f(q: ptr<function, i32>) {}"},
    Text{"var a = u; f(&a); if a == 1 { workgroupBarrier(); }", "fn f(q: ptr<function, i32>) { *q += 1; }"},
    Text{"var a = rw[0]; f(&a); if a == 1 { workgroupBarrier(); }",
         "fn f(q: ptr<function, i32>) { *q = u; }"},
    Text{"var a = u; f(&a);", "fn f(q: ptr<function, i32>) { if *q == 1 { workgroupBarrier(); } }"},
    Text{"var a = u; var b = rw[0]; f(&a, &b); if a == 1 { workgroupBarrier(); }",
         "fn f(q: ptr<function, i32>, r: ptr<function, i32>) { *r = *q; }"},
    Text{"var a = 1; f(&a, u); if a == 1 { workgroupBarrier(); }",
         "fn f(q: ptr<function, i32>, x: i32) { *q = x; }"},
    Text{"var a: array<i32, 4>; f(&a[u]); if a[0] == 1 { workgroupBarrier(); }",
         "fn f(q: ptr<function, i32>) { *q = 3; }"},
    Text{"f(&w[u]);",
         "fn f(q: ptr<workgroup, i32>) { if workgroupUniformLoad(q) == 1 { workgroupBarrier(); } }"},
    Text{"f(&ro);", "fn f(q: ptr<storage, array<i32>>) { if (*q)[1] == 1 { workgroupBarrier(); } }"},
    Text{"f(&u);", "fn f(q: ptr<uniform, i32>) { if *q == 1 { workgroupBarrier(); } }"},
    Text{"var a = array(1, 2); var i = u; let q = &a[i]; i = rw[0]; if *q == 1 { workgroupBarrier(); }"},
    Text{"var a = u; let q = &a; let r = &(*q); if *r == 1 { workgroupBarrier(); }"},
    // Atomics don't matter where nothing depends on them.
    Text{"atomicAdd(&at, 1); workgroupBarrier();"},
    Text{"if lane == 0 { atomicStore(&at, 1); } workgroupBarrier();"},
    // Subgroups: control flow that is uniform over each is enough, and a reduction is uniform over it.
    Text{"_ = subgroupAdd(lane);"},
    Text{"if sub == 1 { _ = subgroupAdd(lane); }"},
    Text{"if subgroupAny(lane == 3) { _ = subgroupMax(lane); }"},
    Text{"_ = subgroupShuffle(lane, lane + 1);"},
    Text{"_ = subgroupShuffleXor(lane, u32(u));"},
    Text{"_ = subgroupShuffleUp(lane, sub);"},
    Text{"_ = subgroupShuffleDown(lane, subgroupMin(lane));"},
    // Structures of inputs count as a whole.
    Text{"",
         "struct In { @builtin(workgroup_id) g: vec3u, @builtin(num_workgroups) n: vec3u }\n"
         "@compute @workgroup_size(1) fn other(s: In) { if s.n.x == 0 { workgroupBarrier(); } }"},
};

constexpr std::array refused{
    // Values that aren't uniform.
    Text{"if lane == 0 { workgroupBarrier(); }"},
    Text{"if rw[0] == 0 { workgroupBarrier(); }"},
    Text{"if p == 0 { workgroupBarrier(); }"},
    Text{"if w[0] == 0 { workgroupBarrier(); }"},
    Text{"if ro[lane] == 0 { storageBarrier(); }"},
    Text{"if ro[rw[0]] == 0 { textureBarrier(); }"},
    Text{"if atomicLoad(&at) == 0 { workgroupBarrier(); }"},
    Text{"if atomicAdd(&at, 1) == 0 { workgroupBarrier(); }"},
    Text{"if atomicCompareExchangeWeak(&at, 1, 2).exchanged { workgroupBarrier(); }"},
    Text{"if sub == 0 { workgroupBarrier(); }"},
    Text{"if subgroupAdd(1) == 3 { workgroupBarrier(); }"},
    Text{"if min(u, rw[0]) == 1 { workgroupBarrier(); }"},
    Text{"if vec2(u, rw[0]).x == 1 { workgroupBarrier(); }"},
    Text{"if -rw[0] == 1 { workgroupBarrier(); }"},
    Text{"if bitcast<f32>(rw[0]) > 1 { workgroupBarrier(); }"},
    Text{"let a = rw[0]; if a == 1 { workgroupBarrier(); }"},
    Text{"var a = rw[0]; if a == 1 { workgroupBarrier(); }"},
    Text{"if Pair(u, rw[0]).a == 1 { workgroupBarrier(); }"},
    Text{"let v = w[0]; workgroupBarrier(); if v > 1 { workgroupBarrier(); }"},
    Text{"workgroupBarrier(); let v = w[0]; workgroupBarrier(); if v > 1 { workgroupBarrier(); }"},
    // workgroupUniformLoad.
    Text{"_ = workgroupUniformLoad(&w[lane]);"},
    Text{"_ = workgroupUniformLoad(&w[rw[0]]);"},
    Text{"if lane == 0 { _ = workgroupUniformLoad(&at); }"},
    Text{"let q = &w[lane]; _ = workgroupUniformLoad(q);"},
    Text{"f(&w[lane]);", "fn f(q: ptr<workgroup, i32>) { _ = workgroupUniformLoad(q); }"},
    Text{"f(lane);", "fn f(i: u32) { _ = workgroupUniformLoad(&w[i]); }"},
    Text{"f(&w, lane);",
         "fn f(q: ptr<workgroup, array<i32, 64>>, i: u32) { _ = workgroupUniformLoad(&(*q)[i]); }"},
    // Variables over time.
    Text{"var a = u; a = rw[0]; if a == 1 { workgroupBarrier(); }"},
    Text{"var a = u; a += rw[0]; if a == 1 { workgroupBarrier(); }"},
    Text{"var a = rw[0]; a += 1; if a == 1 { workgroupBarrier(); }"},
    Text{"var a = rw[0]; a++; if a == 1 { workgroupBarrier(); }"},
    Text{"var a: Pair; a.a = rw[0]; if a.b == 1 { workgroupBarrier(); }"},
    Text{"var a: Pair; a.a = rw[0]; a.a = 1; if a.a == 1 { workgroupBarrier(); }"},
    Text{"var a: array<i32, 4>; a[lane] = 1; if a[0] == 1 { workgroupBarrier(); }"},
    Text{"var a: array<i32, 4>; if a[lane] == 1 { workgroupBarrier(); }"},
    Text{"var a: vec2i; a.x = rw[0]; if a.y == 1 { workgroupBarrier(); }"},
    Text{"var a = u; let q = &a; *q = rw[0]; if a == 4 { workgroupBarrier(); }"},
    Text{"var a = 1; if lane == 0 { a = 1; } if a == 1 { workgroupBarrier(); }"},
    Text{"var a = 1; if lane == 0 { a = 2; } else { a = 2; } if a == 2 { workgroupBarrier(); }"},
    // If.
    Text{"if u == 0 { if lane == 0 { workgroupBarrier(); } }"},
    Text{"if lane == 0 { if u == 0 { workgroupBarrier(); } }"},
    Text{"if u == 0 {} else if rw[0] == 1 {} else { workgroupBarrier(); }"},
    Text{"if lane == 0 { return; } workgroupBarrier();"},
    Text{"if lane == 0 { if u == 0 { return; } } workgroupBarrier();"},
    Text{"if u == 0 { if lane == 0 { return; } } workgroupBarrier();"},
    Text{"if lane == 0 {} else { return; } workgroupBarrier();"},
    // Short circuit.
    Text{"if false && rw[0] == 1 { workgroupBarrier(); }"},
    Text{"if true || rw[0] == 1 { workgroupBarrier(); }"},
    Text{"if u == 1 && rw[0] == 1 { workgroupBarrier(); }"},
    Text{"if rw[0] == 1 && u == 1 { workgroupBarrier(); }"},
    Text{"if lane == 0 || workgroupUniformLoad(&at) == 1 { rw[0] = 1; }"},
    Text{"_ = lane == 0 && f();", "fn f() -> bool { workgroupBarrier(); return true; }"},
    Text{"var a = rw[0]; _ = false && f(&a); if a == 0 { workgroupBarrier(); }",
         "fn f(q: ptr<function, i32>) -> bool { *q = 1; return true; }"},
    Text{"var a = 1; _ = lane == 0 && f(&a); if a == 0 { workgroupBarrier(); }",
         "fn f(q: ptr<function, i32>) -> bool { *q = 1; return true; }"},
    // Loops.
    Text{"for (var i = 0; i < rw[0]; i++) { workgroupBarrier(); }"},
    Text{"for (var i = lane; i < 64; i++) { workgroupBarrier(); }"},
    Text{"for (var i = 0u; i < 64; i += lane) { workgroupBarrier(); }"},
    Text{"while rw[0] > 3 { workgroupBarrier(); }"},
    Text{"loop { workgroupBarrier(); if lane == 3 { break; } }"},
    Text{"loop { if lane == 3 { break; } workgroupBarrier(); }"},
    Text{"var i = 0; loop { workgroupBarrier(); continuing { i++; break if rw[i] == 0; } }"},
    Text{"var i = 0; loop { i++; if lane == 3 { continue; } workgroupBarrier(); continuing { break if i > 4; "
         "} }"},
    Text{"var i = 0; loop { if lane == 3 { continue; } continuing { i++; workgroupBarrier(); break if i > 4; "
         "} }"},
    Text{"loop { if lane == 3 { return; } if u == 1 { break; } } workgroupBarrier();"},
    Text{"for (var i = 0; i < 4; i++) { if rw[i] == 0 { return; } } workgroupBarrier();"},
    Text{"var a = 0; for (var i = 0; i < 4; i++) { if a == 1 { workgroupBarrier(); } a = rw[0]; }"},
    Text{"var a = 0; for (var i = lane; i < 4; i++) { a += 1; } if a == 3 { workgroupBarrier(); }"},
    Text{"var a = 0; loop { a = rw[0]; if u == 0 { break; } a = 1; } if a == 3 { workgroupBarrier(); }"},
    Text{"var a = 0; loop { if u == 0 { a = rw[0]; continue; } a = 1; continuing { if a == 1 { "
         "workgroupBarrier(); } "
         "break if u == 3; } }"},
    // Switch.
    Text{"switch lane { case 1: { workgroupBarrier(); } default: {} }"},
    Text{"switch lane { default: { workgroupBarrier(); } }"},
    Text{"switch lane { case 1: { return; } default: {} } workgroupBarrier();"},
    Text{"switch u { case 1: { if lane == 0 { break; } workgroupBarrier(); } default: {} }"},
    Text{"var a = 0; switch lane { case 1: { a = 1; } default: {} } if a == 1 { workgroupBarrier(); }"},
    Text{"var a = 0; switch u { case 1: { a = rw[0]; break; } default: {} } if a == 1 { workgroupBarrier(); "
         "}"},
    Text{"loop { switch lane { case 1: { continue; } default: {} } workgroupBarrier(); continuing { break if "
         "u == 1; } }"},
    // Function calls.
    Text{"if lane == 0 { f(); }", "fn f() { workgroupBarrier(); }"},
    Text{"if lane == 0 { f(); }", "fn f() { g(); } fn g() { workgroupBarrier(); }"},
    Text{"f(i32(lane));", "fn f(x: i32) { if x == 1 { workgroupBarrier(); } }"},
    Text{"f(i32(lane));", "fn f(x: i32) { g(x + 1); } fn g(x: i32) { if x == 1 { workgroupBarrier(); } }"},
    Text{"if f() == 1 { workgroupBarrier(); }", "fn f() -> i32 { return rw[0]; }"},
    Text{"if f(i32(lane)) == 1 { workgroupBarrier(); }", "fn f(x: i32) -> i32 { return x; }"},
    Text{"if f(i32(lane)) == 1 { workgroupBarrier(); }",
         "fn f(x: i32) -> i32 { if x == 1 { return 1; } return 2; }"},
    Text{"if f(i32(lane)) == 1 { workgroupBarrier(); }",
         "fn f(x: i32) -> i32 { var r = 0; if x == 1 { r = 1; } return r; }"},
    Text{"", "fn f() { if rw[0] == 1 { workgroupBarrier(); } }"},  // whether it is called or not
    Text{"", "fn f(q: ptr<workgroup, i32>) { if *q == 1 { workgroupBarrier(); } }"},
    Text{"", "fn f(q: ptr<private, i32>) { if *q == 1 { workgroupBarrier(); } }"},
    // Pointers.
    Text{"var a = u; if lane == 0 { f(&a); } if a == 1 { workgroupBarrier(); }",
         "fn f(q: ptr<function, i32>) {}"},
    Text{"var a = u; f(&a); if a == 1 { workgroupBarrier(); }",
         "fn f(q: ptr<function, i32>) { *q = rw[0]; }"},
    Text{"var a = rw[0]; f(&a); if a == 1 { workgroupBarrier(); }",
         "fn f(q: ptr<function, i32>) { *q += 1; }"},
    Text{"var a = rw[0]; f(&a); if a == 1 { workgroupBarrier(); }",
         "fn f(q: ptr<function, i32>) { if u == 1 { *q = 1; } }"},
    Text{"var a = rw[0]; f(&a);", "fn f(q: ptr<function, i32>) { if *q == 1 { workgroupBarrier(); } }"},
    Text{"var a = u; var b = rw[0]; f(&a, &b); if a == 1 { workgroupBarrier(); }",
         "fn f(q: ptr<function, i32>, r: ptr<function, i32>) { *q = *r; }"},
    Text{"var a = 1; f(&a, i32(lane)); if a == 1 { workgroupBarrier(); }",
         "fn f(q: ptr<function, i32>, x: i32) { *q = x; }"},
    Text{"var a: array<i32, 4>; f(&a[lane]); if a[0] == 1 { workgroupBarrier(); }",
         "fn f(q: ptr<function, i32>) { *q = 3; }"},
    Text{"var a = array(1, rw[0]); f(&a[0]); if a[0] == 1 { workgroupBarrier(); }",
         "fn f(q: ptr<function, i32>) { *q = 3; }"},
    Text{"if f(&ro[lane]) == 1 { workgroupBarrier(); }", "fn f(q: ptr<storage, i32>) -> i32 { return *q; }"},
    Text{"var a = array(1, 2); var i = rw[0]; let q = &a[i]; i = 0; if *q == 1 { workgroupBarrier(); }"},
    Text{"var a = u; let q = &a; let r = &(*q); *r = rw[0]; if a == 1 { workgroupBarrier(); }"},
    Text{"var i = 0; var a: array<i32, 4>; a[f(&i)] = a[g(&i)];",
         "fn f(q: ptr<function, i32>) -> i32 { *q = rw[0]; return 0; }\n"
         "fn g(q: ptr<function, i32>) -> i32 { if *q == 0 { workgroupBarrier(); } return 0; }"},
    // Subgroups.
    Text{"if lane == 0 { _ = subgroupAdd(1); }"},
    Text{"if subgroupElect() { _ = subgroupAdd(1); }"},
    Text{"if subgroupInclusiveAdd(1) == 3 { _ = subgroupAdd(1); }"},
    Text{"if lane == 0 { _ = quadBroadcast(1, 0); }"},
    Text{"_ = subgroupShuffleXor(1, lane);"},
    Text{"_ = subgroupShuffleDown(1.0, u32(p));"},
    Text{"_ = subgroupShuffleUp(1, atomicLoad(&c));", "var<workgroup> c: atomic<u32>;"},
    Text{"f(lane);", "fn f(d: u32) { _ = subgroupShuffleUp(1, d); }"},
    Text{"if lane == 0 { f(); }", "fn f() { _ = subgroupAdd(1); }"},
    Text{"if lane == 0 @diagnostic(off, derivative_uniformity) { _ = subgroupAdd(1); }"},
    Text{"@diagnostic(off, subgroup_uniformity) if lane == 0 { workgroupBarrier(); }"},
    Text{"if lane == 0 { f(); }",
         "fn f() { @diagnostic(off, subgroup_uniformity) { _ = subgroupAdd(1); } _ = subgroupAdd(1); }"},
    // Structures of inputs count as a whole.
    Text{"",
         "struct In { @builtin(num_workgroups) n: vec3u, @builtin(local_invocation_index) k: u32 }\n"
         "@compute @workgroup_size(1) fn other(s: In) { if s.n.x == 0 { workgroupBarrier(); } }"},
    Text{"",
         "@compute @workgroup_size(1) fn other(@builtin(workgroup_index) i: u32) { if i == 0 { "
         "workgroupBarrier(); } }"},
};

}  // namespace

TEST_CASE("texts that WGSL's uniformity analysis accepts") {
    for (const Text& each : accepted) check_accepted(each);
}

TEST_CASE("texts that WGSL's uniformity analysis refuses") {
    for (const Text& each : refused) check_refused(each);
}

TEST_CASE("filters of subgroup_uniformity decide by the call's place, severity by severity") {
    constexpr Text divergent{"if lane == 0 { _ = subgroupAdd(1); }"};
    constexpr Text distance{"_ = subgroupShuffleXor(1, lane);"};
    for (const Text& text : {divergent, distance}) {
        for (const char* severity : {"off", "info", "warning"})
            check_accepted(text, fmt::format("diagnostic({}, subgroup_uniformity);", severity));
        check_refused(text, "diagnostic(error, subgroup_uniformity);");
        check_refused(text, "diagnostic(off, derivative_uniformity);");
    }
    check_accepted(
        {"f(lane);",
         "@diagnostic(off, subgroup_uniformity) fn f(i: u32) { if i == 0 { _ = subgroupAdd(1); } }"});
    check_refused({"f(lane);",
                   "@diagnostic(off, subgroup_uniformity) fn f(i: u32) {\n"
                   "if i == 0 @diagnostic(error, subgroup_uniformity) { _ = subgroupAdd(1); } }"});
    // The filter of the call counts, not that of the caller.
    check_refused(
        {"@diagnostic(off, subgroup_uniformity) if lane == 0 { f(); }", "fn f() { _ = subgroupAdd(1); }"});
    // Barriers have no filter, but muster's own leaves the proof to validate(), which inlines functions first.
    check_refused({"if rw[0] == 0 { workgroupBarrier(); }"}, "diagnostic(off, subgroup_uniformity);");
    const std::string left =
        text_of({"if rw[0] == 0 { workgroupBarrier(); }"}, "diagnostic(off, muster.uniformity);");
    CHECK(first_fault(left) == "");
    CHECK_FALSE(validate(test::parse(left)));
}

TEST_CASE("filters of one range don't conflict") {
    const auto fault = [](const char* text) {
        return first_fault(std::string(text) + " @compute @workgroup_size(1) fn main() {}");
    };
    CHECK(fault("diagnostic(off, subgroup_uniformity); diagnostic(error, subgroup_uniformity);") ==
          "1:50: The diagnostic subgroup_uniformity is error here, and off by another filter of the same "
          "range.");
    CHECK(has(fault("diagnostic(off, a.b); diagnostic(info, c); diagnostic(warning, a.b);"),
              "a.b is warning here"));
    CHECK(
        fault("diagnostic(off, a.b); diagnostic(error, a.c); diagnostic(error, b); diagnostic(off, a.b);") ==
        "");
    CHECK(has(fault("@diagnostic(off, a) @diagnostic(info, a) fn f() {}"), "The diagnostic a is info here"));
    CHECK(fault("@diagnostic(off, a) @diagnostic(off, a) fn f() { @diagnostic(error, a) if true {} }") == "");
}

TEST_CASE("a fault of uniformity names the call, the branch and what it depends on") {
    const Result<Program> refused = wgsl::parse(
        "@group(0) @binding(0) var<storage, read_write> rw: array<u32>;\n"
        "fn wait(x: u32) {\n"
        "  if x == 1 {\n"
        "    workgroupBarrier();\n"
        "  }\n"
        "}\n"
        "@compute @workgroup_size(4) fn main() {\n"
        "  let y = rw[0] + 1;\n"
        "  wait(y);\n"
        "}\n",
        {.file = "k.wgsl"});
    REQUIRE_FALSE(refused);
    CHECK(refused.error().message ==
          "k.wgsl:4:5: error: The workgroup barrier stands in non-uniform control flow: whether an "
          "invocation gets here is "
          "decided at k.wgsl:3:3 and depends on what \"rw\" holds at k.wgsl:8:13, which invocations may have "
          "written.\n"
          "    workgroupBarrier();\n"
          "    ^~~~~~~~~~~~~~~~~~\n"
          "k.wgsl:3:3: it is decided here:\n"
          "  if x == 1 {\n"
          "  ^~\n"
          "k.wgsl:9:3: the call that leads there:\n"
          "  wait(y);\n"
          "  ^~~~\n"
          "Fix: move the barrier out of that branch or loop, or let the condition depend on uniforms, "
          "read-only storage and "
          "workgroup_id alone");
}

TEST_CASE("the branch that is named is the one whose condition isn't uniform") {
    const auto decided = [](const Text& text) {
        const std::string fault = first_fault(text_of(text));
        const std::size_t at = fault.find("is decided at kernel.wgsl:");
        return at == std::string::npos ? fault : fault.substr(at + 26, fault.find(' ', at + 26) - at - 26);
    };
    // The body begins in line 14.
    CHECK(decided({"if lane == 0 {\nif u == 1 {\nworkgroupBarrier();\n} }"}) == "14:1");
    CHECK(decided({"if u == 1 {\nif lane == 0 {\nworkgroupBarrier();\n} }"}) == "15:1");
    CHECK(decided({"var a = 1;\nif lane == 0 { a = 2; }\nif a == 1 {\nworkgroupBarrier(); }"}) == "16:1");
    CHECK(decided({"for (var i = 0; i < 3; i++) {\nif rw[i] == 0 { continue; }\nworkgroupBarrier(); }"}) ==
          "15:1");
    CHECK(decided({"if lane == 0 {\nf(); }", "fn f() { if u == 1 { workgroupBarrier(); } }"}) == "14:1");
    CHECK(decided({"f(i32(lane));", "fn f(x: i32) { if x == 1 { if u == 1 { workgroupBarrier(); } } }"}) ==
          "10:16");
    CHECK(decided({"_ = lane == 0 &&\nf();", "fn f() -> bool { workgroupBarrier(); return true; }"}) ==
          "14:15");
}

TEST_CASE("very many variables behind very many branches take bounded time") {
    std::string body;
    for (int i = 0; i < 4000; ++i) body += fmt::format("var v{} = u;\n", i);
    for (int i = 0; i < 4000; ++i) body += fmt::format("if ro[{}] == 1 {{ v{} = 1; }}\n", i, (i * 7) % 4000);
    for (int i = 0; i < 4000; ++i) body += fmt::format("rw[{}] = v{};\n", i, i);
    check_accepted({(body + "if v17 == 1 { workgroupBarrier(); }").c_str()});
    check_refused({(body + "v3 = rw[0]; if v3 == 1 { workgroupBarrier(); }").c_str()});
    std::string nested = "workgroupBarrier();";
    for (int i = 0; i < 100; ++i)
        nested = fmt::format("for (var i{0} = 0; i{0} < u; i{0}++) {{ a += 1; {1} }}", i, nested);
    check_accepted({("var a = 0; " + nested).c_str()});
}

TEST_CASE("an abstract number is taken and dropped, and a texture's barrier needs no texture") {
    check_accepted({"_ = 5000000000; _ = 1e300; _ = vec2(1 << 40u, 2);"});
    const auto same = [](const char* a, const char* b) {
        return test::parse(text_of({a})).fingerprint() == test::parse(text_of({b})).fingerprint();
    };
    CHECK(same("textureBarrier();", "storageBarrier();"));
}
