// kit.hpp - a device of backend-opencl with kernels written by hand, and sessions, for tests.
#pragma once

#include <array>
#include <chrono>
#include <memory>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include <doctest/doctest.h>
#include <support/programs.hpp>

#include <muster/backend-opencl/backend.hpp>
#include <muster/driver/session/session.hpp>

namespace muster::opencl {

/// Copies the binding's words, and shows origin and grid: out[group] = in[group] + origin.x + 1000 * grid.x.
inline constexpr const char* copying_text = R"(
__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void copy(
    __global const uchar* in_memory, ulong in_offset, ulong in_bytes, __global uchar* out_memory, ulong out_offset,
    ulong out_bytes, uint4 origin, uint4 grid) {
    __global const uint* in = (__global const uint*)(in_memory + in_offset);
    __global uint* out = (__global uint*)(out_memory + out_offset);
    const uint i = origin.x + get_group_id(0);
    if (i < in_bytes / 4 && i < out_bytes / 4) out[i] = in[i] + origin.x + 1000u * grid.x;
}
)";

/// Adds 1 to the binding's first word, `turns` times over, in each workgroup; turns is its second word.
inline constexpr const char* counting_text = R"(
__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void count(__global uchar* memory, ulong offset, ulong bytes,
                                                                   uint4 origin, uint4 grid) {
    volatile __global uint* n = (volatile __global uint*)(memory + offset);
    for (uint i = 0u; i < n[1]; ++i) atomic_add(n, 1u);
}
)";

inline Artifact artifact_of(const std::string& text, const std::string& entry) {
    Artifact artifact;
    artifact.bytes = artifact_bytes(text);
    artifact.format = "clc";
    artifact.entry = entry;
    artifact.workgroup_size = {1, 1, 1};
    return artifact;
}

struct Bench {
    Bench() : device(*backend.open(0)) {}
    std::unique_ptr<Executable> load(const char* text, const char* entry) {
        auto executable = device->load(artifact_of(text, entry));
        if (!executable) FAIL(executable.error().to_string());
        return *std::move(executable);
    }
    std::unique_ptr<Memory> words(const std::vector<std::uint32_t>& words) {
        auto memory = device->allocate(words.size() * 4);
        if (!memory) FAIL(memory.error().to_string());
        REQUIRE(device->write(**memory, 0, std::as_bytes(std::span(words))));
        return *std::move(memory);
    }
    std::vector<std::uint32_t> read(const Memory& memory) {
        std::vector<std::uint32_t> words(memory.bytes() / 4);
        REQUIRE(device->read(memory, 0, std::as_writable_bytes(std::span(words))));
        return words;
    }
    std::shared_ptr<Submission> submit(const Launch& launch) {
        auto submitted = device->submit(launch);
        if (!submitted) FAIL(submitted.error().to_string());
        return std::get<std::shared_ptr<Submission>>(*std::move(submitted));
    }

    OpenClBackend backend;
    std::unique_ptr<Device> device;
};

inline Session session() {
    FleetEntry entry{
        .id = "opencl",
        .rank = 60,
        .dispatches = true,
        .tags = {},
        .supported_ops = OpSet::all_core(),
        .factory = []() -> Result<std::unique_ptr<Backend>> { return std::make_unique<OpenClBackend>(); },
        .fault = {}};
    return *Session::open(
        {.fleet = std::make_shared<Fleet>(std::vector{std::move(entry)}), .use_environment = false});
}

inline Kernel prepared(Session& session, const ValidProgram& program) {
    auto kernel = session.prepare(program);
    if (!kernel) FAIL(kernel.error().to_string());
    return *kernel;
}

}  // namespace muster::opencl
