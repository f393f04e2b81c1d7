#include <string>

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

DebugInfo::DebugInfo(llvm::Module& module, const Program& program)
    : context_(module.getContext()), program_(program), builder_(module) {
    // Every debugger in use reads DWARF 4.
    module.addModuleFlag(llvm::Module::Max, "Dwarf Version", 4);
    module.addModuleFlag(llvm::Module::Warning, "Debug Info Version", llvm::DEBUG_METADATA_VERSION);
    for (const SourceFile& file : program_.files()) files_.push_back(builder_.createFile(file.name, ""));
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
            file(first.file), std::string(program_.entry()), "", file(first.file), first.line, type,
            first.line, llvm::DINode::FlagPrototyped,
            llvm::DISubprogram::SPFlagDefinition | llvm::DISubprogram::SPFlagOptimized));
    }
    function_ = function.getSubprogram();
}

llvm::DILocation* DebugInfo::at(NodeId node) {
    const SourceLocation where = program_.location(node);
    auto* scope = builder_.createLexicalBlockFile(function_, file(where.file), node.index + 1);
    return llvm::DILocation::get(context_, where.line, where.column, scope);
}

NodeId node_of(const Program& program, std::uint32_t discriminator) {
    return discriminator > 0 && discriminator <= program.node_count() ? NodeId{discriminator - 1} : NodeId{};
}

}  // namespace muster::cpu
