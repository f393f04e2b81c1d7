#include <array>

#include <muster/driver/proving/check_kernels.hpp>

namespace muster::proving {
namespace {

constexpr std::uint32_t input_words = 1024;

constexpr std::string_view integers = R"(
@group(0) @binding(0) var<storage, read> input: array<u32>;
@group(0) @binding(1) var<storage, read_write> output: array<u32>;
@compute @workgroup_size(64)
fn integers(@builtin(global_invocation_id) id: vec3u) {
    let x = input[id.x];
    let y = input[(id.x * 7u + 3u) % arrayLength(&input)];
    let s = bitcast<i32>(x);
    let t = bitcast<i32>(y);
    let at = id.x * 6u;
    output[at] = x * y + (x ^ (y >> 3u));
    output[at + 1u] = x / y - x % y;
    output[at + 2u] = bitcast<u32>(s / t + s % t);
    output[at + 3u] = (x << (y & 31u)) | bitcast<u32>(s >> (y & 31u));
    output[at + 4u] = countOneBits(x) + countLeadingZeros(y) * 64u + (reverseBits(x) & 0xffff0000u);
    output[at + 5u] = select(min(x, y), bitcast<u32>(max(s, t)), s < t);
}
)";

constexpr std::string_view floats = R"(
@group(0) @binding(0) var<storage, read> input: array<u32>;
@group(0) @binding(1) var<storage, read_write> output: array<u32>;
fn number(word: u32) -> f32 {
    return (f32(word % 20001u) - 10000.0) * 0.37;
}
@compute @workgroup_size(64)
fn floats(@builtin(global_invocation_id) id: vec3u) {
    let x = number(input[id.x]);
    let y = number(input[(id.x * 7u + 3u) % arrayLength(&input)]);
    let at = id.x * 6u;
    output[at] = bitcast<u32>(x * y + 0.1);
    output[at + 1u] = bitcast<u32>(x / (abs(y) + 0.5));
    output[at + 2u] = bitcast<u32>(sqrt(abs(x)) - y);
    output[at + 3u] = bitcast<u32>(fma(x, y, -x));
    output[at + 4u] = bitcast<u32>(floor(x) + trunc(y));
    output[at + 5u] = bitcast<u32>(i32(x)) + u32(abs(y)) + select(1u, 2u, x < y);
}
)";

constexpr std::string_view memory = R"(
@group(0) @binding(0) var<storage, read> input: array<vec4u>;
@group(0) @binding(1) var<storage, read_write> output: array<u32>;
@group(0) @binding(2) var<uniform> settings: vec4u;
@compute @workgroup_size(64)
fn memory(@builtin(global_invocation_id) id: vec3u) {
    let four = input[id.x % arrayLength(&input)];
    var own: array<u32, 8>;
    for (var i = 0u; i < 8u; i++) {
        own[i] = four[i & 3u] + i;
    }
    // Each word is written once, in an order of its own.
    output[(id.x * settings.x) % 256u] = own[(four.x + settings.y) & settings.w];
    output[256u + id.x] = own[settings.w - (id.x & 7u)];
    // A load out of bounds gives zero, a store there does nothing.
    output[512u + id.x] = arrayLength(&output) + input[arrayLength(&input) + id.x].y;
    output[arrayLength(&output) + id.x] = 1u;
}
)";

constexpr std::string_view control = R"(
@group(0) @binding(0) var<storage, read> input: array<u32>;
@group(0) @binding(1) var<storage, read_write> output: array<u32>;
@compute @workgroup_size(64)
fn control(@builtin(global_invocation_id) id: vec3u) {
    var x = input[id.x] % 1000u + 1u;
    var found = 0u;
    for (var i = 0u; i < 100u; i++) {
        if (x == 1u) {
            break;
        }
        if ((x & 1u) == 0u) {
            x = x / 2u;
            found += 1u;
            continue;
        }
        switch (x % 5u) {
            case 0u: {
                found = found * 3u + 1u;
            }
            case 1u, 2u: {
                found ^= x;
            }
            default: {
                found += i;
            }
        }
        x = 3u * x + 1u;
    }
    output[id.x] = found * 65536u + x;
}
)";

constexpr std::string_view barriers = R"(
@group(0) @binding(0) var<storage, read> input: array<u32>;
@group(0) @binding(1) var<storage, read_write> output: array<u32>;
var<workgroup> tile: array<u32, 64>;
@compute @workgroup_size(64)
fn barriers(@builtin(local_invocation_index) own: u32, @builtin(global_invocation_id) id: vec3u) {
    tile[own] = input[id.x];
    workgroupBarrier();
    for (var step = 1u; step < 64u; step = step * 2u) {
        var sum = tile[own];
        if (own >= step) {
            sum = sum * 3u + tile[own - step];
        }
        workgroupBarrier();
        tile[own] = sum;
        workgroupBarrier();
    }
    output[id.x] = tile[63u - own];
}
)";

constexpr std::string_view atomics = R"(
@group(0) @binding(0) var<storage, read> input: array<u32>;
@group(0) @binding(1) var<storage, read_write> output: array<atomic<u32>>;
var<workgroup> count: atomic<u32>;
@compute @workgroup_size(64)
fn atomics(@builtin(local_invocation_index) own: u32, @builtin(global_invocation_id) id: vec3u) {
    let x = input[id.x];
    for (var i = 0u; i < 8u; i++) {
        atomicAdd(&output[(x + i) & 3u], i + 1u);
    }
    atomicMax(&output[4], x);
    atomicXor(&output[5], x);
    atomicOr(&output[6], x & 0x0f0f0f0fu);
    atomicAdd(&count, own + 1u);
    workgroupBarrier();
    if (own == 0u) {
        atomicAdd(&output[7], atomicLoad(&count));
    }
}
)";

constexpr std::array all{
    CheckKernel{"integers", integers, 6 * 256, 4}, CheckKernel{"floats", floats, 6 * 256, 4},
    CheckKernel{"memory", memory, 3 * 256, 4},     CheckKernel{"control", control, 256, 4},
    CheckKernel{"barriers", barriers, 256, 4},     CheckKernel{"atomics", atomics, 8, input_words / 64}};

}  // namespace

std::span<const CheckKernel> check_kernels() { return all; }

std::vector<std::uint32_t> check_input() {
    std::vector<std::uint32_t> words;
    for (std::uint32_t bit = 0; bit < 32; ++bit)
        for (const std::uint32_t near : {UINT32_MAX, 0u, 1u}) words.push_back((1u << bit) + near);
    std::uint32_t drawn = 2463534242u;  // xorshift
    while (words.size() < input_words) {
        drawn ^= drawn << 13;
        drawn ^= drawn >> 17;
        drawn ^= drawn << 5;
        words.push_back(drawn >> (words.size() % 4 * 8));  // of each magnitude as many
    }
    return words;
}

const Digest& digest_of_checks() {
    static const Digest digest = [] {
        Hasher hash;
        for (const CheckKernel& kernel : all) {
            hash.text(kernel.text);
            hash.number(kernel.output_words);
            hash.number(kernel.workgroups);
        }
        hash.array(std::span<const std::uint32_t>(check_input()));
        hash.array(std::span<const std::uint32_t>(check_settings));
        return hash.digest();
    }();
    return digest;
}

}  // namespace muster::proving
