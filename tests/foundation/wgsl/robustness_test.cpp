// No text crashes, hangs or exhausts memory: each gives a result or an error. If the time grows with the square
// of a text or worse, the test reaches the runner's time limit.

#include <fmt/format.h>

#include "support/parse.hpp"

using namespace muster;

namespace {

std::string repeated(std::string_view what, std::size_t count) {
    std::string text;
    text.reserve(what.size() * count);
    for (std::size_t n = 0; n < count; ++n) text += what;
    return text;
}

/// The first line of the result or error.
std::string answer(std::string_view text) {
    const Result<Program> program = wgsl::parse(text, {.file = "t"});
    if (program) return "accepted";
    const std::string& message = program.error().message;
    return message.substr(0, message.find('\n'));
}

/// `count` functions that each call the next one `times` times.
std::string chain(std::size_t count, std::size_t times, std::string_view body) {
    std::string text;
    for (std::size_t n = 0; n < count; ++n) {
        text += "fn f" + std::to_string(n) + "() {";
        text += repeated("f" + std::to_string(n + 1) + "();", times) + "}\n";
    }
    text += "fn f" + std::to_string(count) + "() {" + std::string(body) + "}\n";
    return text + "@compute @workgroup_size(1) fn main() { f0(); }\n";
}

}  // namespace

TEST_CASE("thirty functions that each call the next twice are refused") {
    const std::string with_work = answer("var<private> x: i32;\n" + chain(30, 2, "x += 1;"));
    CHECK_NE(with_work.find("has more than 1000000 nodes with every function inlined."), std::string::npos);
    const std::string empty = answer(chain(30, 2, ""));
    CHECK_NE(empty.find("has more than 1000000 nodes with every function inlined."), std::string::npos);
    CHECK_EQ(answer(chain(10, 2, "")), "accepted");
    const Result<Program> program = wgsl::parse(chain(30, 2, ""));
    CHECK_EQ(program.error().code, ErrorCode::limit_exceeded);
}

TEST_CASE("as many overrides as there are numbers, each with a value") {
    std::string text;
    wgsl::ParseOptions options{.file = "t"};
    for (int n = 0; n < 65536; ++n) {
        text += fmt::format("@id({0}) override o{0}: u32;\n", n);
        options.overrides.push_back({n % 2 == 0 ? fmt::format("o{}", n) : std::to_string(n), "1"});
    }
    CHECK(wgsl::parse(text + "@compute @workgroup_size(1) fn main() { _ = o65535; }", options));
}

TEST_CASE("deep chains are accepted or refused, never overflow the stack") {
    CHECK_EQ(answer(chain(200, 1, "")), "accepted");
    CHECK_NE(answer(chain(5000, 1, "")).find("levels deep here"), std::string::npos);
    std::string constants = "const c0 = 1;\n";
    for (int n = 1; n < 5000; ++n)
        constants += "const c" + std::to_string(n) + " = c" + std::to_string(n - 1) + ";\n";
    CHECK_EQ(answer(constants + "@compute @workgroup_size(1) fn main() {}"), "accepted");
    std::string backwards = "@compute @workgroup_size(1) fn main() {}\n";
    for (int n = 5000; n > 0; --n)
        backwards += "const c" + std::to_string(n) + " = c" + std::to_string(n - 1) + ";\n";
    CHECK_NE(answer(backwards + "const c0 = 1;").find("declarations need each other in a chain"),
             std::string::npos);
    std::string nested = "alias a0 = array<f32, 2>;\n";
    for (int n = 1; n < 60; ++n)
        nested += "alias a" + std::to_string(n) + " = array<a" + std::to_string(n - 1) + ", 4294967295u>;\n";
    CHECK_NE(answer(nested).find("; the limit is"), std::string::npos);
    // The deepest nesting that the parser accepts.
    CHECK_EQ(answer(test::in_main("i[0] = " + repeated("(i[0] + ", 200) + "1" + repeated(")", 200) + ";")),
             "accepted");
    CHECK_EQ(answer(test::in_main("i[0] = 1" + repeated(" + i[0]", 990) + ";")), "accepted");
    CHECK_EQ(answer(test::in_main(repeated("if (n > 1u) {", 120) + repeated("}", 120))), "accepted");
    const std::string deep = answer(test::in_main(repeated("if (n > 1u) {", 1'000'000)));
    CHECK_NE(deep, "accepted");
}

