// gridBarrier and gridUniformLoad: their parsing, printing and validation.
#include <string>

#include <doctest/doctest.h>
#include <support/parse.hpp>
#include <support/text.hpp>

#include <muster/foundation/analysis/uniformity.hpp>
#include <muster/foundation/build/ir_builder.hpp>
#include <muster/foundation/build/rewrite.hpp>
#include <muster/foundation/ir/grid_barrier.hpp>
#include <muster/foundation/wgsl/print/print.hpp>

using namespace muster;
using muster::test::first_fault;
using muster::test::has;
using muster::test::parse;

namespace {

constexpr std::string_view enable = "enable muster_grid_barrier;";

// A program in which `statements` begin on line 12.
std::string in_grid(std::string_view statements, std::string_view functions = "") {
    return std::string(enable) +
           "\n"
           "@group(0) @binding(0) var<storage, read_write> data: array<u32>;\n"
           "@group(0) @binding(1) var<storage, read> fixed: array<u32>;\n"
           "@group(0) @binding(2) var<uniform> n: u32;\n"
           "@group(0) @binding(3) var<storage, read_write> count: atomic<u32>;\n"
           "@group(0) @binding(4) var<storage, read_write> word: i32;\n"
           "var<private> mine: u32; var<workgroup> shared_: array<u32, 64>; override turns = 3u;" +
           std::string(functions) +
           "\n"
           "@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3u,\n"
           "  @builtin(num_workgroups) groups: vec3u, @builtin(workgroup_id) group: vec3u,\n"
           "  @builtin(local_invocation_index) lane: u32) {\n"
           "  let i = id.x;\n" +
           std::string(statements) + "\n}\n";
}

std::string verdict(const std::string& text) {
    const Result<ValidProgram> valid = test::try_program(text);
    return valid ? "valid" : valid.error().to_string();
}

}  // namespace

TEST_CASE("what the builder makes of a grid barrier and its load") {
    const Program program = parse(in_grid("gridBarrier(); data[i] = u32(gridUniformLoad(&word));"));
    REQUIRE(has_grid_barriers(program));
    CHECK(program.required_ops().extensions ==
          std::vector<std::string>{std::string(grid_barrier_id), std::string(grid_uniform_load_id)});
    int barriers = 0, loads = 0;
    for (NodeId id{0}; id.index < program.node_count(); ++id.index) {
        barriers += is_grid_barrier(program, id);
        if (!is_grid_uniform_load(program, id)) continue;
        ++loads;
        CHECK(program.type(id) == i32_type);
        const Variable& word = program.variable(program.root_variable(program.operand(id, 0)));
        CHECK(word.name == "word");
        CHECK(word.is_read);
        CHECK(!word.is_written);
        CHECK(analyse(program).of(id) == UniformOver::grid);
    }
    CHECK(barriers == 1);
    CHECK(loads == 1);
    CHECK(!has_grid_barriers(parse(in_grid("storageBarrier();"))));
    // Neither is dropped, even if unused.
    const Program unused = parse(in_grid("gridBarrier(); _ = gridUniformLoad(&count);"));
    CHECK(unused.required_ops().extensions.size() == 2);
    const Result<Program> again =
        rewrite(unused, [](IrBuilder&, const RewrittenNode&) { return std::nullopt; });
    REQUIRE(again);
    CHECK(again->fingerprint() == unused.fingerprint());
    CHECK(unused.fingerprint() != parse(in_grid("gridBarrier();")).fingerprint());
}

