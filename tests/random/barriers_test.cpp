// Grid barriers inserted anywhere in random programs: if validation accepts one, all remaining invocations meet
// at it. This tests the uniformity rule against the programs' behaviour.

#include <algorithm>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <muster/foundation/wgsl/wgsl.hpp>

#include "conformance/devices.hpp"
#include "random/random_case.hpp"
#include "support/random_program.hpp"

using namespace muster;
using namespace muster::conformance;

namespace {

// The positions after statements of the entry point, except those in the heads of loops.
std::vector<std::size_t> places(const std::string& text) {
    std::vector<std::size_t> found;
    for (std::size_t i = text.find("fn main("); i + 1 < text.size(); ++i) {
        if (text[i] != ';') continue;
        const auto line = text.begin() + static_cast<std::ptrdiff_t>(text.rfind('\n', i) + 1);
        const auto here = text.begin() + static_cast<std::ptrdiff_t>(i);
        if (std::count(line, here, '(') == std::count(line, here, ')')) found.push_back(i + 1);
    }
    return found;
}

std::string with_barriers(std::string text, std::mt19937_64& random) {
    std::vector<std::size_t> all = places(text), chosen;
    std::ranges::sample(all, std::back_inserter(chosen), 1 + static_cast<std::ptrdiff_t>(random() % 3),
                        random);
    std::ranges::sort(chosen, std::greater());
    for (const std::size_t at : chosen) text.insert(at, " gridBarrier();");
    return text;
}

}  // namespace

TEST_CASE("all invocations that are left meet at every grid barrier that validation accepts") {
    int accepted = 0, refused = 0;
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
        std::mt19937_64 random(seed);
        const auto kind = seed % 4 == 0 ? testing::RandomKind::grid_barriers : testing::RandomKind::usual;
        std::string text = testing::random_program(seed, kind).text();
        if (kind == testing::RandomKind::usual) text.insert(0, "enable muster_grid_barrier;\n");
        for (int k = 0; k < 10; ++k) {
            const std::string changed = with_barriers(text, random);
            const auto program = wgsl::parse(changed);
            if (!program) continue;  // a barrier after a break
            const auto valid = validate(*program);
            (valid ? accepted : refused) += 1;
            if (!valid) continue;
            const auto outputs = run_interpreted(testing::random_case(changed), *valid, seed);
            CHECK_MESSAGE(outputs, (outputs ? "" : outputs.error().to_string()), "\n", changed);
        }
    }
    CHECK(accepted > 40);
    CHECK(refused > 40);
}
