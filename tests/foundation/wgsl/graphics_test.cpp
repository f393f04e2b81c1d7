// Modules with more than compute: vertex and fragment shaders, textures, f16. What an entry point
// doesn't reach is read and ignored; what it reaches is refused with an error; what isn't WGSL is refused
// anywhere.

#include <array>

#include "support/parse.hpp"
#include "support/text.hpp"

using namespace muster;
using muster::test::has;
using test::first_fault;

namespace {

// Lines 1 to 31; the tests add a compute entry point that uses none of it.
constexpr std::string_view graphics = R"(enable f16, dual_source_blending, clip_distances;
requires readonly_and_readwrite_storage_textures;
struct Camera { view: mat4x4<f32>, eye: vec3f }
struct VertexIn { @location(0) position: vec3f, @location(1) uv: vec2f, @builtin(vertex_index) index: u32 }
struct VertexOut {
    @builtin(position) @invariant position: vec4f,
    @location(0) @interpolate(perspective, centroid) uv: vec2f,
    @location(1) @interpolate(flat) index: u32,
}
struct Blended { @location(0) @blend_src(0) a: vec4f, @location(0) @blend_src(1) b: vec4f }
@group(0) @binding(0) var<uniform> camera: Camera;
@group(0) @binding(1) var image: texture_2d<f32>;
@group(0) @binding(2) var smooth_sampler: sampler;
@group(0) @binding(3) var shadow: sampler_comparison;
@group(0) @binding(4) var out_image: texture_storage_2d<rgba8unorm, write>;
@group(0) @binding(5) var depth: texture_depth_2d;
alias Half = vec2<f16>;
const third = 0.333h;
@vertex fn vs(in: VertexIn, @builtin(instance_index) instance: u32) -> VertexOut {
    var result: VertexOut;
    result.position = camera.view * vec4f(in.position, 1);
    result.uv = in.uv;
    return result;
}
fn shade(uv: vec2f) -> vec4f { let c = textureSample(image, smooth_sampler, uv); if c.a < 0.5 { discard; } return c; }
@fragment fn fs(in: VertexOut, @builtin(front_facing) front: bool) -> @location(0) vec4f {
    let edge = fwidth(in.uv.x);
    return shade(in.uv) * edge + camera.view[0];
}
@fragment fn fs2(@location(0) uv: vec2f) -> Blended { return Blended(shade(uv), vec4f(f32(third))); }
@group(0) @binding(6) var<storage, read_write> data: array<f32>;
)";

std::string with(std::string_view compute) { return std::string(graphics) + std::string(compute); }

std::string refusal(std::string_view text, wgsl::ParseOptions options = {}) {
    options.file = "t";
    const Result<Program> program = wgsl::parse(text, options);
    return program ? "" : program.error().to_string();
}

}  // namespace

TEST_CASE("what the compute entry point doesn't reach is passed over") {
    const std::string text = with("@compute @workgroup_size(64) fn main() { data[0] = f32(1); }");
    CHECK(first_fault(text) == "");
    const Program program = test::parse(text);
    CHECK(program.entry() == "main");
    CHECK(program.bindings().size() == 1);
    CHECK(validate(program));
    CHECK(program.fingerprint() ==
          test::parse("@group(0) @binding(6) var<storage, read_write> data: array<f32>;"
                      "@compute @workgroup_size(64) fn main() { data[0] = 1; }")
              .fingerprint());
    const auto entries = wgsl::entry_points(text);
    REQUIRE(entries);
    REQUIRE(entries->size() == 1);
    CHECK((*entries)[0].name == "main");
}

TEST_CASE("what it reaches is refused by name") {
    struct Case {
        const char* body;
        const char* fault;
    };
    for (const Case& each : {
             Case{"data[0] = textureLoad(image, vec2(0), 0).x;",
                  "t:33:11: error: The function textureLoad is not supported yet by muster (textures)."},
             Case{"let t = image;", "t:12:34: error: Textures are not supported yet by muster (texture_2d)."},
             Case{"let s = smooth_sampler;",
                  "t:13:43: error: Samplers are not supported yet by muster (sampler)."},
             Case{"data[0] = shade(vec2f()).x;",
                  "t:25:40: error: The function textureSample is not supported yet"},
             Case{"data[0] = shade(vec2f()).x;", "discard is for fragment shaders."},
             Case{"_ = vs(VertexIn(), 1);", "vs is an entry point and can't be called."},
         }) {
        CAPTURE(std::string(each.body));
        CHECK(has(refusal(with(std::string("@compute @workgroup_size(64) fn main() {\n") + each.body + " }")),
                  each.fault));
    }
    // Reached through functions; each fault is reported once.
    const std::string twice = refusal(
        with("fn a() -> f32 { let t = image; return 1; } fn b() -> f32 { let t = image; return a(); }\n"
             "@compute @workgroup_size(64) fn main() { data[0] = a() + b(); }"));
    CHECK(has(twice, "t:12:34: error: Textures"));
    CHECK(twice.find("Textures") == twice.rfind("Textures"));
}

