// Values of thousands of words give the interpreter's bits, with code whose size doesn't depend on theirs.
#include <string>

#include <doctest/doctest.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>

#include <muster/backend-cpu/compiler/lowering/debug_info.hpp>
#include <muster/backend-cpu/compiler/lowering/large_values.hpp>
#include <muster/foundation/build/ir_builder.hpp>
#include <muster/foundation/wgsl/wgsl.hpp>

#include "conformance/devices.hpp"
#include "lowering/run_lowered.hpp"

using namespace muster;
using namespace muster::conformance;

namespace {

/// Declarations for every kernel. `small` has padding; `rows` has fewer rows than the indices used.
const std::string bindings = R"(
struct Small { a: u32, v: vec3f, w: array<vec3u, 5>, z: i32 }
struct Large { head: vec3u, body: array<u32, 300>, small: Small, tail: array<array<vec3f, 40>, 3> }
@group(0) @binding(0) var<storage, read> input: array<u32, 8192>;
@group(0) @binding(1) var<storage, read_write> words: array<u32, 8192>;
@group(0) @binding(2) var<storage, read_write> out: array<u32, 8192>;
@group(0) @binding(3) var<storage, read> rows: array<array<u32, 200>>;
@group(0) @binding(4) var<storage, read_write> out_rows: array<array<u32, 200>>;
@group(0) @binding(5) var<storage, read> larges: array<Large>;
@group(0) @binding(6) var<storage, read_write> out_larges: array<Large>;
@group(0) @binding(7) var<storage, read_write> seen: array<u32>;
)";
const std::string main = R"(
@compute @workgroup_size(24)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(local_invocation_index) lane: u32,
        @builtin(workgroup_id) group: vec3u) {
    let i = id.x;
)";

std::vector<std::uint32_t> counted(std::size_t words, std::uint32_t factor) {
    std::vector<std::uint32_t> made(words);
    for (std::uint32_t k = 0; k < words; ++k) made[k] = (k * factor) ^ (k >> 3);
    return made;
}

Case large_value_case(std::string text) {
    Case test{.name = "large"};
    test.text = std::move(text);
    test.grid = Workgroups{2, 1, 1};
    constexpr std::size_t large_words = 4 + 300 + 4 + 32 + 480;  // Large in WGSL's layout, or more
    test.bind["input"] = {Scalar::u32, counted(8192, 7)};
    test.bind["words"] = {Scalar::u32, counted(8192, 3)};
    test.bind["out"] = {Scalar::u32, counted(8192, 5)};
    test.bind["rows"] = {Scalar::u32, counted(20 * 200, 11)};
    test.bind["out_rows"] = {Scalar::u32, counted(20 * 200, 13)};
    test.bind["larges"] = {Scalar::u32, counted(4 * large_words, 17)};
    test.bind["out_larges"] = {Scalar::u32, counted(4 * large_words, 19)};
    test.bind["seen"] = {Scalar::u32, counted(64, 1)};
    return test;
}

ValidProgram program_of(const std::string& text) {
    const auto parsed = wgsl::parse(text, {.file = "large.wgsl"});
    REQUIRE_MESSAGE(parsed, (parsed ? "" : parsed.error().to_string()));
    auto program = validate(*parsed);
    REQUIRE_MESSAGE(program, (program ? "" : program.error().to_string()));
    return *std::move(program);
}

struct Size {
    std::size_t instructions = 0;
    std::uint64_t stack_bytes = 0;
};
Size size_of(const ValidProgram& program, std::uint32_t width) {
    auto lowered = test::Lowered::make(program, width);
    REQUIRE_MESSAGE(lowered, (lowered ? "" : lowered.error().to_string()));
    Size size;
    const llvm::DataLayout layout(&lowered->module());
    for (const llvm::Function& function : lowered->module())
        for (const llvm::Instruction& instruction : llvm::instructions(function)) {
            ++size.instructions;
            if (const auto* slot = llvm::dyn_cast<llvm::AllocaInst>(&instruction))
                size.stack_bytes += slot->getAllocationSize(layout)->getFixedValue();
        }
    return size;
}

