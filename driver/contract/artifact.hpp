// artifact.hpp - compile options, and the result of lowering: code with all that is
// needed to load and debug it.
//
// An artifact is self-contained: it can be written to a file and loaded elsewhere. Its debug map leads from
// the target's code to the IR's nodes and on to the source. Threads: values.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <muster/foundation/base/api.hpp>
#include <muster/foundation/base/source.hpp>
#include <muster/foundation/ir/program.hpp>

namespace muster {
MUSTER_API_BEGIN

enum class Precision : std::uint8_t { exact, fast };
constexpr std::string_view name(Precision precision) {
    return precision == Precision::fast ? "fast" : "exact";
}

/// A compile spec that a backend declares: `--spec KEY=VALUE`. Undeclared keys are errors.
struct SpecInfo {
    std::string key;
    std::string help;
    bool runs = false;  // true: also for code that runs here (Session::prepare); false: for emission only
};
using Specs = std::vector<std::pair<std::string, std::string>>;  // key, value

/// How to compile. Part of an executable's cache key.
struct CompileOptions {
    Precision precision = Precision::exact;
    bool unchecked = false;  // no bounds checks: asked for, never a default
    /// The size of subgroups, if the program has any and asks for none. 0: the device's own. A backend gets
    /// the size to compile for, and 0 only if the program has no subgroups.
    std::uint32_t subgroup_size = 0;
    Specs specs = {};  // declared by the backend that compiles
    auto operator<=>(const CompileOptions&) const = default;
};

struct EmitRequest {
    std::string format = {};  // one of formats(); empty: the first
    CompileOptions options = {};
    /// Code that Device::load takes on a machine of the target, as from Device::compile, instead of code for
    /// another host. An empty format then means the one that loads.
    bool to_load = false;
};

/// Maps a line or offset of the target's code to an IR node and to its source line.
struct DebugEntry {
    std::uint64_t target = 0;  // line of a text format, from 1; byte offset of a binary one
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

/// The result of lowering a program.
struct Artifact {
    std::vector<std::byte> bytes;
    std::string format;  // "wgsl", "ptx", "spirv", "object"
    std::string target;  // Target::to_string()
    std::string entry;   // the kernel's name in the code: the program's, unless the backend had to rename it
    Extent3 workgroup_size;
    std::vector<BindingLayout> bindings;
    std::vector<DebugEntry> debug_map;
    std::vector<SourceFile> files;
    Fingerprint fingerprint;          // of the program as its author wrote it
    Fingerprint emitted_fingerprint;  // emission only: of the program after expansion, as the code has it
    CompileOptions options;
    std::vector<std::pair<std::string, std::string>> side_files;  // name -> text, e.g. a generated C header
    /// The compiling backend's own bytes, which load() needs besides the code. They are stored with it.
    std::vector<std::byte> load_data;
    bool is_stored =
        false;  // it comes from the disk or an artifact file, and wasn't compiled in this process
    /// The compiling backend's own data, so that load() in this process needn't read `bytes`.
    /// Null for artifacts of other processes.
    std::shared_ptr<const void> in_process;

    /// True if the bytes have no control characters but those of text.
    bool is_text() const {
        return std::ranges::all_of(text(), [](char c) {
            return static_cast<unsigned char>(c) >= 0x20 || c == '\n' || c == '\t' || c == '\r';
        });
    }
    /// The bytes, of a format that is text.
    std::string_view text() const { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }
};

/// The bytes of a text, or of words.
template <class Container>
std::vector<std::byte> artifact_bytes(const Container& from) {
    const auto bytes = std::as_bytes(std::span(from));
    return {bytes.begin(), bytes.end()};
}

MUSTER_API_END
}  // namespace muster
