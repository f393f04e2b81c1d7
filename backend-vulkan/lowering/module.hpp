// module.hpp - a SPIR-V module under construction: its sections, in the order of the specification (section
// "Logical Layout of a Module"), its ids, and what is declared once: types, constants, capabilities.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <muster/backend-vulkan/lowering/instructions.hpp>
#include <muster/backend-vulkan/lowering/lower.hpp>

namespace muster::vulkan {

/// The version of SPIR-V as in a module's header: 0x00010300 and so on.
Word spirv_version(VulkanVersion version);

class Module {
  public:
    explicit Module(VulkanVersion version);

    Id id() { return next_id_++; }
    Id bound() const { return next_id_; }
    bool is_at_least(Word spirv) const { return version_ >= spirv; }

    void require(spv::Capability capability) { capabilities_.insert(static_cast<Word>(capability)); }
    void require_extension(std::string_view name) { extensions_.emplace(name); }
    /// The instruction set GLSL.std.450, imported at first use.
    Id glsl();

    /// Declares a type or constant without decorations of its own, each once. `operands` excludes the result;
    /// a constant's type is passed apart.
    Id type(spv::Op op, Instructions::List operands, std::span<const Word> more = {});
    Id constant(spv::Op op, Id type, std::span<const Word> operands);

    void name(Id id, std::string_view text);
    void name_member(Id structure, Word member, std::string_view text);
    void decorate(Id id, spv::Decoration decoration, Instructions::List operands = {});
    void decorate_member(Id structure, Word member, spv::Decoration decoration,
                         Instructions::List operands = {});
    /// The id of an OpString, one per text.
    Id string(std::string_view text);

    Instructions entry_points, execution_modes, sources, globals;

    struct Assembled {
        std::vector<Word> words;
        std::size_t function_at = 0;  // words before the function
        bool overflowed = false;
    };
    Assembled assemble(const Instructions& function) const;

  private:
    Word version_;
    Id next_id_ = 1, glsl_ = no_id;
    std::set<Word> capabilities_;
    std::set<std::string> extensions_;
    std::map<std::vector<Word>, Id> declared_;
    std::map<std::string, Id, std::less<>> strings_;
    Instructions string_section_, names_, decorations_;
};

}  // namespace muster::vulkan
