// Artifact files: what is written is read, any damage is refused, and a session compiles nothing where a code fits.
#include <algorithm>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <support/interpreting_double.hpp>

#include <muster/driver/artifact/artifact_file.hpp>
#include <muster/driver/contract/binding_layout.hpp>
#include <muster/foundation/wgsl/wgsl.hpp>

using namespace muster;

namespace {

ValidProgram scale_program() {
    return *validate(
        *wgsl::parse("struct Item { weight: f32, tags: array<u32, 3> }\n"
                     "@group(0) @binding(0) var<storage, read_write> items: array<Item>;\n"
                     "@group(1) @binding(2) var<uniform> factor: f32;\n"
                     "@compute @workgroup_size(32) fn scale(@builtin(global_invocation_id) id: vec3u) {\n"
                     "  items[id.x].weight *= factor;\n"
                     "}\n",
                     {.file = "scale.wgsl"}));
}

/// A code with something in every field that is stored.
Artifact full_code(const ValidProgram& program) {
    CompileOptions options{
        .precision = Precision::fast, .unchecked = true, .subgroup_size = 8, .specs = {{"width", "4"}}};
    Artifact code = make_artifact(*program, options);
    code.bytes = artifact_bytes(std::string("some code"));
    code.format = "image";
    code.target = "cpu:x86-64-v3";
    code.entry = "renamed";
    code.debug_map = {{.target = 4, .node = NodeId{3}, .source = {.file = 0, .line = 5, .column = 3}},
                      {.target = 9}};
    code.emitted_fingerprint = {{1, 2, 3, 4}};
    code.side_files = {{"scale.h", "void scale();"}};
    code.load_data = artifact_bytes(std::string("data"));
    return code;
}

ArtifactFile full_file() {
    const ValidProgram program = scale_program();
    Artifact other = make_artifact(*program, {});
    other.target = "vulkan:vulkan1.2";
    return {program, {full_code(program), other}};
}

}  // namespace

TEST_CASE("an artifact file that is written and read has the same program and codes") {
    const ArtifactFile file = full_file();
    const std::vector<std::byte> bytes = artifact_file_bytes(file);
    CHECK(is_artifact_file(bytes));
    const auto read = read_artifact_file(bytes);
    REQUIRE_MESSAGE(read, (read ? "" : read.error().to_string()));
    CHECK(same_structure(file.program, read->program));
    CHECK(*read->program->files()[0].text == *file.program->files()[0].text);
    REQUIRE(read->codes.size() == 2);
    const Artifact &a = file.codes[0], &b = read->codes[0];
    CHECK(a.bytes == b.bytes);
    CHECK(a.format == b.format);
    CHECK(a.target == b.target);
    CHECK(a.entry == b.entry);
    CHECK(a.workgroup_size == b.workgroup_size);
    CHECK(a.fingerprint == b.fingerprint);
    CHECK(a.emitted_fingerprint == b.emitted_fingerprint);
    CHECK(a.options == b.options);
    CHECK(a.side_files == b.side_files);
    CHECK(a.load_data == b.load_data);
    REQUIRE(b.bindings.size() == 2);
    CHECK(b.bindings[0].name == "items");
    CHECK(b.bindings[0].min_bytes == 16);
    CHECK(b.bindings[1].space == AddressSpace::uniform);
    CHECK(b.bindings[1].group == 1);
    REQUIRE(b.debug_map.size() == 2);
    CHECK(b.debug_map[0].node == NodeId{3});
    CHECK(b.debug_map[0].source == SourceLocation{0, 5, 3});
    CHECK(b.files[0].name == "scale.wgsl");
    CHECK(read->codes[1].target == "vulkan:vulkan1.2");
    CHECK(artifact_file_bytes(*read) == bytes);
}

TEST_CASE("a changed bit anywhere is refused") {
    const std::vector<std::byte> bytes = artifact_file_bytes(full_file());
    for (std::size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
        std::vector<std::byte> damaged = bytes;
        damaged[bit / 8] ^= std::byte(1u << bit % 8);
        const auto read = read_artifact_file(damaged);
        REQUIRE_FALSE(read);
        REQUIRE(read.error().code == ErrorCode::invalid_argument);
        REQUIRE_FALSE(read.error().fix.empty());
    }
}

TEST_CASE("a file that was cut off, and one with more after its end, are refused") {
    std::vector<std::byte> bytes = artifact_file_bytes(full_file());
    for (std::size_t length = 0; length < bytes.size(); ++length)
        REQUIRE_FALSE(read_artifact_file(std::span(bytes).first(length)));
    const std::size_t length = bytes.size();
    CHECK(read_artifact_file(std::span(bytes).first(length - 1)).error().message ==
          "The artifact has " + std::to_string(length - 1) + " bytes instead of " + std::to_string(length) +
              ".");
    CHECK(read_artifact_file(std::span(bytes).first(20)).error().message ==
          "The artifact is cut off: it has 20 bytes.");
    bytes.push_back(std::byte{0});
    CHECK_FALSE(read_artifact_file(bytes));
    CHECK(read_artifact_file({}).error().message ==
          "This isn't an artifact of muster: it doesn't begin as one does.");
}

TEST_CASE("a file of another version says which") {
    std::vector<std::byte> bytes = artifact_file_bytes(full_file());
    bytes[8] = std::byte{9};
    const auto read = read_artifact_file(bytes);
    REQUIRE_FALSE(read);
    CHECK(read.error().message == "The artifact is of format version 9, and this muster reads version 2.");
    CHECK(read.error().fix == "emit it again with this version of muster");
}

TEST_CASE("a session compiles nothing where a code fits, and compiles where none does") {
    const auto device = std::make_shared<test::DeviceScript>();
    Session session = test::interpreting_session({device});
    ArtifactFile file{scale_program(), {}};
    Artifact code = make_artifact(*file.program, {});
    code.format = "text";
    code.target = "parts:" + device->info.arch;
    code.in_process = std::make_shared<const ValidProgram>(file.program);
    file.codes = {code};

    const auto kernel = session.prepare(file);
    REQUIRE(kernel);
    CHECK(device->compiles == 0);
    CHECK(kernel->artifact().is_stored);

    const auto compiles = [&](auto change, const CompileOptions& options = {}) {
        const auto another = std::make_shared<test::DeviceScript>();
        Session other = test::interpreting_session({another});
        ArtifactFile changed = file;
        change(changed.codes[0]);
        const auto prepared = other.prepare(changed, options);
        REQUIRE(prepared);
        CHECK(prepared->artifact().is_stored == (another->compiles == 0));
        return another->compiles == 1;
    };
    CHECK_FALSE(compiles([](Artifact&) {}));
    CHECK(compiles([](Artifact& one) { one.target = "parts:another"; }));
    CHECK(compiles([](Artifact& one) { one.target = "cpu:x86-64-v3"; }));
    CHECK(compiles([](Artifact& one) { one.fingerprint = {}; }));
    CHECK(compiles([](Artifact& one) { one.options.precision = Precision::fast; }));
    CHECK(compiles([](Artifact&) {}, {.precision = Precision::fast}));
    CHECK_FALSE(compiles([](Artifact& one) { one.options.precision = Precision::fast; },
                         {.precision = Precision::fast}));
}
