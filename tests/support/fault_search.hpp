// fault_search.hpp - what tests share that plant mistakes in a backend's code, which conformance cases shall find.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <muster/conformance/case.hpp>

namespace muster::test {

/// Of one kind of mistake.
struct Tally {
    int planted = 0, found = 0;
};

/// The conformance cases, with those first, of the names in `first`, that find the most.
inline std::vector<conformance::Case> cases_in_order(std::string_view first, bool with_grid_barriers) {
    auto cases = conformance::load_cases();
    REQUIRE(cases);
    if (!with_grid_barriers)
        std::erase_if(*cases,
                      [](const auto& test) { return test.text.contains("enable muster_grid_barrier;"); });
    const std::string words = fmt::format(" {} ", first);
    std::ranges::partition(*cases, [&](const auto& test) { return words.contains(" " + test.name + " "); });
    return *std::move(cases);
}

/// Checks that each kind was found, but for hidden ones, and prints the share of mistakes found.
template <class Kinds>
void check_found(const Kinds& kinds, const std::vector<Tally>& tallies, bool print) {
    for (std::size_t k = 0; k < kinds.size(); ++k) {
        bool is_hidden = false;
        if constexpr (requires { kinds[k].hidden; }) is_hidden = !kinds[k].hidden.empty();
        if (!is_hidden) CHECK_MESSAGE(tallies[k].found > 0, kinds[k].what);
        if (print)
            fmt::print("{:5} of {:5} found: {}\n", tallies[k].found, tallies[k].planted, kinds[k].what);
    }
}

}  // namespace muster::test
