#include <array>
#include <chrono>
#include <span>
#include <variant>

#include <fmt/format.h>

#include <muster/backend-vulkan/device/sample_kernels.hpp>
#include <muster/foundation/base/try.hpp>
#include <muster/foundation/expand/expand.hpp>
#include <muster/foundation/interpreter/interpret.hpp>
#include <muster/foundation/wgsl/wgsl.hpp>

namespace muster::vulkan {
namespace {

constexpr std::chrono::seconds patience_with_kernels(2);

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

/// Numbers whose quotients, roots and sums are hard to round, among them the largest and
/// subnormals; `i` chooses.
constexpr std::string_view kernel_of_doubles = R"(enable muster_float64, muster_int64;
@group(0) @binding(0) var<storage, read_write> results: array<array<u64, 6>>;
fn number(i: u32, salt: u64) -> f64 {
    var x = (u64(i) + salt) * 0x9e3779b97f4a7c15lu;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9lu;
    x = (x ^ (x >> 27)) * 0x94d049bb133111eblu;
    let mantissa = x & 0xfffffffffffff;
    if i % 16 == 3 { return bitcast<f64>(x & 0x800ffffffffffffflu); }
    if i % 16 == 7 { return bitcast<f64>((x & 0x801ffffffffffffflu) | 0x7fc0000000000000); }
    if i % 64 == 5 { return bitcast<f64>(x & 0xfff0000000000000lu); }
    return bitcast<f64>(mantissa | ((1003 + (x >> 52) % 40) << 52));
}
@compute @workgroup_size(64) fn sample(@builtin(global_invocation_id) id: vec3u) {
    let a = number(id.x, 1);
    let b = number(id.x / 2, 1000000);
    let product = a * b;
    results[id.x] = array(bitcast<u64>(a + b), bitcast<u64>(product), bitcast<u64>(a / b), bitcast<u64>(sqrt(a)),
                          bitcast<u64>(fma(a, b, -product)), bitcast<u64>(fma(a, b, number(id.x, 77))));
}
)";

/// Runs the kernel, whose only binding has so many words, on the device and in the interpreter, and compares.
Result<bool> gives_the_same(Device& device, const ValidProgram& program, std::size_t words,
                            std::uint32_t workgroups) {
    const std::uint32_t size = device.info().subgroup_size;
    std::vector<std::uint32_t> expected(words), actual(words);
    const std::array interpreted{BoundBytes{std::as_writable_bytes(std::span(expected))}};
    const Extent3 grid{workgroups, 1, 1};
    TRY(interpret(program, interpreted, {.extent = grid, .grid = grid},
                  {.threads = 1, .subgroup_size = size}));

    const auto executable = TRY(device.load(TRY(device.compile(program, {.subgroup_size = size}))));
    const auto out = std::as_writable_bytes(std::span(actual));
    const auto memory = TRY(device.allocate(out.size()));
    const std::array bound{BoundMemory{memory.get(), 0, out.size()}};
    const auto submitted =
        TRY(device.submit({.executable = executable.get(), .bindings = bound, .extent = grid, .grid = grid}));
    if (const auto* running = std::get_if<std::shared_ptr<Submission>>(&submitted))
        TRY((*running)->wait(patience_with_kernels));
    TRY(device.read(*memory, 0, out));
    return actual == expected;
}

}  // namespace

Result<bool> sample_subgroups(Device& device) {
    const std::uint32_t size = device.info().subgroup_size, invocations = size + size / 2 + 1;
    return gives_the_same(device, TRY(subgroup_kernel(invocations)), 4 * invocations, 1);
}

Result<bool> sample_doubles(Device& device, const Exactness& exactness) {
    constexpr std::uint32_t workgroups = 32;
    const ValidProgram kernel = TRY(validate(TRY(wgsl::parse(kernel_of_doubles))));
    OpSet native = device.info().ops;
    if (exactness.fma == Promise::no) native.core.reset(static_cast<std::size_t>(Op::fma));
    const ValidProgram program = TRY(expand(kernel, native));
    return gives_the_same(device, program, std::size_t{workgroups} * 64 * 12, workgroups);
}

}  // namespace muster::vulkan
