// Policy::validate on clusters: accesses that a cut doesn't expect, and hints that do nothing. A proof is made wrong by planting
// other words in a kernel's footprint.
#include <mutex>

#include <doctest/doctest.h>

#include <muster/cluster/execution/cluster_state.hpp>
#include <muster/driver/policy/log.hpp>

#include "cluster/execution/clusters.hpp"

using namespace muster;
using namespace muster::test;

namespace {

struct Logged {
    Logged() {
        set_log_sink([this](LogLevel, std::string_view text) {
            const std::lock_guard lock(mutex);
            messages.emplace_back(text);
        });
    }
    ~Logged() { set_log_sink({}); }
    std::mutex mutex;
    std::vector<std::string> messages;
};

ClusterSession validating(const Doubles& doubles, Validation validation) {
    ClusterOptions options = doubles.options();
    options.session.policy.validate = validation;
    return Doubles::opened(options);
}

/// Makes the accesses of `binding` have the words of another binding's first one.
void plant_words(const ClusterKernel& kernel, std::uint32_t binding, std::uint32_t other) {
    auto& accesses = kernel.state()->parts.front().footprint.accesses;
    const FootprintAccess from = *std::ranges::find(accesses, other, &FootprintAccess::binding);
    for (FootprintAccess& each : accesses)
        if (each.binding == binding) {
            each.low = from.low;
            each.high = from.high;
            each.is_bounded = true;
        }
}

/// The error of a dispatch that validation refuses.
std::string found(ClusterSession& cluster, const ClusterKernel& kernel,
                  std::initializer_list<ClusterArgument> arguments, std::uint64_t invocations) {
    const auto ticket = cluster.dispatch(kernel, arguments, Invocations{invocations});
    if (!ticket) return ticket.error().to_string();
    const auto ended = ticket->wait();
    return ended ? "" : ended.error().to_string();
}

void check_has(const std::string& text, const std::string& part) {
    CHECK_MESSAGE(text.find(part) != std::string::npos, text);
}

}  // namespace

TEST_CASE("a read of a word that a member doesn't have is found, with its place, word and member") {
    for (const bool is_planted : {false, true}) {
        Doubles doubles(2);
        ClusterSession cluster = validating(doubles, Validation::error);
        const ClusterKernel neighbours = good(cluster.prepare(compiled(neighbours_text)));
        if (is_planted) plant_words(neighbours, 0, 1);  // no halo
        ClusterBuffer from = good(cluster.buffer(counted(160), Sharded{})),
                      to = good(cluster.zeros<std::uint32_t>(160, Sharded{}));
        const std::string text = found(cluster, neighbours, {{"given", from}, {"sums", to}}, 160);
        CHECK(text.empty() != is_planted);
        if (!is_planted) continue;
        check_has(text,
                  "test.wgsl:7:39: foreign_word: Invocation (7, 0, 0) of workgroup (9, 0, 0) reads "
                  "word 80 of \"given\", \"given[80]\", which member 0 doesn't have.");
        check_has(text, "Fix: give each member all of it, {\"given\", reads_whole(given)}");
    }
}

TEST_CASE("a write to a word that another member has is found") {
    Doubles doubles(2);
    ClusterSession cluster = validating(doubles, Validation::error);
    const ClusterKernel follow = good(cluster.prepare(compiled(follow_text)));
    plant_words(follow, 1, 0);  // each member writes the words that it reads the targets from
    const ClusterBuffer next = good(cluster.buffer(counted(64, 1), Sharded{})),
                        marks = good(cluster.zeros<std::uint32_t>(64, Sharded{}));
    check_has(found(cluster, follow, {{"next", next}, {"marks", marks}}, 64),
              "of workgroup (3, 0, 0) writes word 32 of \"marks\", \"marks[32]\", which isn't for member 0 "
              "to change.");
}

TEST_CASE("a reduction's words may be changed by its atomics alone") {
    for (const bool is_planted : {false, true}) {
        Doubles doubles(2);
        ClusterSession cluster = validating(doubles, Validation::error);
        const ClusterKernel count = good(cluster.prepare(compiled(count_text)));
        if (is_planted) plant_words(count, 1, 0);  // each member counts in words of its own
        const ClusterBuffer values = good(cluster.buffer(counted(64), Sharded{})),
                            counts = good(cluster.zeros<std::uint32_t>(4));
        const std::string text = found(cluster, count, {{"values", values}, {"counts", counts}}, 64);
        CHECK(text.empty() != is_planted);
        if (is_planted) check_has(text, "accesses word ");
    }
}

TEST_CASE("a hint that does nothing is told with its reason, and refused by Validation::error") {
    struct Case {
        std::string text, name, why;
    };
    const std::string lookup = R"(
        @group(0) @binding(0) var<storage, read> at: array<u32>;
        @group(0) @binding(1) var<storage, read_write> table: array<u32>;
        @group(0) @binding(2) var<storage, read_write> out: array<u32>;
        @compute @workgroup_size(8) fn lookup(@builtin(global_invocation_id) id: vec3u) {
            out[id.x] = table[at[id.x]];
        )";
    const std::vector<Case> cases{
        {lookup + "}", "table", ""},
        {lookup + "}", "out",
         "reads_whole(\"out\") changes nothing of how lookup is cut: the program loads nothing of it."},
        {lookup + "}", "at",
         "reads_whole(\"at\") changes nothing of how lookup is cut: the indices of its loads are bounded."},
        {lookup + "table[id.x] = 1; }", "table",
         "reads_whole(\"table\") changes nothing of how lookup is cut: the program also writes it, at "
         "test.wgsl:7:9."},
    };
    for (const Validation validation : {Validation::off, Validation::warn, Validation::error})
        for (const Case& each : cases) {
            CAPTURE(each.why);
            Logged logged;
            Doubles doubles(2);
            ClusterSession cluster = validating(doubles, validation);
            const ClusterKernel kernel = good(cluster.prepare(compiled(each.text.c_str())));
            const auto buffer = [&] { return good(cluster.buffer(counted(64), Sharded{})); };
            const auto argument = [&](const char* name) {
                return name == each.name ? ClusterArgument(name, reads_whole(buffer()))
                                         : ClusterArgument(name, buffer());
            };
            const std::string text =
                found(cluster, kernel, {argument("at"), argument("table"), argument("out")}, 64);
            const bool is_error = validation == Validation::error && !each.why.empty();
            if (is_error)
                check_has(text, each.why + "\n  while dispatching lookup on a cluster\nFix: give \"" +
                                    each.name + "\" the buffer alone");
            else
                CHECK(text == "");
            CHECK(std::ranges::count(logged.messages,
                                     each.why + " Fix: give \"" + each.name + "\" the buffer alone") ==
                  (validation == Validation::warn && !each.why.empty() ? 1 : 0));
        }
}
