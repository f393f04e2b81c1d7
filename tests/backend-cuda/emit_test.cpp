// Emitted code, and its map back to the source.
#include <muster/backend-cuda/compile/emit.hpp>
#include <muster/backend-cuda/lowering/arch.hpp>

#include "backend-cuda/workshop.hpp"

using namespace muster;
using namespace muster::cuda;
using namespace muster::cuda::test;

namespace {

Result<Artifact> emitted(const std::string& format, const std::string& arch = "sm_90") {
    const auto target = describe_target(arch);
    if (!target) return std::unexpected(target.error());
    const EmitRequest request{.format = format};
    const auto program =
        routing::expand_for(parse(statements("let a = f[id.x];\n    f[id.x] = a * 2.0;"), "twice.wgsl"),
                            target->ops, target->exactness, request.options);
    REQUIRE(program);
    return emit_kernel(*program, *target, request);
}

std::uint32_t line_at(const Artifact& artifact, std::uint64_t target) {
    std::uint32_t line = 0;
    for (const DebugEntry& entry : artifact.debug_map)
        if (entry.target <= target) line = entry.source.line;
    return line;
}

}  // namespace

TEST_CASE("the text leads back to the source, line by line") {
    const auto artifact = emitted("cuda");
    REQUIRE(artifact);
    CHECK(artifact->format == "cuda");
    CHECK(artifact->target == "cuda:sm_90");
    CHECK(artifact->entry == "kernel");
    CHECK(artifact->bindings.size() == 1);
    const auto lines = lines_of(std::string(artifact->text()));
    std::size_t found = 0;
    for (std::size_t n = 0; n < lines.size(); ++n) {
        if (contains(lines[n], "const float a = ")) CHECK(line_at(*artifact, n + 1) == 5);
        if (!contains(lines[n], "a * 2.0f;")) continue;
        CHECK(line_at(*artifact, n + 1) == 6);
        ++found;
    }
    CHECK(found == 1);
}

TEST_CASE("sums of floats are CUDA's own, and their minima are exchanges of bits") {
    const CudaSource source = lowered(
        "enable muster_float_atomics;\n@group(0) @binding(0) var<storage, read_write> sum: atomic<f32>;\n"
        "@group(0) @binding(1) var<storage, read_write> least: atomic<f32>;\n"
        "@compute @workgroup_size(64) fn kernel() { atomicSub(&sum, 2); atomicMin(&least, 0.5); }");
    CHECK(contains(source.text, "float* __restrict__ sum"));
    CHECK(contains(source.text, "atomicAdd("));
    CHECK(contains(source.text, ", -(2.0f))"));
    CHECK(contains(source.text, "unsigned* __restrict__ least"));
    CHECK(contains(source.text, "atomicCAS("));
}

TEST_CASE("PTX and cubins are made where there is NVRTC") {
    if (!nvrtc()) return;
    const auto ptx = emitted("ptx");
    REQUIRE(ptx);
    CHECK(contains(ptx->text(), ".target sm_90"));
    CHECK(contains(ptx->text(), ".visible .entry kernel("));
    const auto lines = lines_of(std::string(ptx->text()));
    for (std::size_t n = 0; n < lines.size(); ++n) {
        if (contains(lines[n], "ld.global.f32")) CHECK(line_at(*ptx, n + 1) == 5);
        if (contains(lines[n], "st.global.f32")) CHECK(line_at(*ptx, n + 1) == 6);
    }
    const auto cubin = emitted("cubin");
    REQUIRE(cubin);
    CHECK(
        cubin->text().starts_with("\x7f"
                                  "ELF"));
    CHECK(cubin->debug_map.empty());
}

TEST_CASE("what a launch of a kernel with grid barriers needs stands in the text, or beside PTX") {
    const ValidProgram program = parse(
        "enable muster_grid_barrier; @group(0) @binding(0) var<storage, read_write> f: array<f32>;\n"
        "@compute @workgroup_size(64) fn main() { f[1] = 1.0; gridBarrier(); f[2] = f[1]; }");
    const auto emit = [&](const ValidProgram& which, const char* format) {
        return *emit_kernel(which, *describe_target("sm_90"), {.format = format});
    };
    CHECK(describe_target("sm_90")->ops.contains(program->required_ops()));
    CHECK(contains(emit(program, "cuda").text(), "// To be launched cooperatively"));
    CHECK(emit(program, "cuda").side_files.empty());
    if (!nvrtc()) return;
    for (const char* const format : {"ptx", "cubin"}) {
        const Artifact artifact = emit(program, format);
        REQUIRE(artifact.side_files.size() == 1);
        CHECK(artifact.side_files[0].first == "main_.launch.txt");
        CHECK(contains(artifact.side_files[0].second, "at byte 16,"));
        CHECK(emit(parse(statements("f[0] = 1.0;")), format).side_files.empty());
    }
}

TEST_CASE("targets are described without a toolkit, and an unknown one is refused with those there are") {
    const auto target = describe_target("sm_90");
    REQUIRE(target);
    CHECK(target->to_string() == "cuda:sm_90");
    CHECK(target->limits.max_workgroup_bytes == 227 << 10);
    CHECK(target->limits.max_workgroup_invocations == 1024);
    CHECK(target->limits.max_storage_binding_bytes == std::uint64_t{8} << 30);
    CHECK(target->exactness.exact());
    CHECK(target->subgroup_size == 32);
    CHECK(describe_target("sm_75")->limits.max_workgroup_bytes == 64 << 10);
    const auto unknown = describe_target("sm_42");
    REQUIRE_FALSE(unknown);
    CHECK(unknown.error().to_string() ==
          "The CUDA backend has no target \"sm_42\".\n"
          "Fix: ask for one of: sm_70, sm_72, sm_75, sm_80, sm_86, sm_87, sm_89, sm_90, sm_100, sm_103, "
          "sm_110, sm_120, "
          "sm_121");
    REQUIRE(describe_target(default_target()));
}

TEST_CASE("an architecture is found by compute capability, a later one as the last before it") {
    CHECK(arch_of(9, 0)->name == "sm_90");
    CHECK(arch_of(8, 8)->name == "sm_87");
    CHECK(arch_of(99, 0)->name == "sm_121");
    CHECK(arch_of(6, 1) == nullptr);
}
