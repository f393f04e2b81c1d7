// The table that finds equal elements of a list.
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <muster/foundation/base/intern_table.hpp>

using namespace muster;

namespace {

/// A list in which equal numbers are kept once, under a hash of the test's choice.
struct List {
    std::vector<std::uint64_t> all;
    InternTable table;

    std::uint32_t intern(std::uint64_t number, std::uint64_t hash) {
        const auto next = static_cast<std::uint32_t>(all.size());
        const std::uint32_t at =
            table.find_or_add(hash, next, [&](std::uint32_t i) { return all[i] == number; });
        if (at == next) all.push_back(number);
        return at;
    }
};

}  // namespace

TEST_CASE("equal elements are found, however many others there are, and whatever their hashes") {
    const auto hashes = [](int which, std::uint64_t number) -> std::uint64_t {
        if (which == 0) return number * 0x9e3779b97f4a7c15u;
        if (which == 1) return number % 3;               // most collide
        if (which == 2) return (number << 32) | number;  // halves that cancel out
        return number;
    };
    for (int which = 0; which < 4; ++which) {
        CAPTURE(which);
        List list;
        for (std::uint64_t number = 0; number < 1000; ++number)
            REQUIRE(list.intern(number, hashes(which, number)) == number);
        for (std::uint64_t number = 0; number < 1000; ++number)
            REQUIRE(list.intern(number, hashes(which, number)) == number);
        CHECK(list.all.size() == 1000);
    }
}
