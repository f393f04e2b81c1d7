#include <array>
#include <cstdlib>

#include <doctest/doctest.h>
#include <support/doubles.hpp>

#include <muster/driver/policy/environment.hpp>
#include <muster/driver/policy/policy_layers.hpp>
#include <muster/driver/session/session.hpp>

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
    policy.backends = {"cuda:One"};
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

TEST_CASE("the compile budget: layered like the rest, 30 seconds unless somebody says else, never negative") {
    using namespace std::chrono_literals;
    CHECK(default_compile_budget == 30s);
    CHECK(*layer({.compile_budget = 1s}, {.compile_budget = 2s}).compile_budget == 1s);
    CHECK(*layer({}, {.compile_budget = 0s}).compile_budget == 0s);
    CHECK(check({.compile_budget = 0s}));
    const auto negative = check({.compile_budget = -1s});
    REQUIRE_FALSE(negative);
    CHECK(negative.error().message == "The compile budget is -1 s, less than nothing.");
    const std::array layers{NamedPolicy{"MUSTER_COMPILE_BUDGET", {.compile_budget = 0s}},
                            NamedPolicy{"the process default", {.compile_budget = 1500ms}}};
    CHECK(in_force(layers).settings.at(0).to_string() ==
          "compile_budget: none (from MUSTER_COMPILE_BUDGET, over the process default)");
    CHECK(compile_budget_text(1500ms) == "1.5 s");
}

TEST_CASE("validation is the highest layer's, and is told") {
    CHECK(layer({.validate = Validation::off}, {.validate = Validation::warn}).validate == Validation::off);
    CHECK(layer({}, {.validate = Validation::warn}).validate == Validation::warn);
    CHECK(layer({.check_devices = false}, {.check_devices = true}).check_devices == false);
    CHECK(layer({}, {.check_devices = false}).check_devices == false);
    const std::array checks{NamedPolicy{"the session's policy", {.check_devices = false}}};
    CHECK(in_force(checks).settings[0].to_string() == "check_devices: no (from the session's policy)");
    const std::array layers{NamedPolicy{"the session's policy", {.validate = Validation::warn}},
                            NamedPolicy{"MUSTER_VALIDATE", {.validate = Validation::error}}};
    CHECK(in_force(layers).settings.at(0).to_string() ==
          "validate: warn (from the session's policy, over MUSTER_VALIDATE)");
}

TEST_CASE("the process default is set and reset") {
    REQUIRE(set_default_policy({.kind = DeviceClass::cpu}));
    CHECK(default_policy().kind == DeviceClass::cpu);
    reset_default_policy();
    CHECK_FALSE(default_policy().kind);
}

TEST_CASE("a list and a pin are one question: the upper layer's answer counts") {
    const Policy pin{.choice = Pinned{"cuda:1"}}, list{.backends = {{"cpu"}}};
    CHECK(*pinned(layer(pin, list)) == "cuda:1");
    CHECK_FALSE(layer(pin, list).backends);
    CHECK(layer(list, pin).backends->at(0) == "cpu");
    CHECK_FALSE(pinned(layer(list, pin)));
    CHECK(*pinned(layer(layer(pin, list), list)) == "cuda:1");
    const Policy one = layer({.choice = OnlyOne{}}, list);
    CHECK(one.backends);
    CHECK(std::holds_alternative<OnlyOne>(*one.choice));
}

