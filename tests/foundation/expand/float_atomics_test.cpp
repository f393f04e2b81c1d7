// Atomics of f32: text and C++, what is refused, and the expansion into compare-exchanges of words.

#include <array>
#include <initializer_list>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include <muster/foundation/expand/expand.hpp>
#include <muster/foundation/lang/kernel.hpp>

#include "support/float_bits.hpp"
#include "support/parse.hpp"
#include "support/reread.hpp"
#include "support/run_kernel.hpp"
#include "support/same_program.hpp"
#include "support/text.hpp"

using namespace muster;
using test::bits;
using test::has;
using test::Words;

namespace {

const std::string every_operation = R"(enable muster_float_atomics;
struct State { count: atomic<u32>, sum: atomic<f32>, rows: array<array<atomic<f32>, 2>, 2> }
@group(0) @binding(0) var<storage, read_write> state: State;
@group(0) @binding(1) var<storage, read_write> out: array<f32>;
@group(0) @binding(2) var<storage, read_write> more: array<atomic<f32>>;
var<workgroup> tile: atomic<f32>;
@compute @workgroup_size(64) fn main(@builtin(local_invocation_index) i: u32) {
    atomicAdd(&state.count, 1u);
    atomicAdd(&state.sum, f32(i));
    atomicMin(&state.rows[1][0], -f32(i));
    atomicMax(&state.rows[i % 2u][1], f32(i));
    atomicSub(&tile, 0.5);
    atomicAdd(&more[i / 32u], 0.25);
    let total = workgroupUniformLoad(&tile);
    if i == 0u {
        out[0] = atomicLoad(&tile);
        out[1] = atomicExchange(&state.rows[0][0], 7.0);
        out[2] = total;
        atomicStore(&tile, 1.0);
    }
}
)";

OpSet with_f32_atomics(std::initializer_list<Op> ops) {
    OpSet native = OpSet::all_core();
    for (const Op op : ops) native.f32_atomics.set(static_cast<std::size_t>(op));
    return native;
}

ValidProgram float_atomics_in(const std::string& text) {
    Result<ValidProgram> program = validate(test::parse(text));
    REQUIRE_MESSAGE(program, (program ? "" : program.error().to_string()));
    return *program;
}

ValidProgram for_target(const ValidProgram& program, const OpSet& native) {
    Result<ValidProgram> made = expand(program, native);
    REQUIRE_MESSAGE(made, (made ? "" : made.error().to_string()));
    return *made;
}

std::string type_named(const Program& program, std::string_view name) {
    for (const Variable& variable : program.variables())
        if (variable.name == name) return program.types().name(variable.type);
    return "";
}

/// The place holds `old`; the result is what it holds after the operation with `value`, in the interpreter's own form
/// and in the expanded one.
std::array<std::uint32_t, 2> both_ways(const std::string& operation, std::uint32_t old, std::uint32_t value) {
    const ValidProgram program = float_atomics_in(
        "enable muster_float_atomics;\n"
        "@group(0) @binding(0) var<storage, read_write> a: atomic<f32>;\n"
        "@group(0) @binding(1) var<storage> x: f32;\n"
        "@compute @workgroup_size(1) fn main() { " +
        operation + "(&a, x); }\n");
    const auto after = [&](const ValidProgram& each) { return test::run(each, {{old}, {value}})[0][0]; };
    return {after(program), after(for_target(program, OpSet::all_exact()))};
}

}  // namespace

TEST_CASE("atomics of f32 are written with those of u32 where a target has none") {
    const ValidProgram program = float_atomics_in(every_operation);
    const OpSet native = OpSet::all_core();
    const ValidProgram made = for_target(program, native);
    CHECK(needed_after_expansion(*program, native).contains(made->required_ops()));
    CHECK_FALSE(made->types().has_float_atomics());
    CHECK(type_named(*made, "more") == "array<atomic<u32>>");
    CHECK(type_named(*made, "out") == "array<f32>");
    CHECK(test::printed(*made).find("enable") == std::string::npos);
    CHECK(for_target(made, native)->fingerprint() == made->fingerprint());
    const std::vector<Words> memory{Words(6), Words(3), Words(2)};
    const std::vector<Words> own = test::run(program, memory);
    CHECK(own == test::run(made, memory));
    CHECK(own[0][0] == 64);
    CHECK(own[0][1] == bits(2016));
    CHECK(own[0][2] == bits(7));
    CHECK(own[0][3] == bits(62));
    CHECK(own[0][4] == bits(-63));
    CHECK(own[0][5] == bits(63));
    CHECK(own[1] == Words{bits(-32), bits(0), bits(-32)});
    CHECK(own[2] == Words{bits(8), bits(8)});
}

TEST_CASE("variables whose atomics of f32 a target has keep them") {
    const ValidProgram program = float_atomics_in(every_operation);
    const ValidProgram adds = for_target(program, with_f32_atomics({Op::atomic_add, Op::atomic_load}));
    CHECK(type_named(*adds, "more") == "array<atomic<f32>>");
    CHECK(type_named(*adds, "tile") == "atomic<u32>");
    CHECK(adds->types().has_float_atomics());
    const std::vector<Words> memory{Words(6), Words(3), Words(2)};
    CHECK(test::run(adds, memory) == test::run(program, memory));
    OpSet every = OpSet::all_core();
    every.f32_atomics = every.core;
    CHECK(for_target(program, every)->fingerprint() == program->fingerprint());
}

