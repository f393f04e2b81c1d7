// workshop.hpp - lowers a kernel's text and splits the module into instructions, for tests of its content.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <spirv/unified1/spirv.hpp11>

#include <muster/backend-vulkan/compile/tools.hpp>
#include <muster/backend-vulkan/lowering/lower.hpp>
#include <muster/driver/routing/prepare.hpp>
#include <muster/foundation/wgsl/wgsl.hpp>

namespace muster::vulkan::test {

struct Instruction {
    std::size_t byte = 0;  // offset of the instruction in the module
    spv::Op op = spv::Op::OpNop;
    std::vector<std::uint32_t> operands;
};

inline std::vector<Instruction> instructions(std::span<const std::uint32_t> words) {
    std::vector<Instruction> all;
    for (std::size_t at = 5; at < words.size();) {
        const std::size_t count = words[at] >> spv::WordCountShift;
        REQUIRE(count > 0);
        REQUIRE(count <= words.size() - at);
        const auto operands = words.subspan(at + 1, count - 1);
        all.push_back({4 * at, spv::Op(words[at] & spv::OpCodeMask), {operands.begin(), operands.end()}});
        at += count;
    }
    return all;
}

inline std::size_t count(const SpirvModule& module, spv::Op op) {
    return static_cast<std::size_t>(std::ranges::count_if(
        instructions(module.words), [&](const Instruction& one) { return one.op == op; }));
}

/// The first operands of all instructions of a kind, such as capabilities.
inline std::vector<std::uint32_t> operands_of(const SpirvModule& module, spv::Op op, std::size_t which = 0) {
    std::vector<std::uint32_t> all;
    for (const Instruction& one : instructions(module.words))
        if (one.op == op) all.push_back(one.operands.at(which));
    return all;
}

inline bool decorates(const SpirvModule& module, spv::Decoration decoration) {
    const auto all = operands_of(module, spv::Op::OpDecorate, 1);
    return std::ranges::find(all, static_cast<std::uint32_t>(decoration)) != all.end();
}

inline ValidProgram parse(std::string_view text, const std::string& file = "kernel.wgsl") {
    auto parsed = wgsl::parse(text, {.file = file});
    REQUIRE_MESSAGE(parsed, (parsed ? "" : parsed.error().to_string()));
    auto program = validate(*std::move(parsed));
    REQUIRE_MESSAGE(program, (program ? "" : program.error().to_string()));
    return *std::move(program);
}

/// The module, lowered for the target as on a device with exact arithmetic, and checked to be valid.
inline SpirvModule lowered(const ValidProgram& program, const LowerTarget& target = {}) {
    const auto expanded = routing::expand_for(program, supported_ops(), all_promised, target.options);
    REQUIRE(expanded);
    auto module = lower(*expanded, target);
    REQUIRE_MESSAGE(module, (module ? "" : module.error().to_string()));
    const auto valid = validate_words(module->words, target.version);
    CHECK_MESSAGE(valid, (valid ? "" : valid.error().to_string()));
    return *std::move(module);
}
inline SpirvModule lowered(std::string_view text, const LowerTarget& target = {}) {
    return lowered(parse(text), target);
}

}  // namespace muster::vulkan::test
