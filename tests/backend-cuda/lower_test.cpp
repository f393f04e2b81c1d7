// The text for operations whose meaning in CUDA C++ differs from WGSL's.
#include <fmt/format.h>

#include "backend-cuda/workshop.hpp"

using namespace muster;
using namespace muster::cuda;
using namespace muster::cuda::test;

namespace {

constexpr std::string_view saxpy = R"(@group(0) @binding(0) var<uniform> a: f32;
@group(0) @binding(1) var<storage, read> x: array<f32>;
@group(0) @binding(2) var<storage, read_write> y: array<f32>;
@compute @workgroup_size(64)
fn saxpy(@builtin(global_invocation_id) id: vec3u) {
    let i = id.x;
    y[i] = a * x[i] + y[i];
}
)";

}  // namespace

TEST_CASE("a kernel reads like its source") {
    const std::string expected = R"(// saxpy by muster 0.1.0: blocks of 64 x 1 x 1 threads.
// Exact, if compiled with -fmad=false -prec-div=true -prec-sqrt=true -ftz=false.

extern "C" __global__ void __launch_bounds__(64)
saxpy(
    const float a,
    const float* __restrict__ x,
    const unsigned x_length,
    float* __restrict__ y,
    const unsigned y_length) {
    const uint3 global_invocation_id = make_uint3(blockIdx.x * 64u + threadIdx.x, blockIdx.y, blockIdx.z);
#line 6 "kernel.wgsl"
    const unsigned i = global_invocation_id.x;
    if (i < y_length) y[i] = a * (i < x_length ? x[i] : 0.0f) + (i < y_length ? y[i] : 0.0f);
}
)";
    CHECK(lowered(saxpy).text == expected);
}

TEST_CASE("parameters lie in one block, at the offsets that are told") {
    const CudaSource emitted = lowered(saxpy);
    CHECK(emitted.entry == "saxpy");
    CHECK(emitted.workgroup_size == Extent3{64, 1, 1});
    REQUIRE(emitted.parameters.size() == 3);
    CHECK(emitted.parameters[0].kind == ParameterKind::uniform_value);
    CHECK(emitted.parameters[0].value_bytes == 4);
    CHECK(emitted.parameters[1].offset == 8);
    CHECK(emitted.parameters[1].length_offset == 16);
    CHECK(emitted.parameters[1].array_stride == 4);
    CHECK(emitted.parameters[2].offset == 24);
    CHECK(emitted.parameter_bytes == 36);
    CHECK_FALSE(emitted.origin_offset);

    const CudaSource dispatched = lowered(saxpy, {.dispatched = true});
    CHECK(dispatched.parameters[0].kind == ParameterKind::uniform_either);
    CHECK(dispatched.parameters[0].offset == 0);
    CHECK(dispatched.parameters[0].value_offset == 8);
    CHECK(dispatched.parameters[1].offset == 16);
    CHECK(dispatched.origin_offset == 44);
    CHECK_FALSE(dispatched.grid_offset);
    CHECK(dispatched.parameter_bytes == 56);
    CHECK(contains(dispatched.text, "const float a = a_given.memory ? *a_given.memory : a_given.value;"));
    CHECK(contains(dispatched.text, "(origin.x + blockIdx.x) * 64u + threadIdx.x"));
}

TEST_CASE("uniforms that don't fit into the block are pointers") {
    const std::string_view kernel = R"(struct Big { v: array<vec4f, 300> }
@group(0) @binding(0) var<uniform> big: Big;
@group(0) @binding(1) var<storage, read_write> y: array<vec4f>;
@compute @workgroup_size(1) fn main(@builtin(global_invocation_id) id: vec3u) { y[id.x] = big.v[id.x]; })";
    const CudaSource source = lowered(kernel);
    CHECK(source.parameters[0].kind == ParameterKind::uniform_memory);
    CHECK(source.entry == "main_");
    CHECK(contains(source.text, "const Big* __restrict__ big"));
    CHECK(contains(source.text, "big->v[global_invocation_id.x]"));
}

