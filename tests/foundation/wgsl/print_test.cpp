#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <support/text.hpp>

#include <muster/foundation/build/ir_builder.hpp>
#include <muster/foundation/validate/validate.hpp>
#include <muster/foundation/wgsl/wgsl.hpp>

#include "support/reread.hpp"

using namespace muster;
using muster::test::has;
using test::finished;
using test::printed;

namespace {

struct Data {
    IrBuilder ir{"main", {64, 1, 1}};
    VariableId out = ir.variable({.name = "out",
                                  .type = ir.types().runtime_array(f32_type),
                                  .space = AddressSpace::storage,
                                  .access = Access::read_write});
    NodeId index = ir.extract(ir.builtin(Builtin::global_invocation_id), 0);
    NodeId place = ir.ref_index(ir.ref(out), index);

    NodeId load() { return ir.load(place); }
    void store(NodeId value) { ir.store(place, value); }
};

std::string stored_constant(float value) {
    Data data;
    data.store(data.ir.constant(value));
    const std::string text = printed(finished(std::move(data.ir)));
    const std::size_t begin = text.find("] = ") + 4;
    return text.substr(begin, text.find(';', begin) - begin);
}

}  // namespace

TEST_CASE("a program prints as one let per value") {
    Data data;
    const NodeId twice = data.ir.binary(Op::mul, data.load(), data.ir.constant(2.0f));
    data.ir.name(twice, "twice");
    data.store(twice);
    CHECK(printed(finished(std::move(data.ir))) ==
          R"(@group(0) @binding(0) var<storage, read_write> out: array<f32>;

@compute @workgroup_size(64, 1, 1)
fn main(
    @builtin(global_invocation_id) global_invocation_id: vec3<u32>) {
    let v1 = global_invocation_id.x;
    let v2 = out[v1];
    let twice = v2 * 2.0f;
    out[v1] = twice;
}
)");
}

TEST_CASE("floats print so that they read back") {
    CHECK(stored_constant(0.0f) == "0.0f");
    CHECK(stored_constant(-0.0f) == "-0.0f");
    CHECK(stored_constant(1.0f) == "1.0f");
    CHECK(stored_constant(0.1f) == "0.1f");
    CHECK(stored_constant(1e10f) == "10000000000.0f");
    CHECK(stored_constant(1e20f) == "1e+20f");
    CHECK(stored_constant(std::numeric_limits<float>::denorm_min()) == "1e-45f");
    CHECK(stored_constant(std::numeric_limits<float>::max()) == "3.4028235e+38f");
    CHECK(stored_constant(INFINITY) == "bitcast<f32>(k1)");
}

TEST_CASE("names are made valid and unique, and hide nothing") {
    Data data;
    NodeId value = data.load();
    for (const char* name :
         {"x", "x", "select", "f32", "if", "a b", "out", "main", "", "__y", "1st", "\xff"}) {
        value = data.ir.binary(Op::add, value, data.load());
        data.ir.name(value, name);
    }
    data.store(value);
    const std::string text = printed(finished(std::move(data.ir)));
    for (const char* line :
         {"let x = ", "let x_1 = ", "let select_1 = ", "let f32_1 = ", "let if_ = ", "let a_b = ",
          "let out_1 = ", "let main_1 = ", "let y = ", "let n1st = ", "let n = "})
        CHECK(has(text, line));
}

TEST_CASE("constants that WGSL would fold or refuse are hidden in lets") {
    Data data;
    const NodeId integer = data.ir.convert(Scalar::u32, data.load());
    const NodeId shifted = data.ir.binary(Op::shift_left, integer, data.ir.constant(40u));
    const NodeId shifted_less = data.ir.binary(Op::shift_left, shifted, data.ir.constant(4u));
    const NodeId divided = data.ir.binary(Op::div, shifted_less, data.ir.constant(0u));
    const NodeId infinite = data.ir.binary(Op::div, data.ir.constant(1.0f), data.ir.constant(0.0f));
    data.store(data.ir.binary(Op::add, data.ir.convert(Scalar::f32, divided), infinite));
    const std::string text = printed(finished(std::move(data.ir)));
    CHECK(has(text, "let k1 = 40u;\n    let v4 = v3 << k1;\n    let v5 = v4 << 4u;"));
    CHECK(has(text, "let k2 = 0u;\n    let v6 = v5 / k2;"));
    CHECK(has(text, "let k3 = 1.0f;\n    let k4 = 0.0f;\n    let v7 = k3 / k4;"));
}

