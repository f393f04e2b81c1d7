// artifact.hpp - how to compile, and what lowering produced: bytes with all that is needed to load and debug them.
//
// An artifact is self-contained: it can be written to a file and loaded elsewhere. Its debug map leads from the
// target's code to the IR's nodes and on to the source. Threads: values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <muster/foundation/base/source.hpp>
#include <muster/foundation/ir/program.hpp>

namespace muster {

enum class Precision : std::uint8_t { exact, fast };

/// A compile spec that a backend declares: `--spec KEY=VALUE`. Undeclared keys are errors.
struct SpecInfo {
    std::string key;
    std::string help;
    bool runs = false;  // also for code that runs here (Session::prepare); else only for emission
};
using Specs = std::vector<std::pair<std::string, std::string>>;  // key, value

/// How to compile. Part of an executable's cache key.
struct CompileOptions {
    Precision precision = Precision::exact;
    bool unchecked = false;  // no bounds checks: asked for, never a default
    Specs specs = {};        // declared by the backend that compiles
    bool operator==(const CompileOptions&) const = default;
};

struct EmitRequest {
    std::string format = {};  // one of formats(); empty: the first
    CompileOptions options = {};
};

/// One step of the way from the target's code to the source: target line or offset -> node -> source line.
struct DebugEntry {
    std::uint64_t target = 0;  // line (text) or byte offset, as the format says
    NodeId node;
    SourceLocation source;
};

struct BindingLayout {
    std::string name;
    std::uint32_t group = 0, binding = 0;
    AddressSpace space = AddressSpace::storage;
    Access access = Access::read_write;
    std::string type;
    std::uint64_t min_bytes = 0;
};

/// What lowering produced.
struct Artifact {
    std::vector<std::byte> bytes;
    std::string format;  // "wgsl", "ptx", "spirv", "object"
    std::string target;  // Target::to_string()
    std::string entry;
    Extent3 workgroup_size;
    std::vector<BindingLayout> bindings;
    std::vector<DebugEntry> debug_map;
    std::vector<SourceFile> files;
    Fingerprint fingerprint;          // of the program as its author wrote it
    Fingerprint emitted_fingerprint;  // emission: of the program as the code has it, mathematics written out
    CompileOptions options;
    std::vector<std::pair<std::string, std::string>> side_files;  // name -> text, e.g. a generated C header
    /// What the backend that compiled it may find again at load, in this process, instead of reading `bytes`.
    /// Null in artifacts that come from elsewhere.
    std::shared_ptr<const void> in_process;
};

}  // namespace muster
