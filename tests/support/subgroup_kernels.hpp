// subgroup_kernels.hpp - kernels of operations of subgroups, with their data.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include <muster/conformance/case.hpp>

namespace muster::test {

/// A kernel of one workgroup whose invocations each store a u32, computed by `body`: statements and then an expression, of x
/// (u32), f (f32), lane, size and i.
inline std::string subgroup_kernel(std::string_view body, std::uint32_t invocations,
                                   std::string_view head = {}) {
    const auto end = body.find_last_of(";}");
    const std::string_view statements = end == std::string_view::npos ? "" : body.substr(0, end + 1);
    const std::string_view result = end == std::string_view::npos ? body : body.substr(end + 1);
    return fmt::format(
        "enable subgroups;\n{}\n"
        "@group(0) @binding(0) var<storage, read> a: array<u32>;\n"
        "@group(0) @binding(1) var<storage, read_write> out: array<u32>;\n"
        "@compute @workgroup_size({})\n"
        "fn main(@builtin(local_invocation_index) i: u32, @builtin(subgroup_invocation_id) lane: u32,\n"
        "        @builtin(subgroup_size) size: u32, @builtin(subgroup_id) group: u32,\n"
        "        @builtin(num_subgroups) groups: u32) {{\n"
        "    let x = a[i];\n    let f = f32(x % 1000u) * 0.37 - 100.0;\n    {}\n"
        "    out[i] = ({}) + (x & 0u);\n}}\n",
        head, invocations, statements, result);
}

/// The kernel's data: `invocations` different words.
inline conformance::Case subgroup_case(std::string text, std::uint32_t invocations) {
    conformance::Case made;
    made.text = std::move(text);
    conformance::Values a{Scalar::u32, {}};
    for (std::uint32_t i = 0; i < invocations; ++i) a.words.push_back((i * 2654435761u) ^ 0x5bd1e995u);
    made.bind["a"] = a;
    made.bind["out"] = {Scalar::u32, std::vector<std::uint32_t>(invocations)};
    return made;
}

/// Every operation, in control flow that is uniform over the subgroup. None reads from an inactive invocation if there are at
/// least four in each subgroup.
inline constexpr std::array subgroup_bodies{
    "subgroupAdd(x)",
    "subgroupMul(x)",
    "subgroupMin(x)",
    "subgroupMax(x)",
    "subgroupAnd(x)",
    "subgroupOr(x)",
    "subgroupXor(x)",
    "subgroupInclusiveAdd(x)",
    "subgroupExclusiveAdd(x)",
    "subgroupInclusiveMul(x | 1)",
    "subgroupExclusiveMul(x | 1)",
    "u32(subgroupMin(i32(x)))",
    "u32(subgroupMax(i32(x)))",
    "bitcast<u32>(subgroupAdd(f))",
    "bitcast<u32>(subgroupMul(f * 0.01))",
    "bitcast<u32>(subgroupMin(f))",
    "bitcast<u32>(subgroupMax(-f))",
    "bitcast<u32>(subgroupInclusiveAdd(f))",
    "bitcast<u32>(subgroupExclusiveAdd(f))",
    "bitcast<u32>(subgroupInclusiveMul(f * 0.01))",
    "bitcast<u32>(subgroupExclusiveMul(f * 0.01))",
    "let v = subgroupAdd(vec3(x, i, 7u)); v.x ^ v.y ^ v.z",
    "let v = subgroupExclusiveAdd(vec2(f, f * f)); bitcast<u32>(v.x + v.y)",
    "subgroupBroadcast(x, 2u)",
    "subgroupBroadcast(x, 3)",
    "subgroupBroadcastFirst(x + 1u)",
    "let v = subgroupBroadcastFirst(vec4(x, i, x, i)); v.z + v.w",
    "u32(subgroupElect())",
    "u32(subgroupAll(x > 100u)) + 2u * u32(subgroupAny(x == 0u)) + 4u * u32(subgroupAny(lane == 3u))",
    "let b = subgroupBallot((x & 4u) != 0u); b.x ^ (b.y * 3u) ^ (b.z * 5u) ^ (b.w * 7u)",
    "subgroupShuffle(x, lane ^ 1u)",
    "subgroupShuffle(x, i32(lane & ~3u))",
    "subgroupShuffleXor(x, 3u)",
    "let up = subgroupShuffleUp(x, 2u); select(up, 1u, lane < 2u)",
    "let down = subgroupShuffleDown(f, 1u); bitcast<u32>(select(down, 1.0, (lane & 3u) == 3u))",
    "quadBroadcast(x, 1u)",
    "quadSwapX(x)",
    "quadSwapY(x)",
    "quadSwapDiagonal(x)",
    "var sum = 0u; for (var k = 0u; k < group + 2u; k++) { sum += subgroupAdd(x + k); } sum += 1u; sum",
    "var r = 0u; if group == 0u { r = subgroupAdd(x); } else { r = subgroupMax(i); } r += 1u; r",
    "var r = 1u; if subgroupAny(x > 5u) { r = subgroupXor(x); } r += lane; r",
    "lane + 256u * group + 65536u * groups"};

/// Operations in divergent control flow, for subgroup_uniformity switched off.
inline constexpr std::array divergent_bodies{
    "var r = 0u; if (x & 8u) != 0u { r = subgroupAdd(x); } else { r = subgroupExclusiveAdd(x); } r += 1u; r",
    "var r = 0.0; if (x & 8u) != 0u { r = subgroupInclusiveAdd(f); } r += 1.0; bitcast<u32>(r)",
    "var r = 0.0; if (x & 24u) != 0u { r = subgroupAdd(f) - subgroupExclusiveMul(f * 0.1); } r += 1.0; "
    "bitcast<u32>(r)",
    "var r = 0u; for (var k = 0u; k < x % 5u; k++) { r += subgroupBallot(true).x ^ subgroupMax(x); } r += "
    "1u; r",
    "var r = 0u; if lane > 1u { r = subgroupBroadcastFirst(x) + u32(subgroupElect()); } r += 1u; r",
    "if (x & 16u) != 0u { return; } subgroupMin(x)"};

}  // namespace muster::test