TEST_CASE("the length of a run-time array at a structure's end follows from what is before it") {
    const CudaSource source = lowered(R"(struct List { count: u32, items: array<vec3f> }
@group(0) @binding(0) var<storage, read_write> list: List;
@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3u) {
    if id.x < arrayLength(&list.items) { list.items[id.x].y = f32(list.count); }
})");
    CHECK(source.parameters[0].array_offset == 16);
    CHECK(source.parameters[0].array_stride == 16);
    CHECK(contains(source.text,
                   "padded<float3>* const list_items = reinterpret_cast<padded<float3>*>("
                   "reinterpret_cast<char*>(list) + 16);"));
    CHECK(contains(source.text, "list_items[global_invocation_id.x].value.y = float(list->count);"));
}

TEST_CASE("integers wrap, and only where C++ doesn't let them do functions take care of it") {
    const CudaSource source = of_statements("i[0] = i[1] + i[2] * i[3] - -i[4]; u[0] = u[1] + u[2] * u[3];");
    CHECK(contains(source.text, "sub_i32(add_i32(i[1u], mul_i32(i[2u], i[3u])), neg_i32(i[4u]))"));
    CHECK(contains(source.text, "u[0u] = u[1u] + u[2u] * u[3u];"));
    CHECK(contains(source.text, "return int(unsigned(a) + unsigned(b));"));
}

TEST_CASE("divisions and shifts by constants that can't go wrong are CUDA's own") {
    const CudaSource constant = of_statements(
        "i[0] = i[1] / 3; i[2] = i[3] % -3; u[0] = u[1] / 7u; u[2] = u[3] << 5u; "
        "i[4] = i[5] >> 4u;");
    CHECK(contains(constant.text, "i[0u] = i[1u] / 3;"));
    CHECK(contains(constant.text, "i[2u] = i[3u] % -3;"));
    CHECK(contains(constant.text, "u[0u] = u[1u] / 7u;"));
    CHECK(contains(constant.text, "u[2u] = u[3u] << 5u;"));
    CHECK(contains(constant.text, "i[4u] = i[5u] >> 4u;"));
    const CudaSource other =
        of_statements("i[0] = i[1] / -1; i[2] = i[3] / i[4]; i[5] = i[6] << 3u; u[2] = u[3] << u[4];");
    CHECK(contains(other.text, "div_i32(i[1u], -1)"));
    CHECK(contains(other.text, "div_i32(i[3u], i[4u])"));
    CHECK(contains(other.text, "shl_i32(i[6u], 3u)"));
    CHECK(contains(other.text, "shl_u32(u[3u], u[4u])"));
    CHECK(contains(other.text, "a << (count & 31u)"));
}

TEST_CASE("conversions and minima go by WGSL's rules, and in fast mode minima are CUDA's") {
    const std::string body =
        "i[0] = i32(f[0]); u[0] = u32(f[1]); u[1] = bitcast<u32>(f[2]); f[3] = min(f[4], f[5]);";
    const CudaSource exact = of_statements(body);
    CHECK(contains(exact.text, "a >= 2147483648.0f ? 2147483520 : inside"));
    CHECK(contains(exact.text, "a >= 4294967296.0f ? 4294967040u : inside"));
    CHECK(contains(exact.text, "a != a ? 0x7fc00000u : __float_as_uint(a)"));
    CHECK(contains(exact.text, "f[3u] = min_f32(f[4u], f[5u]);"));
    const CudaSource fast = of_statements(body, {.options = {.precision = Precision::fast}});
    CHECK(contains(fast.text, "f[3u] = fminf(f[4u], f[5u]);"));
    CHECK(contains(fast.text, "// Fast: to be compiled with --use_fast_math."));
}

