// Code that is kept on the disk: found by all that it depends on, and by nothing else.
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <support/doubles.hpp>
#include <support/scratch_folder.hpp>

#include <muster/driver/contract/binding_layout.hpp>
#include <muster/driver/routing/compile_for.hpp>
#include <muster/foundation/wgsl/wgsl.hpp>

using namespace muster;

namespace {

constexpr const char* text = R"(@group(0) @binding(0) var<storage, read_write> data: array<f32>;
@compute @workgroup_size(64) fn twice(@builtin(global_invocation_id) id: vec3u) { data[id.x] *= 2.0; })";

ValidProgram program_of(const std::string& source) {
    return *validate(*wgsl::parse(source, {.file = "a.wgsl"}));
}

/// Counts its calls. It "compiles" to a number, and loads nothing of the numbers in `refused`.
class CountingDevice final : public Device {
  public:
    CountingDevice() { info_.compiler = "counting"; }
    const DeviceInfo& info() const override { return info_; }
    Result<Artifact> compile(const ValidProgram& program, const CompileOptions& options) override {
        ++compiled;
        Artifact artifact = make_artifact(*program, options);
        artifact.format = "number";
        artifact.bytes = artifact_bytes(std::to_string(compiled));
        artifact.load_data = artifact_bytes(std::string("data"));
        return artifact;
    }
    Result<std::unique_ptr<Executable>> load(const Artifact& artifact) override {
        if (artifact.text() == refused) return fail(refusal, "The double loads no such number.");
        loaded = artifact.text();
        loaded_data = artifact.load_data;
        return std::make_unique<Executable>();
    }

    // None of these is called.
    Result<std::unique_ptr<Memory>> allocate(std::uint64_t) override {
        return fail(ErrorCode::internal, "?");
    }
    Result<void> write(Memory&, std::uint64_t, std::span<const std::byte>) override { return {}; }
    Result<void> read(const Memory&, std::uint64_t, std::span<std::byte>) override { return {}; }
    Result<Submitted> submit(const Launch&) override { return Timing{}; }
    void abandon() override {}

    DeviceInfo info_ = test::fit_device();
    int compiled = 0;
    std::string refused = "none", loaded;
    std::vector<std::byte> loaded_data;
    ErrorCode refusal = ErrorCode::compile_failed;
};

}  // namespace

TEST_CASE("a later process finds the code that an earlier one has compiled") {
    const test::ScratchFolder folder;
    const DiskCache cache(folder.path / "cache");
    const ValidProgram program = program_of(text);
    CountingDevice first, later;
    const auto made = routing::compile_for(first, program, {}, {.cache = &cache});
    REQUIRE(made);
    CHECK_FALSE(made->is_stored);
    later.compiled = 7;
    auto found = routing::compile_for(later, program_of(text), {}, {.cache = &cache});
    REQUIRE(found);
    CHECK(later.compiled == 7);
    CHECK(found->is_stored);
    CHECK(found->text() == "1");
    CHECK(found->format == "number");
    CHECK(found->entry == "twice");
    CHECK(found->bindings.size() == 1);
    CHECK(found->files[0].name == "a.wgsl");
    REQUIRE(routing::load_for(later, program, {}, *found, {.cache = &cache}));
    CHECK(later.loaded == "1");
    CHECK(later.loaded_data == made->load_data);
    CHECK(cache.list()->front().label == "twice for " + later.info_.name);
}

TEST_CASE("code is compiled again if anything that it depends on differs") {
    const test::ScratchFolder folder;
    const DiskCache cache(folder.path / "cache");
    const auto compiles = [&](const std::string& source, const CompileOptions& options, auto change) {
        CountingDevice device;
        change(device.info_);
        REQUIRE(routing::compile_for(device, program_of(source), options, {.cache = &cache}));
        return device.compiled == 1;
    };
    const auto same = [](DeviceInfo&) {};
    CHECK(compiles(text, {}, same));
    CHECK_FALSE(compiles(text, {}, same));
    CHECK(compiles(std::string("\n") + text, {}, same));  // its lines
    CHECK(compiles(text, {.precision = Precision::fast}, same));
    CHECK(compiles(text, {.unchecked = true}, same));
    CHECK(compiles(text, {.specs = {{"a", "b"}}}, same));
    CHECK(compiles(text, {}, [](DeviceInfo& info) { info.compiler = "another"; }));
    CHECK(compiles(text, {}, [](DeviceInfo& info) { info.name = "another"; }));
    CHECK(compiles(text, {}, [](DeviceInfo& info) { info.arch = "another"; }));
    CHECK(compiles(text, {}, [](DeviceInfo& info) { info.driver = "another"; }));
    CHECK(compiles(text, {}, [](DeviceInfo& info) { info.exactness.fma = Promise::no; }));
    CHECK(compiles(text, {}, [](DeviceInfo& info) { info.ops.insert(Op::exp); }));
    CHECK_FALSE(compiles(text, {}, [](DeviceInfo& info) { info.memory_bytes += 1; }));
    CHECK(cache.list()->size() == 11);
}

TEST_CASE("nothing is kept of a device that doesn't say what its code depends on") {
    const test::ScratchFolder folder;
    const DiskCache cache(folder.path / "cache");
    CountingDevice device;
    device.info_.compiler.clear();
    for (const int times : {1, 2}) {
        REQUIRE(routing::compile_for(device, program_of(text), {}, {.cache = &cache}));
        CHECK(device.compiled == times);
    }
    CHECK(cache.list()->empty());
}

TEST_CASE("kept code that a device doesn't load is compiled again") {
    const test::ScratchFolder folder;
    const DiskCache cache(folder.path / "cache");
    const ValidProgram program = program_of(text);
    CountingDevice device;
    REQUIRE(routing::compile_for(device, program, {}, {.cache = &cache}));
    device.refused = "1";
    auto kept = routing::compile_for(device, program, {}, {.cache = &cache});
    REQUIRE(kept);
    REQUIRE(routing::load_for(device, program, {}, *kept, {.cache = &cache}));
    CHECK(device.compiled == 2);
    CHECK(device.loaded == "2");
    CHECK(kept->text() == "2");
    CHECK(routing::compile_for(device, program, {}, {.cache = &cache})->text() == "2");

    device.refused = "2";
    for (const ErrorCode code : {ErrorCode::out_of_memory, ErrorCode::device_lost}) {
        device.refusal = code;
        auto again = routing::compile_for(device, program, {}, {.cache = &cache});
        const auto loaded = routing::load_for(device, program, {}, *again, {.cache = &cache});
        REQUIRE_FALSE(loaded);
        CHECK(loaded.error().code == code);
        CHECK(device.compiled == 2);
    }
    device.refused = "3";  // code that was compiled just now isn't compiled again
    device.refusal = ErrorCode::compile_failed;
    auto fresh = routing::compile_for(device, program, {.unchecked = true}, {.cache = &cache});
    CHECK_FALSE(routing::load_for(device, program, {.unchecked = true}, *fresh, {.cache = &cache}));
    CHECK(device.compiled == 3);
}

TEST_CASE("an entry that isn't an artifact counts as missing") {
    const test::ScratchFolder folder;
    const DiskCache cache(folder.path / "cache");
    CountingDevice device;
    REQUIRE(routing::compile_for(device, program_of(text), {}, {.cache = &cache}));
    cache.keep(cache.list()->front().key, "", "no artifact");
    REQUIRE(routing::compile_for(device, program_of(text), {}, {.cache = &cache}));
    CHECK(device.compiled == 2);
}
