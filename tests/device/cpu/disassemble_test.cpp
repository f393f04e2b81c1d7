// Listings of the CPU backend's code: instructions, functions, source lines; and of damaged code.
#include <cstring>
#include <random>
#include <string>

#include <doctest/doctest.h>

#include <muster/backend-cpu/backend.hpp>
#include <muster/foundation/wgsl/wgsl.hpp>

using namespace muster;

namespace {

constexpr const char* text = R"(@group(0) @binding(0) var<storage, read_write> data: array<f32>;
@compute @workgroup_size(64) fn twice(@builtin(global_invocation_id) id: vec3u) {
  data[id.x] = data[id.x] * 2.0;
})";

Artifact code_for(const std::string& arch, const EmitRequest& request) {
    cpu::CpuBackend backend;
    const ValidProgram program = *validate(*wgsl::parse(text, {.file = "twice.wgsl"}));
    auto code = backend.emit(program, *backend.describe(arch), request);
    REQUIRE_MESSAGE(code, code.error().to_string());
    return *std::move(code);
}

std::string listed(const Artifact& code) {
    const auto listing = cpu::CpuBackend().disassemble(code);
    REQUIRE_MESSAGE(listing, listing.error().to_string());
    return *listing;
}

bool contains(const std::string& whole, const std::string& part) { return whole.find(part) != whole.npos; }

/// Lists code with bytes changed at random: there is a listing that isn't much longer than the code, or an error.
void list_damaged(const Artifact& code) {
    std::mt19937 random(1);
    for (int i = 0; i < 400; ++i) {
        Artifact other = code;
        const std::size_t most = i % 2 == 0 ? 64 : code.bytes.size();  // the head alone, too
        for (int changes = 1 + i % 7; changes > 0; --changes)
            other.bytes[random() % most] = static_cast<std::byte>(random());
        if (i % 5 == 0) other.bytes.resize(random() % other.bytes.size());
        const auto listing = cpu::CpuBackend().disassemble(other);
        if (listing)
            CHECK(listing->size() < 4096 + 200 * code.bytes.size());
        else
            CHECK_FALSE(listing.error().message.empty());
    }
}

}  // namespace

TEST_CASE("an object file is listed with its functions and the source lines in front of their code") {
    for (const char* arch : {"x86-64-v2", "x86-64-v4", "aarch64"}) {
        CAPTURE(arch);
        const std::string listing = listed(code_for(arch, {.format = "object"}));
        CAPTURE(listing);
        CHECK(listing.starts_with("section .text:\n"));
        CHECK(contains(listing, "\ntwice:\n"));
        CHECK(contains(listing, "\n; twice.wgsl:3:"));
        CHECK(contains(listing, " ret"));
        CHECK(contains(listing, "\n     0 "));
    }
}

TEST_CASE("an image is listed from its kernel on, and text as it is") {
    const std::string listing = listed(code_for("x86-64-v4", {.to_load = true}));
    CAPTURE(listing);
    CHECK(contains(listing, "\n; twice.wgsl:3:"));
    CHECK(contains(listing, "twice:\n"));
    CHECK(contains(listing, " retq\n"));
    const Artifact assembly = code_for("x86-64-v4", {.format = "asm"});
    CHECK(listed(assembly) == assembly.text());
}

TEST_CASE("damaged code gives a listing or an error") {
    list_damaged(code_for("x86-64-v3", {.format = "object"}));
    list_damaged(code_for("aarch64", {.format = "object"}));
    list_damaged(code_for("x86-64-v3", {.to_load = true}));
    Artifact noise{.format = "object", .target = "cpu:x86-64-v3"};
    std::mt19937 random(2);
    for (int i = 0; i < 100; ++i) {
        noise.bytes.push_back(static_cast<std::byte>(random()));
        CHECK_FALSE(cpu::CpuBackend().disassemble(noise));
    }
}

TEST_CASE("what is wrong with code is said") {
    Artifact object = code_for("x86-64-v3", {.format = "object"});
    object.target = "cpu:aarch64";
    const auto other = cpu::CpuBackend().disassemble(object);
    REQUIRE_FALSE(other);
    CHECK(other.error().message == "The object file is damaged: it isn't an ELF file for aarch64.");
    object.target = "cpu:z80";
    CHECK(cpu::CpuBackend().disassemble(object).error().message ==
          "The CPU backend compiles for no \"z80\".");
    const auto image = cpu::CpuBackend().disassemble({.format = "image", .target = "cpu:x86-64-v3"});
    REQUIRE_FALSE(image);
    CHECK(image.error().message == "This isn't a kernel that the CPU backend can map: it has 0 bytes.");
    CHECK(cpu::CpuBackend().disassemble({.bytes = {std::byte{0}}, .format = "odd"}).error().message ==
          "cpu can't disassemble code of the format odd.");
}

TEST_CASE("an object file whose sections overlap isn't listed without end") {
    Artifact object = code_for("x86-64-v3", {.format = "object"});
    // Every section header becomes that of .text, the first one with code.
    const auto number = [&](std::size_t at, auto value) {
        std::memcpy(&value, object.bytes.data() + at, sizeof value);
        return value;
    };
    const auto table = number(0x28, std::uint64_t{});
    const auto count = number(0x3c, std::uint16_t{}), names = number(0x3e, std::uint16_t{});
    std::size_t text_at = 0;
    for (std::size_t i = 0; i < count; ++i)
        if ((number(table + 64 * i + 8, std::uint64_t{}) & 4) != 0) text_at = table + 64 * i;
    REQUIRE(text_at != 0);
    const std::uint64_t whole = object.bytes.size();
    std::memset(object.bytes.data() + text_at + 0x18, 0, 8);
    std::memcpy(object.bytes.data() + text_at + 0x20, &whole, 8);
    for (std::size_t i = 1; i < count; ++i)
        if (i != names && table + 64 * i != text_at)
            std::memcpy(object.bytes.data() + table + 64 * i, object.bytes.data() + text_at, 64);
    const auto listing = cpu::CpuBackend().disassemble(object);
    REQUIRE_FALSE(listing);
    CHECK(listing.error().message == "The object file is damaged: its sections overlap.");
}