TEST_CASE("control flow around a grid barrier that is uniform over the grid") {
    for (const char* body : {
             "gridBarrier();",
             "if i >= n { return; } gridBarrier();",
             "if data[i] == 0 { return; } if lane == 3 { if group.x > 1 { return; } } gridBarrier();",
             "if lane > 3 { return; } for (var k = 0u; k < n; k++) { gridBarrier(); if data[i] == k { "
             "return; } }",
             "for (var k = 0u; k < turns * groups.x; k++) { data[i] += k; gridBarrier(); }",
             "for (var k = n; k > 0; k >>= 1) { if k == 4 { continue; } if k == fixed[n] { break; } "
             "gridBarrier(); }",
             "var k = data[i]; k = n; if k > 3 { gridBarrier(); } else { gridBarrier(); gridBarrier(); }",
             "switch fixed[0] { case 1: { gridBarrier(); } case 2: { return; } default: { if i < n { data[i] "
             "= 1; } } }",
             "loop { data[i] += 1; gridBarrier(); if gridUniformLoad(&word) == 0 { break; } }",
             "loop { gridBarrier(); let a = gridUniformLoad(&count); let b = gridUniformLoad(&data[a]); if a "
             "== b { break; } }",
             "var k = 0u; loop { gridBarrier(); k = gridUniformLoad(&data[k + groups.y]); if k > 3 { break; "
             "} }",
             "gridBarrier(); let before = data[i]; let a = gridUniformLoad(&word); data[i] = before + "
             "u32(a);",
             "gridBarrier(); loop { if data[i] > 3 { return; } data[i] += 1; gridBarrier(); }",
             "for (var k = 0u; k < 3; k++) { for (var j = k; j < n; j++) { gridBarrier(); } if k == n { "
             "continue; } gridBarrier(); }",
             "if n > 3 { shared_[lane] = 1; workgroupBarrier(); data[i] = shared_[0]; } gridBarrier();",
         }) {
        CAPTURE(body);
        CHECK(verdict(in_grid(body)) == "valid");
    }
    CHECK(verdict(in_grid("step(i, n);",
                          "fn step(i: u32, m: u32) { if m == 0 { return; } gridBarrier(); data[i] = 1; }")) ==
          "valid");
    CHECK(verdict(in_grid("if done() { return; }",
                          "fn done() -> bool { gridBarrier(); return gridUniformLoad(&count) == 0; }")) ==
          "valid");
}

TEST_CASE("control flow around a grid barrier that depends on more is refused with both lines") {
    struct Case {
        const char* body;
        const char* decided_at;
        const char* depends_on;
    };
    for (const Case& each : {
             Case{"if group.x == 0 {\n gridBarrier(); }", "12:1",
                  "workgroup_id, which differs between workgroups"},
             Case{"if lane == 0 {\n gridBarrier(); }", "12:1",
                  "local_invocation_index, which differs between invocations"},
             Case{"if i < n {\n gridBarrier(); }", "12:1",
                  "global_invocation_id, which differs between invocations"},
             Case{"if data[0] == 0 {\n gridBarrier(); }", "12:1",
                  "what \"data\" holds at kernel.wgsl:12:8, which invocations may have written"},
             Case{"if mine == 0 {\n gridBarrier(); }", "12:1", "what \"mine\" holds"},
             Case{"if shared_[0] == 0 {\n gridBarrier(); }", "12:1", "what \"shared_\" holds"},
             Case{"if atomicLoad(&count) == 0 {\n gridBarrier(); }", "12:1",
                  "the result of atomic_load at kernel.wgsl:12:4"},
             Case{"if i < n { return; } else {\n gridBarrier(); }", "12:1", "global_invocation_id"},
             Case{"for (var k = 0u; k < data[1]; k++) {\n gridBarrier(); }", "12:1", "what \"data\" holds"},
             Case{"for (var k = group.x; k < n; k++) {\n gridBarrier(); }", "12:1", "workgroup_id"},
             Case{"for (var k = 0u; k < n; k++) { if i == k { break; }\n gridBarrier(); }", "12:32",
                  "global_invocation_id"},
             Case{"for (var k = 0u; k < n; k++) { if i == k { continue; }\n gridBarrier(); }", "12:32",
                  "global_invocation_id"},
             Case{"switch lane { case 0: {\n gridBarrier(); } default: {} }", "12:1",
                  "local_invocation_index"},
             Case{"var k = n; if lane == 0 { k = 1; } if k == 1 {\n gridBarrier(); }", "12:36",
                  "local_invocation_index"},
             Case{"var k = 0; if atomicAdd(&count, 1) == 0 { k = 1; } while k > 0 {\n gridBarrier(); k--; }",
                  "12:", "the result of atomic_add"},
             Case{"step(i, n);\n", "7:", "global_invocation_id"},
         }) {
        CAPTURE(each.body);
        const std::string message = verdict(in_grid(
            each.body, "fn step(i: u32, m: u32) { if i >= m { return; } gridBarrier(); data[i] = 1; }"));
        CHECK_MESSAGE(has(message, std::string("decided at kernel.wgsl:") + each.decided_at), message);
        CHECK_MESSAGE(has(message, std::string("depends on ") + each.depends_on), message);
        CHECK(has(message, each.decided_at[0] == '7'
                               ? "kernel.wgsl:7:"
                               : "kernel.wgsl:13:2: error: The grid barrier stands in"));
        CHECK(has(message, "Fix: move the barrier out"));
    }
}

