// Refused texts, with the message and its position (line:column of the faulty text).

#include <array>

#include "support/parse.hpp"

using namespace muster;
using test::first_fault;
using test::in_main;

namespace {

struct Case {
    const char* text;
    const char* fault;
};

}  // namespace

TEST_CASE("faults of statements and expressions name place and reason") {
    constexpr std::array cases{
        // Names.
        Case{"x = 1;", "6:1: Nothing is called x here."},
        Case{"let a = b; let b = 1;", "6:9: Nothing is called b here."},
        Case{"{ let a = 1; } i[0] = a;", "6:23: Nothing is called a here."},
        Case{"let a = 1; let a = 2;", "6:16: a is declared twice in one scope."},
        Case{"let id = 1;", "6:5: id is declared twice in one scope."},
        Case{"let a = f32;", "6:9: f32 is a type, not a value."},
        Case{"let a = sin;", "6:9: sin is a function, not a value."},
        Case{"let a = main;", "6:9: main is a function, not a value."},
        Case{"let a = 1; a();", "6:12: a is a value here, not a function."},
        Case{"frobnicate();", "6:1: No function is called frobnicate."},
        Case{"main(id);", "6:1: main is an entry point and can't be called."},
        // Types.
        Case{"f[0] = i[0] + f[1];", "6:13: + doesn't take operands of types i32 and f32."},
        Case{"f[0] = i[0];", "6:9: The assignment takes f32, not i32."},
        Case{"i[0] = 1.5;", "6:8: The assignment takes i32, not AbstractFloat."},
        Case{"let a: u32 = -1;", "6:14: The value -1 doesn't fit in u32."},
        Case{"let a = 3000000000;", "6:9: The value 3000000000 doesn't fit in i32."},
        Case{"if (i[0]) {}", "6:6: The condition of if has type i32, not bool."},
        Case{"while 1 {}", "6:7: The condition of while has type AbstractInt, not bool."},
        Case{"let a = !i[0];", "6:9: ! takes bool or a vector of bool, not i32."},
        Case{"let a = -u[0];", "6:9: - takes a signed number or a vector of them, not u32."},
        Case{"let a = ~f[0];", "6:9: ~ takes an integer or a vector of integers, not f32."},
        Case{"let a = i[0] && true;", "6:14: && doesn't take an operand of type i32."},
        Case{"let a = u[0] << i[0];", "6:14: << doesn't take operands of types u32 and i32."},
        Case{"let a = vec2(1, 2) + vec3(1, 2, 3);",
             "6:20: + doesn't take operands of types vec2<AbstractInt> and vec3<AbstractInt>."},
        Case{"let a = (1 < 2) < 3;", "6:17: < doesn't take operands of types bool and AbstractInt."},
        Case{"let a = sqrt(i[0]);", "6:9: No overload of sqrt takes (i32)."},
        Case{"let a = clamp(f[0], 1);", "6:9: No overload of clamp takes (f32, AbstractInt)."},
        Case{"let a = vec3(1, 2);", "6:9: vec3<AbstractInt> takes 3 components, 2 given."},
        Case{"let a = vec2<i32>(f[0]);", "6:20: vec2<i32> takes i32, not f32."},
        Case{"let a = array<i32, 2>(1);", "6:9: array<i32, 2> takes 2 values, 1 given (AbstractInt)."},
        Case{"let a = array(1, true);",
             "6:18: array is given AbstractInt and bool, which have no common type."},
        Case{"let a = bitcast<f32>(true);", "6:9: bool can't be seen as f32."},
        Case{"let a = vec2(1, 2).z;", "6:20: z isn't a swizzle of vec2<AbstractInt>."},
        Case{"let a = id.xq;", "6:12: xq isn't a swizzle of vec3<u32>."},
        Case{"let a = i[0].x;", "6:14: A value of type i32 has no member x."},
        Case{"let a = f[1.5];", "6:11: An index has type f32."},
        Case{"let a = n[0];", "6:10: A value of type u32 has no elements."},
        Case{"let a = f[-1];", "6:10: The index -1 is outside array<f32>."},
        Case{"let a = id[3];", "6:11: The index 3 is outside vec3<u32>."},
        // Assignment and memory.
        Case{"let a = 1; let b = a<2>;", "6:20: a is a value and takes no template arguments."},
        Case{"let a = n<2>;", "6:9: n is a value and takes no template arguments."},
        Case{"let a = 1; let b = a<2>>1u;", "6:20: a is a value and takes no template arguments."},
        Case{"let a = 1; a = 2;", "6:12: This can't be assigned to: it's a let, a const or a parameter."},
        Case{"n = 1;", "6:1: n is read-only."},
        Case{"let a = f;", "6:9: A value of type array<f32> can't be read as a whole."},
        Case{"f[0]++;", "6:1: ++ takes an i32 or a u32, not f32."},
        Case{"var a: array<f32>;", "6:5: A variable a can't have type array<f32>."},
        Case{"let a = &1;", "6:9: & takes a variable or a part of one, not a value."},
        Case{"let a = *i[0];", "6:9: * takes a pointer, not i32."},
        Case{"var v = vec2(1, 2); let p = &v.x;", "6:29: & can't take a component of a vector."},
        Case{"var v = vec2(1, 2); let p = &v; let q = &p.y;", "6:41: & can't take a component of a vector."},
        Case{"var v = vec2(1, 2); let p = &v; let q = &p[1];", "6:41: & can't take a component of a vector."},
        Case{"var v = vec2(1, 2); v.yx = v;",
             "6:21: Several components can't be assigned at once, as in .yx."},
        Case{"var v = vec2(1, 2); v.yx += v;",
             "6:21: Several components can't be assigned at once, as in .yx."},
        Case{"var v = 1; let p = &v; p += 1;", "6:24: This can't be assigned to: it's a pointer."},
        Case{"let a = arrayLength(f);",
             "6:9: arrayLength takes a pointer to an array sized at run time, not array<f32>."},
        Case{"atomicAdd(&i[0], 1);",
             "6:1: atomicAdd takes a pointer to an atomic, not ptr<storage, i32, read_write>."},
        Case{"var<private> a = 1;",
             "6:14: The variable a inside a function isn't in the address space function."},
        Case{"let a;", "6:6: "},
        // Control.
        Case{"break;", "6:1: break stands outside of a loop and a switch."},
        Case{"continue;", "6:1: continue stands outside of a loop's body."},
        Case{"discard;", "6:1: discard is for fragment shaders."},
        Case{"return 1;", "6:1: main returns nothing, and a value is given."},
        Case{"loop {}", "6:1: The loop never ends: it has no break and no return."},
        Case{"for (;;) { i[0] = 1; }", "6:1: The loop never ends: it has no break and no return."},
        Case{"loop { continuing { while true { } } }",
             "6:1: The loop never ends: it has no break and no return."},
        Case{"loop { continuing { return; } }", "6:21: return stands in a continuing block."},
        Case{"loop { if i[0] > 1 { continue; } let a = 1; continuing { i[0] = a; break if true; } }",
             "6:65: A continue may jump over the declaration of a."},
        Case{"switch i[0] { case 1 {} }", "6:1: The switch has no default clause."},
        Case{"switch i[0] { case 1 {} case 1 {} default {} }", "6:25: The switch has the case 1 twice."},
        Case{"switch i[0] { case 1u {} default {} }", "6:20: A case of this switch takes i32, not u32."},
        Case{"switch f[0] { default {} }", "6:9: The selector of switch has type f32."},
        Case{"switch i[0] { case i[1] {} default {} }", "6:21: A case selector isn't a const-expression."},
        Case{"sqrt(2.0);", "6:1: The value of sqrt isn't used."},
        Case{"vec2(1, 2);", "6:1: The value of vec2 isn't used."},
        Case{"_ = workgroupBarrier();", "6:5: _ = takes a value, and this call returns none."},
        Case{"const a = i[0];", "6:12: The value of the constant a isn't a const-expression."},
        Case{"const_assert i[0] == 1;", "6:19: The condition of const_assert isn't a const-expression."},
        Case{"@frob { }", "6:1: The attribute @frob doesn't apply to a block."},
        Case{"var a = array<vec4f, 512>(); let b = array(a, a, a, a, a, a, a, a, a, a, a, a, a, a, a, a, a, "
             "a, a, a, "
             "a, a, a, a, a, a, a, a, a, a, a, a, a);",
             "6:38: A value of type array<array<vec4<f32>, 512>, 33> has 67584 scalars; the limit is 65536."},
        // Not yet.
        Case{"let a: f16 = 1;", "6:8: The type f16 needs the extension f16, which isn't enabled."},
        Case{"let a = vec2h();", "6:9: The type vec2h needs the extension f16, which isn't enabled."},
        Case{"let a = 1h;", "6:9: The suffix h needs the extension f16, which isn't enabled."},
        Case{"let a = subgroupAdd(1);",
             "6:9: subgroupAdd needs the extension subgroups, which isn't enabled."},
        Case{"let a = dpdx(1.0);", "6:9: The function dpdx is not supported yet by muster (derivatives)."},
    };
    for (const Case& each : cases) {
        CAPTURE(std::string(each.text));
        const std::string fault = first_fault(in_main(each.text));
        // A message of the parser's own is compared by its position alone.
        CHECK_EQ(
            fault.substr(0, std::string_view(each.fault).ends_with(": ") ? std::string_view(each.fault).size()
                                                                         : std::string::npos),
            std::string(each.fault));
    }
}

