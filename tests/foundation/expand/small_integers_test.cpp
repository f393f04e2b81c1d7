// Integers of 8 and 16 bits: layout, conversions, text and C++ kernels, and what is refused.

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <muster/foundation/expand/expand.hpp>
#include <muster/foundation/lang/kernel.hpp>

#include "support/parse.hpp"
#include "support/reread.hpp"
#include "support/run_kernel.hpp"
#include "support/same_program.hpp"
#include "support/text.hpp"

using namespace muster;
using test::has;
using test::Words;

namespace {

constexpr std::array small_scalars{Scalar::i8, Scalar::u8, Scalar::i16, Scalar::u16};

/// `text` behind the extension, as the body of an entry point with bindings of the four types and out: array<i32>.
std::string with_small_integers(const std::string& statements) {
    std::string text = "enable muster_int8_int16;\n";
    std::uint32_t binding = 0;
    for (const std::string type : {"i8", "u8", "i16", "u16", "i32"}) {
        text += "@group(0) @binding(" + std::to_string(binding++) + ") var<storage, read_write> " + type +
                "s: array<" + type + ">;\n";
    }
    return text + "@compute @workgroup_size(1) fn main() {\n" + statements + "\n}\n";
}

std::string small_fault(const std::string& statements) {
    return test::first_fault(with_small_integers(statements));
}

/// i32s[0] once the statements have run; the small bindings begin with -1 (or the largest), 2, 3, 4.
std::int32_t small_result(const std::string& statements) {
    const Result<ValidProgram> program = validate(test::parse(with_small_integers(
        "i8s[3] = i8s[3]; u8s[3] = u8s[3]; i16s[3] = i16s[3]; u16s[3] = u16s[3];\n" + statements)));
    REQUIRE_MESSAGE(program, (program ? "" : program.error().to_string()));
    const Words bytes{0x040302ff}, halves{0x0002ffff, 0x00040003};
    return static_cast<std::int32_t>(test::run(*program, {bytes, bytes, halves, halves, {0}})[4][0]);
}

}  // namespace

TEST_CASE("small integers have WGSL's layout with alignments of 1 and 2") {
    TypeTable types;
    for (const Scalar scalar : small_scalars) {
        const std::uint32_t bytes = info(scalar).bytes;
        CHECK(types[type_of(scalar)].size == bytes);
        CHECK(types[type_of(scalar, 3)].size == 3 * bytes);
        CHECK(types[type_of(scalar, 3)].align == 4 * bytes);
        CHECK(types[types.array(type_of(scalar, 3), 2)].stride == 4 * bytes);
        CHECK(types[types.runtime_array(type_of(scalar))].stride == bytes);
        CHECK(types.scalar_words(types.array(type_of(scalar, 2), 5)) == 10);
    }
    const MemberDeclaration members[] = {{.name = "a", .type = type_of(Scalar::u8)},
                                         {.name = "b", .type = type_of(Scalar::i16)},
                                         {.name = "c", .type = type_of(Scalar::i8, 4)},
                                         {.name = "d", .type = type_of(Scalar::u8)}};
    const Type& type = types[types.structure("S", members)];
    CHECK(type.members[1].offset == 2);
    CHECK(type.members[2].offset == 4);
    CHECK(type.members[3].offset == 8);
    CHECK(type.size == 12);
}

TEST_CASE("conversions from small integers keep the number, those to them the low bits") {
    CHECK(small_result("i32s[0] = i32(i8s[0]);") == -1);
    CHECK(small_result("i32s[0] = i32(u8s[0]);") == 255);
    CHECK(small_result("i32s[0] = i32(i16s[0]) + i32(u16s[0]);") == 65534);
    CHECK(small_result("i32s[0] = i32(u32(i8s[0]));") == -1);
    CHECK(small_result("i32s[0] = i32(f32(i8s[0]) * 2.0);") == -2);
    CHECK(small_result("i32s[0] = i32(bool(u8s[1]));") == 1);
    CHECK(small_result("i32s[0] = i32(i8(u8s[0])) + i32(u16(i8s[0]));") == 65534);
    CHECK(small_result("u8s[1] = u8(300 + i32s[0]); i32s[0] = i32(u8s[1]) * 1000 + i32(u8s[2]);") == 44003);
    CHECK(small_result("i8s[3] = i8(200u + u32(i32s[0])); i32s[0] = i32(i8s[3]);") == -56);
    CHECK(small_result("let v = vec4<i8>(vec4(127, 128, 255, 256) + i32s[0]); let w = vec4i(v); "
                       "i32s[0] = ((w.x * 200 + w.y) * 200 + w.z) * 200 + w.w;") ==
          ((127 * 200 - 128) * 200 - 1) * 200);
}

