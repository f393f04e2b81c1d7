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
@compute @workgroup_size(64) fn main(@builtin(local_invocation_index) id: u32) {
)" + body + "\nout[id] += 1;\n}");
    return most_iterations(*program, Loops(*program), LargeArrays(*program));
}

}  // namespace

TEST_CASE("iterations add up, those of a loop within another multiply, and each way is counted") {
    const std::string inner = "for (var k = 0u; k < 8; k++) { out[id] += k; }";
    CHECK(iterations("") == 0);
    CHECK(iterations(inner + inner) == 18);
    CHECK(iterations("if n > 3 {" + inner + "} else {" + inner + "}") == 18);
    CHECK(iterations("for (var i = 0u; i < 4; i++) {" + inner + "}") == 5 * 10);
    CHECK(iterations("for (var i = 0u; i < 1000000; i++) { for (var j = 0u; j < 1000000; j++) {" + inner +
                     "} }") == std::uint64_t{1} << 32);
}

TEST_CASE("a sum has no bound if a loop isn't shown to end, and stops at 2^32") {
    const std::string endless = "while out[id] < 100 { out[id] += 1; }";
    CHECK_FALSE(iterations(endless));
    CHECK_FALSE(iterations("for (var k = 0u; k < 8; k++) {" + endless + "}"));
    const std::string longest = "for (var i = 0u; i < n; i++) { out[id] += i; }";
    CHECK(iterations(longest) == std::uint64_t{1} << 32);
    CHECK(iterations("for (var k = 0u; k < n; k++) {" + longest + longest + "}") == std::uint64_t{1} << 32);
}

namespace {

bool has_only_guard(const std::string& body) {
    const ValidProgram program = parse(R"(@group(0) @binding(0) var<storage, read_write> out: array<u32>;
@group(0) @binding(1) var<uniform> n: u32;
@compute @workgroup_size(64) fn main(@builtin(local_invocation_index) id: u32) {
    var i = 0u;
)" + body + "\nout[id] += n;\n}");
    for (std::uint32_t node = 0; node < program->node_count(); ++node)
        if (program->node({node}).op == Op::loop)
            return only_guard(*program, Loops(*program), {node}).has_value();
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
