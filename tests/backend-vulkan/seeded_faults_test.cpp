// Conformance cases find mistakes planted in the lowering's SPIR-V, of each kind. The test runs only on a
// device that is emulated in software, with each run in a process of its own: a kernel with a mistake may fault
// or never end, which counts as found, too.
#include "backend-vulkan/seeded_faults.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string>

#include <fmt/format.h>

#include <muster/backend-vulkan/backend.hpp>
#include <muster/backend-vulkan/compile/emit.hpp>

#include "conformance/devices.hpp"
#include "support/around.hpp"
#include "support/fault_search.hpp"
#include "support/own_process.hpp"

using namespace muster;
using namespace muster::vulkan;
using namespace muster::vulkan::test;
using conformance::Case;
using conformance::Outputs;

namespace {

enum Verdict : int { same = 0, different = 1, not_taken = 2, no_device = 3 };

std::string_view name(Verdict verdict) {
    switch (verdict) {
        case same: return "not found";
        case different: return "found";
        case not_taken: return "not taken";
        case no_device: return "no device";
    }
    return "";
}

constexpr int longest_run = 4;  // seconds of processor time; a case takes some hundredths

/// The first device that is the processor itself; it gets modules that are already compiled.
class Prepared final : public muster::ForwardingBackend {
  public:
    explicit Prepared(Artifact artifact)
        : ForwardingBackend(std::make_unique<VulkanBackend>()), artifact_(std::move(artifact)) {}
    Result<std::vector<DeviceInfo>> probe() override {
        auto all = ForwardingBackend::probe();
        if (!all) return all;
        std::erase_if(*all, [](const DeviceInfo& device) { return !device.software_emulated; });
        if (all->size() > 1) all->resize(1);
        return all;
    }
    Result<std::unique_ptr<Device>> open(std::uint32_t ordinal) override {
        auto device = ForwardingBackend::open(ordinal);
        if (!device) return device;
        return std::make_unique<PreparedDevice>(*std::move(device), artifact_);
    }

  private:
    class PreparedDevice final : public muster::test::DeviceAround {
      public:
        PreparedDevice(std::unique_ptr<Device> device, Artifact artifact)
            : DeviceAround(std::move(device)), artifact_(std::move(artifact)) {}
        Result<Artifact> compile(const ValidProgram&, const CompileOptions&) override { return artifact_; }

      private:
        Artifact artifact_;
    };

