// artifact_file.hpp - a program with its code for several targets, as one file: compile here, run there.
//
//     auto file  = session.package(program, {{.arch = "cuda:sm_90"}, {.arch = "cpu:x86-64-v3"}});
//     auto bytes = muster::artifact_file_bytes(*file);             // to "kernel.muster"
//     auto again = muster::read_artifact_file(bytes);              // on the other machine
//     auto kernel = session.prepare(*again);                       // compiles nothing where a code fits
//
// Reading is robust: any bytes give a file or an error, and a changed bit is an error. It isn't trust: a file
// holds native code, which a device runs as it is. Take one only from where you would take a shared library.
//
// The format, little-endian: "\x7fMUSTER\n"; version u32; number of sections u32; bytes of the file
// u64; for each section its kind u32 (1 the program, 2 a code), 0 u32, offset u64, bytes u64; the
// sections, without gaps; XXH3-128 of all before, the high half first. docs/artifacts.md has more.
// Threads: values and pure functions.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include <muster/driver/contract/artifact.hpp>
#include <muster/foundation/base/api.hpp>
#include <muster/foundation/base/result.hpp>
#include <muster/foundation/validate/validate.hpp>

namespace muster {
MUSTER_API_BEGIN

struct ArtifactFile {
    ValidProgram program;
    /// Codes of the program, or of each part that its grid barriers cut it into; Artifact::target says for
    /// what machine, Artifact::fingerprint of which part.
    std::vector<Artifact> codes;
};

std::vector<std::byte> artifact_file_bytes(const ArtifactFile& file);

/// Errors: invalid_argument (not such a file, of another version, damaged), invalid_program
/// (what validate() refuses).
Result<ArtifactFile> read_artifact_file(std::span<const std::byte> bytes);

/// True if the bytes begin as such a file does.
bool is_artifact_file(std::span<const std::byte> bytes);

MUSTER_API_END
}  // namespace muster
