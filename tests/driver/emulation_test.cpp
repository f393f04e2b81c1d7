// A device that doesn't promise correct division, square roots or fma still gives the right bits.
#include <array>
#include <cmath>

#include <doctest/doctest.h>
#include <support/doubles.hpp>
#include <support/programs.hpp>
#include <support/run_kernel.hpp>

#include <muster/driver/session/session.hpp>
#include <muster/foundation/math/evaluate.hpp>
#include <muster/foundation/semantics/semantics.hpp>

using namespace muster;
using namespace muster::test;

namespace {

constexpr std::array emulated{Op::div, Op::sqrt, Op::fma};

/// A program: out[i] = (fma(a, b, c), a / b, sqrt(a), tan(c)) of a[i], b[i], c[i], and whole[i] /= 3.
ValidProgram all_three() {
    test::Kernel kernel;
    IrBuilder& ir = kernel.ir;
    const TypeId floats = ir.types().runtime_array(f32_type), vec4 = type_of(Scalar::f32, 4);
    const VariableId a = kernel.storage("a", floats), b = kernel.storage("b", floats);
    const VariableId c = kernel.storage("c", floats),
                     out = kernel.storage("out", ir.types().runtime_array(vec4));
    const VariableId whole = kernel.storage("whole", ir.types().runtime_array(i32_type));
    const NodeId i = kernel.global_x();
    const NodeId x = kernel.get(a, i), y = kernel.get(b, i), z = kernel.get(c, i);
    const std::array parts{ir.fma(x, y, z), ir.binary(Op::div, x, y), ir.unary(Op::sqrt, x),
                           ir.unary(Op::tan, z)};
    kernel.set_at(out, i, ir.compose(vec4, parts));
    kernel.set_at(whole, i, ir.binary(Op::div, kernel.get(whole, i), ir.constant(3)));
    return kernel.finish();
}

/// A double that runs whatever program it compiled.
ScriptPointer interpreting(const std::string& id = "one") {
    ScriptPointer made = script(id, 1);
    made->kernel = [script = made.get()](const Launch& launch,
                                         std::span<const std::span<std::byte>> bindings) {
        std::vector<BoundBytes> bound;
        for (const std::span<std::byte> bytes : bindings) bound.push_back({bytes});
        CHECK(
            interpret(*script->compiled, bound, {launch.origin, launch.extent, launch.grid}, {.threads = 1}));
    };
    return made;
}

Session session_of(const ScriptPointer& script) {
    return *Session::open({.fleet = std::make_shared<Fleet>(entries({script}), std::chrono::minutes(1)),
                           .use_environment = false});
}

void promise(const ScriptPointer& script, Promise promise) {
    Exactness& exactness = script->devices[0].exactness;
    exactness.division = exactness.square_root = exactness.fma = promise;
}

bool compiled_has(const ScriptPointer& script, Op op) { return script->compiled_ops.contains(op); }

}  // namespace

