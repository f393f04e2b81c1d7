#include <cstdlib>

#include <doctest/doctest.h>
#include <support/doubles.hpp>

#include <muster/driver/policy.hpp>
#include <muster/driver/session.hpp>

using namespace muster;
using namespace muster::test;

TEST_CASE("an upper layer wins where it is set; exclusions add up") {
    Policy over, under;
    over.backends = {"aa"};
    over.exclude = {"xx"};
    under.backends = {"bb"};
    under.exclude = {"yy", "xx"};
    under.inexact_ok = true;
    const Policy both = layer(over, under);
    CHECK(*both.backends == std::vector<std::string>{"aa"});
    CHECK(both.exclude == std::vector<std::string>{"xx", "yy"});
    CHECK(both.inexact_ok == true);
    CHECK_FALSE(both.allow_emission);
}

TEST_CASE("what can't be an id is refused, in every field") {
    Policy policy;
    policy.backends = {"Cuda"};
    CHECK_FALSE(check(policy));
    policy.backends = {"cuda", "cuda"};
    CHECK_FALSE(check(policy));
    policy.backends = {"cuda", "cpu-2"};
    CHECK(check(policy));
    policy.backends = {"cuda:1", "cuda:0", "cuda"};
    CHECK(check(policy));
    policy.backends = {"cuda:1", "cuda:0", "cuda:1"};
    CHECK_FALSE(check(policy));
    policy.backends = {"cuda:one"};
    CHECK_FALSE(check(policy));
    policy.backends.reset();
    policy.exclude = {"cuda:1"};
    CHECK(check(policy));
    policy.exclude = {"cuda:"};
    CHECK_FALSE(check(policy));
    policy.exclude = {""};
    CHECK_FALSE(check(policy));
    policy.exclude.clear();
    policy.allow_tags = {"a b"};
    CHECK_FALSE(check(policy));
    CHECK_FALSE(Session::open({.policy = policy, .use_environment = false}));
}

TEST_CASE("session over environment over process default") {
    const auto fleet = std::make_shared<Fleet>(entries({}));
    Policy process;
    process.backends = {"process"};
    process.exclude = {"never"};
    REQUIRE(set_default_policy(process));
    const auto backends_of = [&](const char* environment, std::optional<std::vector<std::string>> own) {
        if (environment) setenv("MUSTER_BACKEND", environment, 1);
        auto session = Session::open({.policy = {.backends = std::move(own)}, .fleet = fleet});
        unsetenv("MUSTER_BACKEND");
        REQUIRE(session);
        CHECK(session->policy().exclude == std::vector<std::string>{"never"});
        return session->policy().backends->at(0);
    };
    CHECK(backends_of(nullptr, std::nullopt) == "process");
    CHECK(backends_of("environment", std::nullopt) == "environment");
    CHECK(backends_of("environment", std::vector<std::string>{"session"}) == "session");
    Policy malformed;
    malformed.exclude = {"?"};
    CHECK_FALSE(set_default_policy(malformed));
    REQUIRE(set_default_policy({}));
}
