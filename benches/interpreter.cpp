// Scalar operations per second of the interpreter, on one core: each component of each IR operation counts as
// one, loads and stores too. Adversarial order is on, as always; "findings" turns on all three kinds of
// reports.

#include <array>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <utility>
#include <vector>

#include <benchmark/benchmark.h>

#include <muster/foundation/build/ir_builder.hpp>
#include <muster/foundation/interpreter/interpret.hpp>

using namespace muster;

namespace {

constexpr std::uint32_t workgroups = 16, workgroup = 64, iterations = 64;

struct Kernel {
    ValidProgram program;
    std::uint64_t operations;  // per invocation
};

ValidProgram finish(IrBuilder ir) {
    Result<Program> program = std::move(ir).finish();
    if (!program) std::abort();
    Result<ValidProgram> valid = validate(*program);
    if (!valid) std::abort();
    return *std::move(valid);
}

// for (i = 0; i < iterations; i++) { body(i) }: three operations besides the body's.
template <class Body>
void loop(IrBuilder& ir, Body body) {
    const VariableId i = ir.variable({.name = "i", .type = u32_type});
    ir.declare(i);
    ir.begin_loop();
    ir.begin_if(ir.binary(Op::ge, ir.load(ir.ref(i)), ir.constant(iterations)));
    ir.break_();
    ir.end_if();
    body(ir.load(ir.ref(i)));
    ir.begin_continuing();
    ir.store(ir.ref(i), ir.binary(Op::add, ir.load(ir.ref(i)), ir.constant(1u)));
    ir.end_loop();
}

// x = x * a + b and a little more, on f32 scalars or vectors.
Kernel arithmetic(std::uint32_t width) {
    IrBuilder ir("arithmetic", {workgroup, 1, 1});
    const TypeId type = type_of(Scalar::f32, width);
    const VariableId data =
        ir.variable({.name = "data", .type = ir.types().runtime_array(type), .space = AddressSpace::storage});
    const VariableId x = ir.variable({.name = "x", .type = type});
    const NodeId place = ir.ref_index(ir.ref(data), ir.extract(ir.builtin(Builtin::global_invocation_id), 0));
    ir.declare(x, ir.load(place));
    const auto constant = [&](float value) { return ir.splat(ir.constant(value), width); };
    loop(ir, [&](NodeId i) {
        const NodeId f = ir.splat(ir.convert(Scalar::f32, i), width);
        NodeId v = ir.load(ir.ref(x));
        v = ir.binary(Op::add, ir.binary(Op::mul, v, constant(0.99f)), f);
        v = ir.binary(Op::min, ir.unary(Op::abs, v), constant(1000.0f));
        v = ir.binary(Op::sub, v, ir.unary(Op::floor, v));
        ir.store(ir.ref(x), ir.binary(Op::add, v, constant(0.5f)));
    });
    ir.store(place, ir.load(ir.ref(x)));
    return {finish(std::move(ir)), iterations * (std::uint64_t{width} * 7 + 4)};
}

// Each iteration reads two elements of workgroup memory and one of storage, and writes one of each.
Kernel memory() {
    IrBuilder ir("memory", {workgroup, 1, 1});
    const TypeId array = ir.types().runtime_array(u32_type);
    const VariableId in =
        ir.variable({.name = "in", .type = array, .space = AddressSpace::storage, .access = Access::read});
    const VariableId out =
        ir.variable({.name = "out", .type = array, .space = AddressSpace::storage, .binding = 1});
    const VariableId tile = ir.variable({.name = "tile",
                                         .type = ir.types().array(u32_type, workgroup * 2),
                                         .space = AddressSpace::workgroup});
    const NodeId me = ir.builtin(Builtin::local_invocation_index);
    const NodeId global = ir.extract(ir.builtin(Builtin::global_invocation_id), 0);
    const auto at = [&](VariableId v, NodeId index) { return ir.ref_index(ir.ref(v), index); };
    const NodeId mine = ir.binary(Op::add, me, ir.constant(workgroup));
    ir.store(at(tile, me), ir.load(at(in, global)));
    ir.store(at(tile, mine), global);
    ir.barrier(Op::workgroup_barrier);
    loop(ir, [&](NodeId i) {
        const NodeId other = ir.binary(Op::bit_and, ir.binary(Op::add, me, i), ir.constant(workgroup - 1));
        const NodeId sum = ir.binary(Op::add, ir.load(at(tile, other)), ir.load(at(tile, mine)));
        const NodeId x = ir.binary(Op::bit_xor, sum, ir.load(at(in, other)));
        ir.store(at(tile, mine), x);
        ir.store(at(out, global), x);
    });
    return {finish(std::move(ir)), iterations * (4 + 5 + 3)};
}

void measure(benchmark::State& state, const Kernel& kernel, bool findings) {
    const InterpreterCode code = *InterpreterCode::compile(kernel.program, {.findings = findings});
    std::vector<std::vector<std::uint32_t>> words(
        2, std::vector<std::uint32_t>(workgroups * workgroup * 4, 0x3f000000));
    std::vector<BoundBytes> bindings;
    for (std::size_t i = 0; i < kernel.program->bindings().size(); ++i)
        bindings.push_back({std::as_writable_bytes(std::span(words[i]))});
    const InterpretOptions options{.threads = 1,
                                   .report_races = findings,
                                   .report_reads_before_write = findings,
                                   .report_out_of_bounds = findings};
    const LaunchGrid grid{.extent = {workgroups, 1, 1}, .grid = {workgroups, 1, 1}};
    for (auto _ : state) {
        const auto report = interpret(code, bindings, grid, options);
        if (!report || !report->findings.empty()) state.SkipWithError("the run fails");
    }
    state.counters["operations"] =
        benchmark::Counter(static_cast<double>(kernel.operations * workgroups * workgroup),
                           benchmark::Counter::kIsIterationInvariantRate);
}

void scalar_arithmetic(benchmark::State& state) { measure(state, arithmetic(1), state.range(0) != 0); }
void vector_arithmetic(benchmark::State& state) { measure(state, arithmetic(4), state.range(0) != 0); }
void shared_memory(benchmark::State& state) { measure(state, memory(), state.range(0) != 0); }

BENCHMARK(scalar_arithmetic)->ArgName("findings")->Arg(0)->Arg(1)->Unit(benchmark::kMillisecond);
BENCHMARK(vector_arithmetic)->ArgName("findings")->Arg(0)->Arg(1)->Unit(benchmark::kMillisecond);
BENCHMARK(shared_memory)->ArgName("findings")->Arg(0)->Arg(1)->Unit(benchmark::kMillisecond);

}  // namespace
