// What the front end says of mistakes, as a user reads it: what is marked, the other places, and names that are suggested.
#include <string>

#include <fmt/format.h>
#include <support/text.hpp>

#include "support/parse.hpp"

using namespace muster;
using muster::test::has;

namespace {

/// The whole message for an entry point with these statements, which begin in line 5, without the file's name.
std::string message_of(std::string_view statements) {
    const Result<Program> refused =
        wgsl::parse(fmt::format("struct Body {{ position: vec3f, mass: f32 }}\n"
                                "var<workgroup> c: atomic<u32>;\n"
                                "@group(0) @binding(0) var<storage> data: array<f32>;\n"
                                "fn scaled(v: f32, by: i32) -> f32 {{ return v * f32(by); }} @compute "
                                "@workgroup_size(1) fn main() {{\n"
                                "{}\n}}\n",
                                statements),
                    {.file = "k"});
    REQUIRE_FALSE(refused);
    return refused.error().message;
}

std::string fix_of(std::string_view statements) {
    const std::string message = message_of(statements);
    return message.substr(message.rfind("Fix: ") + 5);
}

std::string message_of_module(std::string_view text) {
    const Result<Program> refused = wgsl::parse(text, {.file = "k"});
    REQUIRE_FALSE(refused);
    return refused.error().message;
}

}  // namespace

TEST_CASE("all of the expression at fault is marked, with the caret at its operator or name") {
    CHECK(message_of("let a = data[0] + (1u << 2u);") ==
          "k:5:17: error: + doesn't take operands of types f32 and u32.\n"
          "let a = data[0] + (1u << 2u);\n"
          "        ~~~~~~~~^~~~~~~~~~~~\n"
          "Fix: convert one side, as in u32(...).");
    CHECK(has(message_of("let a = 1 + sqrt(data[0], 2);"),
              "let a = 1 + sqrt(data[0], 2);\n            ^~~~~~~~~~~~~~~~\n"));
    CHECK(has(message_of("let a: i32 = data[0];"), "\n             ~~~~^~~\n"));
    CHECK(has(message_of("let a: i32 = -(data[0]);"), "\n             ^~~~~~~~~~\n"));
    CHECK(has(message_of("let a = Body().mass.x;"), "\n        ~~~~~~~~~~~~^\n"));
    CHECK(has(message_of("if data[0] {}"), "\n   ~~~~^~~\n"));
    CHECK(has(message_of("let \u00fcber = 1; let a = \u00fcber && true;"),
              "\n                      ~~~~~^~~~~~~\n"));
    // An expression of several lines is marked up to the line's end.
    CHECK(has(message_of("let a = data[0] +\n  1u;"), "\nlet a = data[0] +\n        ~~~~~~~~^\n"));
    // Of what no expression is, the word.
    CHECK(has(message_of("var wide: array<f32>;"), "\n    ^~~~"));
}

TEST_CASE("what is declared elsewhere is shown too") {
    CHECK(message_of("let total = 1;\ntotal = 2;") ==
          "k:6:1: error: This can't be assigned to: it's a let, a const or a parameter.\n"
          "total = 2;\n"
          "^~~~~\n"
          "k:5:5: total is declared here:\n"
          "let total = 1;\n"
          "    ^~~~~\n"
          "Fix: declare a var, and assign to it or to a part of it.");
    CHECK(has(message_of("var a = 1;\nvar b = 2;\nvar a = 3;"),
              "\nk:5:5: a is first declared here:\nvar a = 1;\n    ^\n"));
    CHECK(has(message_of("var n: i32;\nn = 1.5;"), "\nk:5:5: n is declared here:\n"));
    CHECK(has(message_of("var n: Body;\nn.position.x = 1u;"), "\nk:5:5: n is declared here:\n"));
    CHECK(has(message_of("data[0] = 1.0;"), "k:3:36: data is declared here:\n"));
    CHECK(has(message_of("let a = scaled(1.0, 2.0);"), "k:4:19: by is declared here:\n"));
    CHECK(has(message_of("let a = scaled(1.0);"), "k:4:4: scaled is declared here:\n"));
    CHECK(has(message_of("let x = 1;\nlet a = x();"), "k:5:5: x is declared here:\n"));
    CHECK(has(message_of("let a = Body().weight;"), "k:1:8: Body is declared here:\n"));
    CHECK(has(message_of_module("fn f() {}\nfn f() {}"), "k:1:4: f is first declared here:\n"));
    CHECK(has(message_of_module("fn f() -> i32 {\nreturn 1u; }"), "k:1:4: f is declared here:\n"));
}

