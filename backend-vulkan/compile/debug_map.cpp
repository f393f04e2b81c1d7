#include <algorithm>
#include <map>
#include <string>
#include <string_view>

#include <spirv/unified1/spirv.hpp11>

#include <muster/backend-vulkan/compile/debug_map.hpp>

namespace muster::vulkan {
namespace {

constexpr std::size_t header_words = 5;

struct Instruction {
    std::size_t at = 0;  // words from the module's start
    spv::Op op = spv::Op::OpNop;
    std::span<const std::uint32_t> operands;
};

template <class Visit>
void each_instruction(std::span<const std::uint32_t> words, Visit visit) {
    for (std::size_t at = header_words; at < words.size();) {
        const std::size_t count = words[at] >> spv::WordCountShift;
        if (count == 0 || count > words.size() - at) return;
        visit(Instruction{at, static_cast<spv::Op>(words[at] & spv::OpCodeMask),
                          words.subspan(at + 1, count - 1)});
        at += count;
    }
}

std::string text_of(std::span<const std::uint32_t> words) {
    std::string text;
    for (const std::uint32_t word : words)
        for (unsigned byte = 0; byte < 4; ++byte) text += static_cast<char>((word >> (8 * byte)) & 0xff);
    return text.substr(0, text.find('\0'));
}

class LineMap {
  public:
    explicit LineMap(const Program& program) : program_(program) {
        for (std::uint32_t i = 0; i < program.node_count(); ++i)
            if (program.location({i}).line != 0) nodes_.try_emplace(program.location({i}), NodeId{i});
    }

    void visit(const Instruction& one) {
        if (one.op == spv::Op::OpString) name_file(one);
        if (one.op == spv::Op::OpNoLine || one.op == spv::Op::OpLabel || one.op == spv::Op::OpFunctionEnd)
            add(one.at, {});
        if (one.op == spv::Op::OpLine)
            add(one.at, {files_[one.operands[0]], one.operands[1], one.operands[2]});
    }
    std::vector<DebugEntry> take() { return std::move(map_); }

  private:
    void name_file(const Instruction& one) {
        const std::string name = text_of(one.operands.subspan(1));
        for (std::uint32_t f = 0; f < program_.files().size(); ++f)
            if (program_.files()[f].name == name) files_[one.operands[0]] = f;
    }
    void add(std::size_t at, SourceLocation where) {
        const auto node = nodes_.find(where);
        const DebugEntry entry{4 * at, node == nodes_.end() ? NodeId{} : node->second, where};
        if (map_.empty() ? where.line == 0 : map_.back().source == where) return;
        map_.push_back(entry);
    }

    const Program& program_;
    std::map<SourceLocation, NodeId> nodes_;
    std::map<std::uint32_t, std::uint32_t> files_;  // by the OpString's id
    std::vector<DebugEntry> map_;
};

}  // namespace

std::vector<DebugEntry> map_lines(const Program& program, std::span<const std::uint32_t> words) {
    LineMap map(program);
    each_instruction(words, [&](const Instruction& one) { map.visit(one); });
    return map.take();
}

std::vector<DebugEntry> in_lines(std::span<const DebugEntry> map, std::span<const std::uint32_t> words) {
    std::vector<DebugEntry> lines(map.begin(), map.end());
    std::size_t next = 0;
    std::uint64_t line = 0;
    each_instruction(words, [&](const Instruction& one) {
        ++line;
        for (; next < map.size() && map[next].target <= 4 * one.at; ++next) lines[next].target = line;
    });
    for (; next < map.size(); ++next) lines[next].target = line;
    return lines;
}

std::string with_places(std::string_view disassembly, std::span<const DebugEntry> lines,
                        std::span<const SourceFile> files) {
    std::map<std::uint64_t, SourceLocation> places;
    for (const DebugEntry& entry : lines) places.insert_or_assign(entry.target, entry.source);
    std::string text;
    for (std::uint64_t number = 1; !disassembly.empty(); ++number) {
        const std::string_view line = disassembly.substr(0, disassembly.find('\n'));
        const auto place = places.find(number);
        if (place != places.end() && place->second.line != 0 && place->second.file < files.size())
            text += "; " + to_string(place->second, files[place->second.file]) + "\n";
        text.append(line) += '\n';
        disassembly.remove_prefix(std::min(disassembly.size(), line.size() + 1));
    }
    return text;
}

}  // namespace muster::vulkan