TEST_CASE("faults at module scope name place and reason") {
    constexpr std::array cases{
        Case{"enable f16;", ""},
        Case{"enable frob;", "1:8: No extension of WGSL is called frob."},
        Case{"requires frob;", "1:10: No language feature of WGSL is called frob."},
        Case{"requires texture_formats_tier1;", ""},
        Case{"requires pointer_composite_access, linear_indexing;", ""},
        Case{"diagnostic(frob, a);", "1:12: No diagnostic severity is called frob."},
        Case{"diagnostic(off, derivative_uniformity);", ""},
        Case{"const a = 1; const a = 2;", "1:20: a is declared twice at module scope."},
        Case{"const a = b; const b = a;", "1:24: The declaration of a depends on itself."},
        Case{"const a = b + 1; const b = 2; const_assert a == 3;", ""},
        Case{"alias A = B; alias B = A;", "1:24: The declaration of A depends on itself."},
        Case{"struct S { a: S }", "1:15: The declaration of S depends on itself."},
        Case{"const a: frob = 1;", "1:10: No type is called frob."},
        Case{"const a: vec3 = 1;", "1:10: The type vec3 takes one template argument, 0 given."},
        Case{"const a: vec3<vec3<f32>> = 1;", "1:10: A vector can't have components of type vec3<f32>."},
        Case{"const a: i32 = true;", "1:16: the constant a takes i32, not bool."},
        Case{"var<storage> a: bool;", "1:14: The variable a has no @group."},
        Case{"@group(0) @binding(0) var<storage> a: bool;",
             "1:36: The type bool of a can't be shared with the host."},
        Case{"@group(-1) @binding(0) var<storage> a: i32;", "1:8: @group(-1) is outside 0 to 65535."},
        Case{"@group(0) @group(0) @binding(0) var<storage> a: i32;",
             "1:11: The attribute @group is given twice."},
        Case{"@group(0) @binding(0) var<storage> a: atomic<u32>;",
             "1:36: a holds an atomic and is read-only."},
        Case{"@group(0) @binding(0) var<uniform> a: array<u32>;",
             "1:36: The uniform variable a has type array<u32>, which holds an atomic or is sized at run "
             "time."},
        Case{"@group(0) @binding(0) var<storage, write> a: u32;",
             "1:36: A storage variable can't be write-only."},
        Case{"var a = 1;", "1:5: The module-scope variable a has no address space."},
        Case{"var<private> a: atomic<u32>;", "1:14: A private variable can't have type atomic<u32>."},
        Case{"var<workgroup> a: u32 = 1;", "1:16: A workgroup variable can't have an initial value."},
        Case{"var<workgroup> a: array<u32>;", "1:16: A workgroup variable can't have type array<u32>."},
        Case{"var<frob> a: u32;", "1:5: No address space is called frob."},
        Case{"enable f16; var<workgroup> a: atomic<f16>;", "1:31: atomic<f16> isn't a type."},
        Case{"const a = array<i32, 0>();", "1:22: An array's element count is 0."},
        Case{"const a = array<i32, 1.5>();", "1:22: An array's element count has type AbstractFloat."},
        Case{"var<workgroup> a: array<u32, 2147483648>;",
             "1:30: An array of 2147483648 elements of 4 bytes takes 8589934592 bytes; the limit is "
             "4294967295."},
        Case{"const a = array<u32, 100000>();",
             "1:11: A value of type array<u32, 100000> has 100000 scalars; the limit is 65536."},
        Case{"struct S { a: u32, a: u32 }", "1:20: The structure S has two members called a."},
        Case{"struct S { a: array<u32>, b: u32 }",
             "1:12: The member a is sized at run time and isn't the last one."},
        Case{"struct S { @align(3) a: u32 }",
             "1:12: @align(3) isn't a power of two that u32's alignment of 4 divides."},
        Case{"struct S { @size(2) a: u32 }", "1:12: @size(2) is less than the 4 bytes that u32 takes."},
        Case{"struct S { @location(0) a: u32 } @compute @workgroup_size(1) fn m(a: S) {}",
             "1:67: The member a of S has no @builtin, and an entry point takes it."},
        Case{"@compute @workgroup_size(1) fn m(@location(0) a: u32) {}",
             "1:34: A compute entry point has no @location inputs."},
        Case{"struct S { @size(64) a: array<u32> }", "1:12: @size is on a, which is sized at run time."},
        Case{"@compute fn m() {}", "1:13: The entry point m has no @workgroup_size."},
        Case{"@workgroup_size(1) fn m() {}", "1:1: @workgroup_size is on m, which isn't an entry point."},
        Case{"@compute @workgroup_size(0) fn m() {}", "1:26: A number of @workgroup_size is 0."},
        Case{"@compute @workgroup_size(1, 2u, 1i) fn m() {}",
             "1:33: The numbers of @workgroup_size are u32 and i32."},
        Case{"@compute @workgroup_size(1024, 1024, 1024) fn m() {}",
             "1:10: A workgroup has 1073741824 invocations or more; the limit is 1048576."},
        Case{"@compute @workgroup_size(1) fn m(a: u32) {}",
             "1:34: The parameter a of an entry point has no @builtin."},
        Case{"@compute @workgroup_size(1) fn m(@builtin(workgroup_id) a: u32) {}",
             "1:34: @builtin(workgroup_id) has type vec3<u32>, not u32."},
        Case{"@compute @workgroup_size(1) fn m(@builtin(position) a: u32) {}",
             "1:34: No built-in value of compute shaders is called position."},
        Case{"@compute @workgroup_size(1) fn m() -> u32 { return 1; }",
             "1:39: The entry point m returns a value."},
        Case{"@vertex fn m() {}", ""},
        Case{"fn g() -> i32 { }", "1:17: The function g can end without returning a value of type i32."},
        Case{"fn g() -> i32 { while true { } }",
             "1:32: The function g can end without returning a value of type i32."},
        Case{"fn g(a: bool) -> i32 { if a { return 1; } }",
             "1:43: The function g can end without returning a value of type i32."},
        Case{"fn g(a: bool) -> i32 { if a { return 1; } else { return 2; } }", ""},
        Case{"fn g() -> i32 { loop { return 1; } }", ""},
        Case{"fn g() -> i32 { return; }", "1:17: g returns i32, and no value is given."},
        Case{"fn g() { g(); }", "1:4: The function g calls itself."},
        Case{"fn g() { h(); } fn h() { g(); }", "1:4: The function g calls itself through h."},
        Case{"fn g(a: i32, a: i32) {}", "1:14: a is declared twice in one scope."},
        Case{"fn g(a: array<i32>) {}", "1:6: A parameter can't have type array<i32>."},
        Case{"fn g(a: i32) {} fn h() { g(); }", "1:26: g takes 1 argument, 0 given."},
        Case{"fn g(a: i32) {} fn h() { g(1.5); }",
             "1:28: The parameter a of g takes i32, not AbstractFloat."},
        Case{"fn g(p: ptr<function, i32>) {} fn h() { var a = 1; g(a); }",
             "1:54: The parameter p of g takes ptr<function, i32>, not i32."},
        Case{"var<private> v: i32; fn g(p: ptr<function, i32>) {} fn h() { g(&v); }",
             "1:64: The parameter p of g takes ptr<function, i32>, not ptr<private, i32>."},
        Case{"@must_use fn g() -> i32 { return 1; } fn h() { g(); }", "1:48: The value of g isn't used."},
        Case{"fn g() -> i32 { return 1; } fn h() { g(); }", ""},
        Case{"fn g() -> i32 { return 1; } const c = g();",
             "1:39: The function g can't be called before the program runs."},
        Case{"override a: vec2<i32>;", "1:10: The override a has type vec2<i32>."},
        Case{"@id(1) override a = 1; @id(1) override b = 2;", "1:24: a and b both have @id(1)."},
        Case{"override a = 1; const b = a;", "1:27: The value of the constant b isn't a const-expression."},
        Case{"const_assert 1 > 2;", "1:1: The const_assert fails: its condition is false."},
    };
    for (const Case& each : cases) {
        CAPTURE(std::string(each.text));
        CHECK_EQ(first_fault(each.text), std::string(each.fault));
    }
}