TEST_CASE("literals have the bits that are meant") {
    const ValidProgram program = parse(statements(""));
    const LowerTarget target;
    const CudaDialect dialect(*program, target);
    const c_text::Syntax syntax(dialect);
    c_text::Names names(dialect);
    c_text::Prelude prelude(dialect, syntax);
    c_text::Types types(program->types(), dialect, syntax, names, prelude);
    const auto scalar_literal = [&](Scalar scalar, std::uint32_t word) {
        return types.scalar_literal(scalar, word);
    };
    CHECK(scalar_literal(Scalar::f32, 0x3fc00000) == "1.5f");
    CHECK(scalar_literal(Scalar::f32, 0x40000000) == "2.0f");
    CHECK(scalar_literal(Scalar::f32, 0x3dcccccd) == "0.1f");
    CHECK(scalar_literal(Scalar::f32, 0x80000000) == "-0.0f");
    CHECK(scalar_literal(Scalar::f32, 0x00000001) == "0x1p-149f");
    CHECK(scalar_literal(Scalar::f32, 0x7f800000) == "__uint_as_float(0x7f800000u)");
    CHECK(scalar_literal(Scalar::f32, 0x7fc00001) == "__uint_as_float(0x7fc00001u)");
    CHECK(scalar_literal(Scalar::f32, 0x7f7fffff) == "3.4028235e+38f");
    CHECK(scalar_literal(Scalar::i32, 0x80000000) == "int(0x80000000u)");
    CHECK(scalar_literal(Scalar::i32, 0xffffffff) == "-1");
    CHECK(scalar_literal(Scalar::u32, 0xffffffff) == "4294967295u");
    CHECK(scalar_literal(Scalar::boolean, 1) == "true");
}

TEST_CASE("tables are initialised without a call, whatever is in them") {
    const std::string text = "struct S { a: f32, v: vec3f, b: vec2<bool> }\n" + statements(R"(
        let one = 0x7f800000u;
        let s = array(S(1, vec3f(1, 2, 3), vec2(true, false)), S(bitcast<f32>(one), vec3f(), vec2<bool>()));
        let t = array(vec3i(-1, 2, -2147483648), vec3i());
        f[0] = s[id.x].v.x; i[0] = t[id.x].z;)");
    const CudaSource source = lowered(text, {.debug = false});
    CHECK(contains(source.text,
                   "__constant__ const array<S, 2> table = array<S, 2>{{"
                   "S{1.0f, float3{1.0f, 2.0f, 3.0f}, bool2{true, false}}, "
                   "S{1.0f / 0.0f, float3{0.0f, 0.0f, 0.0f}, bool2{false, false}}}};"));
    CHECK(contains(source.text,
                   "__constant__ const array<padded<int3>, 2> table_2 = array<padded<int3>, 2>{{"
                   "{int3{-1, 2, int(0x80000000u)}}, {int3{0, 0, 0}}}};"));
}

TEST_CASE("a load that waits for its use is made before what it reads is written") {
    const CudaSource source = of_statements(
        "var a = 1u; let b = a + u[0]; u[0] = a * 2u; u[1] = b;\n"
        "    u[2] = u[3] + u[4];");
    CHECK(contains(source.text, "const unsigned b = a + u[0u];\n    u[0u] = a * 2u;\n    u[1u] = b;"));
    CHECK(contains(source.text, "u[2u] = u[3u] + u[4u];"));
    // `u[1]` is read before the atomic operation, although it is in the call's line and used after it.
    const CudaSource atomics = lowered(R"(@group(0) @binding(0) var<storage, read_write> a: array<u32, 4>;
@group(0) @binding(1) var<storage, read_write> b: atomic<u32>;
fn next(x: u32) -> u32 { a[1] = 7u; return x; }
@compute @workgroup_size(1) fn main() { a[0] = a[1] + next(atomicAdd(&b, 1u)); })");
    const std::size_t read = atomics.text.find("= (*a)[1u];"), write = atomics.text.find("(*a)[1u] = 7u;");
    REQUIRE(read != std::string::npos);
    CHECK(read < write);
}

TEST_CASE("expressions keep the order of their operations") {
    const CudaSource source = of_statements(
        "f[0] = f[1] - (f[2] - f[3]); f[4] = f[5] - f[6] - f[7]; "
        "f[8] = (f[9] + f[10]) * f[11]; f[12] = f[13] / (f[14] * f[15]); f[16] = -(-f[17]); "
        "u[0] = (u[1] & u[2]) | ~(u[3] ^ u[4]);");
    for (const char* const line :
         {"f[0u] = f[1u] - (f[2u] - f[3u]);", "f[4u] = f[5u] - f[6u] - f[7u];",
          "f[8u] = (f[9u] + f[10u]) * f[11u];", "f[12u] = f[13u] / (f[14u] * f[15u]);",
          "f[16u] = -(-f[17u]);", "u[0u] = (u[1u] & u[2u]) | ~(u[3u] ^ u[4u]);"})
        CHECK_MESSAGE(contains(source.text, line), line);
}