TEST_CASE("large texts are answered") {
    std::string many = "@compute @workgroup_size(1) fn main() {\n";
    for (int n = 0; n < 20000; ++n)
        many += "let a" + std::to_string(n) + " = " + std::to_string(n) + "u + 1u;\n";
    CHECK_EQ(answer(many + "}"), "accepted");
    std::string types = "@compute @workgroup_size(1) fn main() {\n";
    for (int n = 1; n < 20000; ++n) types += "_ = array<u32, " + std::to_string(n % 16000 + 1) + ">();\n";
    CHECK_NE(answer(types + "}").find("The program has over 4096 different types."), std::string::npos);
    // One large constant with many uses.
    std::string table = "const t = array<array<vec4<u32>, 100>, 150>();\n";
    std::string uses;
    for (int n = 0; n < 5000; ++n) uses += "u[0] += t[" + std::to_string(n % 150) + "][u[1]].x;\n";
    CHECK_EQ(answer(table + test::in_main(uses)), "accepted");
    std::string whole;
    for (int n = 0; n < 2000; ++n) whole += "u[0] += t[u[0]][u[1]].x;\n";
    CHECK_EQ(answer(table + test::in_main(whole)), "accepted");
    std::string row = "const r = array(1";
    for (int n = 1; n < 2000; ++n) row += ",1";
    std::string blocks = row + ");const b = array(r";
    for (int n = 1; n < 32; ++n) blocks += ",r";
    blocks += ");";
    for (int n = 0; n < 5000; ++n)
        blocks += "const b" + std::to_string(n) + " = array(b[0], b[1], b[2], b[3], b[4]);\n";
    CHECK_NE(answer(blocks).find("The program's constants hold over 15000000 scalars."), std::string::npos);
    std::string cases = "switch i[0] {";
    for (int n = 0; n < 70000; ++n) cases += "case " + std::to_string(n) + " {}\n";
    CHECK_NE(answer(test::in_main(cases + "default {} }")).find("case selectors; the limit is 65535."),
             std::string::npos);
    CHECK_NE(answer(repeated("(", 1'000'000)), "accepted");
    CHECK_NE(answer(""), "accepted");
    CHECK_NE(answer(std::string("\0\xff\xfe", 3)), "accepted");
}

TEST_CASE("recursion of any shape is refused") {
    std::string ring;
    for (int n = 0; n < 3000; ++n)
        ring += "fn f" + std::to_string(n) + "() { f" + std::to_string((n + 1) % 3000) + "(); }\n";
    CHECK_NE(answer(ring + "@compute @workgroup_size(1) fn main() { f0(); }").find("calls itself"),
             std::string::npos);
}

TEST_CASE("structures of a thousand structures of a thousand members take no time") {
    std::string text;
    const auto declare = [&](const std::string& name, std::size_t members, const std::string& type) {
        text += "struct " + name + " {";
        for (std::size_t n = 0; n < members; ++n) text += "m" + std::to_string(n) + ": " + type + ",";
        text += "}\n";
    };
    declare("A", 300, "f32");
    declare("B", 1000, "A");
    declare("C", 1000, "B");
    text += "@group(0) @binding(0) var<storage, read_write> c: C;\n";
    text += "@compute @workgroup_size(1) fn main() { c.m3.m4.m5 = 1; }\n";
    CHECK_EQ(answer(text), "accepted");
    CHECK(validate(*wgsl::parse(text)));
}
