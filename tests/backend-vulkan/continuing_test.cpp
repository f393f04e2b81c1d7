// Every small nesting of constructs in a loop's continuing block gives a valid module: each path through it
// leads back to the loop's header, in a structure that a validator accepts.
#include "backend-vulkan/workshop.hpp"

using namespace muster;
using namespace muster::vulkan;
using namespace muster::vulkan::test;

namespace {

struct Around {
    bool loop = false, breakable = false, function = false;
};

/// All statements of this nesting depth, one text each; all loops count `n`, so that conditions change.
std::vector<std::string> statements(int levels, Around around) {
    std::vector<std::string> all{"y[n] += n;"};
    if (around.breakable) all.push_back("break;");
    if (around.loop) all.push_back("continue;");
    if (around.function) all.push_back("return;");
    if (levels == 0) return all;
    const auto inside = [&](Around within) { return statements(levels - 1, within); };
    for (const std::string& a : inside(around)) {
        all.push_back("if n > 3 { " + a + " }");
        for (const std::string& b : inside(around))
            all.push_back("if n > 3 { " + a + " } else { " + b + " }");
    }
    const std::vector<std::string> in_case = inside({around.loop, true, around.function});
    for (const std::string& a : in_case)
        for (const std::string& b : in_case)
            all.push_back("switch n % 3u { case 1u: { " + a + " } default: { " + b + " } }");
    for (const std::string& a : inside({true, true, around.function})) {
        all.push_back("loop { n++; " + a + " }");
        for (const std::string& b : inside({}))
            all.push_back("loop { n++; " + a + " continuing { " + b + " break if n > 5; } }");
    }
    return all;
}

struct Tally {
    std::size_t valid = 0, refused = 0;
};

void check(const std::string& functions, const std::string& continuing, Tally& tally) {
    const std::string text = R"(@group(0) @binding(0) var<storage, read_write> y: array<u32>;
var<private> n: u32;
)" + functions + R"(
@compute @workgroup_size(1) fn main() {
    n = y[0];
    loop { n++; continuing { )" +
                             continuing + R"( break if n > 10; } }
    y[1] = n;
})";
    auto parsed = wgsl::parse(text, {.file = "kernel.wgsl"});
    if (!parsed) return void(++tally.refused);
    const auto program = validate(*std::move(parsed));
    if (!program) return void(++tally.refused);
    for (const LongLoops loops : {LongLoops::run, LongLoops::watched}) {
        const LowerTarget target{.long_loops = loops};
        const auto module = lower(*program, target);
        REQUIRE(module);
        const auto valid = validate_words(module->words, target.version);
        REQUIRE_MESSAGE(valid, (text + "\n" + (valid ? "" : valid.error().to_string())));
    }
    ++tally.valid;
}

}  // namespace

TEST_CASE("every nesting of two levels in a continuing block gives a valid module") {
    Tally tally;
    for (const std::string& one : statements(2, {})) check("", one, tally);
    CHECK(tally.valid > 500);
    CHECK(tally.refused < tally.valid);
}

TEST_CASE("so does every nesting in a function that a continuing block calls and that returns early") {
    Tally tally;
    for (const std::string& one : statements(2, {.function = true}))
        check("fn f() { " + one + " }", "f();", tally);
    CHECK(tally.valid > 1000);
    CHECK(tally.refused < tally.valid);
}