TEST_CASE("what isn't proven in bounds is compared; atomics outside do nothing and give zero") {
    const CudaSource source = lowered(R"(@group(0) @binding(0) var<storage, read_write> a: array<atomic<i32>>;
@group(0) @binding(1) var<storage, read_write> b: array<i32, 8>;
@compute @workgroup_size(8) fn main(@builtin(local_invocation_index) id: u32) {
    b[id] = atomicMax(&a[b[id]], 3);
    atomicSub(&a[id], 1);
})",
                                      {.debug = false});
    CHECK(contains(source.text, "unsigned(t) < a_length ? atomicMax(&a[t], 3) : 0"));
    CHECK(contains(source.text,
                   "if (local_invocation_index < a_length) atomicSub(&a[local_invocation_index], 1);"));
    CHECK(contains(source.text, "(*b)[local_invocation_index] = "));
    CHECK_FALSE(contains(source.text, "< 8u"));
}

TEST_CASE("loops that need not end have an effect, those that certainly do have none") {
    const auto effects = [](const std::string& body) {
        return contains(of_statements(body).text, "asm volatile(\"\");");
    };
    CHECK_FALSE(effects("for (var k = 0u; k < u[0]; k++) { u[1] += k; }"));
    CHECK_FALSE(effects("for (var k = 9; k > i[0]; k--) { u[1] += 1u; }"));
    CHECK_FALSE(effects("for (var k = 0u; k < 100u; k += 8u) { u[1] += k; }"));
    CHECK_FALSE(effects("for (var k = 256u; k > 0u; k >>= 1u) { u[1] += k; }"));
    CHECK_FALSE(effects("for (var k = u[0]; k != 0u; k /= 2u) { u[1] += k; }"));
    CHECK(effects("for (var k = 0u; k <= u[0]; k++) { u[1] += k; }"));
    CHECK(effects("for (var k = 0u; k < u[0]; k += 2u) { u[1] += k; }"));
    CHECK(effects("for (var k = 0u; k < 0xffffffffu; k += 2u) { u[1] += k; }"));
    CHECK(effects("for (var k = 0u; k < u[0]; k++) { k = u[1]; }"));
    CHECK(effects("for (var k = i[0]; k != 0; k >>= 1u) { u[1] += 1u; }"));
    CHECK(effects("for (var k = 0u; k < u[0]; k += u[1]) { u[2] += k; }"));
    CHECK(effects("while (u[0] < 5u) { }"));
    CHECK_FALSE(effects("var k = 0u; loop { workgroupBarrier(); k += 2u; if k > 9u { break; } }"));
    CHECK(effects(
        "var k = 0u; loop { k += 2u; if k < 9u { continue; } workgroupBarrier(); if k > 9u { break; } }"));
    CHECK(effects(
        "var n = 0u; let before = n < u[0]; loop { if !before { break; } u[1] = n; continuing { n++; } }"));
}

TEST_CASE("control flow is C++'s: heads of loops, chains of else, cases that end") {
    const CudaSource source = of_statements(R"(    for (var k = 0u; k < u[0]; k++) {
        if k == 3u { continue; }
        u[1] += k;
    }
    if u[2] == 0u { u[3] = 1u; } else if u[2] == 1u { u[3] = 2u; } else { u[3] = 3u; }
    switch i[0] { case 1, -2: { u[4] = 1u; } default: { u[4] = 2u; } })");
    CHECK(contains(source.text, "for (; k < u[0u]; k = k + 1u) {"));
    CHECK(contains(source.text, "continue;"));
    CHECK(contains(source.text, "} else if (u[2u] == 1u) {"));
    CHECK(
        contains(source.text, "case 1: case -2: {\n            u[4u] = 1u;\n            break;\n        }"));
}

