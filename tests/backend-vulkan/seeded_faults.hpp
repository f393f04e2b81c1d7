// seeded_faults.hpp - plants mistakes that a lowering could make in its SPIR-V: a signed comparison, a missing
// barrier, a guard that lets everything through. A test that passes with one of them planted wouldn't have
// found it.
//
//     const Module module(words);
//     for (const std::size_t place : places(kind, module)) ... planted(kind, module, place)   // words, with the mistake there
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "backend-vulkan/workshop.hpp"

namespace muster::vulkan::test {

/// A module from lower(), split into instructions.
class Module {
  public:
    explicit Module(std::span<const std::uint32_t> words);

    const std::vector<Instruction>& code() const { return code_; }
    const Instruction& operator[](std::size_t at) const { return code_[at]; }
    /// The instruction that makes the id, or null if there is none.
    const Instruction* maker(std::uint32_t id) const;
    /// The storage class of a pointer that an OpVariable or OpAccessChain makes.
    std::optional<spv::StorageClass> storage(std::uint32_t pointer) const;
    /// The value of an OpConstant of 32 bits.
    std::optional<std::uint32_t> constant(std::uint32_t id) const;
    bool is_float(std::uint32_t type) const;
    bool is_used_by(std::uint32_t id, spv::Op op) const;
    /// The id of an OpConstant of this type and value, if the module has one.
    std::optional<std::uint32_t> find_constant(std::uint32_t type, std::uint32_t value) const;

    /// The module's words, with these instructions instead of the one at `at`.
    std::vector<std::uint32_t> with(std::size_t at, std::span<const Instruction> instead) const;

  private:
    std::vector<std::uint32_t> header_;
    std::vector<Instruction> code_;
    std::map<std::uint32_t, std::size_t> makers_;
};

/// The replacement of an instruction; nothing if the fault kind doesn't apply to it.
using Instead = std::optional<std::vector<Instruction>>;

struct FaultKind {
    std::string_view what;
    Instead (*at)(const Module& module, const Instruction& one);
    /// The reason why lavapipe can't show it; empty if it can.
    std::string_view hidden = {};
};

std::span<const FaultKind> fault_kinds();

/// The indices of instructions to which the kind applies. Some mistakes make an invalid module.
std::vector<std::size_t> places(const FaultKind& kind, const Module& module);
std::vector<std::uint32_t> planted(const FaultKind& kind, const Module& module, std::size_t place);

}  // namespace muster::vulkan::test
