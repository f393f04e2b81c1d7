// The module's one entry point, with the lowering behind it.
#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <muster/backend-cpu/compile/compiler.hpp>
#include <muster/backend-cpu/native/code_library.hpp>
#include <muster/backend-cpu/native/image.hpp>
#include <muster/driver/contract/records.hpp>
#include <muster/foundation/validate/validate.hpp>
#include <muster/foundation/wgsl/wgsl.hpp>

#include "backend-cpu/workshop.hpp"
#include "support/programs.hpp"

using namespace muster;
using namespace muster::cpu;
namespace fs = std::filesystem;
using test::Workshop;

namespace {

Artifact compiled(const ValidProgram& program, const CompileRequest& request) {
    auto artifact = muster_cpu_compiler()->compile(program, request, nullptr);
    if (!artifact) FAIL(artifact.error().to_string());
    return *std::move(artifact);
}

ValidProgram parse_as(std::string_view text, std::string_view file) {
    auto program = wgsl::parse(text, {.file = std::string(file)});
    if (!program) FAIL(program.error().to_string());
    auto valid = validate(*std::move(program));
    if (!valid) FAIL(valid.error().to_string());
    return *std::move(valid);
}

void write(const Workshop& shop, const std::string& name, const Artifact& artifact) {
    shop.write(name, std::string(artifact.text()));
    for (const auto& [side_name, text] : artifact.side_files) shop.write(side_name, text);
}

}  // namespace

TEST_CASE("an artifact tells all about its kernel") {
    const ValidProgram program = test::saxpy(64);
    CHECK(std::string_view(muster_cpu_compiler()->fingerprint) == compiler_fingerprint().view());
    for (const char* format : {"image", "object", "asm", "llvm-ir"}) {
        const Artifact artifact = compiled(program, {.target = {"x86-64-v3", false}, .format = format});
        CHECK(!artifact.bytes.empty());
        CHECK(artifact.format == format);
        CHECK(artifact.target == "cpu:x86-64-v3");
        CHECK(artifact.entry == "saxpy");
        CHECK(artifact.workgroup_size == Extent3{64, 1, 1});
        CHECK(artifact.bindings.size() == 3);
        CHECK(artifact.fingerprint == program->fingerprint());
        CHECK(artifact.side_files.size() == (artifact.format == "image" ? 0 : 1));
    }
}

TEST_CASE("the same request gives the same artifact") {
    for (const char* format : {"image", "object", "asm", "llvm-ir"}) {
        const CompileRequest request{.target = {"x86-64-v4", false}, .format = format};
        CHECK(compiled(test::saxpy(), request).bytes == compiled(test::saxpy(), request).bytes);
    }
}

TEST_CASE("debug information lies beside the code, which is the same with it") {
    for (const char* path : {"saxpy/saxpy.wgsl", "kernels/mandelbrot.wgsl", "kernels/reduce.wgsl",
                             "kernels/matmul_tiled.wgsl", "kernels/histogram.wgsl", "kernels/nbody.wgsl"}) {
        CAPTURE(std::string(path));
        std::ifstream file(std::string(MUSTER_EXAMPLES "/") + path);
        const std::string text{std::istreambuf_iterator<char>(file), {}};
        const ValidProgram program = parse_as(text, path);
        CompileRequest request{.target = {"x86-64-v1", true}, .format = "image"};
#if defined(__aarch64__)
        request.target.arch = "aarch64";
#endif
        const Artifact plain = compiled(program, request);
        request.debug_info = true;
        request.sources = {"/somewhere/kernel.wgsl"};
        const Artifact with = compiled(program, request);
        CHECK(plain.bytes == with.bytes);
        CHECK(plain.load_data.empty());
        const auto debug = debug_data_of(with.load_data);
        REQUIRE(debug);
        CHECK(debug->symbols[0].name ==
              (program->entry() == "main" ? fs::path(path).stem().string() : program->entry()));
        const auto header = read_image_header(with.bytes);
        REQUIRE(header);
        CHECK(debug->symbols[0].offset == (*header)->entry_offset);
        CHECK(debug->symbols[0].offset + debug->symbols[0].bytes <= (*header)->code_bytes);
        for (const char* name : {".debug_line", ".debug_info", ".debug_frame"})
            CHECK(std::ranges::count(debug->sections, name, &DebugSection::name) == 1);
    }
}

TEST_CASE("debug data is whole or none") {
    DebugData data{.symbols = {{"kernel", 16, 32}}, .sections = {{".debug_line", {std::byte{1}}}}};
    const std::vector<std::byte> bytes = bytes_of(data);
    REQUIRE(debug_data_of(bytes));
    CHECK(bytes_of(*debug_data_of(bytes)) == bytes);
    for (std::size_t size = 0; size < bytes.size(); ++size)
        CHECK_FALSE(debug_data_of(std::span(bytes).first(size)));
}

