// Uses JITLink with a memory manager that lays everything out in one buffer, and without its default passes:
// these would create address tables for references that aren't relative, which are errors here.
#include <span>
#include <utility>

#include <fmt/format.h>
#include <llvm/ExecutionEngine/JITLink/JITLink.h>
#include <llvm/ExecutionEngine/JITLink/aarch64.h>
#include <llvm/ExecutionEngine/JITLink/x86_64.h>

#include <muster/backend-cpu/compiler/output/link_image.hpp>

namespace muster::cpu {
namespace {

namespace jitlink = llvm::jitlink;

/// The code's nominal address, which only DWARF refers to.
std::uint64_t base_address(const jitlink::LinkGraph& graph) {
    return debug_code_address(graph.getTargetTriple().isAArch64() ? "aarch64" : "x86-64");
}
constexpr std::uint64_t page_bytes = 4096;

/// The linker's results; the context and everything else belong to the linker and are gone when it returns.
struct Outcome {
    std::vector<std::byte> bytes;
    std::uint64_t entry_offset = 0;
    DebugData debug;
    std::string error;
};

llvm::Error fault(std::string text) { return llvm::createStringError(llvm::inconvertibleErrorCode(), text); }

class BufferAllocation final : public jitlink::JITLinkMemoryManager::InFlightAlloc {
  public:
    void abandon(OnAbandonedFunction done) override { done(llvm::Error::success()); }
    void finalize(OnFinalizedFunction done) override {
        done(jitlink::JITLinkMemoryManager::FinalizedAlloc());
    }
};

class BufferMemory final : public jitlink::JITLinkMemoryManager {
  public:
    explicit BufferMemory(std::vector<std::byte>& bytes) : bytes_(bytes) {}

    void allocate(const jitlink::JITLinkDylib*, jitlink::LinkGraph& graph,
                  OnAllocatedFunction done) override {
        jitlink::BasicLayout layout(graph);
        const std::uint64_t base = base_address(graph);
        std::uint64_t size = 0;
        for (auto& [group, segment] : layout.segments()) {
            size = llvm::alignTo(size, segment.Alignment);
            segment.Addr = llvm::orc::ExecutorAddr(base + size);
            size += segment.ContentSize + segment.ZeroFillSize;
        }
        bytes_.resize(size);
        for (auto& [group, segment] : layout.segments())
            segment.WorkingMem = reinterpret_cast<char*>(bytes_.data() + (segment.Addr.getValue() - base));
        if (llvm::Error error = layout.apply()) return done(std::move(error));
        done(std::make_unique<BufferAllocation>());
    }
    void deallocate(std::vector<FinalizedAlloc>, OnDeallocatedFunction done) override {
        done(llvm::Error::success());
    }

  private:
    std::vector<std::byte>& bytes_;
};

bool is_written(const jitlink::Section& section) {
    return (static_cast<unsigned>(section.getMemProt()) & static_cast<unsigned>(llvm::orc::MemProt::Write)) !=
           0;
}

/// True of DWARF and its like: what isn't loaded.
bool is_debug(const jitlink::Section& section) {
    return section.getMemLifetime() == llvm::orc::MemLifetime::NoAlloc;
}

bool is_relative(const llvm::Triple& triple, jitlink::Edge::Kind kind) {
    if (triple.isAArch64()) {
        using namespace jitlink::aarch64;
        for (const auto relative :
             {Delta64, Delta32, NegDelta64, NegDelta32, Branch26PCRel, TestAndBranch14PCRel,
              CondBranch19PCRel, LDRLiteral19, ADRLiteral21, Page21, PageOffset12})
            if (kind == relative) return true;
        return false;
    }
    using namespace jitlink::x86_64;
    for (const auto relative : {Delta64, Delta32, Delta8, NegDelta64, NegDelta32, BranchPCRel32, PCRel32})
        if (kind == relative) return true;
    return false;
}

llvm::Error check_edges(const jitlink::LinkGraph& graph, const jitlink::Section& section,
                        const jitlink::Block& block) {
    for (const jitlink::Edge& edge : block.edges()) {
        if (!edge.isRelocation() || is_relative(graph.getTargetTriple(), edge.getKind())) continue;
        const jitlink::Symbol& target = edge.getTarget();
        return fault(fmt::format("section {} has a reference of kind {} to {}", section.getName().str(),
                                 graph.getEdgeKindName(edge.getKind()),
                                 target.hasName() ? target.getName().str() : "a constant"));
    }
    return llvm::Error::success();
}

/// Checks, after pruning, that only code and constants are left, and that they refer
/// to each other relatively.
llvm::Error check_graph(jitlink::LinkGraph& graph) {
    for (const jitlink::Symbol* symbol : graph.external_symbols())
        return fault(fmt::format("it needs {}, which nothing defines", symbol->getName().str()));
    for (const jitlink::Section& section : graph.sections()) {
        if (is_debug(section)) continue;
        for (const jitlink::Block* block : section.blocks()) {
            if (llvm::Error error = check_edges(graph, section, *block)) return error;
            if (block->getAlignment() > page_bytes)
                return fault(fmt::format("section {} is aligned to {} bytes, more than a page",
                                         section.getName().str(), block->getAlignment()));
        }
        if (section.blocks_size() > 0 && is_written(section))
            return fault(fmt::format("section {} is written at run time", section.getName().str()));
    }
    return llvm::Error::success();
}

class ImageContext final : public jitlink::JITLinkContext {
  public:
    ImageContext(Outcome& outcome, std::string_view entry, bool with_debug)
        : JITLinkContext(nullptr),
          outcome_(outcome),
          memory_(outcome.bytes),
          entry_(entry),
          with_debug_(with_debug) {}

