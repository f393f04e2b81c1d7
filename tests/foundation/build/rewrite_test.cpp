#include <array>

#include <doctest/doctest.h>

#include <muster/foundation/build/rewrite.hpp>
#include <muster/foundation/wgsl/wgsl.hpp>

using namespace muster;

namespace {

// A program with every kind of node: control, memory, atomics, barriers, composites, conversions, private and
// workgroup variables.
constexpr const char* everything = R"(
struct Particle { position: vec3<f32>, mass: f32, tags: array<u32, 3> }
@group(0) @binding(0) var<storage, read_write> particles: array<Particle>;
@group(0) @binding(1) var<uniform> step: f32;
@group(1) @binding(0) var<storage, read_write> counters: array<atomic<u32>, 4>;
var<workgroup> tile: array<vec4<f32>, 64>;
var<private> seed: u32 = 7u;
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(local_invocation_index) local: u32) {
  if (id.x >= arrayLength(&particles)) { seed = 3u; } else { seed += id.x; }
  var p = particles[id.x];
  let speed = vec3<f32>(p.mass, step, exp(p.position.x)).zyx;
  for (var i = 0u; i < 3u; i++) {
    if (p.tags[i] == 9u) { continue; }
    if (p.tags[i] > 90u) { break; }
    p.tags[i] = select(i, bitcast<u32>(speed[i]), speed.x > f32(i));
  }
  switch (p.tags[0]) {
    case 1u, 2u: { p.mass = fma(p.mass, 2.0, step); }
    case 5u: { p.mass = min(p.mass, 1.0) % 0.25; }
    default: { p.mass = pow(abs(p.mass), 0.5); }
  }
  tile[local] = vec4<f32>(speed, p.mass);
  workgroupBarrier();
  storageBarrier();
  let old = atomicAdd(&counters[0], 1u);
  atomicStore(&counters[1], old);
  let swapped = atomicCompareExchangeWeak(&counters[2], old, atomicLoad(&counters[3]));
  if (swapped.exchanged && any(tile[63u - local] > vec4<f32>(0.5))) { particles[id.x] = p; return; }
  particles[id.x].position = speed * step - tile[63u - local].xyz;
}
)";

Program parsed() {
    auto program = wgsl::parse(everything, {.file = "everything.wgsl"});
    REQUIRE_MESSAGE(program, (program ? "" : program.error().to_string()));
    return *program;
}

std::optional<NodeId> nothing(IrBuilder&, const RewrittenNode&) { return std::nullopt; }

}  // namespace

TEST_CASE("a rewrite that replaces nothing has the same fingerprint, names and locations") {
    const Program program = parsed();
    const auto copy = rewrite(program, nothing);
    REQUIRE(copy);
    CHECK(copy->fingerprint() == program.fingerprint());
    CHECK(same_structure(*copy, program));
    CHECK(copy->required_ops() == program.required_ops());
    REQUIRE(copy->files().size() == program.files().size());
    CHECK(copy->files()[0].name == "everything.wgsl");
    bool named = false;
    for (std::uint32_t i = 0; i < program.node_count(); ++i) {
        const NodeId id{i};
        CHECK(copy->name(id) == program.name(id));
        named = named || !program.name(id).empty();
        if (info(program.node(id).op).group == OpGroup::free) continue;
        CHECK(copy->location(id).line == program.location(id).line);
    }
    CHECK(named);
    for (std::uint32_t i = 0; i < program.variables().size(); ++i)
        CHECK(copy->variables()[i].name == program.variables()[i].name);
}

TEST_CASE("a hook replaces a node for all its users, where it stood") {
    const Program program = parsed();
    int seen = 0;
    const auto changed =
        rewrite(program, [&](IrBuilder& ir, const RewrittenNode& node) -> std::optional<NodeId> {
            if (node.op() != Op::exp) return std::nullopt;
            ++seen;
            return ir.unary(Op::exp2, ir.binary(Op::mul, node.operand(0), ir.constant(1.442695f)));
        });
    REQUIRE(changed);
    CHECK(seen == 1);
    CHECK_FALSE(changed->required_ops().contains(Op::exp));
    CHECK(changed->required_ops().contains(Op::exp2));
    CHECK(changed->fingerprint() != program.fingerprint());
    // Rewriting back gives the same program again.
    const auto back =
        rewrite(*changed, [](IrBuilder& ir, const RewrittenNode& node) -> std::optional<NodeId> {
            if (node.op() != Op::exp2) return std::nullopt;
            return ir.unary(Op::exp, ir.binary(Op::div, node.operand(0), ir.constant(1.442695f)));
        });
    REQUIRE(back);
    CHECK(back->required_ops().contains(Op::exp));
}

TEST_CASE("what a replaced node used alone goes with it") {
    const Program program = parsed();
    const auto changed =
        rewrite(program, [](IrBuilder& ir, const RewrittenNode& node) -> std::optional<NodeId> {
            if (node.op() != Op::pow) return std::nullopt;
            return ir.constant(1.0f);
        });
    REQUIRE(changed);
    CHECK_FALSE(changed->required_ops().contains(Op::pow));
    CHECK_FALSE(changed->required_ops().contains(Op::abs));
}
