// workshop.hpp - lowers a kernel's text to CUDA C++ and compiles it, for tests of the result.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <sstream>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <muster/backend-cuda/compile/compile.hpp>
#include <muster/backend-cuda/lowering/dialect.hpp>
#include <muster/backend-cuda/lowering/lower.hpp>
#include <muster/driver/c_text/types.hpp>
#include <muster/driver/routing/prepare.hpp>
#include <muster/foundation/wgsl/wgsl.hpp>

namespace muster::cuda::test {

inline ValidProgram parse(std::string_view text, const std::string& file = "kernel.wgsl") {
    auto parsed = wgsl::parse(text, {.file = file});
    REQUIRE_MESSAGE(parsed, (parsed ? "" : parsed.error().to_string()));
    auto program = validate(*std::move(parsed));
    REQUIRE_MESSAGE(program, (program ? "" : program.error().to_string()));
    return *std::move(program);
}

inline CudaSource lowered(const ValidProgram& program, LowerTarget target = {}) {
    target.options = routing::with_subgroup_size(target.options, *program, warp_size);
    const auto expanded = routing::expand_for(program, supported_ops(), exactness, target.options);
    REQUIRE(expanded);
    auto source = lower(*expanded, target);
    REQUIRE_MESSAGE(source, (source ? "" : source.error().to_string()));
    return *std::move(source);
}
inline CudaSource lowered(std::string_view text, const LowerTarget& target = {}) {
    return lowered(parse(text), target);
}

/// The text of a kernel with these statements; `f`, `i`, `u` are arrays of f32, i32 and u32, `id` the
/// invocation's id.
inline std::string statements(const std::string& body) {
    return "@group(0) @binding(0) var<storage, read_write> f: array<f32>;\n"
           "@group(0) @binding(1) var<storage, read_write> i: array<i32>;\n"
           "@group(0) @binding(2) var<storage, read_write> u: array<u32>;\n"
           "@compute @workgroup_size(64) fn kernel(@builtin(global_invocation_id) id: vec3u) {\n" +
           body + "\n}\n";
}
inline CudaSource of_statements(const std::string& body, LowerTarget target = {}) {
    target.debug = false;
    target.options.unchecked = true;  // no guards around the code under test
    return lowered(statements(body), target);
}

inline bool contains(std::string_view text, std::string_view part) { return text.find(part) != text.npos; }

inline std::vector<std::string> lines_of(const std::string& text) {
    std::stringstream stream(text);
    std::vector<std::string> lines;
    for (std::string line; std::getline(stream, line);) lines.push_back(line);
    return lines;
}

/// The machine's NVRTC. Without one, prints that the test is skipped, and returns null.
inline std::shared_ptr<const Nvrtc> nvrtc() {
    auto opened = Nvrtc::process();
    if (!opened) MESSAGE("skipped: ", opened.error().message);
    return opened ? *opened : nullptr;
}

/// The architectures that tests compile programs for.
inline std::vector<std::string> tested_archs() {
    if (std::getenv("MUSTER_TEST_ALL") != nullptr) return {"sm_75", "sm_80", "sm_90", "sm_100"};
    return {"sm_90"};
}

inline std::string ptx_of(const ValidProgram& program, const CudaSource& source,
                          const CompileOptions& options = {}, std::string_view arch = "sm_90") {
    const auto made = compile_text(**Nvrtc::process(), *program, source, options, arch, ImageFormat::ptx);
    REQUIRE_MESSAGE(made, (made ? "" : made.error().to_string() + "\n" + source.text));
    return {reinterpret_cast<const char*>(made->data()), made->size()};
}

}  // namespace muster::cuda::test