TEST_CASE("a workgroup barrier behind an early return is refused still") {
    const std::string message = verdict(in_grid("if i >= n { return; } gridBarrier(); workgroupBarrier();"));
    CHECK_MESSAGE(has(message, "12:38: error: The workgroup barrier stands in non-uniform control flow"),
                  message);
}

TEST_CASE("a gridUniformLoad belongs to the grid barrier in front of it") {
    constexpr std::string_view not_behind = "gridUniformLoad doesn't directly follow a grid barrier.";
    for (const char* body : {
             "let a =\n gridUniformLoad(&word);",
             "gridBarrier(); data[i] = 1; let a =\n gridUniformLoad(&word);",
             "gridBarrier(); atomicAdd(&count, 1); let a =\n gridUniformLoad(&word);",
             "gridBarrier(); var b = 1; let a =\n gridUniformLoad(&word); data[i] = u32(b + a);",
             "gridBarrier(); workgroupBarrier(); let a =\n gridUniformLoad(&word);",
             "gridBarrier(); if n > 1 { let a =\n gridUniformLoad(&word); }",
             "if n > 1 { gridBarrier(); } let a =\n gridUniformLoad(&word);",
             "loop { let a =\n gridUniformLoad(&word); if a > 0 { break; } gridBarrier(); }",
         }) {
        CAPTURE(body);
        const std::string message = verdict(in_grid(body));
        CHECK_MESSAGE(has(message, std::string("kernel.wgsl:13:2: error: ") + std::string(not_behind)),
                      message);
        CHECK(has(message, "Fix: write gridBarrier(); in front of it"));
    }
    const std::string message = verdict(in_grid("gridBarrier(); let a =\n gridUniformLoad(&data[i]);"));
    CHECK_MESSAGE(
        has(message,
            "13:2: error: gridUniformLoad takes a place that isn't the same over the grid: its index "
            "depends on global_invocation_id, which differs between invocations."),
        message);
    CHECK(has(verdict(in_grid("let j = data[0]; gridBarrier(); let a = gridUniformLoad(&data[j]);")),
              "its index depends on what \"data\" holds at kernel.wgsl:12:13"));
}