    jitlink::JITLinkMemoryManager& getMemoryManager() override { return memory_; }
    void notifyFailed(llvm::Error error) override { outcome_.error = llvm::toString(std::move(error)); }
    void lookup(const LookupMap&, std::unique_ptr<jitlink::JITLinkAsyncLookupContinuation> done) override {
        done->run(fault("something in it is undefined"));
    }
    llvm::Error notifyResolved(jitlink::LinkGraph& graph) override {
        for (const jitlink::Symbol* symbol : graph.defined_symbols())
            if (symbol->hasName() && is_entry(*symbol))
                outcome_.entry_offset = symbol->getAddress().getValue() - base_address(graph);
        return llvm::Error::success();
    }
    void notifyFinalized(jitlink::JITLinkMemoryManager::FinalizedAlloc) override {}

    bool shouldAddDefaultTargetPasses(const llvm::Triple&) const override { return false; }
    llvm::Error modifyPassConfig(jitlink::LinkGraph&, jitlink::PassConfiguration& passes) override {
        passes.PrePrunePasses.push_back([this](jitlink::LinkGraph& graph) { return keep_entry(graph); });
        passes.PostPrunePasses.push_back(check_graph);
        if (!with_debug_) return llvm::Error::success();
        passes.PrePrunePasses.push_back(keep_debug);
        passes.PostFixupPasses.push_back([this](jitlink::LinkGraph& graph) { return take_debug(graph); });
        return llvm::Error::success();
    }

  private:
    bool is_entry(const jitlink::Symbol& symbol) const {
        return symbol.getName() == llvm::StringRef(entry_.data(), entry_.size());
    }
    llvm::Error keep_entry(jitlink::LinkGraph& graph) {
        for (jitlink::Symbol* symbol : graph.defined_symbols())
            if (symbol->hasName() && is_entry(*symbol)) {
                symbol->setLive(true);
                return llvm::Error::success();
            }
        return fault(fmt::format("it defines no {}", entry_));
    }
    static llvm::Error keep_debug(jitlink::LinkGraph& graph) {
        for (const jitlink::Section& section : graph.sections())
            if (is_debug(section) && section.getName().starts_with(".debug_"))
                for (jitlink::Block* block : section.blocks())
                    graph.addAnonymousSymbol(*block, 0, block->getSize(), /*IsCallable=*/false,
                                             /*IsLive=*/true);
        return llvm::Error::success();
    }
    llvm::Error take_debug(const jitlink::LinkGraph& graph) {
        auto& [symbols, sections] = outcome_.debug;
        for (const jitlink::Symbol* symbol : graph.defined_symbols())
            if (symbol->hasName() && symbol->isCallable())
                symbols.insert(is_entry(*symbol) ? symbols.begin() : symbols.end(),
                               {symbol->getName().substr(0, most_symbol_characters).str(),
                                symbol->getAddress().getValue() - base_address(graph), symbol->getSize()});
        for (const jitlink::Section& section : graph.sections()) {
            if (!is_debug(section) || section.blocks().empty()) continue;
            if (section.blocks_size() != 1)
                return fault(fmt::format("section {} isn't one block", section.getName().str()));
            const llvm::ArrayRef<char> content = (*section.blocks().begin())->getContent();
            const auto bytes = std::as_bytes(std::span(content.data(), content.size()));
            sections.push_back({section.getName().str(), {bytes.begin(), bytes.end()}});
        }
        return llvm::Error::success();
    }

    Outcome& outcome_;
    BufferMemory memory_;
    std::string_view entry_;
    bool with_debug_;
};

std::unexpected<Error> refused(const std::string& why) {
    return fail(ErrorCode::compile_failed, fmt::format("The kernel's code can't be made an image: {}.", why));
}

}  // namespace

Result<LinkedCode> link_image(const ObjectFile& object, std::string_view entry, bool with_debug) {
    const llvm::MemoryBufferRef buffer(llvm::StringRef(object.data(), object.size()), "kernel");
    auto graph = jitlink::createLinkGraphFromObject(buffer);
    if (!graph) return refused(llvm::toString(graph.takeError()));
    Outcome outcome;
    jitlink::link(std::move(*graph), std::make_unique<ImageContext>(outcome, entry, with_debug));
    if (!outcome.error.empty()) return refused(outcome.error);
    return LinkedCode{std::move(outcome.bytes), outcome.entry_offset, std::move(outcome.debug)};
}

}  // namespace muster::cpu
