// The allocations of a dispatch like an earlier one, and of registering a backend.
#include <doctest/doctest.h>
#include <support/allocations.hpp>
#include <support/null_device.hpp>
#include <support/programs.hpp>

#include <muster/driver/device/binding.hpp>
#include <muster/driver/process/backends.hpp>
#include <muster/driver/registry/freeze.hpp>
#include <muster/driver/session/session.hpp>

using namespace muster;
using namespace muster::test;

namespace {

constexpr std::uint64_t rounds = 50;  // in flight at once

/// The allocations of `rounds` dispatches of saxpy: a value and two buffers.
std::uint64_t allocations_of(const std::shared_ptr<NullWork>& work) {
    Session session = null_session(work);
    const Kernel kernel = *session.prepare(saxpy());
    const Buffer x = *session.zeros<float>(64), y = *session.zeros<float>(64);
    std::vector<Ticket> tickets;
    tickets.reserve(rounds);
    std::uint64_t before = 0;
    bool all_ended = true;
    for (const bool warm : {false, true}) {
        before = allocations();
        for (std::uint64_t i = 0; i < rounds; ++i)
            tickets.push_back(*session.dispatch(kernel, {{"a", 2.0f}, {"x", x}, {"y", y}}, Invocations{64}));
        if (work) work->ended = true;
        for (const Ticket& ticket : tickets) all_ended = all_ended && ticket.wait();
        if (!warm) tickets.clear();
    }
    const std::uint64_t took = allocations() - before;
    CHECK(all_ended);
    return took;
}

}  // namespace

TEST_CASE("a dispatch takes no allocation where its work ends within submit()") {
    CHECK(allocations_of(nullptr) == 0);
}

TEST_CASE("a dispatch takes no allocation where its work ends when it is waited for") {
    CHECK(allocations_of(std::make_shared<NullWork>()) == 0);
}

TEST_CASE("binding fails with words, and succeeds without any") {
    Session session = null_session(nullptr);
    const ValidProgram program = saxpy();
    const Buffer x = *session.zeros<float>(64), y = *session.zeros<float>(64);
    const BindingRules rules(program, fit_device().limits);
    const std::vector<Argument> arguments{{"a", 2.0f}, {"x", x}, {"y", y}}, wrong{{"a", 2.0f}, {"x", x}};
    const std::uint64_t before = allocations();
    const bool bound = rules.bind(arguments, false).has_value();
    const std::uint64_t after = allocations();
    CHECK(bound);
    CHECK(after == before);
    CHECK(rules.bind(wrong, false).error().message == "Binding 2 (\"y\") isn't given.");
}

TEST_CASE("registering many backends takes what each takes, and the others stay where they are") {
    const BackendMaker maker = []() -> Result<std::unique_ptr<Backend>> {
        return std::make_unique<NullBackend>(nullptr, 0);
    };
    REQUIRE(register_backend("many-first", maker, {"debug"}));
    const RegisteredBackend* const first = find_backend("many-first");
    const auto allocations_of = [&](int from) {
        bool is_registered = true;
        const std::uint64_t before = allocations();
        for (int i = from; i < from + 30; ++i)
            is_registered =
                register_backend("many-" + std::to_string(i), maker, {"debug"}).has_value() && is_registered;
        CHECK(is_registered);
        return allocations() - before;
    };
    const std::uint64_t early = allocations_of(100), late = allocations_of(130);
    CHECK_MESSAGE(late <= early + early / 4, early, " then ", late);
    REQUIRE(find_backend("many-159"));
    CHECK(find_backend("many-first") == first);
    CHECK(register_backend("many-150", maker).error().code == ErrorCode::conflict);
}
