// Random programs: accesses proven in bounds are in bounds, and branches reported as decided are decided.
// MUSTER_RANDOM_PROGRAMS sets the number (default 300, --all 10,000), MUSTER_RANDOM_SEED the first seed.

#include <cstdlib>
#include <sstream>

#include <doctest/doctest.h>
#include <support/text.hpp>

#include <muster/foundation/wgsl/wgsl.hpp>

#include "random/random_case.hpp"
#include "support/range_oracle.hpp"

using namespace muster;
using muster::test::number_in_environment;

namespace {

// The same text with a probe at the beginning of every branch with lines of its own.
std::string with_probes(const std::string& text) {
    std::string out;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        out += line + "\n";
        const std::size_t begin = line.find_first_not_of(' ');
        if (begin == std::string::npos || !line.ends_with("{")) continue;
        const std::string_view rest = std::string_view(line).substr(begin);
        if (rest.starts_with("if ") || rest.starts_with("} else {")) out += "trap[9u] = 1u;\n";
    }
    return out + "@group(2) @binding(0) var<storage, read_write> trap: array<u32>;\n";
}

}  // namespace

TEST_CASE("random programs: what the analysis of ranges claims is so") {
    const std::uint64_t first = number_in_environment("MUSTER_RANDOM_SEED", 1);
    const std::uint64_t count = number_in_environment(
        "MUSTER_RANDOM_PROGRAMS", std::getenv("MUSTER_TEST_ALL") != nullptr ? 10'000 : 300);
    std::size_t proven = 0;
    for (std::uint64_t seed = first; seed < first + count; ++seed) {
        const std::string text = with_probes(testing::random_program(seed).text());
        const auto parsed = wgsl::parse(text);
        REQUIRE_MESSAGE(parsed, "seed ", seed, ":\n", parsed.error().to_string(), "\n", text);
        const auto program = validate(*parsed);
        REQUIRE_MESSAGE(program, "seed ", seed, ":\n", program.error().to_string(), "\n", text);
        test::RangeOracle oracle(*program);
        for (std::uint32_t i = 0; i < (*program)->node_count(); ++i)
            proven += oracle.ranges().in_bounds(NodeId{i}).known == RangeKnown::always ? 1 : 0;

        conformance::Case test = testing::random_case(text);
        test.bind["trap"] = {Scalar::u32, {0}};
        auto values = conformance::inputs_of(test, **program);
        REQUIRE(values);
        std::vector<BoundBytes> bound;
        for (conformance::Values& value : *values)
            bound.push_back({std::as_writable_bytes(std::span(value.words))});
        const std::string wrong = oracle.fault(
            bound, {.extent = {testing::random_workgroups, 1, 1}, .grid = {testing::random_workgroups, 1, 1}},
            2'000'000);
        REQUIRE_MESSAGE(wrong.empty(), "seed ", seed, ": ", wrong, "\n", text);
    }
    CHECK(proven > count);
}
