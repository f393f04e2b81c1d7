// Random programs: accesses that are proven in bounds are, branches that are said to be decided are.
// MUSTER_RANDOM_PROGRAMS sets how many (default 300, --all 10,000), MUSTER_RANDOM_SEED where they begin.

#include <bit>
#include <cstdlib>
#include <sstream>

#include <doctest/doctest.h>

#include <muster/foundation/wgsl/wgsl.hpp>

#include "support/random_program.hpp"
#include "support/range_oracle.hpp"

using namespace muster;

namespace {

std::uint64_t setting(const char* name, std::uint64_t otherwise) {
    const char* value = std::getenv(name);
    return value == nullptr ? otherwise : std::strtoull(value, nullptr, 10);
}

// The same text with a probe at the beginning of every branch that has lines of its own.
std::string with_probes(const std::string& text) {
    std::string out = "@group(0) @binding(9) var<storage, read_write> trap: array<u32>;\n";
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        out += line + "\n";
        const std::size_t begin = line.find_first_not_of(' ');
        if (begin == std::string::npos || !line.ends_with("{")) continue;
        const std::string_view rest = std::string_view(line).substr(begin);
        if (rest.starts_with("if ") || rest.starts_with("} else {")) out += "trap[9u] = 1u;\n";
    }
    return out;
}

}  // namespace

TEST_CASE("random programs: what the analysis of ranges claims is so") {
    const std::uint64_t first = setting("MUSTER_RANDOM_SEED", 1);
    const std::uint64_t count =
        setting("MUSTER_RANDOM_PROGRAMS", std::getenv("MUSTER_TEST_ALL") != nullptr ? 10'000 : 300);
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

        std::vector<std::uint32_t> words(testing::random_inputs), numbers(testing::random_inputs);
        for (std::uint32_t i = 0; i < testing::random_inputs; ++i) {
            words[i] = i * 2654435761u;
            numbers[i] = std::bit_cast<std::uint32_t>((static_cast<float>(i) - 13.0f) * 0.37f);
        }
        std::vector<std::uint32_t> out(testing::random_invocations * testing::random_slots);
        std::vector<std::uint32_t> counters(testing::random_counters), trap(1);
        std::vector<BoundBytes> bound;  // those that this program has
        for (const VariableId id : (*program)->bindings()) {
            const std::uint32_t number = (*program)->variable(id).binding;
            std::vector<std::uint32_t>* const memory[] = {&words, &numbers, &out, &counters};
            bound.push_back({std::as_writable_bytes(std::span(number < 4 ? *memory[number] : trap))});
        }
        const std::string wrong = oracle.fault(
            bound, {.extent = {testing::random_workgroups, 1, 1}, .grid = {testing::random_workgroups, 1, 1}},
            2'000'000);
        REQUIRE_MESSAGE(wrong.empty(), "seed ", seed, ": ", wrong, "\n", text);
    }
    CHECK(proven > count);
}
