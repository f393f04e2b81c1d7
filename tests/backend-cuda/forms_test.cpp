// NVIDIA's compilers accept the language's forms (conformance/forms.hpp).
#include "conformance/forms.hpp"

#include <cstdlib>

#include "backend-cuda/workshop.hpp"

using namespace muster;
using namespace muster::cuda;
using namespace muster::cuda::test;

namespace {

/// The error of NVRTC, or of a step before it; "" if there is none.
std::string refusal(const conformance::Case& test, const LowerTarget& target, std::string_view arch) {
    auto parsed = wgsl::parse(test.text, {.file = "form.wgsl"});
    if (!parsed) return parsed.error().to_string() + "\n" + test.text;
    const auto program = validate(*std::move(parsed));
    if (!program) return program.error().to_string() + "\n" + test.text;
    const CudaSource source = lowered(*program, target);
    const auto made =
        compile_text(**Nvrtc::process(), **program, source, target.options, arch, ImageFormat::ptx);
    return made ? "" : made.error().to_string() + "\n" + source.text;
}

}  // namespace

TEST_CASE("NVRTC compiles every form of the language") {
    const auto compiler = nvrtc();
    if (!compiler) return;
    const bool all = std::getenv("MUSTER_TEST_ALL") != nullptr;
    const std::vector<conformance::Form> forms = conformance::chosen_forms(4, 1);
    for (const std::string& arch : tested_archs()) {
        if (std::ranges::count(compiler->archs(), std::stoi(arch.substr(3))) == 0) continue;
        // For one architecture, each form by itself: the text is the same for all.
        const std::size_t group_size = all && arch == "sm_90" ? 1 : conformance::forms_together;
        const auto faults = conformance::faults_of(
            forms, group_size, [&](const conformance::Case& test) { return refusal(test, {}, arch); });
        for (const std::string& fault : faults) FAIL_CHECK(arch, ": ", fault);
    }
}

TEST_CASE("NVRTC compiles forms of the language in fast mode, unchecked, and for a dispatch") {
    if (!nvrtc()) return;
    const std::vector<LowerTarget> targets{{.options = {.precision = Precision::fast}},
                                           {.options = {.unchecked = true}},
                                           {.dispatched = true, .debug = false}};
    const std::vector<conformance::Form> forms = conformance::chosen_forms(29, 3);
    for (const LowerTarget& target : targets) {
        const auto faults = conformance::faults_of(
            forms, conformance::forms_together,
            [&](const conformance::Case& test) { return refusal(test, target, "sm_90"); });
        for (const std::string& fault : faults) FAIL_CHECK(fault);
    }
}
