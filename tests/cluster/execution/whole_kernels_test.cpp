// Whole kernels on clusters of this machine's devices: the same bits as on the interpreter.
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include <muster/driver/policy/log.hpp>

#include "cluster/run_whole_kernel.hpp"

using namespace muster;

namespace {

/// True if a device is there.
bool is_here(const std::string& device) {
    auto session = Session::open({.policy = {.choice = Pinned{device}}, .use_environment = false});
    const auto any =
        kernels::programs(kernels::whole_kernel("saxpy"), kernels::whole_kernel("saxpy").make({}));
    return session && session->prepare(any->begin()->second).has_value();
}

/// What the interpreter computes, once for each kernel: it takes longer than the devices.
const kernels::Arrays& interpreted(const kernels::WholeKernel& kernel, const kernels::Job& job) {
    static std::map<std::string_view, kernels::Arrays> all;
    const auto [at, is_new] = all.try_emplace(kernel.name);
    if (is_new) {
        auto computed = kernels::run_interpreted(kernel, job);
        if (!computed) FAIL(computed.error().to_string());
        at->second = *std::move(computed);
    }
    return at->second;
}

void check_on(const std::vector<std::string>& devices, Validation validation = Validation::off) {
    for (const std::string& device : devices)
        if (!is_here(device)) {
            MESSAGE("no ", device, " here");
            return;
        }
    const Policy patient{.compile_budget = std::chrono::seconds(0),
                         .validate = validation};  // the machine may be busy
    auto cluster =
        ClusterSession::open({.devices = devices, .session = {.policy = patient, .use_environment = false}});
    if (!cluster) FAIL(cluster.error().to_string());
    for (const kernels::WholeKernel& kernel : kernels::whole_kernels()) {
        const std::string name(kernel.name);
        CAPTURE(name);
        const kernels::Job job = kernel.make({.scale = 1});
        const kernels::Arrays& expected = interpreted(kernel, job);
        for (const Sharding& sharding : {Sharding(Replicated{}), Sharding(Sharded{})}) {
            CAPTURE(sharding.index());
            const auto outcome = test::run_on_cluster(*cluster, kernel, job, sharding);
            if (!outcome) FAIL(outcome.error().to_string());
            for (const auto& [array, words] : expected) {
                CAPTURE(array);
                CHECK((outcome->arrays.at(array) == words));
            }
        }
    }
}

}  // namespace

TEST_CASE("whole kernels give the same bits on a processor's device taken 1, 2, 3, 4 and 7 times") {
    for (const std::size_t members : {1u, 2u, 3u, 4u, 7u})
        check_on(std::vector<std::string>(members, "cpu:0"));
}

TEST_CASE("whole kernels give the same bits on a processor and a Vulkan device in one dispatch") {
    check_on({"cpu:0", "vulkan:0"});
}

TEST_CASE("validation finds no access of a whole kernel that its cut doesn't expect") {
    std::vector<std::string> told;
    set_log_sink([&](LogLevel, std::string_view text) {
        if (text.find("foreign_word") != text.npos || text.find("reads_whole") != text.npos)
            told.emplace_back(text);
    });
    check_on({"cpu:0", "cpu:0", "cpu:0"}, Validation::warn);
    set_log_sink({});
    for (const std::string& each : told) FAIL_CHECK(each);
}