/// Checks at every width that the results are the interpreter's and the code's size is bounded.
void check(const std::string& functions, const std::string& body, std::size_t most_instructions = 4000) {
    CAPTURE(body);
    const Case test = large_value_case(bindings + functions + main + body + "}\n");
    const ValidProgram program = program_of(test.text);
    const auto small = cpu::large_values_to_memory(*program);
    REQUIRE(small);
    CHECK(validate(*small));
    const auto expected = run_interpreted(test, program, 1);
    REQUIRE_MESSAGE(expected, (expected ? "" : expected.error().to_string()));
    for (const std::uint32_t width : {1u, 4u, 8u, 16u}) {
        CAPTURE(width);
        const Size size = size_of(program, width);
        CHECK(size.instructions < most_instructions);
        CHECK(size.stack_bytes < 100'000);
        const auto actual = test::run_lowered(test, program, width);
        REQUIRE_MESSAGE(actual, (actual ? "" : actual.error().to_string()));
        for (std::size_t b = 0; b < expected->size(); ++b)
            CHECK_MESSAGE(difference((*expected)[b], (*actual)[b], false) == "",
                          program->variable(program->bindings()[b]).name);
    }
}

}  // namespace

TEST_CASE("large values are copied from memory to memory") {
    check("", "out = input;");
    check("", "let a = input; if lane == 3 { out = a; }");
    check("", "out = array<u32, 8192>();");
    check("", "if i < 20 { out_rows[i] = rows[19 - i]; }");
    check("", "out_larges[i] = larges[i];");
    check("", "if i < 4 { out_larges[i] = larges[3 - i]; }");
    check("", "out_larges[i] = Large();");
    check("", "if i < 4 { out_larges[i].tail = larges[i].tail; out_larges[i].small = larges[3 - i].small; }");
}

TEST_CASE("what is out of bounds is zero and is not written") {
    check("", "out_rows[i] = rows[i];");
    check("", "out_rows[i] = rows[i + 4];");
    check("", "out_larges[i * 1000000000] = larges[i + 2];");
    check("", "let a = rows[i]; seen[i] = a[i * 5] + a[200 + i] + a[199];");
}

TEST_CASE("parts of large values are read where they lie") {
    check("", "let a = input; seen[i] = a[i * 170] + a[8191] + a[i + 8180];", 1000);
    check("",
          "let a = larges[i & 3]; seen[i] = a.body[i] + a.small.w[i & 7].y + bitcast<u32>(a.tail[i % "
          "5][i].z);");
    check("",
          "let a = larges[lane / 8]; let b = a.tail; let c = b[i % 3]; seen[i] = bitcast<u32>(c[i % 40].x);");
}

TEST_CASE("a value stays what it was when its memory changes") {
    check("", "let a = words; workgroupBarrier(); words[i] = 7; out[i] = a[i + 1];");
    check("var<private> p: array<u32, 900>; var<private> q: array<u32, 900>;",
          "p[i] = i; q[5] = 99; p[7] = 8; let t = p; p = q; q = t; seen[i] = p[5] + 3 * q[7] + 5 * q[i];");
    check("var<private> p: array<u32, 900>;",
          "for (var k = 0u; k < 900; k++) { p[k] = k * i; } let a = p;"
          "for (var k = 0u; k < 20; k++) { p[k * 3] = a[k + i] + p[k]; } seen[i] = p[i] + a[i] + p[57 - "
          "lane];");
    check("",
          "var m: array<array<u32, 100>, 4>; for (var k = 0u; k < 400; k++) { m[k / 100][k % 100] = k ^ i; }"
          "m[i & 3] = m[(i >> 1) & 3]; let r = m[1]; m[1] = m[0]; m[0] = r;"
          "for (var k = 0u; k < 4; k++) { seen[i] = seen[i] * 31 + m[k][i] + m[3 - k][99 - i]; }");
    check(
        "",
        "var p: array<u32, 100>; var q = p; for (var k = 0u; k < 5; k++) { let a = p; p[k] = k + i; q = a; }"
        "seen[i] = q[3] + q[4] * 5 + p[4];");
}

TEST_CASE("large values live in variables of invocations that part") {
    check("var<private> p: array<u32, 2000>;",
          "if lane % 3 == 0 { for (var k = 0u; k < 2000; k++) { p[k] = input[k + i]; } } else if lane % 3 == "
          "1 {"
          "p = array<u32, 2000>(); p[i] = 4; } seen[i] = p[i * 40] + p[1999];");
    check("",
          "var r: array<u32, 200>; if lane % 2 == 1 { r = rows[i % 20]; } else { r[i] = i; } let s = r;"
          "if lane > 7 { r = rows[3]; } seen[i] = r[i] + s[i] * 3 + s[199];");
    check("",
          "for (var k = 0u; k < 6; k++) { if (k + lane) % 3 == 0 { continue; } var r = rows[k]; var z: "
          "array<u32, 90>;"
          "if k == lane % 5 { break; } r[k] += z[k]; z[k] = 9; seen[i] += r[i] + r[k]; }");
    check("",
          "var total = 0u; var k = 0u; loop { let a = rows[(k + lane) % 21]; if lane + k == 9 { k += 2; "
          "continue; }"
          "total += a[k]; continuing { k += 1; total += a[lane]; break if k > 7 + (lane & 3); } } seen[i] = "
          "total;");
    check("",
          "switch lane % 4 { case 0 { let a = rows[1]; out_rows[i] = a; } case 1, 2 { var a = rows[2]; a[i] "
          "= 0;"
          "out_rows[i] = a; } default { return; } } seen[i] = 3;");
}