TEST_CASE("structures print with the layout that they have") {
    Data data;
    TypeTable& types = data.ir.types();
    const TypeId inner = types.structure(
        "Inner",
        std::array{MemberDeclaration{"a", f32_type, 0, 20}, MemberDeclaration{"b", type_of(Scalar::f32, 3)}});
    const TypeId outer =
        types.structure("Outer", std::array{MemberDeclaration{"if", f32_type, 64},
                                            MemberDeclaration{"m", types.array(inner, 2), 32},
                                            MemberDeclaration{"last", types.runtime_array(i32_type)}});
    const VariableId in = data.ir.variable(
        {.name = "in", .type = outer, .space = AddressSpace::storage, .access = Access::read, .binding = 1});
    const NodeId member = data.ir.ref_member(data.ir.ref(in), 1);
    const NodeId b = data.ir.ref_member(data.ir.ref_index(member, data.ir.constant(1)), 1);
    data.store(data.ir.load(data.ir.ref_index(b, data.ir.constant(2u))));
    const std::string text = printed(finished(std::move(data.ir)));
    CHECK(has(text, "struct Inner {\n    @size(32) a: f32,\n    b: vec3<f32>,\n}"));
    CHECK(has(text,
              "struct Outer {\n    @align(64) @size(32) if_: f32,\n    m: array<Inner, 2>,\n    last: "
              "array<i32>,\n}"));
    CHECK(has(text, "var<storage, read> in: Outer;"));
    CHECK(has(text, "let k1 = 1i;\n    let v2 = in.m[k1].b[2u];"));
}

TEST_CASE("control prints as the statement that it is") {
    Data data;
    IrBuilder& ir = data.ir;
    const VariableId i = ir.variable({.name = "i", .type = i32_type});
    ir.declare(i, ir.constant(std::numeric_limits<std::int32_t>::min()));
    ir.begin_loop();
    const NodeId now = ir.load(ir.ref(i));
    ir.begin_if(ir.binary(Op::ge, now, ir.constant(4)));
    ir.break_();
    ir.end_if();
    ir.begin_continuing();
    ir.store(ir.ref(i), ir.binary(Op::add, now, ir.constant(-1)));
    ir.break_if(ir.binary(Op::eq, now, ir.constant(7)));
    ir.end_loop();
    ir.begin_scope();
    ir.begin_switch(ir.load(ir.ref(i)));
    ir.begin_case(std::array{1u, 0xffffffffu}, false);
    ir.return_();
    ir.begin_case(std::array{2u}, true);
    ir.end_switch();
    ir.break_();
    ir.end_scope();
    ir.barrier(Op::workgroup_barrier);
    data.store(ir.constant(1.0f));
    CHECK(has(printed(finished(std::move(ir))), R"(
    var i: i32 = i32(-2147483648);
    loop {
        let v2 = i;
        let v3 = v2 >= 4i;
        if v3 {
            break;
        }
        continuing {
            let v4 = v2 + -1i;
            i = v4;
            let v5 = v2 == 7i;
            break if v5;
        }
    }
    switch 0 {
        default {
            let v6 = i;
            switch v6 {
                case 1i, -1i: {
                    return;
                }
                case 2i, default: {
                }
            }
            break;
        }
    }
    workgroupBarrier();
)"));
}

namespace {

Program parsed(const std::string& text, const std::string& file) {
    Result<Program> program = wgsl::parse(text, {.file = file});
    REQUIRE_MESSAGE(program.has_value(), program.error().to_string());
    return *program;
}

}  // namespace

TEST_CASE("every example is valid, and reads back from its printed text") {
    int count = 0;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(MUSTER_EXAMPLES)) {
        if (entry.path().extension() != ".wgsl") continue;
        CAPTURE(entry.path().string());
        std::ifstream stream(entry.path(), std::ios::binary);
        const std::string text{std::istreambuf_iterator<char>(stream), {}};
        const Program program = parsed(text, entry.path().filename().string());
        const Result<ValidProgram> valid = validate(program);
        CHECK_MESSAGE(valid.has_value(), valid.error().to_string());
        printed(program);
        ++count;
    }
    CHECK(count >= 7);
}

