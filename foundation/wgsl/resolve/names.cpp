#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <muster/foundation/base/nearest.hpp>
#include <muster/foundation/ir/op_kind.hpp>
#include <muster/foundation/wgsl/resolve/functions.hpp>
#include <muster/foundation/wgsl/resolve/names.hpp>

namespace muster::wgsl {
namespace {

struct Synonym {
    std::string_view name, fix;
};

// Names of HLSL, GLSL, Metal, CUDA, OpenCL and C, in order.
constexpr std::array synonyms{
    Synonym{"GroupMemoryBarrierWithGroupSync", "write workgroupBarrier()."},
    Synonym{"InterlockedAdd", "write atomicAdd(&x, value)."},
    Synonym{"InterlockedAnd", "write atomicAnd(&x, value)."},
    Synonym{"InterlockedCompareExchange", "write atomicCompareExchangeWeak(&x, expected, value)."},
    Synonym{"InterlockedExchange", "write atomicExchange(&x, value)."},
    Synonym{"InterlockedMax", "write atomicMax(&x, value)."},
    Synonym{"InterlockedMin", "write atomicMin(&x, value)."},
    Synonym{"InterlockedOr", "write atomicOr(&x, value)."},
    Synonym{"InterlockedXor", "write atomicXor(&x, value)."},
    Synonym{"WaveActiveMax", "write subgroupMax."},
    Synonym{"WaveActiveMin", "write subgroupMin."},
    Synonym{"WaveActiveSum", "write subgroupAdd."},
    Synonym{"__ballot_sync", "write subgroupBallot."},
    Synonym{"__ffs", "write countTrailingZeros(x) + 1, or firstTrailingBit."},
    Synonym{"__popc", "write countOneBits."},
    Synonym{"__shfl_down_sync", "write subgroupShuffleDown."},
    Synonym{"__shfl_sync", "write subgroupShuffle."},
    Synonym{"__shfl_up_sync", "write subgroupShuffleUp."},
    Synonym{"__shfl_xor_sync", "write subgroupShuffleXor."},
    Synonym{"__syncthreads", "write workgroupBarrier()."},
    Synonym{"__syncwarp", "write workgroupBarrier(): WGSL has no barrier of a subgroup."},
    Synonym{"asfloat", "write bitcast<f32>(x)."},
    Synonym{"asint", "write bitcast<i32>(x)."},
    Synonym{"asuint", "write bitcast<u32>(x)."},
    Synonym{"atan2f", "write atan2."},
    Synonym{"atomicCAS", "write atomicCompareExchangeWeak(&x, expected, value)."},
    Synonym{"atomicCompSwap", "write atomicCompareExchangeWeak(&x, expected, value)."},
    Synonym{"atomicExch", "write atomicExchange(&x, value)."},
    Synonym{"atomic_add", "write atomicAdd(&x, value)."},
    Synonym{"barrier", "write workgroupBarrier()."},
    Synonym{"bitCount", "write countOneBits."},
    Synonym{"bitfieldExtract", "write extractBits."},
    Synonym{"bitfieldInsert", "write insertBits."},
    Synonym{"bitfieldReverse", "write reverseBits."},
    Synonym{"bool2", "write vec2<bool>."},
    Synonym{"bool3", "write vec3<bool>."},
    Synonym{"bool4", "write vec4<bool>."},
    Synonym{"bvec2", "write vec2<bool>."},
    Synonym{"bvec3", "write vec3<bool>."},
    Synonym{"bvec4", "write vec4<bool>."},
    Synonym{"byte", "write u32 with shifts, or u8 after `enable muster_int8_int16;`."},
    Synonym{"ceilf", "write ceil."},
    Synonym{"clz", "write countLeadingZeros."},
    Synonym{"copysign", "write select(abs(x), -abs(x), y < 0)."},
    Synonym{"cosf", "write cos."},
    Synonym{"countbits", "write countOneBits."},
    Synonym{"ctz", "write countTrailingZeros."},
    Synonym{"ddx", "write dpdx."},
    Synonym{"ddy", "write dpdy."},
    Synonym{"double", "write f32, or f64 after `enable muster_float64;`."},
    Synonym{"expf", "write exp."},
    Synonym{"fabs", "write abs."},
    Synonym{"fabsf", "write abs."},
    Synonym{"findLSB", "write firstTrailingBit."},
    Synonym{"findMSB", "write firstLeadingBit."},
    Synonym{"firstbithigh", "write firstLeadingBit."},
    Synonym{"firstbitlow", "write firstTrailingBit."},
    Synonym{"float", "write f32."},
    Synonym{"float2", "write vec2f."},
    Synonym{"float2x2", "write mat2x2f."},
    Synonym{"float3", "write vec3f."},
    Synonym{"float3x3", "write mat3x3f."},
    Synonym{"float4", "write vec4f."},
    Synonym{"float4x4", "write mat4x4f."},
    Synonym{"floatBitsToInt", "write bitcast<i32>(x)."},
    Synonym{"floatBitsToUint", "write bitcast<u32>(x)."},
    Synonym{"floorf", "write floor."},
    Synonym{"fmaf", "write fma."},
    Synonym{"fmax", "write max."},
    Synonym{"fmaxf", "write max."},
    Synonym{"fmin", "write min."},
    Synonym{"fminf", "write min."},
    Synonym{"fmod", "write x % y."},
    Synonym{"frac", "write fract."},
    Synonym{"half", "write f16, after `enable f16;`."},
    Synonym{"imod", "write x % y."},
    Synonym{"int", "write i32."},
    Synonym{"int2", "write vec2i."},
    Synonym{"int3", "write vec3i."},
    Synonym{"int4", "write vec4i."},
    Synonym{"intBitsToFloat", "write bitcast<f32>(x)."},
    Synonym{"isfinite", "compare: abs(x) <= 3.4028235e38. WGSL has no function for it."},
    Synonym{"isinf", "compare the bits: (bitcast<u32>(x) & 0x7fffffff) == 0x7f800000."},
    Synonym{"isnan", "compare the bits: (bitcast<u32>(x) & 0x7fffffff) > 0x7f800000."},
    Synonym{"ivec2", "write vec2i."},
    Synonym{"ivec3", "write vec3i."},
    Synonym{"ivec4", "write vec4i."},
    Synonym{"lerp", "write mix."},
    Synonym{"log10", "write log2(x) * 0.30103, WGSL has log and log2."},
    Synonym{"logf", "write log."},
    Synonym{"long", "write i32, or i64 after `enable muster_int64;`."},
    Synonym{"mad", "write fma."},
    Synonym{"mat2", "write mat2x2f."},
    Synonym{"mat3", "write mat3x3f."},
    Synonym{"mat4", "write mat4x4f."},
    Synonym{"memoryBarrierShared", "write workgroupBarrier()."},
    Synonym{"mod", "write x % y, or x - y * floor(x / y)."},
    Synonym{"mul", "write a * b."},
    Synonym{"popcount", "write countOneBits."},
    Synonym{"powf", "write pow."},
    Synonym{"rcp", "write 1 / x."},
    Synonym{"reversebits", "write reverseBits."},
    Synonym{"roundEven", "write round: WGSL's rounds halves to even."},
    Synonym{"roundf", "write round."},
    Synonym{"rsqrt", "write inverseSqrt."},
    Synonym{"rsqrtf", "write inverseSqrt."},
    Synonym{"sinf", "write sin."},
    Synonym{"size_t", "write u32."},
    Synonym{"sqrtf", "write sqrt."},
    Synonym{"tanf", "write tan."},
    Synonym{"threadgroup_barrier", "write workgroupBarrier()."},
    Synonym{"uint", "write u32."},
    Synonym{"uint2", "write vec2u."},
    Synonym{"uint3", "write vec3u."},
    Synonym{"uint4", "write vec4u."},
    Synonym{"uintBitsToFloat", "write bitcast<f32>(x)."},
    Synonym{"uvec2", "write vec2u."},
    Synonym{"uvec3", "write vec3u."},
    Synonym{"uvec4", "write vec4u."},
};
static_assert(std::ranges::is_sorted(synonyms, {}, &Synonym::name));

constexpr std::array<std::string_view, 36> types{
    "array", "atomic", "bool",  "buffer", "f16",    "f32",    "f64",     "i16",     "i32",
    "i64",   "i8",     "ptr",   "u16",    "u32",    "u64",    "u8",      "vec2",    "vec2f",
    "vec2h", "vec2i",  "vec2u", "vec3",   "vec3f",  "vec3h",  "vec3i",   "vec3u",   "vec4",
    "vec4f", "vec4h",  "vec4i", "vec4u",  "mat2x2", "mat3x3", "mat2x2f", "mat3x3f", "mat4x4f"};

}  // namespace

std::string_view in_wgsl(std::string_view name) {
    const auto found = std::ranges::lower_bound(synonyms, name, {}, &Synonym::name);
    return found == synonyms.end() || found->name != name ? std::string_view() : found->fix;
}

std::string nearest_fix(std::string_view name, std::span<const std::string> names, std::string otherwise) {
    const std::vector<std::string> near = nearest(name, names);
    return near.empty() ? std::move(otherwise) : fmt::format("did you mean {}?", fmt::join(near, " or "));
}

std::span<const std::string_view> other_functions() {
    static const std::vector<std::string_view> all = [] {
        std::vector<std::string_view> names{"bitcast",    "bufferArrayView", "bufferLength",
                                            "bufferView", "textureBarrier",  "workgroupUniformLoad"};
        for (const Op op : every_op)
            if (is_function(op) && !is_function(spelling_of(op))) names.push_back(spelling_of(op));
        std::ranges::sort(names);
        for (const std::string_view each :
             {"gridBarrier", "gridUniformLoad", "array", "vec2", "vec3", "vec4"})
            names.push_back(each);
        return names;
    }();
    return all;
}
std::span<const std::string_view> predeclared_types() { return types; }

}  // namespace muster::wgsl
