#include <thread>

#include <doctest/doctest.h>
#include <sched.h>

#include <muster/backend-cpu/native/host.hpp>
#include <muster/driver/platform/processor.hpp>

using namespace muster::cpu;
using muster::platform::quota_processors;

TEST_CASE("the machine at hand") {
    CHECK_FALSE(host().name.empty());
    CHECK(host().cores >= 1);
    CHECK(host().cores <= std::thread::hardware_concurrency());
    CHECK(host().memory_bytes > (1 << 20));
    const ArchTraits* here = arch_traits(host().arch);
    REQUIRE(here != nullptr);
    CHECK(here->runs_here);
}

TEST_CASE("levels: each runs where it or a higher one is, and none on another processor") {
    CHECK(arch_traits("x86-64-v5") == nullptr);
    CHECK(arch_traits("") == nullptr);
    CHECK(arch_traits("x86-64-v1")->runs_here == host().arch.starts_with("x86"));
    CHECK(arch_traits("aarch64")->runs_here == (host().arch == "aarch64"));
    CHECK(arch_traits("x86-64-v2")->width == 4);
    CHECK(arch_traits("x86-64-v4")->width == 16);
    CHECK_FALSE(arch_traits("x86-64-v2")->has_fma);
    CHECK(arch_traits("x86-64-v3")->has_fma);
}

TEST_CASE("features that the machine is known to lack") {
    CHECK(missing_feature("") == "");
    CHECK(missing_feature("no-such-feature,another") == "");
#if defined(__x86_64__)
    CHECK(missing_feature("sse4.2,avx512vbmi2").empty() == (__builtin_cpu_supports("avx512vbmi2") != 0));
    CHECK(missing_feature("ssse3").empty() == (__builtin_cpu_supports("ssse3") != 0));
#endif
}

TEST_CASE("a control group's quota bounds the cores") {
    CHECK(quota_processors("max", "100000", 8) == 8);
    CHECK(quota_processors("-1\n", "100000\n", 8) == 8);
    CHECK(quota_processors("", "", 8) == 8);
    CHECK(quota_processors("100000", "0", 8) == 8);
    CHECK(quota_processors("150000", "100000\n", 8) == 2);
    CHECK(quota_processors("50000", "100000", 8) == 1);
    CHECK(quota_processors("1600000", "100000", 8) == 8);
}
