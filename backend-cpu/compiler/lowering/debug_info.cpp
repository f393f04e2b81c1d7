#include <algorithm>
#include <string>

#include <fmt/format.h>
#include <llvm/BinaryFormat/Dwarf.h>

#include <muster/backend-cpu/compiler/lowering/debug_info.hpp>
#include <muster/foundation/base/version.hpp>

namespace muster::cpu {
namespace {

/// The location of the program's first node that has one: a program has none of its own.
SourceLocation first_location(const Program& program) {
    for (const NodeId id : program.block(program.body()))
        if (program.location(id).line != 0) return program.location(id);
    return {};
}

}  // namespace

DebugInfo::DebugInfo(llvm::Module& module, const Program& program, const LowerOptions& options)
    : name_(options.debug_names.function.empty() ? program.entry() : options.debug_names.function),
      shows_values_(!options.debug_names.function.empty()),
      vector_bytes_(options.machine.vector_bytes),
      context_(module.getContext()),
      program_(program),
      builder_(module) {
    // Every debugger in use reads DWARF 4.
    module.addModuleFlag(llvm::Module::Max, "Dwarf Version", 4);
    module.addModuleFlag(llvm::Module::Warning, "Debug Info Version", llvm::DEBUG_METADATA_VERSION);
    const std::vector<std::string>& paths = options.debug_names.sources;
    for (const SourceFile& file : program_.files()) {
        const bool has_path = files_.size() < paths.size() && !paths[files_.size()].empty();
        files_.push_back(builder_.createFile(has_path ? paths[files_.size()] : file.name, ""));
    }
    if (files_.empty()) files_.push_back(builder_.createFile(std::string(program_.entry()), ""));
    // DWARF has no language code for WGSL; as C, debuggers show values well.
    builder_.createCompileUnit(llvm::dwarf::DW_LANG_C99, files_[0], std::string("muster ") + version,
                               /*isOptimized=*/true, "", 0);
}

DebugInfo::~DebugInfo() { builder_.finalize(); }

llvm::DIFile* DebugInfo::file(std::uint32_t index) const { return files_[index < files_.size() ? index : 0]; }

void DebugInfo::enter(llvm::Function& function) {
    if (!function.getSubprogram()) {
        const SourceLocation first = first_location(program_);
        auto* type = builder_.createSubroutineType(builder_.getOrCreateTypeArray({}));
        function.setSubprogram(builder_.createFunction(
            file(first.file), name_, "", file(first.file), first.line, type, first.line,
            llvm::DINode::FlagPrototyped,
            llvm::DISubprogram::SPFlagDefinition | llvm::DISubprogram::SPFlagOptimized));
    }
    function_ = function.getSubprogram();
}

llvm::DILocation* DebugInfo::at(NodeId node) {
    const SourceLocation where = program_.location(node);
    auto* scope = builder_.createLexicalBlockFile(function_, file(where.file), node.index + 1);
    return llvm::DILocation::get(context_, where.line, where.column, scope);
}

// Debuggers know AVX-512's registers by their lower half alone, and would show a neighbour's numbers as the upper one.
bool DebugInfo::can_show(std::string_view name, std::span<const DebugWord> words) const {
    constexpr std::uint64_t most_bits = 256;
    if (!shows_values_ || name.empty() || words.empty() || words.size() > most_words) return false;
    return std::ranges::none_of(words, [&](const DebugWord& word) {
        const bool is_wide = word.type->getPrimitiveSizeInBits() > most_bits;
        return word.scalar == Scalar::boolean || (is_wide && 8 * vector_bytes_ > most_bits);
    });
}

llvm::DIType* DebugInfo::type_of(const DebugWord& word) {
    llvm::Type* const scalar = word.type->getScalarType();
    const std::uint64_t bits = scalar->getPrimitiveSizeInBits();
    const unsigned encoding = scalar->isFloatingPointTy()  ? llvm::dwarf::DW_ATE_float
                              : word.scalar == Scalar::i32 ? llvm::dwarf::DW_ATE_signed
                                                           : llvm::dwarf::DW_ATE_unsigned;
    std::string name(info(word.scalar).name);
    if (word.of_lane_0) name += " of lane 0";
    llvm::DIType* const one = builder_.createBasicType(name, bits, encoding);
    const auto* const lanes = llvm::dyn_cast<llvm::FixedVectorType>(word.type);
    if (lanes == nullptr) return one;
    llvm::Metadata* const range = builder_.getOrCreateSubrange(0, lanes->getNumElements());
    return builder_.createVectorType(bits * lanes->getNumElements(), 0, one,
                                     builder_.getOrCreateArray(range));
}

/// A structure with the words as members, which may have different types.
llvm::DIType* DebugInfo::type_of(std::span<const DebugWord> words) {
    if (words.size() == 1) return type_of(words[0]);
    llvm::SmallVector<llvm::Metadata*> members;
    std::uint64_t bits = 0;
    for (std::size_t i = 0; i < words.size(); ++i) {
        const std::string name = words.size() <= 4 ? std::string(1, "xyzw"[i]) : fmt::format("_{}", i);
        const std::uint64_t own = words[i].type->getPrimitiveSizeInBits();
        members.push_back(builder_.createMemberType(function_, name, files_[0], 0, own, 0, bits,
                                                    llvm::DINode::FlagZero, type_of(words[i])));
        bits += own;
    }
    return builder_.createStructType(function_, "", files_[0], 0, bits, 0, llvm::DINode::FlagZero, nullptr,
                                     builder_.getOrCreateArray(members));
}

llvm::DIExpression* DebugInfo::part(std::span<const DebugWord> words, std::size_t which) {
    llvm::DIExpression* const whole = builder_.createExpression();
    if (words.size() == 1) return whole;
    unsigned bits = 0;
    const auto size_of = [](const DebugWord& word) {
        return static_cast<unsigned>(word.type->getPrimitiveSizeInBits());
    };
    for (const DebugWord& before : words.first(which)) bits += size_of(before);
    return *llvm::DIExpression::createFragmentExpression(whole, bits, size_of(words[which]));
}

void DebugInfo::show(NodeId node, std::span<const DebugWord> words, llvm::BasicBlock* at) {
    const std::string_view name = program_.name(node);
    if (!can_show(name, words)) return;
    const SourceLocation where = program_.location(node);
    llvm::DILocalVariable*& variable = shown_[node.index];
    if (variable == nullptr)
        variable = builder_.createAutoVariable(function_, llvm::StringRef(name.data(), name.size()),
                                               file(where.file), where.line, type_of(words));
    for (std::size_t i = 0; i < words.size(); ++i)
        builder_.insertDbgValueIntrinsic(words[i].value, variable, part(words, i), this->at(node), at);
}

void DebugInfo::show(const Variable& variable, std::span<const DebugWord> slots, llvm::BasicBlock* at) {
    if (!can_show(variable.name, slots)) return;
    const SourceLocation where = variable.location;
    auto* const shown =
        builder_.createAutoVariable(function_, variable.name, file(where.file), where.line, type_of(slots));
    auto* const location = llvm::DILocation::get(context_, where.line, where.column, function_);
    for (std::size_t i = 0; i < slots.size(); ++i)
        builder_.insertDeclare(slots[i].value, shown, part(slots, i), location, at);
}

NodeId node_of(const Program& program, std::uint32_t discriminator) {
    return discriminator > 0 && discriminator <= program.node_count() ? NodeId{discriminator - 1} : NodeId{};
}

}  // namespace muster::cpu
