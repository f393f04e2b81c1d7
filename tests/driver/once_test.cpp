#include <doctest/doctest.h>

#include <muster/driver/support/once.hpp>

using namespace muster;

TEST_CASE("a shared object is made once; an error isn't kept") {
    SharedOnce<const int> shared;
    int calls = 0;
    const auto make = [&]() -> Result<std::shared_ptr<const int>> {
        if (++calls == 1) return fail(ErrorCode::unavailable, "It isn't there yet.");
        return std::make_shared<const int>(calls);
    };
    const auto failed = shared.get(make);
    REQUIRE(!failed);
    CHECK(failed.error().message == "It isn't there yet.");
    const auto made = shared.get(make), again = shared.get(make);
    REQUIRE(made);
    REQUIRE(again);
    CHECK(**made == 2);
    CHECK(*made == *again);
    CHECK(calls == 2);
}