TEST_CASE("each compute entry point is asked by itself") {
    const std::string text = with(
        "@compute @workgroup_size(8, 8) fn blur() { textureStore(out_image, vec2(0), vec4f()); }\n"
        "@compute @workgroup_size(64) fn sum() { data[0] = 1; }\n"
        "@compute @workgroup_size(32) fn slope() { data[0] = dpdx(1.0); }\n");
    CHECK(refusal(text, {.entry = "sum"}) == "");
    CHECK(has(refusal(text, {.entry = "blur"}), "The function textureStore is not supported yet by muster"));
    CHECK(has(refusal(text, {.entry = "slope"}), "The function dpdx is not supported yet by muster"));
    CHECK(wgsl::diagnose(text, {.entry = "sum"}).empty());
    CHECK(wgsl::diagnose(text).size() == 2);
    const auto entries = wgsl::entry_points(text);
    REQUIRE(entries);
    REQUIRE(entries->size() == 3);
    CHECK((*entries)[0].name == "blur");
    CHECK((*entries)[0].workgroup_size == Extent3{8, 8, 1});
    CHECK((*entries)[2].workgroup_size == Extent3{32, 1, 1});
}

TEST_CASE("a module without a compute entry point says which it has") {
    CHECK(has(refusal(graphics),
              "t has no compute entry point; it has vs (@vertex), fs (@fragment), fs2 (@fragment)."));
    const std::string text = with("@compute @workgroup_size(1) fn main() {}");
    CHECK(has(refusal(text, {.entry = "fs"}),
              "fs is a @fragment entry point; muster runs @compute ones.\n"
              "Fix: name one of main."));
    CHECK(has(refusal(text, {.entry = "none"}), "t has no entry point called none."));
    const auto none = wgsl::entry_points(graphics);
    REQUIRE(none);
    CHECK(none->empty());
}

TEST_CASE("what isn't WGSL is refused wherever it stands") {
    struct Case {
        const char* text;
        const char* fault;
    };
    for (const Case& each : {
             Case{"@vertex fn v() -> @builtin(position) vec4f { return 1; }",
                  "1:53: The result of v takes vec4<f32>"},
             Case{"@vertex fn v() -> @builtin(position) vec4f { }", "1:46: The function v can end without"},
             Case{"@fragment fn f() { let a = b; }", "1:28: Nothing is called b here."},
             Case{"@fragment fn f() { let a = textureSample(; }", "1:42: "},
             Case{"@vertex @fragment fn f() {}", "1:9: f is both @vertex and @fragment."},
             Case{"@vertex @workgroup_size(1) fn f() {}",
                  "1:9: @workgroup_size is on f, which isn't a compute entry point."},
             Case{"@fragment fn f(@builtin(frob) a: u32) {}", "1:16: No built-in value is called frob."},
             Case{"@fragment fn f(@builtin(position) a: vec3f) {}",
                  "1:16: @builtin(position) has type vec4<f32>, not vec3<f32>."},
             Case{"@fragment fn f(@location(-1) a: vec3f) {}",
                  "1:26: @location(-1) is outside 0 to 2147483647."},
             Case{"struct S { @interpolate(round) a: f32 }",
                  "1:12: @interpolate takes a type, and a sampling if need be."},
             Case{"struct S { @blend_src(2) a: f32 }", "1:23: @blend_src(2) is outside 0 to 1."},
             Case{"@group(0) @binding(0) var t: texture_9d<f32>;", "1:30: No type is called texture_9d."},
             Case{"enable frob;", "1:8: No extension of WGSL is called frob."},
             Case{"@fragment fn f() { g(); } fn g() { f(); }",
                  "1:36: f is an entry point and can't be called."},
         }) {
        CAPTURE(std::string(each.text));
        CHECK_MESSAGE(first_fault(each.text).starts_with(each.fault), first_fault(each.text));
    }
}

TEST_CASE("half of a function that muster doesn't have is checked all the same") {
    const std::string text = with(
        "fn f() -> f32 { let m = textureDimensions(image); let n = m * 2; let x: u32 = 1.5; return f32(n.x); "
        "}\n");
    const std::vector<Diagnostic> faults = wgsl::diagnose(text);
    REQUIRE(faults.size() == 1);
    CHECK(faults[0].message == "x takes u32, not AbstractFloat.");
}
