// Images: mapping, and refusals.
#include <fstream>
#include <sstream>

#include <doctest/doctest.h>

#include <muster/driver/contract/check.hpp>

#include "device/cpu/kernels.hpp"

using namespace muster;
using namespace muster::cpu;

namespace {

/// The error of mapping an image with one field of its header changed.
std::string refusal(void (*change)(ImageHeader&)) {
    std::vector<std::byte> image = test::count_kernel();
    ImageHeader header;
    std::memcpy(&header, image.data(), sizeof header);
    change(header);
    std::memcpy(image.data(), &header, sizeof header);
    const auto mapped = MappedImage::map(image);
    REQUIRE_FALSE(mapped);
    CHECK(mapped.error().code == ErrorCode::invalid_argument);
    CHECK(mapped.error().fix.find("compile") != std::string::npos);
    return mapped.error().message;
}

/// The system's permissions of the page at an address: "r-xp".
std::string protection_of(const void* address) {
    std::ifstream maps("/proc/self/maps");
    const auto wanted = reinterpret_cast<std::uintptr_t>(address);
    for (std::string line; std::getline(maps, line);) {
        std::uintptr_t begin = 0, end = 0;
        char dash = 0;
        std::string protection;
        std::istringstream(line) >> std::hex >> begin >> dash >> end >> protection;
        if (begin <= wanted && wanted < end) return protection;
    }
    return "nowhere";
}

}  // namespace

TEST_CASE("an image is mapped executable and not writable") {
    const auto mapped = MappedImage::map(test::count_kernel({.cost = 7}));
    REQUIRE(mapped);
    CHECK(mapped->header().cost == 7);
    CHECK(protection_of(reinterpret_cast<const void*>(mapped->kernel())) == "r-xp");
}

TEST_CASE("a moved image keeps its code") {
    auto first = MappedImage::map(test::count_kernel());
    REQUIRE(first);
    const KernelFunction kernel = first->kernel();
    const MappedImage second = *std::move(first);
    CHECK((second.kernel() == kernel));
    CHECK(protection_of(reinterpret_cast<const void*>(kernel)) == "r-xp");
}

TEST_CASE("what isn't an image is refused, and said why") {
    CHECK(refusal([](ImageHeader& h) { h.magic[0] = 'm'; }).find("MUSTCPU") != std::string::npos);
    CHECK(refusal([](ImageHeader& h) { h.version = 2; }).find("it is of version 2") != std::string::npos);
    CHECK(refusal([](ImageHeader& h) { h.header_bytes -= 1; }).find("header has") != std::string::npos);
    CHECK(refusal([](ImageHeader& h) { h.code_offset = 4095; }).find("begins at byte 4095") !=
          std::string::npos);
    CHECK(refusal([](ImageHeader& h) { h.code_offset = 0; }).find("begins at byte 0") != std::string::npos);
    CHECK(refusal([](ImageHeader& h) { h.code_offset = 1 << 20; }).find("begins at") != std::string::npos);
    CHECK(refusal([](ImageHeader& h) { h.code_bytes = 0; }).find("0 bytes of code") != std::string::npos);
    CHECK(refusal([](ImageHeader& h) { h.code_bytes += 1; }).find("bytes of code and holds") !=
          std::string::npos);
    CHECK(refusal([](ImageHeader& h) { h.code_bytes = UINT64_MAX; }).find("of code") != std::string::npos);
    CHECK(refusal([](ImageHeader& h) { h.entry_offset = h.code_bytes; }).find("the kernel begins") !=
          std::string::npos);
    CHECK(refusal([](ImageHeader& h) { h.width = 3; }).find("3 invocations") != std::string::npos);
    CHECK(refusal([](ImageHeader& h) { h.width = 128; }).find("128 invocations") != std::string::npos);
    CHECK(refusal([](ImageHeader& h) { h.arch.fill('a'); }).find("has no end") != std::string::npos);
    CHECK(refusal([](ImageHeader& h) { h.features.fill('a'); }).find("has no end") != std::string::npos);
}

TEST_CASE("no beginning of an image is an image") {
    const std::vector<std::byte> image = test::count_kernel();
    for (std::size_t size = 0; size < image.size(); ++size)
        CHECK_FALSE(MappedImage::map(std::span(image).first(size)));
}

TEST_CASE("no memory for code, and a system that allows no new code, are errors") {
    for (const char* call : {"mmap", "mprotect"}) {
        const PlantedFaults faults([&](std::string_view name) -> std::optional<Error> {
            if (name != call) return std::nullopt;
            return Error{ErrorCode::out_of_memory, "No.", "", {}};
        });
        const auto mapped = MappedImage::map(test::count_kernel());
        REQUIRE_FALSE(mapped);
        CHECK(mapped.error().to_string().find(std::string("while calling ") + call) != std::string::npos);
    }
}

TEST_CASE("an image for a machine that this one isn't is refused") {
    CpuDevice device({});
    Artifact artifact;
    artifact.format = "image";
    artifact.bytes = test::count_kernel({.arch = "riscv64"});
    auto loaded = device.load(artifact);
    REQUIRE_FALSE(loaded);
    CHECK(loaded.error().code == ErrorCode::unsupported);
    CHECK(loaded.error().message.find("riscv64") != std::string::npos);
    artifact.format = "object";
    loaded = device.load(artifact);
    REQUIRE_FALSE(loaded);
    CHECK(loaded.error().message.find("\"object\"") != std::string::npos);
}