TEST_CASE("faults of the text") {
    const std::string without = in_grid("gridBarrier();").substr(enable.size());
    CHECK(first_fault(without) ==
          "12:1: gridBarrier needs the extension muster_grid_barrier, which isn't enabled.");
    CHECK(first_fault(in_grid("let a = gridUniformLoad(&word);").substr(enable.size())) ==
          "12:9: gridUniformLoad needs the extension muster_grid_barrier, which isn't enabled.");
    const auto fault = [](const char* body) { return first_fault(in_grid(body)); };
    CHECK(fault("gridBarrier(1);") == "12:1: gridBarrier takes 0 arguments, 1 given.");
    CHECK(fault("let a = gridBarrier();") != "");
    CHECK(fault("gridBarrier(); gridUniformLoad(&word);") ==
          "12:16: The value of gridUniformLoad isn't used.");
    CHECK(fault("gridBarrier(); let a = gridUniformLoad(word);") ==
          "12:24: gridUniformLoad takes a pointer to a u32, an i32 or an atomic one, not i32.");
    CHECK(fault("gridBarrier(); let a = gridUniformLoad(&data);") ==
          "12:24: gridUniformLoad takes a pointer to a u32, an i32 or an atomic one, not "
          "ptr<storage, array<u32>, read_write>.");
    CHECK(fault("gridBarrier(); let a = gridUniformLoad(&n);") ==
          "12:24: gridUniformLoad reads storage variables, not uniform ones.");
    CHECK(fault("gridBarrier(); let a = gridUniformLoad(&shared_[0]);") ==
          "12:24: gridUniformLoad reads storage variables, not workgroup ones.");
    CHECK(fault("gridBarrier(); let a = gridUniformLoad(&mine);") ==
          "12:24: gridUniformLoad reads storage variables, not private ones.");
    CHECK(has(first_fault("@group(0) @binding(0) var<storage, read_write> f: f32;\n" +
                          in_grid("gridBarrier(); let a = gridUniformLoad(&f);")),
              "enable"));
    CHECK(first_fault(std::string(enable) +
                      " @group(0) @binding(0) var<storage, read_write> f: f32;\n"
                      "@compute @workgroup_size(1) fn main() { gridBarrier(); _ = gridUniformLoad(&f); }") ==
          "2:60: gridUniformLoad takes a pointer to a u32, an i32 or an atomic one, not ptr<storage, f32, "
          "read_write>.");
    // A text's own declarations hide the built-in names.
    CHECK(verdict("fn gridBarrier() {} @compute @workgroup_size(1) fn main() { gridBarrier(); }") == "valid");
}

TEST_CASE("programs of other makers") {
    IrBuilder ir("made", {1, 1, 1});
    const VariableId real = ir.variable(
        {.name = "real", .type = f32_type, .space = AddressSpace::storage, .access = Access::read_write});
    const VariableId local = ir.variable({.name = "local", .type = u32_type});
    ir.declare(local);
    const NodeId value = ir.load(ir.ref(local));
    std::string expected;
    SUBCASE("wrong type") {
        ir.grid_barrier();
        ir.grid_uniform_load(ir.ref(real));
        expected = "gridUniformLoad reads a f32.";
    }
    SUBCASE("wrong address space") {
        ir.grid_barrier();
        ir.grid_uniform_load(ir.ref(local));
        expected = "gridUniformLoad reads \"local\" in address space function.";
    }
    SUBCASE("a value") {
        ir.extension(grid_uniform_load_id, u32_type, std::array{value});
        expected = "gridUniformLoad takes a value where it needs a place.";
    }
    SUBCASE("no operand") {
        ir.extension(grid_uniform_load_id, u32_type, {});
        expected = "gridUniformLoad has 0 operands; it takes one.";
    }
    SUBCASE("another result") {
        const VariableId word =
            ir.variable({.name = "word", .type = u32_type, .space = AddressSpace::storage});
        ir.extension(grid_uniform_load_id, i32_type, std::array{ir.ref(word)});
        expected = "gridUniformLoad of a u32 yields a i32.";
    }
    SUBCASE("a barrier with a value") {
        ir.extension(grid_barrier_id, u32_type, {});
        expected = "A grid barrier has operands or yields a value.";
    }
    Result<Program> program = std::move(ir).finish();
    REQUIRE(program);
    const Result<ValidProgram> valid = validate(*program);
    REQUIRE(!valid);
    CHECK_MESSAGE(has(valid.error().to_string(), expected), valid.error().to_string());
}

TEST_CASE("printed text reads back") {
    for (const char* body : {
             "gridBarrier(); _ = gridUniformLoad(&word);",
             "gridBarrier(); let gridBarrier = gridUniformLoad(&data[n + 1]); data[i] = gridBarrier;",
             "loop { gridBarrier(); let a = gridUniformLoad(&count); let b = gridUniformLoad(&data[a]); if a "
             "== b { break; } }",
         }) {
        CAPTURE(body);
        const Program program = parse(in_grid(body));
        const std::string text = wgsl::print(program);
        CAPTURE(text);
        CHECK(has(text, "enable muster_grid_barrier;\n"));
        CHECK(parse(text).fingerprint() == program.fingerprint());
    }
}
