// Programs of thousands of operations give the interpreter's bits, and code grows only by what is added.
#include <bit>
#include <string>

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>

#include <muster/backend-cpu/compiler/llvm/cut_blocks.hpp>
#include <muster/backend-cpu/compiler/lowering/lower_math.hpp>
#include <muster/foundation/wgsl/wgsl.hpp>

#include "conformance/devices.hpp"
#include "lowering/run_lowered.hpp"

using namespace muster;
using namespace muster::conformance;

namespace {

Case case_of(const std::string& statements) {
    Case test{.name = "large"};
    test.text =
        "@group(0) @binding(0) var<storage, read_write> y: array<f32>;\n"
        "@compute @workgroup_size(24) fn main(@builtin(global_invocation_id) id: vec3u) {\n"
        "    let i = id.x;\n    var v = y[i];\n    var w = v * 0.5;\n    var n = i;\n" +
        statements + "    y[i] = v + w + f32(n & 1023u);\n}\n";
    test.grid = Workgroups{2, 1, 1};
    Values values{Scalar::f32, {}};
    for (std::uint32_t k = 0; k < 45; ++k)  // three indices are out of bounds
        values.words.push_back(std::bit_cast<std::uint32_t>(0.25f + static_cast<float>(k) / 64));
    test.bind["y"] = values;
    return test;
}

ValidProgram program_of(const Case& test) {
    const auto parsed = wgsl::parse(test.text, {.file = "large.wgsl"});
    REQUIRE_MESSAGE(parsed, (parsed ? "" : parsed.error().to_string()));
    auto program = validate(*parsed);
    REQUIRE_MESSAGE(program, (program ? "" : program.error().to_string()));
    return *std::move(program);
}

void check_bits(const Case& test) {
    const ValidProgram program = program_of(test);
    const auto expected = run_interpreted(test, program, 1);
    REQUIRE(expected);
    for (const std::uint32_t width : {1u, 8u}) {
        CAPTURE(width);
        const auto actual = test::run_lowered(test, program, width);
        REQUIRE_MESSAGE(actual, (actual ? "" : actual.error().to_string()));
        for (std::size_t i = 0; i < expected->size(); ++i)
            CHECK(difference((*expected)[i], (*actual)[i], false) == "");
    }
}

std::string sines(std::uint32_t count) {
    std::string text;
    for (std::uint32_t k = 0; k < count; ++k) text += fmt::format("    v = sin(v * 1.5 + {}.0);\n", k);
    return text;
}

std::string plain(std::uint32_t count) {
    std::string text;
    for (std::uint32_t k = 0; k < count; ++k)
        text += fmt::format(
            "    v = v * 0.5 + w;\n    w = w - v * {0}.125;\n    n = n * 3u + {0}u;\n"
            "    w = select(w, f32(n & 7u), v > w);\n    y[i] = y[i + {0}u % 2u * 100u] + 1.0;\n",
            k % 9);
    return text;
}

std::size_t image_bytes(const std::string& statements) {
    auto lowered = test::Lowered::make(program_of(case_of(statements)), 8);
    REQUIRE(lowered);
    const auto image = std::move(*lowered).build();
    REQUIRE(image);
    return image->header().code_bytes;
}

}  // namespace

TEST_CASE("a function that a program uses often is called, and gives the same bits") {
    check_bits(case_of(sines(10)));
    check_bits(case_of(sines(100)));
}

TEST_CASE("a use of a function adds a call to the code, not the function") {
    const std::size_t hundred = image_bytes(sines(100)), thousand = image_bytes(sines(1000));
    CHECK((thousand - hundred) / 900 < 64);  // sin itself takes over 200 bytes
}

TEST_CASE("a program of thousands of statements gives the interpreter's bits") {
    check_bits(case_of(plain(800)));
}

TEST_CASE("a program of hundreds of loops is cut into functions, and gives the interpreter's bits") {
    std::string loops;
    for (int k = 0; k < 150; ++k)
        loops += fmt::format(
            "    for (var k = 0u; k < (n & 7u); k++) {{ if v > w {{ v = v * 0.5 + {0}.0; }} else {{ w -= v * "
            "0.25; }} n += k * {0}u; }}\n"
            "    switch n % 3u {{ case 0u: {{ v += 1.0; }} case 1u: {{ w = sqrt(abs(v)); if n == {0}u {{ "
            "return; }} }} default: {{ n ^= {0}u; }} }}\n",
            k + 1);
    check_bits(case_of(loops));
}

TEST_CASE("no block has more than a few thousand instructions when code is generated") {
    auto lowered = test::Lowered::make(program_of(case_of(plain(800))), 8);
    REQUIRE(lowered);
    cpu::cut_blocks(lowered->module());
    std::size_t all = 0;
    for (const llvm::Function& function : lowered->module()) {
        all += function.getInstructionCount();
        for (const llvm::BasicBlock& block : function)
            CHECK(block.size() <= 2 * cpu::most_block_instructions);
    }
    CHECK(all > 8 * cpu::most_block_instructions);
}