TEST_CASE("a library of code has names, lines and a build, for every architecture") {
    const Workshop shop;
    if (!shop.has("readelf")) return;
    for (const char* arch : {"x86-64-v3", "aarch64"}) {
        const Artifact image =
            compiled(parse_as("@group(0) @binding(0) var<storage, read_write> y: array<f32>;\n"
                              "@compute @workgroup_size(64)\n"
                              "fn twice(@builtin(global_invocation_id) id: vec3u) {\n"
                              "  y[id.x] = y[id.x] * 2;\n}\n",
                              "kernel.wgsl"),
                     {.target = {arch, false},
                      .format = "image",
                      .debug_info = true,
                      .sources = {"/somewhere/kernel.wgsl"}});
        const auto header = read_image_header(image.bytes);
        const auto debug = debug_data_of(image.load_data);
        REQUIRE(header);
        REQUIRE(debug);
        const auto code = std::span(image.bytes).subspan((*header)->code_offset, (*header)->code_bytes);
        const std::vector<std::byte> library = code_library(code, arch, *debug);
        shop.write("library.so", {reinterpret_cast<const char*>(library.data()), library.size()});
        const std::string said = shop.must("readelf --wide --all --debug-dump=decodedline library.so");
        CHECK(said.find("arning") == std::string::npos);
        CHECK(said.find("rror") == std::string::npos);
        for (const char* word : {"FUNC    GLOBAL DEFAULT    5 twice", "Build ID: ", "/somewhere/kernel.wgsl",
                                 "GNU_STACK", "STRSZ"})
            CHECK_MESSAGE(said.find(word) != std::string::npos, word << " isn't in: " << said);
    }
}

TEST_CASE(
    "kernels that gather in loops of their own length run an invocation at a time, others don't, and those "
    "that "
    "stride far have long runs") {
    const auto width_of = [](const std::string& path, CompileTarget target) {
        std::ifstream file(std::string(MUSTER_EXAMPLES "/../") + path);
        const std::string text{std::istreambuf_iterator<char>(file), {}};
        const Artifact image = compiled(parse_as(text, path), {.target = target, .format = "image"});
        ImageHeader header;
        std::memcpy(&header, image.bytes.data(), sizeof(header));
        return header.width;
    };
    CHECK(width_of("measuring/whole_kernels/spmv.wgsl", {"x86-64-v3", false}) == 1);
    CHECK(width_of("examples/kernels/histogram.wgsl", {"x86-64-v3", false}) == 64);
    CHECK(width_of("examples/kernels/mandelbrot.wgsl", {"x86-64-v3", false}) == 16);
    CHECK(width_of("measuring/whole_kernels/sha256.wgsl", {"x86-64-v3", false}) == 16);
    CHECK(width_of("examples/kernels/nbody.wgsl", {"x86-64-v4", false}) == 32);
    CHECK(width_of("examples/kernels/nbody.wgsl", {"aarch64", false}) == 16);
}

TEST_CASE(
    "a short loop of much code isn't unrolled, nor mathematics with many uses inlined: code grows with the "
    "program") {
    const auto bytes_of = [](const std::string& text) {
        return compiled(parse_as(text, "kernel.wgsl"), {.target = {"x86-64-v3", false}, .format = "image"})
            .bytes.size();
    };
    const auto butterflies = [&](int turns) {
        return bytes_of(fmt::format(R"(
@group(0) @binding(0) var<storage, read_write> v: array<vec2f>;
var<workgroup> t: array<vec2f, 512>;
@compute @workgroup_size(256) fn main(@builtin(local_invocation_index) n: u32) {{
  t[n] = v[n];
  t[n + 256] = v[n + 256];
  workgroupBarrier();
  for (var span = {}u; span > 0u; span /= 2u) {{
    let at = (n / span) * span * 2u + n % span;
    let d = t[at] - t[at + span];
    let phase = -3.14159265 * f32(n % span) / f32(span);
    workgroupBarrier();
    t[at] += t[at + span];
    t[at + span] = vec2f(d.x * cos(phase) - d.y * sin(phase), d.x * sin(phase) + d.y * cos(phase));
    workgroupBarrier();
  }}
  v[n] = t[n];
  v[n + 256] = t[n + 256];
}})",
                                    1 << (turns - 1)));
    };
    CHECK(butterflies(9) <= butterflies(8) + 1024);
    CHECK(butterflies(9) < 50'000);
    const auto sines = [&](int count) {
        std::string text =
            "@group(0) @binding(0) var<storage, read_write> v: array<f32>;\n"
            "@compute @workgroup_size(64) fn main(@builtin(local_invocation_index) i: u32) {\n";
        for (int at = 0; at < count; ++at) text += fmt::format("v[i + {0}] = sin(v[i + {0}]);\n", 64 * at);
        return bytes_of(text + "}");
    };
    const std::size_t one = sines(1), ten = sines(10), twenty = sines(20);
    CHECK_MESSAGE(twenty - ten < 10 * (one / 4), one, " ", ten, " ", twenty);
}

