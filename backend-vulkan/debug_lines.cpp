#include <muster/backend-vulkan/debug_lines.hpp>

namespace muster::vulkan {

DebugLines::DebugLines(const Program& program, Module& module, bool writes_lines)
    : program_(program), module_(module), writes_lines_(writes_lines) {
    if (!writes_lines_) return;
    for (const SourceFile& file : program.files()) {
        files_.push_back(module.string(file.name));
        module.sources.add(spv::Op::OpSource,
                           {static_cast<Word>(spv::SourceLanguage::Unknown), 0, files_.back()});
    }
}

void DebugLines::enter(NodeId node, Instructions& code, Id label) {
    if (entries_.empty() || entries_.back().node != node) {
        if (!entries_.empty() && entries_.back().at == code.size()) entries_.pop_back();
        entries_.push_back({code.size(), node});
    }
    if (writes_lines_) write_line(program_.location(node), code, label);
}

void DebugLines::write_line(SourceLocation where, Instructions& code, Id label) {
    if (label != current_label_) current_ = {};
    current_label_ = label;
    if (where == current_) return;
    if (where.line == 0) {
        code.add(spv::Op::OpNoLine, {});
    } else {
        code.add(spv::Op::OpLine, {files_[where.file], where.line, where.column});
    }
    current_ = where;
}

std::vector<DebugEntry> DebugLines::map(std::size_t words, std::size_t size) const {
    std::vector<DebugEntry> map;
    for (const Entry& entry : entries_)
        map.push_back({4 * (words + entry.at), entry.node, program_.location(entry.node)});
    map.push_back({4 * (words + size), NodeId{}, SourceLocation{}});
    return map;
}

}  // namespace muster::vulkan
