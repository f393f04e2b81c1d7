// debug_lines.hpp - records which node each instruction comes from: OpLine for tools, and
// the artifact's debug map.
#pragma once

#include <vector>

#include <muster/backend-vulkan/lowering/module.hpp>
#include <muster/foundation/ir/program.hpp>

namespace muster::vulkan {

class DebugLines {
  public:
    /// `writes_lines`: emit OpLine and the files' names.
    DebugLines(const Program& program, Module& module, bool writes_lines);

    /// Notes that the next instructions of `code` come from `node`.
    void enter(NodeId node, const Instructions& code);
    /// Called before an instruction: writes its OpLine, unless it already holds in the block with this label.
    void write(Instructions& code, Id label);

    /// The debug map, with byte offsets; the code starts `words` words into the module and has `size` words.
    std::vector<DebugEntry> map(std::size_t words, std::size_t size) const;

  private:
    const Program& program_;
    bool writes_lines_;
    std::vector<Id> files_;
    SourceLocation wanted_, written_;
    Id written_in_ = no_id;  // an OpLine holds to the end of its block
    struct Entry {
        std::size_t at = 0;
        NodeId node;
    };
    std::vector<Entry> entries_;
};

}  // namespace muster::vulkan