TEST_CASE("constants of small integers are checked, and folded as at run time") {
    CHECK(small_result("const a = u8(300u); const b = i16(0x18000i); i32s[0] = i32(a) + i32(b);") ==
          44 - 32768);
    CHECK(small_result("const v = vec3<u8>(1, 2, 255); i32s[0] = i32(v.z) + i32(array<i8, 2>(-5, 6)[1]);") ==
          261);
    CHECK(small_result("var x: u16 = 65535; x = 7; i32s[0] = i32(x) + i32(u8());") == 7);
    CHECK(has(small_fault("const a = u8(256);"), "The value 256 doesn't fit in u8."));
    CHECK(has(small_fault("let a: i8 = -129;"), "The value -129 doesn't fit in i8."));
    CHECK(has(small_fault("u16s[0] = 65536;"), "The value 65536 doesn't fit in u16."));
    CHECK(has(small_fault("i16s[0] = 32768;"), "The value 32768 doesn't fit in i16."));
}

TEST_CASE("small integers are refused where they aren't enabled, and as operands") {
    for (const std::string type : {"i8", "u8", "i16", "u16"})
        CHECK(test::first_fault("var<private> a: vec2<" + type + ">;") ==
              "1:22: The type " + type + " needs the extension muster_int8_int16, which isn't enabled.");
    CHECK(has(small_fault("let a = u8s[0] + u8s[1];"), "+ doesn't take operands of types u8 and u8."));
    CHECK(has(small_fault("let a = i8s[0] + 1;"), "+ doesn't take operands of types i8 and AbstractInt."));
    CHECK(has(small_fault("let a = u8s[0] == u8s[1];"), "== doesn't take operands of types u8 and u8."));
    CHECK(has(small_fault("let a = -i8s[0];"), "- takes a signed number"));
    CHECK(has(small_fault("let a = u16s[0] << 1u;"), "<< doesn't take"));
    CHECK(has(small_fault("u8s[0] += 1;"), "doesn't take operands"));
    CHECK(has(small_fault("u8s[0]++;"), "++ takes an i32 or a u32, not u8."));
    CHECK(has(small_fault("u8s[0] = 1u;"), "u8"));
    CHECK(has(small_fault("let a = u8(1.5);"), "u8 can't be made of AbstractFloat."));
    CHECK(has(small_fault("let a = vec2<i8>(vec2f());"), "vec2<i8> can't be made of vec2<f32>."));
    CHECK(has(small_fault("let a = i16(true);"), "i16 can't be made of bool."));
    CHECK(has(small_fault("let a = max(u8s[0], u8s[1]);"), "No overload of max"));
    CHECK(has(small_fault("let a = bitcast<u8>(i8s[0]);"), "i8 can't be seen as u8."));
    CHECK(has(small_fault("let a = i32s[u8s[0]];"), "u8"));
    CHECK(has(small_fault("switch u8s[0] { default {} }"), "u8"));
    CHECK(has(test::first_fault("enable muster_int8_int16; var<workgroup> a: atomic<u8>;"),
              "atomic<u8> isn't a type."));
    CHECK(has(test::first_fault("enable muster_int8_int16; var<private> a: mat2x2<u8>;"), "u8"));
    CHECK(has(test::first_fault("enable muster_int8_int16; override a: u8 = 1;"),
              "The override a has type u8."));
}

TEST_CASE("programs with small integers print with their extension, and read back") {
    const std::string text = test::printed(test::parse(with_small_integers(
        "let k = i32s[0];\nvar v = vec3<i16>(1, -2, 3);\nv[k] = i16(k);\ni16s[0] = v[k + 1];\n"
        "u8s[k] = u8(u16s[k]);\nu16s[1] = u16(i32(f32(u8s[1]) * 2));\n"
        "const t = array<i8, 3>(-128, 0, 127);\ni8s[1] = t[k];")));
    CHECK(has(text, "enable muster_int8_int16;\n"));
    CHECK(has(text, "array<i8, 3>(i8(-128), i8(0), i8(127))"));
}