TEST_CASE("large values are made of others, passed and returned") {
    check(
        "fn turned(a: array<u32, 200>, by: u32) -> array<u32, 200> { var b: array<u32, 200>;"
        "if by == 5 { return a; } for (var k = 0u; k < 200; k++) { b[k] = a[(k + by) % 200]; } return b; }",
        "if i < 20 { out_rows[i] = turned(rows[i], i); } let b = turned(rows[7], lane); seen[i] = b[i];",
        8000);
    check("",
          "let m = array<array<u32, 200>, 3>(rows[i], rows[2], rows[i + 1]); seen[i] = m[i % 4][i] + m[0][7];"
          "if i < 20 { out_rows[i] = m[2]; }");
    check("",
          "var l = larges[1]; l.head = vec3u(i, 2, 3); l.tail[i % 3][4].y = 0.5; let m = Large(l.head.zyx, "
          "l.body, "
          "Small(), l.tail); seen[i] = m.head.x + bitcast<u32>(m.tail[1][4].y); if i < 4 { out_larges[i] = "
          "m; }");
}

TEST_CASE("large values cross barriers and workgroup memory") {
    check("var<workgroup> w: array<u32, 8192>;",
          "w = input; workgroupBarrier(); let a = w; workgroupBarrier(); w[i] = 77; workgroupBarrier();"
          "seen[i] = a[i] + w[i] + a[8191]; if lane == 0 { out = w; }");
    check("var<workgroup> w: array<array<u32, 200>, 24>; var<private> p: array<u32, 300>;",
          "w[lane] = rows[i]; p[i] = 8; let a = rows[lane % 20]; var v = a; v[3] = i; workgroupBarrier();"
          "let b = w[23 - lane]; p[lane + 1] += b[i]; workgroupBarrier(); seen[i] = a[i] + v[3] + b[i] + "
          "p[i] + p[lane + 1];");
    check("var<workgroup> w: Large;",
          "if lane == 5 { w = larges[1]; } workgroupBarrier(); var l = w; l.body[i] = 1; workgroupBarrier();"
          "if lane == 6 { w = l; } workgroupBarrier(); seen[i] = w.body[30] + l.body[i] + w.small.a;");
}

TEST_CASE("tables are read from the image") {
    std::string table, halves, rows;
    for (int k = 0; k < 300; ++k) table += std::to_string(k * k % 1009) + "u, ";
    for (int k = 0; k < 40; ++k) halves += std::to_string(k) + ".5, ";
    for (int k = 0; k < 30; ++k)
        rows += "array(vec3(" + std::to_string(k) + "u, 7, 9), vec3(3u, 2, " + std::to_string(k % 7) + ")), ";
    const std::string tables =
        "const table = array<u32, 300>(" + table + ");\nconst halves = array<f32, 40>(" + halves +
        ");\nconst rows2 = array<array<vec3u, 2>, 30>(" + rows +
        ");\nconst flags = array<bool, 20>(true, false, true, true, false, true, false, false, true, "
        "true, false, false, true, true, true, false, true, false, true, true);\n"
        "var<private> start = table; var<private> fixed = table;\n";
    check(tables,
          "seen[i] = table[i * 7] + u32(halves[i & 63]) + rows2[i % 33][i & 1].z + rows2[3][i].x;"
          "if flags[i % 24] { seen[i] += 1000; }");
    check(tables, "start[i] += 5; seen[i] = start[i] + start[i + 1] + fixed[i * 6] + fixed[3];");
    check(tables,
          "var t = table; if lane > 3 { t[i] = 1; } let u = t; var v = table; seen[i] = t[i + 1] + u[i] + "
          "v[i] + v[2];"
          "if i == 3 { out_rows[2][7] = table[id.y + 5]; }");
    check(tables,
          "for (var k = 0u; k < 5; k++) { if lane == k { continue; } var t = table; t[k] += lane;"
          "var v = halves; seen[i] += t[k] + t[lane] + u32(v[k + lane]); }");
    check(tables + "var<workgroup> w: array<u32, 300>;",
          "var t = table; workgroupBarrier(); if t[group.x + 2] == 4 { workgroupBarrier(); } w = table;"
          "workgroupBarrier(); seen[i] = w[i] + t[i] + fixed[i]; start[i] = 1; workgroupBarrier(); seen[i] "
          "+= start[i] + start[299];");
}

