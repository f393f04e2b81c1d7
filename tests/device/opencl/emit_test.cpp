// The text: its names are legal in OpenCL C, and its parameters are those that docs/opencl.md says.
#include <muster/foundation/wgsl/wgsl.hpp>

#include "kit.hpp"

using namespace muster;
using namespace muster::opencl;

namespace {

ValidProgram parsed(const std::string& text) {
    auto program = wgsl::parse(text);
    if (!program) FAIL(program.error().to_string());
    return *validate(*program);
}

std::string emitted(const ValidProgram& program, const std::string& arch,
                    const CompileOptions& options = {}) {
    OpenClBackend backend;
    const auto artifact =
        backend.emit(program, *backend.describe(arch), {.format = "clc", .options = options});
    if (!artifact) FAIL(artifact.error().to_string());
    CHECK(artifact->target == "opencl:" + arch);
    return std::string(artifact->text());
}

}  // namespace

TEST_CASE("names that OpenCL C, its library or its headers have don't get into the text") {
    Bench bench;
    for (const std::string entry : {"kernel", "barrier", "clamp", "main", "get_global_id", "exp", "cl_mem"}) {
        CAPTURE(entry);
        const ValidProgram program = parsed(R"(
struct float4 { half: f32, constant: u32 }
struct step { x: float4 }
@group(0) @binding(0) var<storage, read_write> uint: array<step>;
@group(0) @binding(1) var<uniform> global_memory: vec4<u32>;
@group(0) @binding(2) var<uniform> uint_memory: vec4<u32>;
var<workgroup> local: array<u32, 4>;
@compute @workgroup_size(4) fn )" + entry +
                                            R"((@builtin(global_invocation_id) get_local_id: vec3<u32>) {
  var origin = get_local_id.x; var grid = global_memory[origin & 3u] + uint_memory.x; var CLK_LOCAL_MEM_FENCE = grid;
  var as_uint = f32(grid); var popcount = countOneBits(origin); var fmin = min(as_uint, 1.5); var min = max(origin, 1u);
  local[origin & 3u] = popcount + min + CLK_LOCAL_MEM_FENCE;
  workgroupBarrier();
  uint[origin].x.half = fmin + bitcast<f32>(local[0]); uint[origin].x.constant = grid;
}
)");
        const auto artifact = bench.device->compile(program, {});
        if (!artifact) FAIL(artifact.error().to_string());
        const auto executable = bench.device->load(*artifact);
        if (!executable) FAIL(executable.error().to_string());
    }
}

TEST_CASE(
    "emitted text: three parameters for each binding, the launch's own grid, one text for all targets") {
    const ValidProgram program = test::saxpy();
    const std::string text = emitted(program, "1.2");
    CHECK(text.starts_with("// saxpy by muster "));
    CHECK(text.find("\n#pragma OPENCL FP_CONTRACT OFF\n") != std::string::npos);
    CHECK(text.find(R"(
__kernel __attribute__((reqd_work_group_size(64, 1, 1)))
void saxpy(
    __global const uchar* a_memory, ulong a_offset, ulong a_bytes,
    __global const uchar* x_memory, ulong x_offset, ulong x_bytes,
    __global uchar* y_memory, ulong y_offset, ulong y_bytes) {
)") != std::string::npos);
    CHECK(emitted(program, "3.0") == text);
    CHECK(emitted(program, "1.2", {.precision = Precision::fast}).find("#pragma") == std::string::npos);
    CHECK(emitted(program, "1.2", {.unchecked = true}).find("\n// Unchecked") != std::string::npos);
}

TEST_CASE(
    "emitted text with subgroups: a line of invocations, and subgroups of the size that was asked for") {
    const ValidProgram program = parsed(R"(enable subgroups; enable f16;
@group(0) @binding(0) var<storage, read_write> out: array<vec4u>;
@group(0) @binding(1) var<storage, read_write> halves: array<f16>;
@compute @workgroup_size(8, 3, 2) fn main(@builtin(local_invocation_id) at: vec3u) {
  out[at.x] = subgroupBallot(at.y > at.z) + subgroupShuffle(at.x, at.y);
  halves[at.x] = subgroupShuffle(halves[at.y], 2);
}
)");
    const std::string text = emitted(program, "3.0", {.subgroup_size = 8});
    for (const std::string_view part :
         {", OpenCL C 3.0.\n", "#pragma OPENCL EXTENSION cl_khr_subgroup_ballot : enable\n",
          "__kernel __attribute__((reqd_work_group_size(48, 1, 1)))\n"
          "__attribute__((intel_reqd_sub_group_size(8)))\nvoid main_(",
          "(uint)get_local_id(0) % 8u", "(uint)get_local_id(0) / 8u % 3u", "(uint)get_local_id(0) / 24u",
          "const uint4 ballot = sub_group_ballot(", "(vec4u){ballot.x, ballot.y, ballot.z, ballot.w}",
          "sub_group_shuffle(", " & 7u)", "(half_bits)sub_group_shuffle((uint)"}) {
        CAPTURE(part);
        CHECK(text.find(part) != std::string::npos);
    }
}