    Artifact artifact_;
};

struct Subject {
    Case test;
    ValidProgram program;
    VulkanVersion version;
    Artifact artifact;
    Outputs expected;
};

std::vector<std::uint32_t> words_of(const Artifact& artifact) {
    std::vector<std::uint32_t> words(artifact.bytes.size() / 4);
    std::memcpy(words.data(), artifact.bytes.data(), artifact.bytes.size());
    return words;
}

/// The size of the device's subgroups; none if there is no device, or it has none.
std::optional<std::uint32_t> subgroup_size() {
    const auto exit = muster::test::in_own_process(longest_run, [] {
        const auto infos = Prepared({}).probe();
        return infos && !infos->empty() ? static_cast<int>(infos->front().subgroup_size) : 0;
    });
    return exit && *exit != 0 ? std::optional(static_cast<std::uint32_t>(*exit)) : std::nullopt;
}

/// `subgroups`: their size, which only Vulkan 1.3 can require. None if the program needs subgroups and there are none.
std::optional<Subject> subject_of(const Case& test, std::optional<std::uint32_t> subgroups) {
    const ValidProgram program = parse(test.text, test.name + ".wgsl");
    CompileOptions options;
    VulkanVersion version = VulkanVersion::v1_1;
    if (program->needs().subgroups) {
        if (!subgroups) return std::nullopt;
        options.subgroup_size = *subgroups;
        version = VulkanVersion::v1_3;
    }
    Exactness exactness = all_promised;
    exactness.fma = Promise::no;
    const auto expanded = routing::expand_for(program, supported_ops(), exactness, options);
    REQUIRE(expanded);
    auto artifact = emit_module(*expanded, *describe_target(muster::vulkan::name(version)),
                                {.format = "spirv", .options = options});
    REQUIRE(artifact);
    auto expected =
        run_interpreted(test, program, InterpretOptions{.seed = 1, .subgroup_size = options.subgroup_size});
    REQUIRE(expected);
    return Subject{test, program, version, *std::move(artifact), std::move(expected->outputs)};
}

/// The verdict of a run in a process of its own.
Verdict verdict_of(const Subject& subject, const std::vector<std::uint32_t>& words) {
    Artifact artifact = subject.artifact;
    artifact.bytes.resize(words.size() * 4);
    std::memcpy(artifact.bytes.data(), words.data(), artifact.bytes.size());
    FleetEntry entry{
        .id = "vulkan",
        .dispatches = true,
        .tags = {},
        .supported_ops = supported_ops(),
        .factory = [&]() -> Result<std::unique_ptr<Backend>> { return std::make_unique<Prepared>(artifact); },
        .fault = {}};
    const auto fleet = std::make_shared<Fleet>(std::vector{std::move(entry)}, std::chrono::minutes(1));
    if (fleet->probe(0).devices.empty()) return no_device;
    auto session = Session::open({.fleet = fleet, .use_environment = false});
    if (!session || !session->prepare(subject.program)) return not_taken;
    const auto actual = run_in(*session, subject.test, subject.program);
    if (!actual) return different;
    const bool flushes = fleet->probe(0).devices[0].exactness.subnormals == Promise::no;
    for (std::size_t i = 0; i < actual->size(); ++i)
        if (!difference(subject.expected[i], (*actual)[i], flushes).empty()) return different;
    return same;
}

Verdict try_out(const Subject& subject, const std::vector<std::uint32_t>& words) {
    const auto exit =
        muster::test::in_own_process(longest_run, [&] { return int{verdict_of(subject, words)}; });
    return exit ? static_cast<Verdict>(*exit) : different;
}

/// Up to `most` valid modules with the fault, at positions spread over all, beginning with one that `turn`
/// selects.
std::vector<std::vector<std::uint32_t>> sample(const FaultKind& kind, const Module& module,
                                               VulkanVersion version, std::size_t most, std::size_t turn) {
    const std::vector<std::size_t> all = places(kind, module);
    std::vector<std::vector<std::uint32_t>> some;
    const std::size_t tries = std::min(2 * most, all.size());
    for (std::size_t i = 0; i < tries && some.size() < most; ++i) {
        auto words = planted(kind, module, all[(turn + i * all.size() / tries) % all.size()]);
        if (validate_words(words, version)) some.push_back(std::move(words));
    }
    return some;
}

/// The cases that find the most.
constexpr std::string_view best_cases =
    "atomics/all_operations atomics/signed_and_unsigned_order barriers/decision_before_continue "
    "bits/counting bits/extract_signed builtins/ids control/continue_in_switch "
    "conversions/float_to_integer floats/comparisons halves/conversions integers/comparisons "
    "integers/signed_division memory/out_of_bounds_storage memory/zero_before_use "
    "small_integers/conversions small_integers/loads subgroups/shuffles subgroups/votes views/bounds";

}  // namespace

// The short run ends once each kind has been found. With MUSTER_TEST_ALL, each kind is planted once in each
// case, and the share of mistakes found is printed.
TEST_CASE("conformance cases find mistakes planted in their SPIR-V, of each kind") {
    const bool all = std::getenv("MUSTER_TEST_ALL") != nullptr;
    const bool tell = std::getenv("MUSTER_TELL_UNFOUND") != nullptr;
    const auto kinds = fault_kinds();
    std::vector<muster::test::Tally> tallies(kinds.size());
    const auto is_done = [&](std::size_t k) {
        return !all && (tallies[k].found > 0 || !kinds[k].hidden.empty());
    };
    std::size_t turn = 0;
    const auto subgroups = subgroup_size();
    for (const Case& test : muster::test::cases_in_order(best_cases, false)) {
        CAPTURE(test.name);
        const auto subject = subject_of(test, subgroups);
        if (!subject) continue;
        const Module module(words_of(subject->artifact));
        bool sound = false;
        for (std::size_t k = 0; k < kinds.size(); ++k) {
            if (is_done(k)) continue;
            CAPTURE(kinds[k].what);
            const std::size_t most = all && tallies[k].found > 0 ? 1 : 4;
            for (const auto& words : sample(kinds[k], module, subject->version, most, all ? turn++ : 0)) {
                if (is_done(k)) break;
                if (!sound) {
                    const Verdict verdict = try_out(*subject, words_of(subject->artifact));
                    if (verdict == no_device) {
                        MESSAGE("no device is emulated in software here: not run");
                        return;
                    }
                    REQUIRE(verdict == same);
                }
                sound = true;
                const Verdict verdict = try_out(*subject, words);
                ++tallies[k].planted;
                if (verdict == different) ++tallies[k].found;
                if (tell) fmt::print("{} in {}: {}\n", name(verdict), test.name, kinds[k].what);
            }
        }
        std::size_t done = 0;
        while (done < kinds.size() && is_done(done)) ++done;
        if (done == kinds.size()) break;
    }
    muster::test::check_found(kinds, tallies, all);
}
