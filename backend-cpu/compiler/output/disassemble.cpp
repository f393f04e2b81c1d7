#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <fmt/format.h>
#include <llvm/MC/MCAsmInfo.h>
#include <llvm/MC/MCContext.h>
#include <llvm/MC/MCDisassembler/MCDisassembler.h>
#include <llvm/MC/MCInst.h>
#include <llvm/MC/MCInstPrinter.h>
#include <llvm/MC/MCInstrInfo.h>
#include <llvm/MC/MCRegisterInfo.h>
#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/MC/MCTargetOptions.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Object/ELF.h>
#include <llvm/Support/raw_ostream.h>

#include <muster/backend-cpu/compiler/llvm/target.hpp>
#include <muster/backend-cpu/compiler/output/disassemble.hpp>
#include <muster/foundation/base/try.hpp>

namespace muster::cpu {
namespace {

using Elf = llvm::object::ELFFile<llvm::object::ELF64LE>;
using Names = std::multimap<std::uint64_t, std::string>;  // by address

std::unexpected<Error> damaged(const std::string& how) {
    return fail(ErrorCode::invalid_argument, fmt::format("The object file is damaged: {}.", how),
                "emit the program again");
}

/// LLVM's decoder and printer of one arch.
class Disassembler {
  public:
    static Result<Disassembler> make(std::string_view arch) {
        const FoundTarget target = TRY(find_target(arch));
        const llvm::Triple triple(target.triple);
        Disassembler made;
        made.step_ = triple.isAArch64() ? 4 : 1;
        made.registers_.reset(target.llvm->createMCRegInfo(target.triple));
        made.assembly_.reset(
            target.llvm->createMCAsmInfo(*made.registers_, target.triple, llvm::MCTargetOptions()));
        // aarch64 decodes what is switched on: all that a host may have had. x86 decodes everything.
        made.subtarget_.reset(
            target.llvm->createMCSubtargetInfo(target.triple, "", triple.isAArch64() ? "+all" : ""));
        made.instructions_.reset(target.llvm->createMCInstrInfo());
        made.context_ = std::make_unique<llvm::MCContext>(triple, made.assembly_.get(), made.registers_.get(),
                                                          made.subtarget_.get());
        made.decoder_.reset(target.llvm->createMCDisassembler(*made.subtarget_, *made.context_));
        made.printer_.reset(target.llvm->createMCInstPrinter(triple, made.assembly_->getAssemblerDialect(),
                                                             *made.assembly_, *made.instructions_,
                                                             *made.registers_));
        if (!made.decoder_ || !made.printer_)
            return fail(ErrorCode::unavailable, fmt::format("This LLVM has no disassembler for {}.", arch),
                        "use an LLVM that was built with its X86 and AArch64 targets");
        made.printer_->setPrintBranchImmAsAddress(true);
        return made;
    }

    /// Writes the line of what begins at `bytes`, and returns how many of them it covers.
    std::size_t line(std::string& text, llvm::ArrayRef<std::uint8_t> bytes, std::uint64_t address) {
        llvm::MCInst instruction;
        std::uint64_t size = 0;
        std::string printed;
        const bool decodes = decoder_->getInstruction(instruction, size, bytes, address, llvm::nulls()) ==
                                 llvm::MCDisassembler::Success &&
                             size > 0 && size <= bytes.size();
        if (decodes) {
            llvm::raw_string_ostream out(printed);
            printer_->printInst(&instruction, address, "", *subtarget_, out);
        } else {
            size = std::min<std::uint64_t>(step_, bytes.size());
            printed = "\t.byte";
            for (const std::uint8_t byte : bytes.take_front(size)) printed += fmt::format(" {:#04x}", byte);
        }
        std::ranges::replace(printed, '\t', ' ');
        text += fmt::format("  {:4x} {}\n", address, printed);
        return size;
    }