TEST_CASE("one fault per statement, up to twenty, in the text's order") {
    const std::vector<Diagnostic> two = wgsl::diagnose(in_main("i[0] = 1.5;\nf[0] = 2;\nu[0] = true + x;"));
    REQUIRE_EQ(two.size(), 2);
    CHECK_EQ(two[0].where.line, 6);
    CHECK_EQ(two[1].where.line, 8);
    std::string many;
    for (int n = 0; n < 50; ++n) many += "x = 1;\n";
    CHECK_EQ(wgsl::diagnose(in_main(many)).size(), 20);
    // Uses of a declaration that has a fault aren't reported.
    CHECK_EQ(wgsl::diagnose(in_main("let a = y;\ni[0] = a;\ni[1] = a + a;")).size(), 1);
    CHECK_EQ(wgsl::diagnose("const a = y; const b = a; fn g() -> i32 { return b; }").size(), 1);
}

TEST_CASE("a refused program's message shows the line, a caret and the fix") {
    const Result<Program> program = wgsl::parse(in_main("i[0] = f[0];"), {.file = "k.wgsl"});
    REQUIRE_FALSE(program);
    CHECK_EQ(program.error().code, ErrorCode::invalid_program);
    CHECK_EQ(program.error().message,
             "k.wgsl:6:9: error: The assignment takes i32, not f32.\n"
             "i[0] = f[0];\n"
             "       ~^~~\n"
             "k.wgsl:2:48: i is declared here:\n"
             "@group(0) @binding(1) var<storage, read_write> i: array<i32>;\n"
             "                                               ^\n"
             "Fix: convert it, as in i32(...).");
}

TEST_CASE("what only looks wrong is accepted") {
    constexpr std::array texts{
        "@compute @workgroup_size(1) fn m() @diagnostic(off, some_rule) {}",
        "@compute @workgroup_size(2u, 2, 1u) fn m() {}",
        "@compute @workgroup_size(1) fn m() { let a = 1; let b = 2; let c = (a < b) == (b > a); }",
        "@compute @workgroup_size(1) fn m() { let a = 1; let b = a<2; let c = b || 2>a; }",
    };
    for (const char* text : texts) {
        CAPTURE(text);
        CHECK(first_fault(text) == "");
    }
}

TEST_CASE("a fix names types that can be written") {
    for (const char* text : {"let a = 1u + 2.5;", "let a = vec2(1u, 2.5);"}) {
        const Result<Program> program = wgsl::parse(in_main(text));
        REQUIRE_FALSE(program);
        CHECK_EQ(program.error().message.substr(program.error().message.find("Fix")).find("Abstract"),
                 std::string::npos);
    }
}
