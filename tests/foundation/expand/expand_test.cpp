// Expanded programs, run by the interpreter, give the bits of math::evaluate and semantics.hpp.

#include <array>
#include <bit>
#include <cmath>
#include <random>
#include <vector>

#include <doctest/doctest.h>
#include <support/float_bits.hpp>

#include <muster/foundation/build/ir_builder.hpp>
#include <muster/foundation/expand/expand.hpp>
#include <muster/foundation/interpreter/interpret.hpp>
#include <muster/foundation/math/evaluate.hpp>
#include <muster/foundation/semantics/semantics.hpp>

using namespace muster;
using muster::test::same;

namespace {

constexpr std::uint32_t array_size = 4096;
constexpr std::uint32_t lanes = 4;

// A program: out[i] = op(a[i], b[i]), on scalars or vec4s.
ValidProgram applying_to_array(Op op, bool vectors, Scalar scalar = Scalar::f32) {
    IrBuilder ir("main", {64, 1, 1});
    const TypeId element = type_of(scalar, vectors ? lanes : 1);
    std::array<VariableId, 3> arrays;
    for (std::uint32_t i = 0; i < 3; ++i)
        arrays[i] = ir.variable({.name = std::array{"a", "b", "result"}[i],
                                 .type = ir.types().runtime_array(element),
                                 .space = AddressSpace::storage,
                                 .binding = i});
    const NodeId index = ir.extract(ir.builtin(Builtin::global_invocation_id), 0);
    const auto at = [&](VariableId array) { return ir.ref_index(ir.ref(array), index); };
    const NodeId a = ir.load(at(arrays[0])), b = ir.load(at(arrays[1]));
    // An operation with one operand uses b, too, so that b stays bound.
    const NodeId value = info(op).operands == 2 ? ir.binary(op, a, b) : ir.unary(op, a);
    ir.store(at(arrays[2]), ir.select(b, value, ir.constant(true)));
    auto program = std::move(ir).finish();
    REQUIRE(program);
    auto valid = validate(*program);
    REQUIRE_MESSAGE(valid, (valid ? "" : valid.error().to_string()));
    return *valid;
}

ValidProgram expanded(const ValidProgram& program, const OpSet& native) {
    auto result = expand(program, native);
    REQUIRE_MESSAGE(result, (result ? "" : result.error().to_string()));
    return *result;
}

std::vector<float> inputs(std::uint64_t seed) {
    std::mt19937_64 random(seed);
    std::vector<float> values;
    const std::array special{0.0f,       -0.0f, 1.0f,  -1.0f,     INFINITY,    -INFINITY, NAN,      0x1p-149f,
                             -0x1p-130f, 0.5f,  2.0f,  0x1p-126f, 3.0f,        -3.0f,     0x1p127f, -0x1p127f,
                             88.72284f,  1e-3f, -0.5f, 1e5f,      -103.97208f, 0x1p-75f,  3.4e38f};
    // Every pair of special values, then any bits, then numbers of moderate size.
    for (std::size_t i = 0; i < special.size() * special.size(); ++i)
        values.push_back(special[seed % 2 ? i % special.size() : i / special.size()]);
    while (values.size() < array_size / 2)
        values.push_back(std::bit_cast<float>(static_cast<std::uint32_t>(random())));
    while (values.size() < array_size)
        values.push_back(std::uniform_real_distribution<float>(-10, 10)(random));
    return values;
}

std::vector<float> run(const ValidProgram& program, std::vector<float> a, std::vector<float> b,
                       bool vectors) {
    std::vector<float> result(array_size, -7.0f);
    const auto bytes = [](std::vector<float>& v) { return BoundBytes{std::as_writable_bytes(std::span(v))}; };
    const std::array bindings{bytes(a), bytes(b), bytes(result)};
    const std::uint32_t groups = array_size / 64 / (vectors ? lanes : 1);
    const auto report =
        interpret(program, bindings, {.extent = {groups, 1, 1}, .grid = {groups, 1, 1}}, {.threads = 1});
    REQUIRE_MESSAGE(report, (report ? "" : report.error().to_string()));
    return result;
}

template <class Expected>
void compare(Op op, const OpSet& native, Expected expected) {
    const std::vector<float> a = inputs(1), b = inputs(2);
    for (const bool vectors : {false, true}) {
        const ValidProgram program = expanded(applying_to_array(op, vectors), native);
        CHECK_FALSE(program->required_ops().contains(op));
        const std::vector<float> result = run(program, a, b, vectors);
        int wrong = 0;
        for (std::size_t i = 0; i < array_size; ++i) {
            if (same(result[i], expected(a[i], b[i])) || ++wrong > 3) continue;
            CAPTURE(a[i]);
            CAPTURE(b[i]);
            CHECK_MESSAGE(result[i] == expected(a[i], b[i]), info(op).name);
        }
        CHECK_MESSAGE(wrong == 0, info(op).name);
    }
}

OpSet without(Op op) {
    OpSet set = OpSet::all_exact();
    set.core.reset(static_cast<std::size_t>(op));
    return set;
}

}  // namespace