TEST_CASE("what only text makes reads back too") {
    const std::string header =
        "@group(0) @binding(3) var<storage, read_write> data: array<f32>;\n"
        "@group(0) @binding(4) var<storage, read_write> bits: array<u32>;\n"
        "var<private> seen: array<vec2<i32>, 2> = array(vec2(1, -2), vec2(3, 4)); var<private> zero = 0;\n"
        "fn early(x: f32) -> f32 { if x > 1 { return x; } for (var i = 0; i < 3; i++) { if f32(i) > x { "
        "return -x; } }\n"
        "  return x * 0.5; }\n"
        "struct Inner { a: array<vec3<f32>, 2>, @size(32) b: mat, @align(64) c: u32 } alias mat = "
        "vec4<f32>;\n"
        "struct Outer { one: Inner, two: array<Inner, 2> } const table = array(1.5, -0.0, 1e-40f);\n"
        "@compute @workgroup_size(4) fn run(@builtin(local_invocation_id) id: vec3u, @builtin(workgroup_id) "
        "w: vec3u) {\n"
        "  let i = id.x; let x = data[i];\n";
    for (
        const char* body : {
            "data[i] = early(early(x));",
            "var o: Outer; o.two[i].a[1].y = x; let p = o.two[1]; o.one = p; data[i] = o.one.a[1].y + p.b.w; "
            "bits[0] = p.c;",
            "seen[i % 2].x++; data[i] = f32(seen[0].x + zero); zero -= 1;",
            "data[i] = table[i] + smoothstep(0, 1, x) + length(vec3(x, 1, 2)) + normalize(vec2(x)).y;",
            "let f = frexp(x); data[i] = f.fract; bits[i] = u32(f.exp) + pack4x8unorm(vec4(x));",
            "if (x > 1 && data[i + 1] > 2) || x < -1 { data[i] = select(1, x, x != x); } else if x == 0 { "
            "data[i] = 1; }",
            "while bits[i] > 3 { bits[i] >>= 1; if bits[i] == 9 { continue; } bits[i] ^= 1; }",
            "loop { if i > 7 { break; } let y = data[i]; continuing { data[i] = y * y; break if y > 1e3; } }",
            "switch i32(i) - 1 { case -1, 2: { data[i] = 1; } default { if x > 0 { break; } data[i] = 2; } }",
            "let y = data[w.x]; let z = vec4(y, x, 1, 2).wzyx; { let y = z.yy; data[i] = y.x; } data[0] = "
            "z.z + y;",
            "let b = 0x7f800000u; data[i] = select(bitcast<f32>(b), -x, x < 0); data[1] = bitcast<f32>(b) - "
            "x;",
            "var v = vec3(x, 2, 3); v[i] = 1; v.z *= 2; data[i] = v[(i + 1) % 3]; var a = array(v, v); a[1] "
            "= v; data[0] = a[i].x;",
            "_ = data[i]; let n = arrayLength(&data); if n > 5 { return; } data[n - 1] = x % 3; bits[1] = n "
            "<< (i & 7);",
            "const k = 3 * 4u; for (var j = k; j > 0; j -= 2) { for (;;) { if data[j] > x { break; } data[j] "
            "+= 1; } }",
        }) {
        CAPTURE(body);
        const std::string text = printed(parsed(header + body + "\n}", "text.wgsl"));
        CHECK(text.find("fn run(") != std::string::npos);
    }
}