TEST_CASE("atomic operations on f32 compute what the same ones on values do") {
    const float quiet = std::numeric_limits<float>::quiet_NaN(),
                infinite = std::numeric_limits<float>::infinity();
    const auto gives = [](const char* operation, float old, float x, float after) {
        for (const std::uint32_t got : both_ways(operation, bits(old), bits(x))) {
            CAPTURE(operation);
            CAPTURE(old);
            CAPTURE(x);
            CHECK(got == bits(after));
        }
    };
    gives("atomicAdd", 0x1p24f, 1, 0x1p24f);
    gives("atomicAdd", -0.0f, -0.0f, -0.0f);
    gives("atomicAdd", infinite, -infinite, quiet);
    gives("atomicSub", 3, 5.5f, -2.5f);
    gives("atomicSub", -0.0f, 0, -0.0f);
    gives("atomicMin", 0, -0.0f, -0.0f);
    gives("atomicMin", quiet, 3, 3);
    gives("atomicMin", -2, quiet, -2);
    gives("atomicMin", -2, -3, -3);
    gives("atomicMax", -0.0f, 0, 0);
    gives("atomicMax", 0, -0.0f, 0);
    gives("atomicMax", -infinite, quiet, -infinite);
    gives("atomicMax", -3, -2, -2);
    gives("atomicExchange", 1, -0.0f, -0.0f);
    gives("atomicStore", 1, -infinite, -infinite);
}

TEST_CASE("programs with atomics of f32 print with their extension") {
    CHECK(has(test::printed(test::parse(every_operation)), "enable muster_float_atomics;\n"));
    const std::string words = test::printed(test::parse(
        "enable muster_float_atomics;\n@group(0) @binding(0) var<storage, read_write> a: atomic<u32>;\n"
        "@compute @workgroup_size(1) fn main() { atomicAdd(&a, 1); }"));
    CHECK(words.find("enable") == std::string::npos);
}

TEST_CASE("atomics of f32 are refused where they aren't enabled, and operations that they lack") {
    CHECK(test::first_fault("var<workgroup> a: atomic<f32>;") ==
          "1:19: The type atomic<f32> needs the extension muster_float_atomics, which isn't enabled.");
    const auto fault = [](const std::string& statement) {
        return test::first_fault(
            "enable muster_float_atomics;\nvar<workgroup> a: atomic<f32>;\n"
            "@compute @workgroup_size(1) fn main() {\n" +
            statement + "\n}\n");
    };
    CHECK(fault("atomicAdd(&a, 1); atomicMax(&a, 1.5); atomicStore(&a, atomicExchange(&a, 2f));") == "");
    CHECK(fault("atomicOr(&a, 1);") == "4:1: atomicOr doesn't work on atomic<f32>.");
    CHECK(fault("let r = atomicCompareExchangeWeak(&a, 1, 2);") ==
          "4:9: atomicCompareExchangeWeak doesn't work on atomic<f32>.");
    CHECK(has(fault("atomicAdd(&a, 1u);"), "f32"));
    CHECK(fault("let x = a + 1;") != "");
    CHECK(has(
        test::first_fault("enable muster_float_atomics; @group(0) @binding(0) var<storage> a: atomic<f32>;"),
        "a holds an atomic and is read-only."));
}

TEST_CASE("validation refuses operations that atomics of f32 lack") {
    test::Kernel k;
    const VariableId a = k.storage("a", k.ir.types().atomic(Scalar::f32));
    k.ir.atomic(Op::atomic_xor, k.ir.ref(a), k.ir.constant(1.0f));
    const Result<ValidProgram> refused = validate(test::finished(std::move(k.ir)));
    REQUIRE_FALSE(refused);
    CHECK(has(refused.error().to_string(), "atomic_xor acts on an atomic<f32>."));
}

TEST_CASE("kernels in C++ with atomics of f32 are those of the text") {
    using namespace muster::lang;
    test::check_same(kernel("total(x, sums)", {64},
                            [](In<f32> x, InOut<Atomic<f32>> sums) {
                                Workgroup<Atomic<f32>, 2> tile;
                                const auto i = local_invocation_index();
                                tile[0].add(x[i]);
                                tile[1].max(x[i]);
                                workgroup_barrier();
                                Value<f32> old = sums[0].sub(tile[0].load());
                                sums[1].min(old);
                                sums[2].store(sums[3].exchange(2.0f));
                            }),
                     R"(
        enable muster_float_atomics;
        @group(0) @binding(0) var<storage, read> x: array<f32>;
        @group(0) @binding(1) var<storage, read_write> sums: array<atomic<f32>>;
        var<workgroup> tile: array<atomic<f32>, 2>;
        @compute @workgroup_size(64) fn total(@builtin(local_invocation_index) i: u32) {
            atomicAdd(&tile[0], x[i]);
            atomicMax(&tile[1], x[i]);
            workgroupBarrier();
            let old = atomicSub(&sums[0], atomicLoad(&tile[0]));
            atomicMin(&sums[1], old);
            atomicStore(&sums[2], atomicExchange(&sums[3], 2.0));
        })");
}
