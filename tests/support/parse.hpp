// parse.hpp - short ways to parse WGSL in tests.
#pragma once

#include <string>
#include <string_view>

#include <doctest/doctest.h>

#include <muster/foundation/validate/validate.hpp>
#include <muster/foundation/wgsl/wgsl.hpp>

namespace muster::test {

/// Parses a valid text; an invalid one fails the test with the error.
inline Program parse(std::string_view text, wgsl::ParseOptions options = {}) {
    Result<Program> program = wgsl::parse(text, options);
    if (!program) FAIL(program.error().to_string());
    return *program;
}

/// The valid program, or the error of whichever refuses it, parse() or validate().
inline Result<ValidProgram> try_program(std::string_view text) {
    Result<Program> program = wgsl::parse(text);
    if (!program) return std::unexpected(program.error());
    return validate(*std::move(program));
}

/// "line:column: message" of the first fault; empty if there is none.
inline std::string first_fault(std::string_view text, wgsl::ParseOptions options = {}) {
    const std::vector<Diagnostic> faults = wgsl::diagnose(text, options);
    if (faults.empty()) return {};
    const Diagnostic& fault = faults.front();
    return std::to_string(fault.where.line) + ":" + std::to_string(fault.where.column) + ": " + fault.message;
}

/// A program with `statements` as the body of an entry point with storage arrays f, i and u (read_write) and a
/// uniform n: u32.
inline std::string in_main(std::string_view statements) {
    return "@group(0) @binding(0) var<storage, read_write> f: array<f32>;\n"
           "@group(0) @binding(1) var<storage, read_write> i: array<i32>;\n"
           "@group(0) @binding(2) var<storage, read_write> u: array<u32>;\n"
           "@group(0) @binding(3) var<uniform> n: u32;\n"
           "@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3<u32>) {\n" +
           std::string(statements) + "\n}\n";
}

}  // namespace muster::test