  private:
    Disassembler() = default;
    std::uint64_t step_ = 1;  // over what doesn't decode
    std::unique_ptr<llvm::MCRegisterInfo> registers_;
    std::unique_ptr<llvm::MCAsmInfo> assembly_;
    std::unique_ptr<llvm::MCSubtargetInfo> subtarget_;
    std::unique_ptr<llvm::MCInstrInfo> instructions_;
    std::unique_ptr<llvm::MCContext> context_;
    std::unique_ptr<llvm::MCDisassembler> decoder_;
    std::unique_ptr<llvm::MCInstPrinter> printer_;
};

/// The source lines that a code's debug map names, by address.
Names source_lines(const Artifact& code) {
    Names lines;
    for (const DebugEntry& entry : code.debug_map)
        if (entry.source.file < code.files.size() && entry.source.line != 0)
            lines.emplace(entry.target, to_string(entry.source, code.files[entry.source.file]));
    return lines;
}

std::string listing(Disassembler& disassembler, llvm::ArrayRef<std::uint8_t> bytes, std::uint64_t first,
                    const Names& functions, const Names& lines) {
    std::string text;
    for (std::uint64_t at = first; at < bytes.size();) {
        for (auto [it, end] = functions.equal_range(at); it != end; ++it) text += it->second + ":\n";
        for (auto [it, end] = lines.equal_range(at); it != end; ++it) text += "; " + it->second + "\n";
        at += disassembler.line(text, bytes.drop_front(at), at);
    }
    return text;
}

/// The functions that an object file names in each section, by the section's number.
llvm::Expected<std::map<std::uint32_t, Names>> functions_of(const Elf& elf, Elf::Elf_Shdr_Range sections) {
    std::map<std::uint32_t, Names> all;
    for (const auto& section : sections) {
        if (section.sh_type != llvm::ELF::SHT_SYMTAB) continue;
        auto symbols = elf.symbols(&section);
        if (!symbols) return symbols.takeError();
        auto names = elf.getStringTableForSymtab(section, sections);
        if (!names) return names.takeError();
        for (const auto& symbol : *symbols) {
            if (symbol.getType() != llvm::ELF::STT_FUNC) continue;
            auto name = symbol.getName(*names);
            if (!name) return name.takeError();
            all[symbol.st_shndx].emplace(symbol.st_value, name->str());
        }
    }
    return all;
}

Result<std::string> disassemble_sections(Disassembler& disassembler, const Elf& elf, const Artifact& code) {
    auto sections = elf.sections();
    if (!sections) return damaged(llvm::toString(sections.takeError()));
    auto functions = functions_of(elf, *sections);
    if (!functions) return damaged(llvm::toString(functions.takeError()));
    std::string text;
    std::uint64_t left = code.bytes.size();  // sections don't overlap, unless they are made to
    std::uint32_t number = 0;
    for (const auto& section : *sections) {
        const Names& names = (*functions)[number++];
        if (section.sh_type != llvm::ELF::SHT_PROGBITS || (section.sh_flags & llvm::ELF::SHF_EXECINSTR) == 0)
            continue;
        auto name = elf.getSectionName(section);
        if (!name) return damaged(llvm::toString(name.takeError()));
        auto bytes = elf.getSectionContents(section);
        if (!bytes) return damaged(llvm::toString(bytes.takeError()));
        if (bytes->size() > left) return damaged("its sections overlap");
        left -= bytes->size();
        text += fmt::format("section {}:\n", name->str());
        text += listing(disassembler, *bytes, 0, names, *name == ".text" ? source_lines(code) : Names());
    }
    return text;
}

}  // namespace

Result<std::string> disassemble_object(const Artifact& code) {
    const std::string_view target = code.target;
    const std::string_view arch = target.substr(std::min(target.size(), target.find(':') + 1));
    Disassembler disassembler = TRY(Disassembler::make(arch));
    auto elf = Elf::create({reinterpret_cast<const char*>(code.bytes.data()), code.bytes.size()});
    if (!elf) return damaged(llvm::toString(elf.takeError()));
    const auto& header = elf->getHeader();
    const auto machine = arch == "aarch64" ? llvm::ELF::EM_AARCH64 : llvm::ELF::EM_X86_64;
    if (!header.checkMagic() || header.getFileClass() != llvm::ELF::ELFCLASS64 ||
        header.getDataEncoding() != llvm::ELF::ELFDATA2LSB || header.e_machine != machine)
        return damaged(fmt::format("it isn't an ELF file for {}", arch));
    return disassemble_sections(disassembler, *elf, code);
}

Result<std::string> disassemble_image(const Artifact& code, const ImageCode& image) {
    Disassembler disassembler = TRY(Disassembler::make(image.arch));
    const llvm::ArrayRef bytes(reinterpret_cast<const std::uint8_t*>(image.bytes.data()), image.bytes.size());
    std::string text;
    if (image.entry_offset > 0)
        text = fmt::format("{} bytes of constants before the kernel\n", image.entry_offset);
    return text + listing(disassembler, bytes, image.entry_offset, {{image.entry_offset, code.entry}},
                          source_lines(code));
}

}  // namespace muster::cpu
