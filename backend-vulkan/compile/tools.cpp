#include <array>
#include <utility>

#include <fmt/format.h>
#include <spirv-tools/libspirv.hpp>
#include <spirv-tools/optimizer.hpp>

#include <muster/backend-vulkan/compile/tools.hpp>
#include <muster/foundation/base/try.hpp>

namespace muster::vulkan {
namespace {

spv_target_env environment(VulkanVersion version) {
    switch (version) {
        case VulkanVersion::v1_1: return SPV_ENV_VULKAN_1_1;
        case VulkanVersion::v1_2: return SPV_ENV_VULKAN_1_2;
        case VulkanVersion::v1_3: return SPV_ENV_VULKAN_1_3;
    }
    return SPV_ENV_VULKAN_1_1;
}

// The passes of spirv-opt -O that don't change control flow. Random programs show that others can't be
// trusted (as of 2023): ccp takes a loop's variable for its initial constant, eliminate-dead-branches
// makes invalid modules, vector-dce makes undefined values of 16 bits, which a module without 16-bit
// arithmetic may not have.
constexpr std::array passes{"--eliminate-local-single-block",
                            "--eliminate-local-single-store",
                            "--eliminate-dead-code-aggressive",
                            "--scalar-replacement=100",
                            "--convert-local-access-chains",
                            "--eliminate-local-single-block",
                            "--eliminate-local-single-store",
                            "--ssa-rewrite",
                            "--eliminate-dead-code-aggressive",
                            "--redundancy-elimination",
                            "--combine-access-chains",
                            "--simplify-instructions",
                            "--eliminate-dead-inserts",
                            "--copy-propagate-arrays",
                            "--reduce-load-size",
                            "--eliminate-dead-code-aggressive"};

/// Collects the library's messages.
spvtools::MessageConsumer into(std::string& text) {
    return [&text](spv_message_level_t, const char*, const spv_position_t& at, const char* message) {
        text += fmt::format("{}{}: {}", text.empty() ? "" : "; ", at.index, message);
    };
}

std::unexpected<Error> refused(std::string_view what, VulkanVersion version, const std::string& messages) {
    return fail(ErrorCode::compile_failed,
                fmt::format("SPIRV-Tools {} the module for {}: {}.", what, name(version), messages));
}

}  // namespace

Result<void> validate_words(Words words, VulkanVersion version) {
    std::string messages;
    spvtools::SpirvTools tools(environment(version));
    tools.SetMessageConsumer(into(messages));
    if (!tools.Validate(words.data(), words.size())) return refused("refuses", version, messages);
    return {};
}

Result<std::string> disassemble(Words words, VulkanVersion version) {
    std::string messages, text;
    spvtools::SpirvTools tools(environment(version));
    tools.SetMessageConsumer(into(messages));
    const std::uint32_t options = SPV_BINARY_TO_TEXT_OPTION_NO_HEADER |
                                  SPV_BINARY_TO_TEXT_OPTION_FRIENDLY_NAMES | SPV_BINARY_TO_TEXT_OPTION_INDENT;
    if (!tools.Disassemble(words.data(), words.size(), &text, options))
        return refused("can't print", version, messages);
    return text;
}

Result<std::vector<std::uint32_t>> optimise(Words words, VulkanVersion version) {
    std::string messages;
    spvtools::Optimizer optimizer(environment(version));
    optimizer.SetMessageConsumer(into(messages));
    if (!optimizer.RegisterPassesFromFlags({passes.begin(), passes.end()}))
        return refused("lacks a pass for", version, messages);
    spvtools::OptimizerOptions options;
    options.set_run_validator(false);  // lower()'s modules are valid
    std::vector<std::uint32_t> made;
    if (!optimizer.Run(words.data(), words.size(), &made, options))
        return refused("can't optimise", version, messages);
    TRY(validate_words(made, version));
    return made;
}

}  // namespace muster::vulkan
