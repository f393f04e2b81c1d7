// Every conformance case, and some random programs, run through the vectoriser at several widths, without a
// device, and give the interpreter's bits. random_test runs far more programs, on devices of each width.
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <llvm/Support/raw_ostream.h>

#include <muster/backend-cpu/compiler/llvm/cut_functions.hpp>
#include <muster/foundation/wgsl/wgsl.hpp>

#include "conformance/devices.hpp"
#include "lowering/run_lowered.hpp"
#include "random/random_case.hpp"

using namespace muster;
using namespace muster::conformance;

TEST_CASE("every conformance case gives the interpreter's bits at every width") {
    const auto cases = load_core_cases();
    REQUIRE(cases);
    const char* only = std::getenv("MUSTER_CASE");
    for (const Case& test : *cases) {
        if (only && test.name.find(only) == std::string::npos) continue;
        CAPTURE(test.name);
        const auto parsed = wgsl::parse(test.text, {.file = test.name + ".wgsl"});
        REQUIRE_MESSAGE(parsed, (parsed ? "" : parsed.error().to_string()));
        const auto program = validate(*parsed);
        REQUIRE_MESSAGE(program, (program ? "" : program.error().to_string()));
        const auto expected = run_interpreted(test, *program, 1);
        REQUIRE(expected);
        for (const std::uint32_t width : {1u, 4u, 8u, 16u}) {
            CAPTURE(width);
            const auto actual = test::run_lowered(test, *program, width);
            REQUIRE_MESSAGE(actual, (actual ? "" : actual.error().to_string()));
            for (std::size_t i = 0; i < expected->size(); ++i)
                CHECK_MESSAGE(difference((*expected)[i], (*actual)[i], false) == "",
                              (*program)->variable((*program)->bindings()[i]).name);
        }
    }
}

TEST_CASE("code that is cut into functions gives the interpreter's bits") {
    const auto cases = load_core_cases();
    REQUIRE(cases);
    std::size_t functions = 0;
    for (const Case& test : *cases) {
        CAPTURE(test.name);
        const auto program = validate(*wgsl::parse(test.text, {.file = test.name + ".wgsl"}));
        REQUIRE(program);
        const auto expected = run_interpreted(test, *program, 1);
        REQUIRE(expected);
        auto lowered = test::Lowered::make(*program, 8);
        REQUIRE_MESSAGE(lowered, (lowered ? "" : lowered.error().to_string()));
        const std::size_t before = lowered->module().size();
        cpu::cut_functions(lowered->module(), {.most_instructions = 60, .least_part = 15});
        functions += lowered->module().size() - before;
        const auto image = std::move(*lowered).build();
        REQUIRE_MESSAGE(image, (image ? "" : image.error().to_string()));
        const auto actual = test::run_image(*image, test, *program);
        REQUIRE_MESSAGE(actual, (actual ? "" : actual.error().to_string()));
        for (std::size_t i = 0; i < expected->size(); ++i)
            CHECK(difference((*expected)[i], (*actual)[i], false) == "");
    }
    CHECK(functions > cases->size());
}

TEST_CASE("random programs give the interpreter's bits at every width") {
    const char* how_many = std::getenv("MUSTER_RANDOM_PROGRAMS");
    const char* first = std::getenv("MUSTER_RANDOM_SEED");
    const std::uint64_t seeds = how_many ? std::strtoull(how_many, nullptr, 10) : 10;
    const std::uint64_t start = first ? std::strtoull(first, nullptr, 10) : 1;
    for (std::uint64_t seed = start; seed < start + seeds; ++seed) {
        const muster::testing::RandomProgram made = muster::testing::random_program(seed);
        const auto wrong = [&](const std::string& text, std::uint32_t width, bool rows) -> std::string {
            const auto made_of = wgsl::parse(text, {.file = "random.wgsl"});
            if (!made_of) return {};
            const auto program = validate(*made_of);
            if (!program) return {};
            const Case test = muster::testing::random_case(text);
            const auto expected = run_interpreted(test, *program, 5);
            const auto actual = test::run_lowered(test, *program, width, rows);
            if (!expected || !actual)
                return expected ? actual.error().to_string() : expected.error().to_string();
            for (std::size_t i = 0; i < expected->size(); ++i)
                if (auto what = difference((*expected)[i], (*actual)[i], false); !what.empty()) return what;
            return {};
        };
        const auto parsed = wgsl::parse(made.text(), {.file = "random.wgsl"});
        REQUIRE_MESSAGE(parsed, (parsed ? "" : parsed.error().to_string()));
        REQUIRE(validate(*parsed));
        for (const auto& [width, rows] :
             {std::pair{1u, false}, {4u, false}, {8u, true}, {16u, false}, {16u, true}}) {
            const std::string what = wrong(made.text(), width, rows);
            if (what.empty()) continue;
            const auto still = [&](const std::string& text) { return !wrong(text, width, rows).empty(); };
            FAIL_CHECK("seed ", seed, ", width ", width, std::string(rows ? " or a row: " : ": "), what,
                       "\nreduced to:\n", muster::testing::reduce(made, still).text());
            return;
        }
    }
}

