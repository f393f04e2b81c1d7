// Every module of the lowering passes SPIR-V's validator for its target: every conformance case and random
// programs, for each version of Vulkan, exact and fast, as emitted and as dispatched.
#include <cstdlib>

#include <doctest/doctest.h>

#include <muster/backend-vulkan/compile/tools.hpp>
#include <muster/backend-vulkan/lowering/lower.hpp>
#include <muster/conformance/case.hpp>
#include <muster/driver/routing/prepare.hpp>
#include <muster/foundation/wgsl/wgsl.hpp>

#include "support/random_program.hpp"

using namespace muster;
using namespace muster::vulkan;

namespace {

constexpr std::array versions{VulkanVersion::v1_1, VulkanVersion::v1_2, VulkanVersion::v1_3};

/// Targets that cover each option of LowerTarget at least once with each version and precision.
std::vector<LowerTarget> targets() {
    std::vector<LowerTarget> all;
    for (const VulkanVersion version : versions) {
        for (const Precision precision : {Precision::exact, Precision::fast}) {
            const FloatControls controls{.signed_zero_inf_nan_preserve = true, .rounding_rte = true};
            all.push_back({.version = version, .options = {precision, false}, .float_controls = controls});
            all.push_back({.version = version,
                           .options = {precision, false},
                           .float_controls = {true, true, true},
                           .zero_initialize_workgroup_memory = true,
                           .folds_grid = true,
                           .one_set = true,
                           .push_constant_bytes = 128,
                           .long_loops = LongLoops::watched,
                           .debug = false});
            all.push_back({.version = version, .options = {precision, true}});
        }
    }
    return all;
}

ValidProgram parse(const std::string& text, const std::string& name) {
    auto parsed = wgsl::parse(text, {.file = name + ".wgsl"});
    REQUIRE_MESSAGE(parsed, (parsed ? "" : parsed.error().to_string()));
    auto program = validate(*std::move(parsed));
    REQUIRE_MESSAGE(program, (program ? "" : program.error().to_string()));
    return *std::move(program);
}

/// The validator's message, or "" if the module is valid.
std::string fault(const ValidProgram& program, const LowerTarget& target, const Exactness& exactness) {
    const auto expanded = routing::expand_for(program, supported_ops(), exactness, target.options);
    if (!expanded) return expanded.error().to_string();
    const auto module = lower(*expanded, target);
    if (!module) return module.error().to_string();
    const auto valid = validate_words(module->words, target.version);
    if (valid) return {};
    const auto text = disassemble(module->words, target.version);
    return valid.error().to_string() + "\n" + (text ? *text : "");
}

std::uint64_t setting(const char* name, std::uint64_t otherwise) {
    const char* value = std::getenv(name);
    return value == nullptr ? otherwise : std::strtoull(value, nullptr, 10);
}

}  // namespace

TEST_CASE("every conformance case gives valid modules for every target") {
    const auto cases = conformance::load_core_cases();
    REQUIRE(cases);
    REQUIRE(cases->size() >= 80);
    const char* only = std::getenv("MUSTER_CASE");
    for (const conformance::Case& test : *cases) {
        if (only && test.name.find(only) == std::string::npos) continue;
        CAPTURE(test.name);
        const ValidProgram program = parse(test.text, test.name);
        for (const LowerTarget& target : targets()) {
            CAPTURE(name(target.version));
            for (const Exactness& exactness : {Exactness{}, all_promised})
                CHECK(fault(program, target, exactness) == "");
        }
    }
}

TEST_CASE("random programs give valid modules, each for one of the targets") {
    const std::uint64_t first = setting("MUSTER_RANDOM_SEED", 1);
    const std::uint64_t count = setting("MUSTER_RANDOM_PROGRAMS", 200);
    for (std::uint64_t seed = first; seed < first + count; ++seed) {
        CAPTURE(seed);
        const ValidProgram program = parse(muster::testing::random_program(seed).text(), "random");
        const std::vector<LowerTarget> all = targets();
        const LowerTarget& target = all[seed % all.size()];
        const std::string wrong = fault(program, target, seed % 2 == 0 ? all_promised : Exactness{});
        REQUIRE_MESSAGE(wrong == "", wrong);
    }
}