TEST_CASE("expanded math functions give math::evaluate's bits") {
    for (std::size_t i = 0; i < op_count; ++i) {
        const Op op = static_cast<Op>(i);
        if (info(op).group != OpGroup::math) continue;
        compare(op, OpSet::all_exact(), [op](float a, float b) { return math::evaluate(op, a, b); });
    }
}

TEST_CASE("the interpreter's own math functions give the same bits") {
    const std::vector<float> a = inputs(1), b = inputs(2);
    for (std::size_t i = 0; i < op_count; ++i) {
        const Op op = static_cast<Op>(i);
        if (info(op).group != OpGroup::math) continue;
        for (const bool vectors : {false, true}) {
            const std::vector<float> result = run(applying_to_array(op, vectors), a, b, vectors);
            for (std::size_t k = 0; k < array_size; ++k)
                REQUIRE_MESSAGE(same(result[k], math::evaluate(op, a[k], b[k])), info(op).name);
        }
    }
}

TEST_CASE("min, max and rem of a target that lacks them keep their meaning") {
    compare(Op::min, without(Op::min), [](float a, float b) { return semantics::min(a, b); });
    compare(Op::max, without(Op::max), [](float a, float b) { return semantics::max(a, b); });
    compare(Op::rem, without(Op::rem), [](float a, float b) { return semantics::rem(a, b); });
}

TEST_CASE("only what the target lacks is expanded, and only once") {
    OpSet with_sin = OpSet::all_exact();
    with_sin.insert(Op::sin);
    const ValidProgram sine = applying_to_array(Op::sin, false);
    CHECK(expanded(sine, with_sin)->fingerprint() == sine->fingerprint());
    const ValidProgram power = expanded(applying_to_array(Op::pow, true), with_sin);
    CHECK(OpSet::all_exact().contains(power->required_ops()));
    CHECK(expanded(power, with_sin)->fingerprint() == power->fingerprint());
}

TEST_CASE("integers' rem is left alone, their min and max are expanded") {
    IrBuilder ir("main", {});
    const VariableId data = ir.variable({.name = "data", .type = i32_type, .space = AddressSpace::storage});
    const NodeId x = ir.load(ir.ref(data));
    ir.store(ir.ref(data), ir.binary(Op::min, ir.binary(Op::rem, x, ir.constant(7)), ir.constant(3)));
    auto program = std::move(ir).finish();
    REQUIRE(program);
    auto valid = validate(*program);
    REQUIRE(valid);
    CHECK(expanded(*valid, without(Op::rem))->fingerprint() == (*valid)->fingerprint());
    const OpSet left = expanded(*valid, without(Op::min))->required_ops();
    CHECK(left.contains(Op::rem));
    CHECK_FALSE(left.contains(Op::min));
}

TEST_CASE("what a function costs: operations after expansion") {
    for (std::size_t i = 0; i < op_count; ++i) {
        const Op op = static_cast<Op>(i);
        if (info(op).group != OpGroup::math) continue;
        const auto operations = [op](Scalar scalar) {
            const ValidProgram before = applying_to_array(op, false, scalar),
                               after = expanded(before, OpSet::all_exact());
            const auto placed = [](const ValidProgram& program) {
                return program->block(program->body()).size();
            };
            return placed(after) - placed(before) + 1;
        };
        const std::size_t single = operations(Scalar::f32), twice = operations(Scalar::f64);
        MESSAGE(info(op).name << ": " << single << " operations; of f64: " << twice);
        CHECK(single <= 165);
        CHECK(twice <= 260);
    }
}