TEST_CASE("the same program gives the same code") {
    // A loop with more sums than registers is built once for each part of them, and sets the other variables anew.
    std::string sums, updates, all;
    for (int k = 0; k < 8; ++k) {
        sums += fmt::format("var s{} = 0f; var n{} = {}u;\n", k, k, k);
        updates +=
            fmt::format("s{} += words[n{} & 255] * words[(id.x + i) & 255]; n{} += i + {};\n", k, k, k, k);
        all += fmt::format(" + s{}", k);
    }
    const auto parsed = wgsl::parse(R"(
        @group(0) @binding(0) var<storage, read> words: array<f32, 256>;
        @group(0) @binding(1) var<storage, read_write> out: array<f32>;
        @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3u) {
            )" + sums + "for (var i = 0u; i < 64; i++) {" +
                                        updates + "}\nout[id.x] = 0" + all + "; }",
                                    {.file = "sums.wgsl"});
    REQUIRE_MESSAGE(parsed, (parsed ? "" : parsed.error().to_string()));
    const auto program = validate(*parsed);
    REQUIRE(program);
    std::string first;
    std::vector<test::Lowered> kept;  // so that each finds another heap
    for (int turn = 0; turn < 8; ++turn) {
        auto lowered = test::Lowered::make(*program, 16, false, false);
        REQUIRE(lowered);
        std::string text;
        llvm::raw_string_ostream stream(text);
        lowered->module().print(stream, nullptr);
        if (turn == 0) first = text;
        CHECK(text == first);
        if (turn % 2 == 0) kept.push_back(*std::move(lowered));
    }
}

TEST_CASE("ragged grids and workgroups give the interpreter's bits at every width") {
    for (const char* size : {"1", "5", "12", "64", "3, 5", "2, 3, 4"}) {
        for (const std::uint32_t count : {0u, 1u, 3u, 4u, 5u, 15u, 16u, 17u, 97u}) {
            const std::string of = size;
            CAPTURE(of);
            CAPTURE(count);
            Case test{.name = "ragged"};
            test.text = std::string(R"(
@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;
@group(0) @binding(2) var<storage, read_write> seen: array<u32>;
@compute @workgroup_size()") +
                        size + R"()
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(local_invocation_index) lane: u32) {
    let i = id.x + 4096 * (id.y + 64 * id.z);
    seen[i] = lane + 1;
    if i >= arrayLength(&y) {
        return;
    }
    y[i] = 3 * x[i] + x[i + 1];
})";
            const std::uint32_t elements = std::max(count, 1u);
            test.grid = Invocations{count, 1, 1};
            test.bind["x"] = {Scalar::f32, {}};
            for (std::uint32_t i = 0; i < elements; ++i)
                test.bind["x"].words.push_back(std::bit_cast<std::uint32_t>(static_cast<float>(i) * 0.5f));
            test.bind["y"] = {Scalar::f32, std::vector<std::uint32_t>(elements)};
            test.bind["seen"] = {Scalar::u32, std::vector<std::uint32_t>(elements + 3)};
            const auto program = validate(*wgsl::parse(test.text, {.file = "ragged.wgsl"}));
            REQUIRE(program);
            const auto expected = run_interpreted(test, *program, 1);
            REQUIRE(expected);
            for (const std::uint32_t width : {1u, 4u, 16u}) {
                CAPTURE(width);
                const auto actual = test::run_lowered(test, *program, width);
                REQUIRE(actual);
                for (std::size_t i = 0; i < expected->size(); ++i)
                    CHECK(difference((*expected)[i], (*actual)[i], false) == "");
            }
        }
    }
}

TEST_CASE("the edges of grids of several axes give the interpreter's bits at every width") {
    for (const char* size : {"16, 4", "64, 2", "8, 8", "4, 4, 4", "12, 4", "32"})
        for (const auto& [wide, high] : {std::pair{64u, 16u}, {70u, 9u}, {33u, 3u}, {128u, 8u}}) {
            const std::string of = size;
            CAPTURE(of);
            CAPTURE(wide);
            Case test{.name = "edges"};
            test.text = fmt::format(R"(
const wide = {}u;
const high = {}u;
@group(0) @binding(0) var<storage, read> x: array<u32>;
@group(0) @binding(1) var<storage, read_write> y: array<u32>;
@compute @workgroup_size({})
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(local_invocation_id) lane: vec3u) {{
    var sum = 1u;
    if id.x == 0 || id.x >= wide - 1 || id.y >= high {{
        return;
    }}
    let i = id.y * wide + id.x;
    if id.y > 0 {{
        sum += x[i - wide];
    }}
    for (var k = 0u; k < 3; k++) {{
        sum = sum * 3 + x[i + k - 1];
    }}
    if id.z == 0 {{
        y[i] = sum + x[i + wide] + lane.x;
    }}
}})",
                                    wide, high, size);
            test.grid = Invocations{wide, high, 1};
            test.bind["x"] = {Scalar::u32, {}};
            for (std::uint32_t i = 0; i < wide * high; ++i) test.bind["x"].words.push_back(i * 2654435761u);
            test.bind["y"] = {Scalar::u32, std::vector<std::uint32_t>(wide * high - 2)};
            const auto program = validate(*wgsl::parse(test.text, {.file = "edges.wgsl"}));
            REQUIRE(program);
            const auto expected = run_interpreted(test, *program, 1);
            REQUIRE(expected);
            for (const std::uint32_t width : {1u, 4u, 8u, 16u, 32u}) {
                CAPTURE(width);
                const auto actual = test::run_lowered(test, *program, width);
                REQUIRE(actual);
                for (std::size_t i = 0; i < expected->size(); ++i)
                    CHECK(difference((*expected)[i], (*actual)[i], false) == "");
            }
        }
}