TEST_CASE("a device that promises none of division, square root and fma gives the right bits") {
    const ScriptPointer one = interpreting();
    promise(one, Promise::no);
    Session session = session_of(one);
    auto kernel = session.prepare(all_three());
    REQUIRE(kernel);
    CHECK_FALSE(compiled_has(one, Op::fma));
    CHECK_FALSE(compiled_has(one, Op::sqrt));
    CHECK(compiled_has(one, Op::div));  // only for integers
    for (std::uint32_t i = 0; i < (*one->compiled)->node_count(); ++i) {
        const Program& program = *one->compiled;
        if (program.node(NodeId{i}).op == Op::div)
            CHECK(program.types()[program.type(NodeId{i})].scalar == Scalar::i32);
    }

    const std::vector<float> a{0x1.000002p0f, 1.0f, 3.0f, 0x1p-140f, -0.0f, 2.0f, INFINITY, 1e30f};
    const std::vector<float> b{0x1.000002p0f, 3.0f, 0.7f, 3.0f, -5.0f, 0.0f, 2.0f, 1e30f};
    const std::vector<float> c{-0x1.000004p0f, 1e-9f, -2.1f, 1.5f, 0.0f, 100.0f, 1.0f, -3.0f};
    Buffer inputs[] = {*session.buffer(a), *session.buffer(b), *session.buffer(c)};
    Buffer out = *session.zeros<float>(4 * a.size());
    Buffer whole = *session.buffer(std::vector<std::int32_t>{7, -7, 9, 0, 1, 2, 3, 100});
    auto ticket = session.dispatch(
        *kernel, {{"a", inputs[0]}, {"b", inputs[1]}, {"c", inputs[2]}, {"out", out}, {"whole", whole}},
        Invocations{a.size()});
    REQUIRE(ticket);
    REQUIRE(ticket->wait());
    const std::vector<float> got = *out.read_all<float>();
    for (std::size_t i = 0; i < a.size(); ++i) {
        const std::array right{std::fma(a[i], b[i], c[i]), a[i] / b[i], std::sqrt(a[i]),
                               math::evaluate(Op::tan, c[i])};
        for (std::size_t k = 0; k < 4; ++k)
            CHECK(semantics::to_bits(got[4 * i + k]) == semantics::to_bits(right[k]));
    }
    CHECK(*whole.read_all<std::int32_t>() == std::vector<std::int32_t>{2, -2, 3, 0, 0, 0, 1, 33});
}

TEST_CASE("a device's own division, square root and fma are used where promised, sampled or fast") {
    const ScriptPointer one = interpreting();
    for (const Promise made : {Promise::sampled, Promise::promised}) {
        promise(one, made);
        REQUIRE(session_of(one).prepare(all_three()));
        for (const Op op : emulated) CHECK(compiled_has(one, op));
    }
    promise(one, Promise::no);
    REQUIRE(session_of(one).prepare(all_three(), {.precision = Precision::fast}));
    for (const Op op : emulated) CHECK(compiled_has(one, op));
    CHECK_FALSE(compiled_has(one, Op::count_leading_zeros));
}

TEST_CASE("a remainder divides: it is written out where division isn't promised") {
    const ScriptPointer one = interpreting();
    test::Kernel kernel;
    const VariableId data = kernel.storage("data", f32_type);
    kernel.set(data, kernel.ir.binary(Op::rem, kernel.get(data), kernel.get(data)));
    const ValidProgram remainder = kernel.finish();
    REQUIRE(session_of(one).prepare(remainder));
    CHECK(compiled_has(one, Op::rem));
    promise(one, Promise::no);
    REQUIRE(session_of(one).prepare(remainder));
    CHECK_FALSE(compiled_has(one, Op::rem));
    CHECK_FALSE(compiled_has(one, Op::div));
}

TEST_CASE("nothing is refused for lacking division, square root and fma of floats") {
    const ScriptPointer one = interpreting();
    for (const Op op : emulated) {
        one->supported_ops.core.reset(static_cast<std::size_t>(op));
        one->devices[0].ops.core.reset(static_cast<std::size_t>(op));
    }
    const auto executes = [&](const ValidProgram& program, Precision precision = Precision::exact) {
        return session_of(one).route(program, {.precision = precision}).execute() != nullptr;
    };
    CHECK(executes(map_unary(Op::sqrt)));
    CHECK(executes(map_unary(Op::tan)));
    CHECK(executes(map_unary(Op::sqrt), Precision::fast));
    CHECK_FALSE(executes(all_three()));  // because of its integer division
    REQUIRE(session_of(one).prepare(map_unary(Op::inverse_sqrt), {.precision = Precision::fast}));
    CHECK_FALSE(compiled_has(one, Op::sqrt));
    one->devices[0].ops.core.reset(static_cast<std::size_t>(Op::count_leading_zeros));
    CHECK_FALSE(executes(map_unary(Op::sqrt)));  // its expansion uses that
}