TEST_CASE("validation refuses operations on small integers, and constants beyond them") {
    const auto fault = [](const std::function<NodeId(test::Kernel&, NodeId)>& make) {
        test::Kernel k;
        const VariableId a = k.storage("a", k.ir.types().runtime_array(type_of(Scalar::u8)));
        (void)make(k, k.ir.load(k.at(a, 0u)));
        const Result<ValidProgram> refused = validate(test::finished(std::move(k.ir)));
        return refused ? "" : refused.error().to_string();
    };
    const auto keep = [](test::Kernel& k, NodeId value) {
        const VariableId to = k.in(AddressSpace::workgroup, k.ir.type(value), "to");
        return k.ir.store(k.ir.ref(to), value);
    };
    CHECK(fault([&](test::Kernel& k, NodeId x) { return keep(k, k.ir.convert(Scalar::f16, x)); }) == "");
    CHECK(has(fault([&](test::Kernel& k, NodeId x) { return keep(k, k.ir.binary(Op::add, x, x)); }),
              "add takes (u8, u8)"));
    CHECK(has(fault([&](test::Kernel& k, NodeId x) { return keep(k, k.ir.binary(Op::eq, x, x)); }),
              "eq takes (u8, u8)"));
    CHECK(has(fault([&](test::Kernel& k, NodeId) {
                  return keep(k, k.ir.constant(type_of(Scalar::i8), std::array{128u}));
              }),
              "no i8 is the word 0x80"));
}

TEST_CASE("bytes outside of bindings count as the words that a backend may give them") {
    const Program program = test::parse(
        "enable muster_int8_int16;\nvar<workgroup> a: array<u8, 100>;\nvar<private> b: array<vec2<i16>, "
        "10>;\n"
        "@compute @workgroup_size(1) fn main() { a[0] = 1; b[0].x = 1; }");
    CHECK(program.needs().workgroup_bytes == 400);
    CHECK(program.needs().private_bytes == 40);
}

TEST_CASE("kernels in C++ with small integers are those of the text") {
    using namespace muster::lang;
    const auto built =
        kernel("widen(pixels, weights, out)", {64}, [](In<vec4<u8>> pixels, In<i8> weights, InOut<i16> out) {
            const auto i = global_invocation_id().x();
            Value<vec4<u8>> pixel = pixels[i];
            Value<vec4<u32>> wide = to<u32>(pixel);
            Value<i32> weight = to<i32>(weights[i]);
            out[i] = to<i16>(to<i32>(wide.x()) * weight);
            Var<u8> least = constant<u8>(255);
            least = pixel.y();
            out[i + 1u] = to<i16>(least);
            out[i + 2u] = -7;
        });
    test::check_same(built, R"(
        enable muster_int8_int16;
        @group(0) @binding(0) var<storage, read> pixels: array<vec4<u8>>;
        @group(0) @binding(1) var<storage, read> weights: array<i8>;
        @group(0) @binding(2) var<storage, read_write> out: array<i16>;
        @compute @workgroup_size(64) fn widen(@builtin(global_invocation_id) id: vec3<u32>) {
            let i = id.x;
            let pixel = pixels[i];
            let wide = vec4<u32>(pixel);
            let weight = i32(weights[i]);
            out[i] = i16(i32(wide.x) * weight);
            var least: u8 = 255;
            least = pixel.y;
            out[i + 1u] = i16(least);
            out[i + 2u] = -7;
        })");
    CHECK_FALSE(kernel("k(y)", {1}, [](InOut<u8> y) { y[0] = 256; }));
    static_assert(byte_size<Array<vec3<u8>, 2>> == 8 && byte_size<i16> == 2);
    static_assert(!NumberType<u8> && !NumberType<vec2<i16>> && NarrowType<vec2<i16>>);
}

TEST_CASE("small integers move as wholes, next to others, and races are told byte by byte") {
    const Result<ValidProgram> program = validate(test::parse(
        "enable muster_int8_int16;\nstruct S { a: u8, b: i8, c: u16, d: vec3<u8>, e: i16, f: u32 }\n"
        "@group(0) @binding(0) var<storage, read_write> s: array<S, 2>;\n"
        "@group(0) @binding(1) var<storage, read_write> bytes: array<u8>;\n"
        "@compute @workgroup_size(8) fn main(@builtin(local_invocation_index) i: u32) {\n"
        "if i == 0u { s[1] = s[0]; }\nbytes[i] = u8(i);\nbytes[8] = 1;\n}"));
    REQUIRE_MESSAGE(program, (program ? "" : program.error().to_string()));
    std::vector<Words> memory{{0x1234fe01, 0x99070605, 0x7777ffff, 0xdeadbeef, 0, 0x88888888, 0x99999999, 0},
                              {0, 0, 0}};
    const Result<InterpretReport> report =
        test::try_run(*program, memory, test::groups(1), {.report_races = true});
    REQUIRE(report);
    CHECK(memory[0][4] == 0x1234fe01);
    CHECK(memory[0][5] == 0x88070605);  // the byte of padding stays
    CHECK(memory[0][6] == 0x9999ffff);
    CHECK(memory[0][7] == 0xdeadbeef);
    CHECK(memory[1] == Words{0x03020100, 0x07060504, 0x01});
    REQUIRE(report->findings.size() == 1);
    CHECK(report->findings[0].place == "bytes[8]");
}
