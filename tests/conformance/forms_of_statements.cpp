// Statements, pointers, atomics, scopes and declarations, each as a form of its own.
#include "conformance/forms.hpp"

namespace muster::conformance {
namespace {

struct Text {
    const char *name, *declarations, *body, *stored = "";
};

constexpr Text control[] = {
    {"switch: several selectors, a default among them, a break", "", R"(
    switch words[id + 2u] {
        case 2, 77u { result[0] = 1u; }
        case 3, default { result[0] = 2u; if id == 1u { break; } result[0] = 3u; }
        case 0x80000001u: { result[0] = 4u; }
    }
    switch at { default { result[1] = 5u; } }
)"},
    {"switch of i32 with the least and the greatest", "", R"(
    var s = signed_at; if id == 3u { s = -2147483648; }
    switch s { case -2147483648 { result[0] = 9u; } case -1, 2147483647 { result[0] = 8u; } default { result[0] = 7u; } }
    const one = 1; switch s { case one { result[1] = 1u; } case one + 4 { result[1] = 2u; } default {} }
)"},
    {"switch that returns, in a function that gives a value",
     "fn chosen_#(k: u32) -> vec3f { switch k { case 0 { return vec3f(1, 2, 3); } case 1 { return vec3f(); } "
     "default { return vec3f(f32(k)); } } }\n",
     "    let v = chosen_#(at); result[0] = bitcast<u32>(v.x + v.y * v.z);\n"},
    {"switch in a loop: continue and break", "", R"(
    var n = 0u;
    for (var k = 0u; k < 9u; k++) {
        switch k { case 1, 5 { continue; } case 7 { break; } default { n += k; } }
        n = n * 3u;
        if n > 5000u + id { break; }
    }
    result[0] = n;
)"},
    {"loop in a switch in a loop", "", R"(
    var n = 0u;
    for (var k = 0u; k < 4u; k++) {
        switch k + id {
            case 2 { loop { n++; if n % 5u == 0u { break; } continuing { n += 2u; break if n > 40u; } } }
            case 3 { while n < 20u { n += 7u; if n == 14u { continue; } n++; } continue; }
            default { n += 100u; }
        }
        n ^= k;
    }
    result[0] = n;
)"},
    {"nested loops that continue", "", R"(
    var n = 0;
    for (var i = 0; i < 5; i++) {
        if i == signed_at { continue; }
        for (var j = i; ; j += 2) {
            if j > 6 { break; }
            if (j & 1) == 0 { continue; }
            var k = j;
            while true { k--; if k < 0 { break; } if k == 2 { continue; } n += k; }
        }
        n = n * 2 + i;
    }
    result[0] = bitcast<u32>(n);
)"},
    {"loop whose continuing block uses its body's variables", "", R"(
    var n = 1u;
    loop {
        let twice = n * 2u;
        var parts = vec2u(twice, id);
        if twice % 3u == 0u { parts.x++; continue; }
        parts = parts.yx + 1u;
        continuing { n += parts.x + 1u; let last = parts.y; break if n > 60u + last % 3u; }
    }
    result[0] = n;
)"},
    {"for without parts, and with calls", "fn step_#(p: ptr<function, u32>) { *p += 3u; }\n", R"(
    var n = id;
    for (;;) { n++; if n > 10u { break; } }
    var k = 0u;
    for (step_#(&k); k < 20u; step_#(&k)) { n += k; }
    for (; n < 500u; ) { n *= 2u; }
    result[0] = n; result[1] = k;
)"},
    {"loop that nothing ends but a return",
     "fn found_#(start: u32) -> u32 { var k = start; loop { if words[k & 15u] > 8u { return k; } k++; } }\n",
     "    result[0] = found_#(id); result[1] = found_#(at);\n"},
    {"early returns of structures",
     "struct Found# { at: u32, v: vec3f, hit: bool }\n"
     "fn find_#(k: u32) -> Found# { if k == 0u { return Found#(); } for (var i = 0u; i < 4u; i++) { if i == "
     "k { return Found#(i, vec3f(f32(i)), true); } } return Found#(9, vec3f(1, 0, 1), false); }\n",
     R"(
    let found = find_#(at);
    var h = Found#(1, vec3f(), false);
    if found.hit { h = found; } else { h.v = found.v + 1; }
    result[0] = h.at; result[1] = bitcast<u32>(h.v.y); result[2] = select(0u, 1u, h.hit);
)"},
    {"if, else if, else without braces around conditions", "", R"(
    var n = 0u;
    if id == 0u { n = 1u; } else if (id == 1u) { n = 2u; } else if signed_at < 0 { n = 3u; } else { n = 4u; }
    if !(n > 2u) {} else { n += 10u; }
    { { n++; } }
    ;
    result[0] = n;
)"},
    {"&& and || with what only one side does",
     "var<private> calls_#: u32;\nfn called_#(r: bool) -> bool { calls_# += 1u; return r; }\n", R"(
    let a = called_#(id > 1u) && called_#(true);
    let b = called_#(id == 1u) || called_#(false) || called_#(at == 0u);
    if a || (b && called_#(true)) { calls_# += 10u; }
    while called_#(calls_# < 20u) && called_#(true) { calls_# += 3u; }
    result[0] = calls_#; result[1] = select(0u, 1u, a) + select(0u, 2u, b);
)"},
};

constexpr Text tables[] = {
    {"const table of vec4i, by an index that varies",
     "const edges_# = array(vec4i(-1, -1, -1, -1), vec4i(0, 3, -1, -1), vec4i(0, 1, -1, -1), vec4i(1, 3, 2, "
     "-1), vec4i(0, 1, 2, 3));\n",
     R"(
    let e = edges_#[at];
    var n = 0;
    for (var k = 0; k < 4 && e[k] >= 0; k++) { n = n * 10 + e[k] + 1; }
    result[0] = bitcast<u32>(n); result[1] = bitcast<u32>(edges_#[signed_at].z); result[2] = bitcast<u32>(edges_#[3][at]);
)"},
    {"const array of const structures, nested",
     "struct Material# { albedo: vec3f, glossy: bool, weights: array<vec2f, 2> }\n"
     "const mirror_# = Material#(vec3f(0.9), true, array(vec2f(1, 0), vec2f()));\n"
     "const materials_# = array<Material#, 3>(Material#(vec3f(1, 0.5, 0.25), false, array<vec2f, 2>()), "
     "mirror_#, Material#());\n",
     R"(
    let m = materials_#[at];
    result[0] = bitcast<u32>(m.albedo.x + m.albedo[at] * m.weights[id & 1u].x);
    result[1] = select(0u, 1u, materials_#[id].glossy);
    var copy = materials_#; copy[1].albedo = vec3f(f32(id)); copy[at] = mirror_#;
    result[2] = bitcast<u32>(copy[1].albedo.z + copy[id].weights[0].x);
)"},
    {"var of a structure with a zero vector", "struct Hit# { t: f32, n: vec3f, which: i32 }\n", R"(
    var h = Hit#(1e30, vec3f(), -1);
    for (var k = 0; k < 3; k++) { let t = numbers[k + i32(id)]; if t < h.t { h = Hit#(t, vec3f(t, 0, 1), k); } }
    result[0] = bitcast<u32>(h.t); result[1] = bitcast<u32>(h.n.x); result[2] = bitcast<u32>(h.which);
)"},
    {"let of an array of vectors", "", R"(
    let t = array(vec2u(1, 2), vec2u(3, 4), vec2u(5, 6));
    let nested = array(array(vec3f(1, 2, 3), vec3f()), array(vec3f(7), vec3f(numbers[id])));
    result[0] = t[at].y + t[1].x; result[1] = bitcast<u32>(nested[id & 1u][at].z);
)"},
    {"private variables with initialisers of every kind",
     "var<private> a_#: array<vec3u, 2> = array(vec3u(1, 2, 3), vec3u(4, 5, 6));\nvar<private> b_#: "
     "vec3<bool> = vec3(true, false, true);\n"
     "struct P# { v: vec3i, f: array<vec4f, 2> }\nvar<private> c_# = P#(vec3i(-1, -2, -3), array(vec4f(0.5), "
     "vec4f(1, 2, 3, 4)));\nvar<private> d_# = 2.5;\n",
     R"(
    a_#[at].y += 7u; b_#.x = id == 0u; c_#.f[1][at] *= 2; d_# += c_#.f[0].w;
    result[0] = a_#[0].y * 100u + a_#[1].y; result[1] = select(0u, 1u, all(b_#)) + bitcast<u32>(c_#.v.z);
    result[2] = bitcast<u32>(c_#.f[1][1] + d_#);
)"},
    {"what isn't finite, in arrays and structures", "struct E# { v: vec2f, x: f32 }\n", R"(
    let one = 0x7f800000u; let other = 0xff800000u; let none = 0x7fc00000u;
    let t = array(bitcast<f32>(one), bitcast<f32>(other), 1.0, bitcast<f32>(none));
    let e = E#(vec2f(bitcast<f32>(other), 1), bitcast<f32>(none)); let f = array(e, E#());
    result[0] = bitcast<u32>(t[id]); result[1] = bitcast<u32>(f[id & 1u].v.x); result[2] = bitcast<u32>(f[id & 1u].x);
)"},
    {"least and greatest numbers in a table", "", R"(
    let t = array(vec2i(-2147483648, 2147483647), vec2i(-1, 0)); let u = array(vec3u(4294967295, 0, 1));
    let f = array(vec3f(3.4028234e38, -0.0, 1.1754944e-38), vec3f(0x1.fffffep-1, 1e-20, 16777217));
    result[0] = bitcast<u32>(t[at].x) ^ bitcast<u32>(t[signed_at].y); result[1] = u[at].x; result[2] = bitcast<u32>(f[at].y);
    result[3] = bitcast<u32>(f[at].x); result[4] = bitcast<u32>(f[id & 1u].z);
)"},
    {"arrays by constants of override expressions",
     "override length_#: u32 = 3;\noverride scale_# = f32(length_#) * 0.5;\nvar<workgroup> w_#: array<vec3f, "
     "length_#>;\n",
     R"(
    if id < length_# { w_#[id] = vec3f(scale_#, f32(id), 1); }
    workgroupBarrier();
    result[0] = bitcast<u32>(w_#[at].x + w_#[2].y);
)"},
};

constexpr Text pointers[] = {
    {"pointers to parts of a function's variable, as parameters",
     "struct Q# { v: vec3f, n: array<vec2i, 3> }\n"
     "fn add_#(p: ptr<function, vec3f>, by: f32) { (*p) += by; p.x -= 1; (*p).y = p.z; }\n"
     "fn inc_#(p: ptr<function, array<vec2i, 3>>, k: u32) -> i32 { p[k].y += 5; let e = &p[1]; *e = e.yx + "
     "1; return (*p)[k].x; }\n",
     R"(
    var q = Q#(vec3f(1, 2, 3), array(vec2i(1, 2), vec2i(3, 4), vec2i(5, 6)));
    add_#(&q.v, numbers[id]);
    result[0] = bitcast<u32>(inc_#(&q.n, at)); result[1] = bitcast<u32>(q.v.x + q.v.z); result[2] = bitcast<u32>(q.n[1].x);
)"},
    {"pointers to private, workgroup and storage memory",
     "var<private> p_#: array<u32, 4>;\nvar<workgroup> w_#: array<vec2u, 4>;\n"
     "fn put_#(p: ptr<private, array<u32, 4>>, k: u32) { p[k] = k + 1u; p[0]++; }\n"
     "fn share_#(p: ptr<workgroup, vec2u>, v: u32) { *p = vec2u(v, v + 1u); p.x += 1u; }\n"
     "fn read_#(p: ptr<storage, array<u32, 16>, read>, k: u32) -> u32 { return p[k] + (*p)[1]; }\n",
     R"(
    put_#(&p_#, at); share_#(&w_#[id], at);
    workgroupBarrier();
    result[0] = p_#[0] + p_#[at]; result[1] = w_#[(id + 1u) & 3u].x; result[2] = read_#(&words, at);
)"},
    {"lets that are pointers keep the place", "", R"(
    var t = array(vec2f(1, 2), vec2f(3, 4)); var k = id & 1u;
    let p = &t[k]; k = 1u - k; p.x = 9; let c = &(*p); (*c).y += t[k].x;
    result[0] = bitcast<u32>(t[0].x + t[0].y); result[1] = bitcast<u32>(t[1].x - t[1].y);
)"},
    {"compound assignments to parts: every operator", "struct C# { i: vec3i, u: array<u32, 3>, f: f32 }\n",
     R"(
    var c = C#(vec3i(40, -7, 3), array(9u, 8u, 7u), 2.5);
    c.i.x += 3; c.i.y -= 4; c.i.z *= 5; c.i /= 2; c.i[at] %= 7; c.i.x <<= 2u; c.i.y >>= 1u; c.i.z |= 64; c.i.z &= 68; c.i.z ^= 1;
    c.u[at] += 3u; c.u[1]++; c.u[2]--; c.u[id & 1u] <<= id; c.f *= 1.5; c.f /= numbers[1]; c.f -= 1; c.f %= 0.75;
    result[0] = bitcast<u32>(c.i.x * 100 + c.i.y * 10 + c.i.z); result[1] = c.u[0] * 10000u + c.u[1] * 100u + c.u[2]; result[2] = bitcast<u32>(c.f);
)"},
    {"assignments to parts of what is kept in a loop", "struct L# { v: vec4f, k: array<i32, 3> }\n", R"(
    var l: L#;
    for (var k = 0; k < 6; k++) {
        l.v[k] = f32(k); l.k[k % 3] += k; l.v = l.v.wxyz; let before = l;
        if k == signed_at { l = L#(before.v * 2, array(1, 2, 3)); }
    }
    result[0] = bitcast<u32>(l.v.x + l.v.w); result[1] = bitcast<u32>(l.k[at]);
)"},
    {"phony assignments and calls whose value nobody takes",
     "fn effect_#(p: ptr<function, u32>) -> u32 { *p += 1u; return 7u; }\n", R"(
    var n = id;
    _ = n; _ = effect_#(&n); effect_#(&n); _ = vec3f(1); _ = words[at]; _ = array(vec2f(), vec2f(1));
    result[0] = n;
)"},
};

constexpr Text scopes[] = {
    {"shadowing of variables, parameters, functions and types",
     "const x_# = 5u;\nfn f_#(x_#: u32) -> u32 { var y = x_#; { let x_# = y * 2u; y = x_#; } return y + x_#; "
     "}\n",
     R"(
    let max = x_#; var at_ = at; { let at = max + 1u; at_ += at; { var at = vec2u(at); at.x++; at_ += at.x; } }
    for (var id = 0u; id < 2u; id++) { var x_# = id; at_ += x_#; }
    result[0] = f_#(at_) + x_# + id;
)"},
    {"aliases, const_assert, declarations behind their use",
     "fn early_#() -> Later# { return Later#(late_#, Vec#(1, 2, 3)); }\nstruct Later# { n: u32, v: Vec# "
     "}\nalias Vec# = vec3<Number#>;\nalias Number# = f32;\nconst late_# = 3u;\nconst_assert late_# == 3u;\n",
     R"(
    const_assert true; const local = late_# * 2u;
    let e = early_#(); result[0] = e.n + local; result[1] = bitcast<u32>(e.v[at]);
)"},
    {"values made before what they read is written", "", R"(
    var a = array(1u, 2u, 3u); let b = a; let c = a[at] + b[1]; a[at] = c; a[1] = b[0] + c; let d = a; a = b;
    var v = vec3f(1, 2, 3); let w = v; v = v.zxy; v.x = w.x + v.y; v = vec3f(v.yx, w.z);
    result[0] = c + d[1] * 10u + a[1] * 100u; result[1] = bitcast<u32>(v.x * 100 + v.y * 10 + v.z);
)"},
    {"names that C++ and CUDA have",
     "struct float3 { int: f32, unsigned: vec3f }\nfn make_float3(double: f32) -> float3 { return "
     "float3(double, vec3f(double)); }\n",
     R"(
    let table = array(float3(1, vec3f(2)), make_float3(numbers[id])); let table_1 = table[id & 1u]; var constant__ = table_1.int;
    let long = vec2<bool>(table_1.unsigned.x > 1, true); let char = select(1u, 2u, all(long)); constant__ += 1;
    result[0] = char + bitcast<u32>(table_1.unsigned.z); result[1] = bitcast<u32>(constant__);
)"},
    {"swizzles of every letter, of calls and of parts",
     "fn v_#() -> vec4f { return vec4f(1, 2, 3, numbers[2]); }\nstruct W# { v: array<vec4i, 2> }\n", R"(
    let w = W#(array(vec4i(1, 2, 3, 4), vec4i(signed_at)));
    let a = v_#().wzyx.xy + v_#().rgba.ab; let b = w.v[at].xxyy + w.v[0].wwww; let c = (b.xyz).zz; let d = vec3<bool>(true, false, id == 1u).zyx;
    result[0] = bitcast<u32>(a.x * a.y); result[1] = bitcast<u32>(b.x + c.y * 10 + w.v[1].rgb.b); result[2] = select(0u, 1u, d.x) + select(0u, 2u, all(d.xxz));
)"},
    {"deep expressions of one line", "", R"(
    let a = numbers[id]; let n = words[at];
    result[0] = bitcast<u32>(-(-a) - -a * (a - (a - (a + 1))) / (2 + a) % 3); result[1] = ((~n ^ (n << 3u)) | (n & 5u)) - (n >> (n & 3u)) % (n + 1u) * 2u;
    result[2] = select(select(1u, 2u, a > 0), select(3u, 4u, n == 77u), !(id > 1u) && (a < 1 || n >= 2u) != (n < 3u));
)"},
};

constexpr Text memory[] = {
    {"atomics in workgroup memory: every operation",
     "struct A# { n: vec3u, i: atomic<i32>, u: array<atomic<u32>, 3> }\nvar<workgroup> a_#: A#;\n", R"(
    atomicAdd(&a_#.i, i32(id) - 5); atomicMax(&a_#.u[0], id * 7u); atomicOr(&a_#.u[1], 1u << id); atomicSub(&a_#.u[2], 3u); atomicXor(&a_#.u[at], 0u);
    workgroupBarrier();
    result[0] = bitcast<u32>(atomicLoad(&a_#.i)); result[1] = atomicLoad(&a_#.u[0]) + atomicLoad(&a_#.u[1]) * 100u; result[2] = atomicLoad(&a_#.u[2]);
    workgroupBarrier();
    if id == 0u { atomicStore(&a_#.i, 4); atomicMin(&a_#.i, -3); atomicAnd(&a_#.u[1], 6u); a_#.n = vec3u(atomicExchange(&a_#.u[0], 5u));
        let r = atomicCompareExchangeWeak(&a_#.u[0], 5u, 6u); a_#.n.y = r.old_value + select(0u, 10u, r.exchanged); }
    workgroupBarrier();
    result[3] = bitcast<u32>(atomicLoad(&a_#.i)) + atomicLoad(&a_#.u[1]); result[4] = a_#.n.x * 1000u + a_#.n.y;
)"},
    {"atomics in storage", "struct T# { n: atomic<u32>, rows: array<array<atomic<i32>, 2>, 3>, v: vec3f }\n",
     R"(
    if id == 0u { atomicStore(&stored.m#.n, 0u); for (var k = 0u; k < 6u; k++) { atomicStore(&stored.m#.rows[k / 2u][k % 2u], 0); } }
    storageBarrier(); workgroupBarrier();
    atomicAdd(&stored.m#.n, id + 1u); atomicMin(&stored.m#.rows[at][id & 1u], -1 - i32(id)); atomicMax(&stored.m#.rows[2][1], signed_at);
    storageBarrier(); workgroupBarrier();
    result[0] = atomicLoad(&stored.m#.n); result[1] = bitcast<u32>(atomicLoad(&stored.m#.rows[at][0]) * 10 + atomicLoad(&stored.m#.rows[2][1])); result[2] = bitcast<u32>(stored.m#.v.y);
)",
     "T#"},
    {"atomics behind pointers",
     "var<workgroup> a_#: array<atomic<u32>, 2>;\nfn count_#(p: ptr<workgroup, atomic<u32>>, n: u32) { "
     "atomicAdd(p, n); }\nfn each_#(p: ptr<workgroup, array<atomic<u32>, 2>>, k: u32) { atomicAdd(&p[k], "
     "1u); }\n",
     R"(
    count_#(&a_#[0], id); each_#(&a_#, at);
    workgroupBarrier();
    result[0] = atomicLoad(&a_#[0]); result[1] = atomicLoad(&a_#[1]);
)"},
    {"workgroup memory that starts as zero",
     "struct Z# { b: bool, v: array<vec3<bool>, 2>, f: vec3f }\nvar<workgroup> z_#: array<Z#, "
     "2>;\nvar<workgroup> s_#: vec2<bool>;\n",
     R"(
    var z = z_#[at]; result[0] = select(1u, 2u, z.b || any(z.v[id & 1u]) || any(s_#)) + bitcast<u32>(z.f[at]);
    workgroupBarrier();
    if id == 2u { z_#[1].v[1] = vec3(true, false, true); z_#[1].f.y = 3; s_#.y = true; }
    workgroupBarrier();
    z = z_#[1]; result[1] = select(0u, 1u, z.v[1].z) + select(0u, 2u, s_#.y); result[2] = bitcast<u32>(z.f[id]);
)"},
    {"arrays of bools by indices that vary", "", R"(
    var b: array<vec3<bool>, 3>; var c = array(true, false, true); b[at] = vec3(true, c[id & 1u], c[at]); b[1][at] = true; c[signed_at] = !c[0];
    let d = array(vec2(true, false), vec2<bool>()); let e = d[at] == vec2(true, false);
    result[0] = select(0u, 1u, b[at].y) + select(0u, 2u, b[1][signed_at]) + select(0u, 4u, c[at]) + select(0u, 8u, e.x & e.y) + select(0u, 16u, d[id & 1u][at]);
)"},
};

template <std::size_t count>
void add(std::vector<Form>& forms, const Text (&texts)[count]) {
    for (const Text& one : texts)
        forms.push_back(
            {.name = one.name, .declarations = one.declarations, .body = one.body, .stored = one.stored});
}

}  // namespace

std::vector<Form> forms_of_statements() {
    std::vector<Form> forms;
    add(forms, control);
    add(forms, tables);
    add(forms, pointers);
    add(forms, scopes);
    add(forms, memory);
    return forms;
}

}  // namespace muster::conformance
