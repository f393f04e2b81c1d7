// Emitted modules, and their map back to the source.
#include <cstring>
#include <sstream>

#include <muster/backend-vulkan/compile/emit.hpp>

#include "backend-vulkan/workshop.hpp"

using namespace muster;
using namespace muster::vulkan;
using namespace muster::vulkan::test;

namespace {

constexpr std::string_view saxpy = R"(@group(0) @binding(0) var<uniform> a: f32;
@group(0) @binding(1) var<storage, read> x: array<f32>;
@group(0) @binding(2) var<storage, read_write> y: array<f32>;
@compute @workgroup_size(64)
fn saxpy(@builtin(global_invocation_id) id: vec3<u32>) {
    let i = id.x;
    let old = y[i];
    let scaled = a * x[i];
    y[i] = scaled + old;
}
)";
constexpr std::uint32_t multiply_line = 8, store_line = 9;

Result<Artifact> emitted(const std::string& format, Specs specs = {}, const std::string& arch = "vulkan1.2") {
    const auto target = describe_target(arch);
    if (!target) return std::unexpected(target.error());
    const EmitRequest request{.format = format, .options = {.specs = std::move(specs)}};
    const auto program =
        routing::expand_for(parse(saxpy, "saxpy.wgsl"), target->ops, target->exactness, request.options);
    REQUIRE(program);
    return emit_module(*program, *target, request);
}

std::vector<std::uint32_t> words_of(const Artifact& artifact) {
    std::vector<std::uint32_t> words(artifact.bytes.size() / 4);
    std::memcpy(words.data(), artifact.bytes.data(), artifact.bytes.size());
    return words;
}

/// The line that the map gives for a byte offset: that of the last entry that isn't beyond it.
std::uint32_t line_at(const Artifact& artifact, std::uint64_t target) {
    std::uint32_t line = 0;
    for (const DebugEntry& entry : artifact.debug_map)
        if (entry.target <= target) line = entry.source.line;
    return line;
}

std::vector<std::string> lines_of(const Artifact& artifact) {
    std::stringstream text{std::string(artifact.text())};
    std::vector<std::string> lines;
    for (std::string line; std::getline(text, line);) lines.push_back(line);
    return lines;
}

void check_map_of_words(const Artifact& artifact) {
    std::size_t multiplications = 0, stores = 0;
    for (const Instruction& one : instructions(words_of(artifact))) {
        if (one.op == spv::Op::OpFMul) {
            ++multiplications;
            CHECK(line_at(artifact, one.byte) == multiply_line);
        }
        if (one.op == spv::Op::OpStore) {
            ++stores;
            CHECK(line_at(artifact, one.byte) == store_line);
        }
        if (one.op == spv::Op::OpFunctionEnd) CHECK(line_at(artifact, one.byte) == 0);
    }
    CHECK(multiplications == 1);
    CHECK(stores == 1);
}

}  // namespace

TEST_CASE("emitted words lead back to the source, byte by byte") {
    const auto artifact = emitted("spirv");
    REQUIRE(artifact);
    CHECK(artifact->format == "spirv");
    CHECK(artifact->target == "vulkan:vulkan1.2");
    CHECK(artifact->entry == "saxpy");
    CHECK(artifact->bindings.size() == 3);
    CHECK(validate_words(words_of(*artifact), VulkanVersion::v1_2));
    check_map_of_words(*artifact);
    for (const DebugEntry& entry : artifact->debug_map)
        if (entry.source.line == store_line) CHECK(entry.node);
}

TEST_CASE("the optimiser's words are valid, fewer, and lead back as well") {
    const auto plain = emitted("spirv"), artifact = emitted("spirv", {{"optimize", "yes"}});
    REQUIRE(artifact);
    CHECK(artifact->bytes.size() < plain->bytes.size());
    CHECK(validate_words(words_of(*artifact), VulkanVersion::v1_2));
    check_map_of_words(*artifact);
}

TEST_CASE("the disassembly has one line per instruction, and its lines lead back") {
    const auto artifact = emitted("spirv-asm");
    REQUIRE(artifact);
    const auto lines = lines_of(*artifact);
    CHECK(lines.size() == instructions(words_of(*emitted("spirv"))).size());
    std::size_t stores = 0;
    for (std::size_t n = 0; n < lines.size(); ++n) {
        if (lines[n].find(" OpFMul ") != std::string::npos) CHECK(line_at(*artifact, n + 1) == multiply_line);
        if (lines[n].find(" OpStore ") == std::string::npos) continue;
        ++stores;
        CHECK(line_at(*artifact, n + 1) == store_line);
    }
    CHECK(stores == 1);
    CHECK(std::ranges::any_of(lines, [](const std::string& line) {
        return line.find("OpName %scaled \"scaled\"") != std::string::npos;
    }));
}

TEST_CASE("what can't be emitted is refused in words") {
    const auto target = emitted("spirv", {}, "vulkan1.0");
    REQUIRE_FALSE(target);
    CHECK(target.error().to_string() ==
          "The Vulkan backend has no target \"vulkan1.0\".\n"
          "Fix: ask for one of: vulkan1.1, vulkan1.2, vulkan1.3");
    const auto value = emitted("spirv", {{"optimize", "maybe"}});
    REQUIRE_FALSE(value);
    CHECK(value.error().to_string() ==
          "The compile spec optimize is \"maybe\", neither yes nor no.\n"
          "Fix: give optimize=yes or leave it out");
}

TEST_CASE("a value of more parts than an instruction holds is refused, and a module without it isn't") {
    const auto too_large = lower(parse(R"(@group(0) @binding(0) var<storage, read> x: array<u32, 20000>;
@group(0) @binding(1) var<storage, read_write> y: array<u32, 20000>;
@compute @workgroup_size(1) fn main() { y = x; })"),
                                 {.version = VulkanVersion::v1_1});
    REQUIRE_FALSE(too_large);
    CHECK(too_large.error().code == ErrorCode::limit_exceeded);
    CHECK(too_large.error().fix == "load and store large arrays element by element, or split the kernel");
    CHECK(lower(parse(R"(@group(0) @binding(0) var<storage, read> x: array<u32, 20000>;
@group(0) @binding(1) var<storage, read_write> y: array<u32, 20000>;
@compute @workgroup_size(1) fn main() { y = x; })"),
                {.version = VulkanVersion::v1_2}));
}
