#include <doctest/doctest.h>
#include <support/doubles.hpp>
#include <support/programs.hpp>

#include <muster/driver/routing/candidate.hpp>

using namespace muster;
using namespace muster::test;

TEST_CASE("candidates are the devices of backends that dispatch and are allowed") {
    auto two = script("two", 2), one = script("one", 1), emitter = script("emitter", 3),
         loud = script("loud", 4);
    two->devices = {fit_device(0), fit_device(1)};
    emitter->dispatches = false;
    loud->probe = Act::fail;
    Fleet fleet(entries({two, one, emitter, loud}));
    std::vector<std::string> ids;
    for (const Candidate& candidate : candidates(fleet)) ids.push_back(candidate.id());
    CHECK(ids == std::vector<std::string>{"one:0", "two:0", "two:1"});
    CHECK(emitter->calls.all() == 0);
    Policy policy;
    policy.backends = {"two", "one"};
    policy.exclude = {"one"};
    CHECK(candidates(fleet, policy).size() == 2);
    policy.exclude = {"two:0"};
    ids.clear();
    for (const Candidate& candidate : candidates(fleet, policy)) ids.push_back(candidate.id());
    CHECK(ids == std::vector<std::string>{"one:0", "two:1"});
    policy.backends = {"two:0", "one:5"};
    policy.exclude = {};
    const auto single = candidates(fleet, policy);
    REQUIRE(single.size() == 1);
    CHECK(single[0].id() == "two:0");
}

TEST_CASE("supports makes no native call after the probe, and says what doesn't fit") {
    auto narrow = script("narrow", 1), plain = script("plain", 2);
    narrow->supported_ops.core.reset(static_cast<std::size_t>(Op::mul));
    Fleet fleet(entries({narrow, plain}));
    const auto all = candidates(fleet);
    REQUIRE(all.size() == 2);
    const int calls = narrow->calls.all() + plain->calls.all();
    CHECK(all[0].supports(*saxpy()).error().message.find("mul") != std::string::npos);
    CHECK(all[0].supports(*iota()));
    CHECK(all[1].supports(*saxpy()));
    CHECK(all[1].supports(*saxpy(512)).error().code == ErrorCode::limit_exceeded);
    CHECK(narrow->calls.all() + plain->calls.all() == calls);
    CHECK(candidates(fleet).size() == 2);
    CHECK(narrow->calls.probe == 1);
}
