// The reducer of failing kernels, with texts as judges of themselves.
#include <chrono>

#include <doctest/doctest.h>

#include <muster/conformance/reduce.hpp>
#include <muster/foundation/wgsl/wgsl.hpp>

using muster::conformance::reduce;

namespace {

/// The smallest text found that is valid WGSL and has `part`.
std::string reduced(const std::string& text, const std::string& part) {
    const auto holds = [&](const std::string& candidate) {
        return candidate.find(part) != std::string::npos && muster::wgsl::parse(candidate).has_value();
    };
    REQUIRE(holds(text));
    return reduce(text, holds, std::chrono::steady_clock::now() + std::chrono::hours(1));
}

const std::string head = "@group(0) @binding(0) var<storage, read_write> out: array<u32, 4>;\n";

}  // namespace

TEST_CASE("declarations, statements and what is around a block go") {
    const std::string text =
        head +
        "@group(0) @binding(1) var<storage, read> other: array<u32, 4>;\n"
        "struct Pair { a: u32, b: f32 }\n"
        "fn unused() -> u32 { return 1u; }\n"
        "@compute @workgroup_size(8, 2) fn main(@builtin(local_invocation_index) i: u32) {\n"
        "    var sum = 0u;\n"
        "    for (var k = 0u; k < 4u; k++) {\n"
        "        if (k == i) { sum += k; } else if (k > 2u) { out[2] = 7u; } else { sum = 1u; }\n"
        "    }\n"
        "    out[0] = sum + other[1];\n"
        "}\n";
    CHECK(reduced(text, "out[2] = 7u;") == head +
                                               "@compute @workgroup_size(1) fn main() { out[2] = 7u;\n"
                                               "}");
}

TEST_CASE("calls give way to their arguments, and operators to one side") {
    const std::string text =
        head +
        "fn twice(x: u32) -> u32 { return 2u * x; }\n"
        "@compute @workgroup_size(1) fn main() {\n"
        "    out[0] = min(3u + twice(out[1] * 5u - 4u), max(out[2], 9u) / out[3]) | 1u;\n"
        "}\n";
    CHECK(reduced(text, "/ out[3]") == head +
                                           "@compute @workgroup_size(1) fn main() {\n"
                                           "    out[0] = out[2] / out[3];\n"
                                           "}");
}

TEST_CASE("members of structures go one by one") {
    const std::string text =
        "struct Part { a: u32, b: vec2f, c: array<f32, 3>, d: i32 }\n"
        "@group(0) @binding(0) var<storage, read_write> out: Part;\n"
        "@compute @workgroup_size(1) fn main() { out.c[1] = 2f; }\n";
    CHECK(reduced(text, "out.c[1] = 2f") ==
          "struct Part { c: array<f32, 3>, }\n"
          "@group(0) @binding(0) var<storage, read_write> out: Part;\n"
          "@compute @workgroup_size(1) fn main() { out.c[1] = 2f; }");
}

TEST_CASE("nothing is tried after the deadline, and text that isn't balanced stays") {
    int calls = 0;
    const auto count = [&](const std::string&) { return ++calls > 0; };
    CHECK(reduce("a; b;", count, std::chrono::steady_clock::now()) == "a; b;");
    CHECK(calls == 0);
    const auto never = [](const std::string&) { return false; };
    const auto later = std::chrono::steady_clock::now() + std::chrono::hours(1);
    for (const char* text : {"", ")", "}{", "else", "( [ {", "} else {", "fn f( { else } else"})
        CHECK(reduce(text, never, later) == text);
}
