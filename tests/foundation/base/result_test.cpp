// The text of an error that value() throws.

#include <memory>
#include <string>
#include <utility>

#include <doctest/doctest.h>

#include <muster/foundation/base/result.hpp>

using namespace muster;

namespace {

Result<int> failing() {
    return during(
        "asking for a backend",
        Result<int>(fail(ErrorCode::not_found, "No backend is called \"cud\".", "did you mean \"cuda\"?")));
}
constexpr const char* story =
    "No backend is called \"cud\".\n"
    "  while asking for a backend\n"
    "Fix: did you mean \"cuda\"?";

template <class Take>
std::string message(Take take) {
    try {
        take();
    } catch (const std::exception& thrown) {
        return thrown.what();
    }
    return "nothing";
}

}  // namespace

TEST_CASE("value() of an error throws the error's whole text") {
    CHECK(message([] { return failing().value(); }) == story);
    CHECK(message([] {
              const Result<int> kept = failing();
              return kept.value();
          }) == story);
    CHECK(message([] {
              Result<std::unique_ptr<int>> kept = std::unexpected(failing().error());
              return *std::move(kept).value();
          }) == story);
    CHECK(message([] {
              Result<void> nothing = std::unexpected(failing().error());
              nothing.value();
              return 0;
          }) == story);
    CHECK(Result<int>(3).value() == 3);
}

TEST_CASE("what is thrown has the error, and is what std::expected throws") {
    try {
        (void)failing().value();
        FAIL("value() returned");
    } catch (const std::bad_expected_access<void>& thrown) {
        const auto* const typed = dynamic_cast<const std::bad_expected_access<Error>*>(&thrown);
        REQUIRE(typed != nullptr);
        CHECK(typed->error().code == ErrorCode::not_found);
        const std::bad_expected_access<Error> copy = *typed;
        CHECK(std::string(copy.what()) == story);
    }
}