TEST_CASE("what can't be compiled is refused") {
    const auto error = [](const CompileRequest& request) {
        const auto artifact = muster_cpu_compiler()->compile(test::saxpy(), request, nullptr);
        REQUIRE(!artifact);
        return artifact.error().code;
    };
    CHECK(error({.target = {"sparc", false}, .format = "image"}) == ErrorCode::not_found);
    CHECK(error({.target = {"x86-64-v1", false}, .format = "wasm"}) == ErrorCode::unsupported);
    CHECK(error({.target = {"x86-64-v1", false}, .format = "object", .symbol = "a b"}) ==
          ErrorCode::invalid_argument);
}

TEST_CASE("a reduction with barriers links into C programs of both architectures") {
    const ValidProgram program = parse_as(R"(
@group(0) @binding(0) var<storage, read> numbers: array<u32>;
@group(0) @binding(1) var<storage, read_write> sums: array<u32>;
var<workgroup> partial: array<u32, 64>;
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(local_invocation_index) local: u32,
        @builtin(workgroup_id) group: vec3<u32>) {
    partial[local] = numbers[id.x];
    for (var half = 32u; half > 0u; half >>= 1u) {
        workgroupBarrier();
        if local < half { partial[local] += partial[local + half]; }
    }
    if local == 0u { sums[group.x] = partial[0]; }
}
)",
                                          "sum.wgsl");
    const Workshop shop;
    shop.write("main.c", R"(#include "sum.h"
#include <stdlib.h>
int main(void) {
    static uint32_t numbers[1000], sums[16];
    struct sum_bindings bindings = {numbers, 1000, sums, 16};
    void *scratch = malloc(SUM_SCRATCH_BYTES);
    uint32_t total = 0, i;
    for (i = 0; i < 1000; ++i) numbers[i] = i;
    sum_part(&bindings, 16, 1, 1, 0, 5, scratch);
    sum_part(&bindings, 16, 1, 1, 5, 16, scratch);
    for (i = 0; i < 16; ++i) total += sums[i];
    return SUM_SCRATCH_BYTES > 0 && total == 499500 ? 0 : 1;
}
)");
    write(shop, "sum.o", compiled(program, {.target = {"x86-64-v1", false}, .format = "object"}));
    shop.must("gcc -std=c99 -Wall -Wextra -Wpedantic -Werror main.c sum.o -o program && ./program");
    if (!shop.has("aarch64-linux-gnu-gcc") || !shop.has("qemu-aarch64")) return;
    write(shop, "sum.o", compiled(program, {.target = {"aarch64", false}, .format = "object"}));
    shop.must("aarch64-linux-gnu-gcc -static main.c sum.o -o program && qemu-aarch64 ./program");
}

TEST_CASE("a fault planted in a kernel is found at its line") {
    const ValidProgram program = parse_as(R"(@group(0) @binding(0) var<storage, read_write> data: array<u32>;
@compute @workgroup_size(1)
fn planted() {
    let first = data[0];
    data[first + 1u] = 7u;
    data[first * 1000000u] = first;
}
)",
                                          "planted.wgsl");
    const Artifact object = compiled(
        program, {.target = {"x86-64-v2", false}, .options = {.unchecked = true}, .format = "object"});
    const Workshop shop;
    write(shop, "planted.o", object);
    shop.write("main.c", R"(#define _GNU_SOURCE
#include "planted.h"
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <ucontext.h>
static void caught(int number, siginfo_t *info, void *context) {
    (void)number, (void)info;
    printf("%#llx", (unsigned long long)((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP]);
    exit(0);
}
int main(void) {
    static uint32_t data[1000] = {900};
    struct planted_bindings bindings = {data, 1000};
    struct sigaction action;
    action.sa_sigaction = caught;
    action.sa_flags = SA_SIGINFO;
    sigemptyset(&action.sa_mask);
    sigaction(SIGSEGV, &action, NULL);
    planted(&bindings, 1, 1, 1);
    return 1;
}
)");
    shop.must("gcc -no-pie main.c planted.o -o program");
    CHECK(shop.must("addr2line -f -e program $(./program)").starts_with("planted\nplanted.wgsl:6"));
    const bool mapped = std::ranges::any_of(object.debug_map, [&](const DebugEntry& entry) {
        return entry.source.line == 6 && program->node(entry.node).op == Op::store;
    });
    CHECK(mapped);
}
