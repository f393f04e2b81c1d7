// debug_lines.hpp - which node each instruction is made of: OpLine for tools, and Artifact's debug map.
#pragma once

#include <vector>

#include <muster/backend-vulkan/lowering/module.hpp>
#include <muster/foundation/ir/program.hpp>

namespace muster::vulkan {

class DebugLines {
  public:
    /// `writes_lines`: with OpLine and the files' names.
    DebugLines(const Program& program, Module& module, bool writes_lines);

    /// What comes next into `code` is made of `node`.
    void enter(NodeId node, const Instructions& code);
    /// Before an instruction: its line, where the block that has this label doesn't say so yet.
    void write(Instructions& code, Id label);

    /// The debug map, in bytes: the code stands `words` words after the module's beginning and has `size` of its own.
    std::vector<DebugEntry> map(std::size_t words, std::size_t size) const;

  private:
    const Program& program_;
    bool writes_lines_;
    std::vector<Id> files_;
    SourceLocation wanted_, written_;
    Id written_in_ = no_id;  // a line holds to the end of its block
    struct Entry {
        std::size_t at = 0;
        NodeId node;
    };
    std::vector<Entry> entries_;
};

}  // namespace muster::vulkan