TEST_CASE("choices, kinds, tags and features that can't be are refused") {
    CHECK(check({.choice = Pinned{"cuda:1"}}));
    CHECK_FALSE(check({.choice = Pinned{"cuda:X"}}));
    const auto both = check({.choice = Pinned{"cuda"}, .backends = {{"cuda", "cpu"}}});
    REQUIRE_FALSE(both);
    CHECK(both.error().message == "The policy pins cuda, and lists cuda, cpu.");
    CHECK_FALSE(check({.exclude_tags = {"A"}}));
    CHECK_FALSE(check({.require_tags = {{"no tag"}}}));
    CHECK(check({.require_features = {{"f32", "fma", "subgroup:32", "exact", "muster.grid_barrier"}}}));
    const auto misspelt = check({.require_features = {{"fms"}}});
    REQUIRE_FALSE(misspelt);
    CHECK(misspelt.error().fix.find("\"fma\"") != std::string::npos);
    CHECK_FALSE(check({.require_features = {{"subgroup:many"}}}));
    CHECK(check({.subgroup_size = 16}));
    const auto odd = check({.subgroup_size = 12});
    REQUIRE_FALSE(odd);
    CHECK(odd.error().to_string() ==
          "The policy asks for subgroups of 12 invocations.\nFix: ask for a power of two from 4 to 128");
    CHECK_FALSE(check({.subgroup_size = 256}));
    CHECK(*layer({.subgroup_size = 16}, {.subgroup_size = 8}).subgroup_size == 16);
    CHECK(*layer({}, {.subgroup_size = 8}).subgroup_size == 8);
    CHECK(*parse_device_class("gpu") == DeviceClass::gpu);
    CHECK(parse_device_class("GPU").error().fix == "ask for one of: any, gpu, discrete, integrated, cpu");
}

TEST_CASE("who decided what is known, setting by setting") {
    const std::array layers{
        NamedPolicy{"the session's policy", {.kind = DeviceClass::gpu}},
        NamedPolicy{"MUSTER_BACKEND", {.backends = {{"cuda:1", "cpu"}}}},
        NamedPolicy{"MUSTER_EXCLUDE", {.exclude = {"vulkan"}}},
        NamedPolicy{
            "the process default",
            {.backends = {{"cpu"}}, .exclude = {"cuda:0"}, .kind = DeviceClass::cpu, .inexact_ok = true}}};
    std::string told;
    for (const PolicySetting& setting : in_force(layers).settings) told += setting.to_string() + "\n";
    CHECK(told ==
          "backends: cuda:1, cpu (from MUSTER_BACKEND, over the process default)\n"
          "kind: gpu (from the session's policy, over the process default)\n"
          "inexact_ok: yes (from the process default)\n"
          "exclude: vulkan (from MUSTER_EXCLUDE)\n"
          "exclude: cuda:0 (from the process default)\n");
    const std::array pin_over_list{NamedPolicy{"the session's policy", {.choice = Pinned{"cpu"}}},
                                   NamedPolicy{"MUSTER_BACKEND", {.backends = {{"cuda"}}}}};
    const auto settings = in_force(pin_over_list).settings;
    REQUIRE(settings.size() == 1);
    CHECK(settings[0].to_string() ==
          "choice: pinned to cpu (from the session's policy, over MUSTER_BACKEND)");
}

TEST_CASE("the pack of patterns is the highest layer's, is told, and must be an id") {
    const Policy over{.pack = "mine"}, under{.pack = "theirs"};
    CHECK(layer(over, under).pack == "mine");
    CHECK(layer({}, under).pack == "theirs");
    const std::vector<NamedPolicy> layers{{"MUSTER_PACK", over}, {"the process default", under}};
    const PolicyInForce told = in_force(layers);
    REQUIRE(told.settings.size() == 1);
    CHECK(told.settings[0].to_string() == "pack: mine (from MUSTER_PACK, over the process default)");
    CHECK(check({.pack = "Mine"}).error().message == "\"Mine\" can't be the id of a pack of patterns.");
    const auto environment = [](const char* value) {
        return environment_policy([value](std::string_view name) {
            return name == "MUSTER_PACK" ? std::optional<std::string>(value) : std::nullopt;
        });
    };
    CHECK(environment(" npu ").value().pack == "npu");
    CHECK_FALSE(environment("").value().pack);
    CHECK(environment("two words").error().to_string() ==
          "\"two words\" can't be the id of a pack of patterns.\n  while reading MUSTER_PACK=\"two words\" "
          "from the "
          "environment\nFix: write lower-case letters, digits, '-' and '_', a letter first");
    REQUIRE(set_default_policy({.pack = "npu"}));
    CHECK(default_policy().pack == "npu");
    reset_default_policy();
    CHECK_FALSE(default_policy().pack);
}
