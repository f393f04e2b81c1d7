// The bound on a program's loop iterations that the lowering finds.
#include <muster/backend-vulkan/lowering/loop_iterations.hpp>

#include "backend-vulkan/workshop.hpp"

using namespace muster;
using namespace muster::vulkan;
using namespace muster::vulkan::test;

namespace {

std::optional<std::uint64_t> iterations(const std::string& body) {
    const ValidProgram program = parse(R"(@group(0) @binding(0) var<storage, read_write> out: array<u32>;
@group(0) @binding(1) var<uniform> n: u32;
@group(0) @binding(2) var<uniform> m: i32;
@compute @workgroup_size(64) fn main(@builtin(local_invocation_index) id: u32) {
)" + body + "\nout[id] += 1;\n}");
    return most_iterations(*program, LargeArrays(*program));
}
/// The iterations of a loop with this head, whose body doesn't change its counter.
std::optional<std::uint64_t> iterations_of(const std::string& head) {
    return iterations(head + " { out[id] += 3; }");
}

}  // namespace

TEST_CASE("loops that count are seen to end: an iteration for each pass of the guard, and two to spare") {
    CHECK(iterations("") == 0);
    CHECK(iterations_of("for (var i = 0u; i < 100; i++)") == 102);
    CHECK(iterations_of("for (var i = 0; i <= 100; i++)") == 103);
    CHECK(iterations_of("for (var i = 5; 100 > i; i += 10)") == 12);
    CHECK(iterations_of("for (var i = 100; i > 0; i--)") == 102);
    CHECK(iterations_of("for (var i = 100; i >= 1; i -= 7)") == 17);
    CHECK(iterations_of("for (var i = -8; i < 8; i += 2)") == 10);
    CHECK(iterations_of("for (var i = 0u; i != 10; i += 2)") == 7);
    CHECK(iterations_of("for (var i = n; i < 100; i++)") == 102);  // from 0, in the worst case
    CHECK(iterations_of("for (var i = m; i < 100; i++)") == (std::uint64_t{1} << 31) + 102);
    CHECK(iterations("var i = 0u; loop { if !(i < 10) { break; } out[id] += i; i++; }") == 12);
    CHECK(iterations("var i = 0u; loop { out[id] += i; continuing { i++; break if i >= 10; } }") == 12);
    CHECK(iterations("for (var i = 0u; i < 10; i++) { if out[i] == 3 { continue; } out[id] += i; }") == 12);
}

TEST_CASE("so are loops that halve or double") {
    for (const char* head : {"for (var i = 128u; i > 0; i /= 2)", "for (var i = n; i != 0; i >>= 1)",
                             "for (var i = 128; i >= 1; i >>= 1)", "for (var i = 1u; i < 1024; i *= 2)",
                             "for (var i = 1; i <= 1024; i <<= 1)"})
        CHECK_MESSAGE(iterations_of(head) == 35, std::string(head));
}

TEST_CASE("iterations add up, those of a loop within another multiply, and each way is counted") {
    const std::string inner = "for (var k = 0u; k < 8; k++) { out[id] += k; }";
    CHECK(iterations(inner + inner) == 20);
    CHECK(iterations("if n > 3 {" + inner + "} else {" + inner + "}") == 20);
    CHECK(iterations("for (var i = 0u; i < 4; i++) {" + inner + "}") == 6 * 11);
    CHECK(iterations("for (var i = 0u; i < 1000000; i++) { for (var j = 0u; j < 1000000; j++) {" + inner +
                     "} }") == std::uint64_t{1} << 32);
}

