#include <charconv>
#include <cstdint>
#include <optional>
#include <utility>

#include <llvm/DebugInfo/DWARF/DWARFContext.h>
#include <llvm/IR/AssemblyAnnotationWriter.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/Object/ObjectFile.h>
#include <llvm/Support/FormattedStream.h>

#include <muster/backend-cpu/compiler/lowering/debug_info.hpp>
#include <muster/backend-cpu/compiler/output/debug_map.hpp>

namespace muster::cpu {
namespace {

/// Collects entries, dropping each that repeats the one before.
class Map {
  public:
    explicit Map(const Program& program) : program_(program) {}

    void add(std::uint64_t target, std::uint32_t discriminator) {
        const NodeId node = node_of(program_, discriminator);
        const SourceLocation source = node ? program_.location(node) : SourceLocation{};
        if (entries_.empty() ? !node : entries_.back().node == node) return;
        if (!entries_.empty() && entries_.back().target == target) entries_.pop_back();
        entries_.push_back({target, node, source});
    }
    void end(std::uint64_t target) { add(target, 0); }
    std::vector<DebugEntry> take() { return std::move(entries_); }

  private:
    const Program& program_;
    std::vector<DebugEntry> entries_;
};

/// The number after `discriminator` in a .loc line; 0 if there is none.
std::uint32_t discriminator_of(std::string_view line) {
    constexpr std::string_view word = " discriminator ";
    const auto at = line.find(word);
    std::uint32_t number = 0;
    if (at != line.npos) std::from_chars(line.data() + at + word.size(), line.data() + line.size(), number);
    return number;
}

bool starts(std::string_view line, std::string_view with) {
    const auto first = line.find_first_not_of(" \t");
    return first != line.npos && line.substr(first).starts_with(with);
}

/// Records the line of each instruction while a module is printed.
class InstructionLines final : public llvm::AssemblyAnnotationWriter {
  public:
    explicit InstructionLines(Map& map) : map_(map) {}
    void emitInstructionAnnot(const llvm::Instruction* instruction,
                              llvm::formatted_raw_ostream& out) override {
        const llvm::DILocation* location = instruction->getDebugLoc();
        map_.add(out.getLine() + 1, location ? location->getDiscriminator() : 0);
    }

  private:
    Map& map_;
};

}  // namespace

std::vector<DebugEntry> map_assembly(const Program& program, std::string_view text) {
    Map map(program);
    std::uint64_t number = 1;
    while (!text.empty()) {
        const std::string_view line = text.substr(0, text.find('\n'));
        if (starts(line, ".loc\t") || starts(line, ".loc ")) map.add(number + 1, discriminator_of(line));
        if (starts(line, ".Lfunc_end")) map.end(number);
        text.remove_prefix(std::min(text.size(), line.size() + 1));
        ++number;
    }
    return map.take();
}

std::vector<DebugEntry> map_object(const Program& program, const ObjectFile& object) {
    Map map(program);
    const auto file = read_object(object);
    if (!file) return {};
    const auto dwarf = llvm::DWARFContext::create(**file);
    for (const auto& unit : dwarf->compile_units()) {
        const llvm::DWARFDebugLine::LineTable* table = dwarf->getLineTableForUnit(unit.get());
        if (!table) continue;
        for (const llvm::DWARFDebugLine::Row& row : table->Rows)
            map.add(row.Address.Address, row.EndSequence ? 0 : row.Discriminator);
    }
    return map.take();
}

PrintedModule print_module(const Program& program, const llvm::Module& module) {
    Map map(program);
    PrintedModule printed;
    llvm::raw_string_ostream text(printed.text);
    InstructionLines lines(map);
    module.print(text, &lines);
    printed.debug_map = map.take();
    return printed;
}

}  // namespace muster::cpu