TEST_CASE("a name that is nearly right, or another language's, is answered with WGSL's") {
    CHECK(message_of("let a = lerp(data[0], data[1], 0.5);") ==
          "k:5:9: error: No function is called lerp.\n"
          "let a = lerp(data[0], data[1], 0.5);\n"
          "        ^~~~\n"
          "Fix: write mix.");
    CHECK(fix_of("let a = lenght(vec2f());") == "did you mean length?");
    CHECK(fix_of("let a = workgroupBarier();") == "did you mean workgroupBarrier?");
    CHECK(fix_of("atomicAd(&c, 1u);") == "did you mean atomicAdd or atomicAnd or atomicOr?");
    CHECK(fix_of("let a = scalde(1.0, 2);") == "did you mean scaled?");
    CHECK(fix_of("let a = Body().postion;") == "did you mean position?");
    CHECK(fix_of("let a = Body().weight;") == "it has position, mass.");
    CHECK(fix_of("let a = dta[0];") == "did you mean data?");
    CHECK(fix_of("let counter = 1; let a = conter;") == "did you mean counter?");
    CHECK(fix_of("let a: flaot = 1;") ==
          "declare it, or use a built-in type such as f32, vec4<f32> or array<u32>.");
    CHECK(fix_of("let a: float = 1;") == "write f32.");
    CHECK(fix_of("let a: Bdy = Body();") == "did you mean Body?");
    CHECK(fix_of("let a = float4(1.0);") == "write vec4f.");
    CHECK(fix_of("let a = zzzzzzzzzzzz(1);") == "declare it, or check its spelling.");
    const auto ends = [](const std::string& message, const char* fix) {
        return message.ends_with(std::string("\nFix: ") + fix);
    };
    CHECK(ends(message_of_module("enable subgroup;"), "did you mean subgroups or subgroup_size_control?"));
    CHECK(ends(message_of_module("enable muster_in64;"), "did you mean muster_int64?"));
    CHECK(ends(message_of_module("requires pointer_composite_acces;"),
               "did you mean pointer_composite_access?"));
    CHECK(ends(message_of_module("@compute @workgroupsize(1) fn main() {}"), "did you mean workgroup_size?"));
    CHECK(has(message_of_module("@compute @workgroup_size(1) fn main(@builtin(workgroupid) i: vec3u) {}"),
              "\nFix: did you mean workgroup_id"));
}

TEST_CASE("an atomic that is updated like a variable is answered with its function") {
    CHECK(fix_of("c += 1u;") == "write atomicAdd(&c, value);");
    CHECK(fix_of("c -= 1u;") == "write atomicSub(&c, value);");
    CHECK(fix_of("c |= 1u;") == "write atomicOr(&c, value);");
    CHECK(fix_of("c++;") == "write atomicAdd(&c, 1);");
    CHECK(fix_of("c *= 2u;") ==
          "compute with atomicLoad(&c), and write with atomicStore, or with atomicCompareExchangeWeak in a "
          "loop.");
    CHECK(has(message_of("c += 1u;"), "k:2:16: c is declared here:\n"));
}

TEST_CASE("attributes as they were first written are recognised") {
    CHECK(message_of_module("[[stage(compute), workgroup_size(8)]]\nfn main() {}") ==
          "k:1:1: error: Attributes aren't written in [[ ]] any more.\n"
          "[[stage(compute), workgroup_size(8)]]\n"
          "^\n"
          "Fix: write @compute.");
    CHECK(has(message_of_module("[[block]] struct S { a: u32 }"),
              "Fix: remove it: a structure needs no attribute."));
    CHECK(has(message_of_module("[[group(0), binding(1)]] var<storage> a: u32;"), "Fix: write @group(0)."));
    CHECK(has(message_of_module("fn main([[builtin(workgroup_id)]] i: vec3u) {}"),
              "Fix: write @builtin(workgroup_id)."));
    CHECK(has(message_of_module("struct S { [[size(8)]] a: u32 }"), "Fix: write @size(8)."));
    CHECK(has(message_of_module("@stage(compute) fn main() {}"), "Fix: write @compute."));
}