TEST_CASE("what isn't seen to end isn't taken for it") {
    for (const char* head :
         {"for (var i = 0u; i < n; i++)", "for (var i = 0u; i >= 0; i--)",
          "for (var i = 0u; i <= 4294967295; i++)", "for (var i = 0u; i < 4294967290; i += 16)",
          "for (var i = 0u; i != 9; i += 2)", "for (var i = 10; i < 100; i--)",
          "for (var i = m; i != 0; i >>= 1)", "for (var i = -4; i != 0; i >>= 1)",
          "for (var i = 0u; i < 1024; i *= 2)", "for (var i = 1u; i < 3000000000; i *= 2)",
          "for (var i = 0u; i < 100; i += n)", "for (var i = 0; i < 100; i += 0)", "while out[id] < 100"})
        CHECK_MESSAGE(!iterations_of(head), std::string(head));
    CHECK_FALSE(iterations("for (var i = 0u; i < 100; i++) { if n > 2 { i = 0; } }"));
    CHECK_FALSE(iterations("for (var i = 0u; i < 100; i++) { i -= 1; }"));
    CHECK_FALSE(iterations("var i = 0u; loop { if out[id] == 3 { continue; } if i >= 10 { break; } i++; }"));
    CHECK_FALSE(iterations("var i = 0u; while i < 10 { if out[id] == 3 { continue; } i++; }"));
    CHECK_FALSE(iterations("var i = 0u; while i < 10 { if out[id] == 3 { i++; } }"));
    CHECK_FALSE(iterations("let i = n; while i < 10 { out[id] += 1; }"));
    CHECK_FALSE(iterations("var i = 0u; loop { out[id] += i; continuing { i++; break if i == 0; } }"));
    CHECK_FALSE(iterations("var i = n; loop { out[id] += i; continuing { i++; break if i >= 10; } }"));
    CHECK_FALSE(
        iterations("for (var k = 0u; k < 8; k++) { for (var i = 0u; i < n; i++) { out[id] += i; } }"));
}

namespace {

bool has_only_guard(const std::string& body) {
    const ValidProgram program = parse(R"(@group(0) @binding(0) var<storage, read_write> out: array<u32>;
@group(0) @binding(1) var<uniform> n: u32;
@compute @workgroup_size(64) fn main(@builtin(local_invocation_index) id: u32) {
    var i = 0u;
)" + body + "\nout[id] += n;\n}");
    for (std::uint32_t node = 0; node < program->node_count(); ++node)
        if (program->node({node}).op == Op::loop) return only_guard(*program, {node}).has_value();
    FAIL("there is no loop");
    return false;
}

}  // namespace

TEST_CASE(
    "a loop with one way out, where a counter is compared, has an only guard; with any other it has none") {
    CHECK(has_only_guard("for (; i < 7; i++) { out[id] += i; }"));
    CHECK(has_only_guard("while n > i { if out[i] == 3 { continue; } i += 2; }"));
    CHECK(has_only_guard("while i < 7 { i++; switch i { case 3: { break; } default: { i++; } } }"));
    CHECK_FALSE(has_only_guard("while i < 7 { i++; if out[i] == 3 { break; } }"));
    CHECK_FALSE(has_only_guard("while i < 7 { i++; if out[i] == 3 { return; } }"));
    CHECK_FALSE(has_only_guard("while i < 7 { i++; switch i { case 3: { return; } default: { i++; } } }"));
    CHECK_FALSE(has_only_guard("loop { i++; if i > 7 { break; } }"));
    CHECK_FALSE(has_only_guard("loop { i++; continuing { break if i > 7; } }"));
    CHECK_FALSE(has_only_guard("loop { if i > 7 { break; } i++; continuing { break if out[i] == 3; } }"));
    CHECK_FALSE(has_only_guard("while out[id] < 7 { out[id] += 1; }"));
    CHECK_FALSE(has_only_guard("let before = i; while before < n { i++; }"));
    CHECK_FALSE(has_only_guard("loop { if i > 7 { out[id] = 2; break; } i++; }"));
}

TEST_CASE("a loop that counts to an element which an index chooses is watched") {
    const SpirvModule module = lowered(R"(@group(0) @binding(0) var<storage, read_write> y: array<u32>;
@compute @workgroup_size(1) fn main() {
    let t = array(3u, 4u, y[0]);
    let k = y[1];
    for (var i = 0u; i < t[k]; i++) { y[2] += i; }
})",
                                       {.long_loops = LongLoops::watched});
    REQUIRE(module.watched_loops);
    CHECK(module.watched_loops->places.size() == 1);
}
