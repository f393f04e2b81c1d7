#include <array>
#include <chrono>
#include <span>
#include <variant>

#include <fmt/format.h>

#include <muster/backend-vulkan/device/sample_subgroups.hpp>
#include <muster/foundation/base/try.hpp>
#include <muster/foundation/interpreter/interpret.hpp>
#include <muster/foundation/wgsl/wgsl.hpp>

namespace muster::vulkan {
namespace {

constexpr std::chrono::seconds patience_with_subgroups(2);

/// A workgroup of one subgroup and a half, and one invocation more.
Result<ValidProgram> subgroup_kernel(std::uint32_t invocations) {
    return validate(TRY(wgsl::parse(fmt::format(R"(enable subgroups;
@group(0) @binding(0) var<storage, read_write> results: array<vec4u>;
@compute @workgroup_size({})
fn sample(@builtin(local_invocation_index) i: u32, @builtin(subgroup_invocation_id) lane: u32,
          @builtin(subgroup_id) group: u32) {{
    var value = i;
    if (i & 1u) != 0u {{ value *= 7u; }}
    for (var k = 0u; k < i % 5u; k++) {{ value = value * 3u + k; }}
    let all = subgroupBallot(true);
    let some = subgroupBallot((value & 4u) != 0u);
    results[i] = vec4u(lane + 256u * group, all.x ^ all.y, some.x ^ some.y, subgroupShuffle(value, lane & ~1u));
}}
)",
                                                invocations))));
}

}  // namespace

Result<bool> sample_subgroups(Device& device) {
    const std::uint32_t size = device.info().subgroup_size, invocations = size + size / 2 + 1;
    const ValidProgram program = TRY(subgroup_kernel(invocations));
    std::vector<std::uint32_t> expected(4 * invocations), actual(expected.size());
    const std::array interpreted{BoundBytes{std::as_writable_bytes(std::span(expected))}};
    constexpr Extent3 one{1, 1, 1};
    TRY(interpret(program, interpreted, {.extent = one, .grid = one}, {.threads = 1, .subgroup_size = size}));

    const auto executable = TRY(device.load(TRY(device.compile(program, {.subgroup_size = size}))));
    const auto out = std::as_writable_bytes(std::span(actual));
    const auto memory = TRY(device.allocate(out.size()));
    const std::array bound{BoundMemory{memory.get(), 0, out.size()}};
    const auto submitted =
        TRY(device.submit({.executable = executable.get(), .bindings = bound, .extent = one, .grid = one}));
    if (const auto* running = std::get_if<std::shared_ptr<Submission>>(&submitted))
        TRY((*running)->wait(patience_with_subgroups));
    TRY(device.read(*memory, 0, out));
    return actual == expected;
}

}  // namespace muster::vulkan