TEST_CASE("continue goes to the continuing block, also where C++'s own wouldn't") {
    const CudaSource source = of_statements(R"(    var n = 0u;
    loop {
        let step = n + 1u;
        if u[n] == 7u { continue; }
        u[n] = step;
        continuing { n = step; break if n > 5u; }
    })");
    CHECK(contains(source.text, "unsigned step;\n"));
    CHECK(contains(source.text, "goto next_1;"));
    CHECK(contains(source.text, "next_1:;\n        n = step;\n        if (n > 5u) break;"));
}

TEST_CASE("names are the source's, made legal and unique") {
    const ValidProgram program = parse(statements(""));
    const LowerTarget target;
    const CudaDialect dialect(*program, target);
    const auto legal_name = [&](std::string_view name) { return c_text::legal_name(dialect, name); };
    const auto kernel_name = [&](std::string_view name) { return c_text::kernel_name(dialect, name); };
    CHECK(legal_name("sum") == "sum");
    CHECK(legal_name("main") == "main_");
    CHECK(legal_name("float4") == "float4_");
    CHECK(legal_name("make_uint2") == "make_uint2_");
    CHECK(legal_name("a__b") == "a_b");
    CHECK(legal_name("_x") == "x");
    CHECK(legal_name("caf\xc3\xa9") == "caf_");
    CHECK(legal_name("\xc3\xa9") == "unnamed");
    CHECK(legal_name("add_i32") == "add_i32_");
    CHECK(kernel_name("saxpy") == "saxpy");
    CHECK(kernel_name("exp") == "exp_");
    CHECK(kernel_name("roundf") == "roundf_");
    CHECK(kernel_name("main") == "main_");
    c_text::Names names(dialect);
    CHECK(names.unique_name("i") == "i");
    CHECK(names.unique_name("i") == "i_2");
    CHECK(names.unique_name("i") == "i_3");
    CHECK(names.unique_name("i_2") == "i_2_2");
    const CudaSource source =
        of_statements("let int = u[0] * u[0]; let threadIdx = int + int; u[1] = threadIdx * int;");
    CHECK(contains(source.text, "const unsigned int_ = u[0u] * u[0u];"));
    CHECK(contains(source.text, "const unsigned threadIdx_ = int_ + int_;"));
}

TEST_CASE("workgroup memory is zeroed by all threads, and over 48 KiB of it is dynamic") {
    const auto kernel = [](const std::string& count) {
        return "var<workgroup> tile: array<f32, " + count + ">;\n" +
               R"(@group(0) @binding(0) var<storage, read_write> y: array<f32>;
@compute @workgroup_size(64) fn main(@builtin(local_invocation_index) i: u32) {
    if i < 3u { tile[i] = 1.0; }
    workgroupBarrier();
    y[i] = tile[i];
})";
    };
    const CudaSource small = lowered(kernel("12288"));
    CHECK(small.static_shared_bytes == 48 << 10);
    CHECK(small.dynamic_shared_bytes == 0);
    CHECK(contains(small.text, "__shared__ array<float, 12288> tile;"));
    CHECK(
        contains(small.text,
                 "for (unsigned k = threadIdx.x; k < 12288u; k += 64u) tile[k] = {};\n    __syncthreads();"));
    const CudaSource large = lowered(kernel("12289"));
    CHECK(large.static_shared_bytes == 0);
    CHECK(large.dynamic_shared_bytes == (48 << 10) + 16);
    CHECK(contains(large.text, "extern __shared__ __align__(16) uint4 workgroup_memory[];"));
}

TEST_CASE("variables in dynamic shared memory are aligned to 16, those of vectors of f64 too") {
    const CudaSource source = lowered(R"(enable muster_float64;
var<workgroup> floats: array<f32, 12292>;
var<workgroup> wide: array<vec3<f64>, 2>;
var<workgroup> last: f64;
@group(0) @binding(0) var<storage, read_write> y: array<f64>;
@compute @workgroup_size(2) fn main(@builtin(local_invocation_index) i: u32) {
    floats[i] = 1.0; wide[i] = vec3<f64>(2); last = 3;
    workgroupBarrier();
    y[i] = f64(floats[i]) + wide[1 - i].x + last;
})");
    constexpr int floats = (48 << 10) + 16;
    CHECK(source.dynamic_shared_bytes == floats + 64 + 16);
    CHECK(contains(source.text, "struct alignas(16) padded_wide"));
    CHECK(contains(source.text, "array<padded_wide<f64x3>, 2>& wide = "));
    CHECK(contains(source.text, fmt::format("(workgroup_memory) + {});", floats)));
    CHECK(contains(source.text, fmt::format("(workgroup_memory) + {});", floats + 64)));
}

