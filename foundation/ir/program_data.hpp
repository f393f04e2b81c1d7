// program_data.hpp - the arenas behind a Program. Internal: readers use Program.
#pragma once

#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include <muster/foundation/ir/program.hpp>

namespace muster {

struct ProgramData;
/// Hashes the structure; see Fingerprint.
Fingerprint fingerprint_of(const ProgramData& data);

/// The fingerprint of the data that it is a member of, hashed once: most programs that
/// expansion makes are never asked.
class OnceFingerprint {
  public:
    OnceFingerprint() = default;
    OnceFingerprint(const OnceFingerprint&) {}  // a copy's data may change
    OnceFingerprint& operator=(const OnceFingerprint&) = delete;
    const Fingerprint& of(const ProgramData& data) const {
        std::call_once(once_, [&] { fingerprint_ = fingerprint_of(data); });
        return fingerprint_;
    }

  private:
    mutable std::once_flag once_;
    mutable Fingerprint fingerprint_;
};

struct ProgramData {
    std::string entry;
    Extent3 workgroup_size;
    TypeTable types;

    std::vector<Node> nodes;
    std::vector<NodeId> operands;
    std::vector<BlockId> node_blocks;
    std::vector<std::uint32_t> words;  // constants; switch tables
    struct Block {
        std::uint32_t first = 0, count = 0;  // in block_nodes
        bool operator==(const Block&) const = default;
    };
    std::vector<Block> blocks;
    std::vector<NodeId> block_nodes;
    BlockId body;

    std::vector<Variable> variables;
    std::vector<VariableId> bindings;
    std::vector<std::string> extensions;

    // Beside the structure: neither compared nor hashed.
    std::vector<SourceLocation> locations;                 // by node
    std::unordered_map<std::uint32_t, std::string> names;  // by node
    std::vector<SourceFile> files;

    // Computed once, by finish().
    OpSet required_ops;
    ProgramNeeds needs;

    OnceFingerprint fingerprint;
};

// A switch's payload is an offset into `words`: per block a count, a default flag (0
// or 1), then the selectors.

}  // namespace muster
