// Programs as bytes: what is read is what was written, and damaged bytes are refused.
#include <doctest/doctest.h>
#include <support/programs.hpp>

#include <muster/foundation/archive/program_archive.hpp>
#include <muster/foundation/build/ir_builder.hpp>
#include <muster/foundation/interpreter/random.hpp>
#include <muster/foundation/ir/program_data.hpp>
#include <muster/foundation/wgsl/wgsl.hpp>

using namespace muster;

namespace {

constexpr const char* everything = R"(
enable f16;
enable subgroups;
enable subgroup_size_control;
struct Inner { @align(16) a: f32, @size(32) b: vec3<u32>, c: array<vec2<f16>, 3> }
struct Outer { head: Inner, @align(32) tail: array<Inner> }
@group(0) @binding(3) var<storage, read_write> data: Outer;
@group(1) @binding(0) var<storage, read_write> counters: array<atomic<u32>, 4>;
@group(0) @binding(1) var<uniform> factor: mat3x2<f32>;
var<workgroup> tile: array<vec4<f32>, 64>;
var<private> seed: i32 = -7;
const numbers = array(1.5, -0.0, 3e38);
@compute @workgroup_size(16, 4) @subgroup_size(16)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(local_invocation_index) local: u32) {
  for (var i = 0u; i < 3u; i++) {
    if (id.x == 9u) { continue; }
    switch (i) { case 1u, 2u: { seed += 2; } default: { if (id.y > 3u) { break; } seed = i32(id.x); } }
  }
  tile[local] = vec4f(numbers[local % 3u], factor[0].x, f32(seed), pow(2.0, f32(local)));
  workgroupBarrier();
  let sum = subgroupAdd(tile[63u - local].x);
  data.tail[id.x].c[1] = vec2h(f16(sum), 0.5h);
  atomicAdd(&counters[local % 4u], arrayLength(&data.tail));
}
)";

ValidProgram parsed() {
    auto program = wgsl::parse(everything, {.file = "everything.wgsl"});
    REQUIRE_MESSAGE(program, (program ? "" : program.error().to_string()));
    return *validate(*std::move(program));
}

}  // namespace

TEST_CASE("a program that is written and read is the same, with names, lines and files") {
    const ValidProgram program = parsed();
    const auto again = read_program(program_bytes(program));
    REQUIRE_MESSAGE(again, (again ? "" : again.error().to_string()));
    CHECK(same_structure(program, *again));
    const ProgramData &a = program->data(), &b = (*again)->data();
    CHECK(a.names == b.names);
    CHECK(a.locations == b.locations);
    CHECK(a.required_ops == b.required_ops);
    CHECK(a.needs.subgroup_size == 16);
    CHECK(b.needs.subgroup_size == 16);
    CHECK(a.needs.scalars == b.needs.scalars);
    CHECK(a.needs.private_bytes == b.needs.private_bytes);
    REQUIRE(b.files.size() == 1);
    CHECK(b.files[0].name == "everything.wgsl");
    CHECK(*b.files[0].text == everything);
    REQUIRE(a.variables.size() == b.variables.size());
    for (std::size_t i = 0; i < a.variables.size(); ++i) {
        CHECK(a.variables[i].name == b.variables[i].name);
        CHECK(a.variables[i].is_written == b.variables[i].is_written);
        CHECK(a.variables[i].location == b.variables[i].location);
    }
    CHECK(program_bytes(*again) == program_bytes(program));
}

TEST_CASE("bytes that end early or have more after their end are refused") {
    const std::vector<std::byte> bytes = program_bytes(parsed());
    for (std::size_t length = 0; length < bytes.size(); ++length) {
        const auto read = read_program(std::span(bytes).first(length));
        REQUIRE_FALSE(read);
        CHECK(read.error().code == ErrorCode::invalid_program);
        CHECK(read.error().message.starts_with("The stored program is damaged: it has "));
    }
    std::vector<std::byte> longer = bytes;
    longer.push_back(std::byte{0});
    CHECK(read_program(longer).error().message ==
          "The stored program is damaged: it has bytes after its end.");
}

TEST_CASE("any other bytes give a valid program or an error") {
    const std::vector<std::byte> bytes = program_bytes(parsed());
    std::size_t read = 0;
    for (std::size_t at = 0; at < bytes.size(); ++at) {
        std::vector<std::byte> other = bytes;
        for (const unsigned change : {1u, 0x80u, 0xffu}) {
            other[at] = bytes[at] ^ std::byte(change);
            const auto program = read_program(other);
            if (!program) continue;
            ++read;
            CHECK(program_bytes(*program).size() > 0);
        }
    }
    CHECK(read > 0);  // for instance, another letter in a name
}