TEST_CASE("vectors of f16 and of u16 are different types, though an f16 is its bits") {
    const CudaSource source = lowered(R"(enable f16, muster_int8_int16;
@group(0) @binding(0) var<storage, read_write> y: array<vec4<f16>>;
@group(0) @binding(1) var<storage, read_write> z: array<vec4<u16>>;
@compute @workgroup_size(1) fn main(@builtin(workgroup_id) id: vec3u) {
    let v = y[1];
    let w = z[1];
    y[0].x = v[id.x];
    z[0].x = w[id.y];
})");
    CHECK(contains(source.text, "half_bits pick(f16x4 a, unsigned i)"));
    CHECK(contains(source.text, "u16_t pick(ushort4 a, unsigned i)"));
}

TEST_CASE("workgroup memory that all threads overwrite first isn't zeroed") {
    const CudaSource source = lowered(R"(var<workgroup> tile: array<f32, 64>;
@group(0) @binding(0) var<storage, read_write> y: array<f32>;
@compute @workgroup_size(64) fn main(@builtin(local_invocation_index) i: u32) {
    tile[i] = 1.0;
    workgroupBarrier();
    y[i] = tile[63u - i];
})");
    CHECK_FALSE(contains(source.text, "= {};"));
    const std::size_t first = source.text.find("__syncthreads();");
    CHECK(source.text.find("__syncthreads();", first + 1) == std::string::npos);
}

TEST_CASE("large arrays are zeroed in a loop, and small ones in their declaration") {
    const CudaSource source = of_statements(
        "var a: array<array<u32, 16>, 4>; var b: array<vec3u, 22>; a[u[0]][u[1]] = b[u[2]].x; "
        "b[u[3]] = vec3u(a[1][u[4]]); u[0] = a[u[5]][2] + b[u[6]].y;");
    CHECK(contains(source.text, "array<array<unsigned, 16>, 4> a = array<array<unsigned, 16>, 4>{};"));
    CHECK(contains(source.text, "array<padded<uint3>, 22> b;\n    set_zero(b);"));
}

TEST_CASE("structures have WGSL's layout, and a store leaves their gaps alone") {
    const CudaSource source = lowered(R"(struct Inner { a: vec3f, b: f32 }
struct Gaps { head: f32, @size(32) wide: f32, inner: Inner, list: array<vec3u, 2>, tail: f32 }
@group(0) @binding(0) var<storage, read_write> a: Gaps;
@group(0) @binding(1) var<storage, read_write> b: Gaps;
@compute @workgroup_size(1) fn main() { b = a; })",
                                      {.debug = false});
    CHECK(
        contains(source.text,
                 "struct alignas(16) Gaps {\n    float head;\n    float wide;\n    unsigned padding_2_[10];\n"
                 "    Inner inner;\n"));
    CHECK(contains(source.text, "static_assert(sizeof(Gaps) == 112"));
    CHECK(contains(source.text, "store_to(to.list, from.list);"));
    CHECK(contains(source.text, "to.inner = from.inner;"));
    CHECK(contains(source.text, "store_to(*b, *a);"));
}

TEST_CASE("too many bindings are refused") {
    std::string kernel;
    for (int k = 0; k < 300; ++k) {
        kernel += "@group(0) @binding(" + std::to_string(k) + ") var<storage, read_write> b" +
                  std::to_string(k) + ": array<f32>;\n";
    }
    kernel += "@compute @workgroup_size(1) fn main() {\n";
    for (int k = 0; k < 300; ++k) kernel += "b" + std::to_string(k) + "[0] = 1.0;\n";
    const auto refused = lower(parse(kernel + "}"), {});
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == ErrorCode::limit_exceeded);
    CHECK(refused.error().to_string() ==
          "The parameters of main take 4796 bytes, more than the 4096 of a CUDA kernel.\n"
          "Fix: use fewer bindings");
}
