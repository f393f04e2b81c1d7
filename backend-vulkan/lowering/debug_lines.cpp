#include <muster/backend-vulkan/lowering/debug_lines.hpp>

namespace muster::vulkan {

DebugLines::DebugLines(const Program& program, Module& module, bool writes_lines)
    : program_(program), writes_lines_(writes_lines) {
    if (!writes_lines_) return;
    for (const SourceFile& file : program.files()) {
        files_.push_back(module.string(file.name));
        module.sources.add(spv::Op::OpSource,
                           {static_cast<Word>(spv::SourceLanguage::Unknown), 0, files_.back()});
    }
}

void DebugLines::enter(NodeId node, const Instructions& code) {
    wanted_ = program_.location(node);
    if (!entries_.empty() && entries_.back().node == node) return;
    if (!entries_.empty() && entries_.back().at == code.size()) entries_.pop_back();
    entries_.push_back({code.size(), node});
}

void DebugLines::write(Instructions& code, Id label) {
    if (!writes_lines_) return;
    if (label != written_in_) written_ = {};
    written_in_ = label;
    if (wanted_ == written_) return;
    if (wanted_.line == 0) {
        code.add(spv::Op::OpNoLine, {});
    } else {
        code.add(spv::Op::OpLine, {files_[wanted_.file], wanted_.line, wanted_.column});
    }
    written_ = wanted_;
}

std::vector<DebugEntry> DebugLines::map(std::size_t words, std::size_t size) const {
    std::vector<DebugEntry> map;
    for (const Entry& entry : entries_)
        map.push_back({4 * (words + entry.at), entry.node, program_.location(entry.node)});
    map.push_back({4 * (words + size), NodeId{}, SourceLocation{}});
    return map;
}

}  // namespace muster::vulkan