TEST_CASE("debug information leads from copies to the nodes given") {
    const ValidProgram program = program_of(
        bindings + main + "let a = larges[i & 1];\nlet b = a.tail;\nout = input;\nseen[i] = a.body[i];}");
    llvm::LLVMContext context;
    const auto kernel = cpu::lower(context, program, {.width = 8, .debug = true});
    REQUIRE(kernel);
    bool stores = false;
    for (const llvm::Function& function : *kernel->module)
        for (const llvm::Instruction& instruction : llvm::instructions(function)) {
            const llvm::DILocation* location = instruction.getDebugLoc();
            if (!location) continue;
            const NodeId node = cpu::node_of(*program, location->getDiscriminator());
            REQUIRE(node);
            CHECK(program->location(node).line == location->getLine());
            stores = stores ||
                     (program->node(node).op == Op::store && llvm::isa<llvm::LoadInst>(instruction) &&
                      program->type(program->operand(node, 0)) == program->type(program->operand(node, 1)));
        }
    CHECK(stores);
}

TEST_CASE("one of two large values is selected") {
    IrBuilder ir("main", {8, 1, 1});
    const TypeId type = ir.types().array(u32_type, 500);
    const auto storage = [&](const char* name, std::uint32_t binding, TypeId of, Access access) {
        return ir.variable(
            {.name = name, .type = of, .space = AddressSpace::storage, .access = access, .binding = binding});
    };
    const VariableId rows = storage("rows", 0, ir.types().array(type, 3), Access::read);
    const VariableId out = storage("out", 1, ir.types().array(type, 8), Access::read_write);
    const NodeId i = ir.builtin(Builtin::local_invocation_index);
    const NodeId a = ir.load(ir.ref_index(ir.ref(rows), ir.constant(0u)));
    const NodeId b = ir.load(ir.ref_index(ir.ref(rows), i));
    ir.store(ir.ref_index(ir.ref(out), i), ir.select(a, b, ir.binary(Op::gt, i, ir.constant(3u))));
    const ValidProgram program = *validate(*std::move(ir).finish());
    Case test{.name = "select"};
    test.bind["rows"] = {Scalar::u32, counted(1500, 3)};
    test.bind["out"] = {Scalar::u32, counted(4000, 3)};
    const auto expected = run_interpreted(test, program, 1);
    REQUIRE(expected);
    for (const std::uint32_t width : {1u, 4u, 8u, 16u}) {
        CHECK(size_of(program, width).instructions < 2000);
        const auto actual = test::run_lowered(test, program, width);
        REQUIRE(actual);
        CHECK(difference((*expected)[1], (*actual)[1], false) == "");
    }
}

TEST_CASE("the largest variables that the device takes leave the stack alone") {
    for (const AddressSpace space : {AddressSpace::function, AddressSpace::private_}) {
        IrBuilder ir("main", {64, 1, 1});
        const std::uint32_t pieces = space == AddressSpace::function ? 512 : 1, count = 65536 / pieces - 1;
        const VariableId out = ir.variable(
            {.name = "out", .type = ir.types().array(u32_type, 64), .space = AddressSpace::storage});
        const NodeId i = ir.builtin(Builtin::local_invocation_index);
        NodeId sum = i;
        for (std::uint32_t piece = 0; piece < pieces; ++piece) {
            const VariableId own =
                ir.variable({.name = "own", .type = ir.types().array(u32_type, count), .space = space});
            if (space == AddressSpace::function) ir.declare(own);
            const NodeId at =
                ir.binary(Op::rem, ir.binary(Op::mul, sum, ir.constant(1021u)), ir.constant(count));
            ir.store(ir.ref_index(ir.ref(own), at), sum);
            sum = ir.binary(Op::add, ir.load(ir.ref_index(ir.ref(own), ir.binary(Op::add, at, i))),
                            ir.constant(piece + 1));
        }
        ir.store(ir.ref_index(ir.ref(out), i), sum);
        const ValidProgram program = *validate(*std::move(ir).finish());
        CHECK((*program).needs().private_bytes <= 1 << 18);
        Case test{.name = "largest"};
        test.bind["out"] = {Scalar::u32, counted(64, 3)};
        const auto expected = run_interpreted(test, program, 1);
        REQUIRE(expected);
        CHECK(size_of(program, 16).stack_bytes < 100'000);
        const auto actual = test::run_lowered(test, program, 16);
        REQUIRE(actual);
        CHECK(difference((*expected)[0], (*actual)[0], false) == "");
    }
}
