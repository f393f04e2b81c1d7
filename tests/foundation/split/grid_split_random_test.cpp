// Random programs with grid barriers: the parts give the results of the whole.
#include <cstdint>
#include <string>
#include <vector>

#include <support/parse.hpp>
#include <support/random_grid_program.hpp>
#include <support/split_run.hpp>

using namespace muster;
using namespace muster::test;
using Words = std::vector<std::uint32_t>;

namespace {

constexpr std::uint32_t all_invocations = 40;
constexpr Extent3 five_groups{5, 1, 1};

std::vector<Words> memory_of(const Program& program, std::uint32_t n) {
    std::vector<Words> memory;
    for (const VariableId id : program.bindings()) {
        const std::uint32_t binding = program.variable(id).binding;
        Words& words = memory.emplace_back(binding == 2 ? 1 : all_invocations, n);
        if (binding == 0)
            for (std::uint32_t i = 0; i < all_invocations; ++i) words[i] = i * 7 + n;
    }
    return memory;
}

/// The difference, in words; empty if there is none.
std::string compare(const ValidProgram& program, const SplitProgram& split, std::uint32_t n) {
    std::vector<Words> whole = memory_of(program, n), parts = whole;
    std::vector<BoundBytes> bound;
    for (Words& words : whole) bound.push_back({std::as_writable_bytes(std::span(words))});
    if (auto ran = interpret(program, bound, {.extent = five_groups, .grid = five_groups}, {.seed = n}); !ran)
        return ran.error().to_string();
    InterpretedParts host(split, parts, five_groups, n);
    GridWalk walk(split, five_groups, sizes_of(parts));
    const auto ended = walk.go_on(host, 100'000);
    if (!ended) return ended.error().to_string();
    if (!*ended) return "it doesn't end";
    return whole == parts ? "" : "other words";
}

}  // namespace

TEST_CASE("random programs do the same in parts as whole") {
    std::size_t refused = 0, invalid = 0;
    for (std::uint64_t seed = 0; seed < 400; ++seed) {
        const std::string text = testing::RandomGridProgram(seed, all_invocations).text();
        CAPTURE(seed);
        CAPTURE(text);
        const auto valid = validate(parse(text));
        if (!valid) {
            ++invalid;
            if (invalid == 1) MESSAGE(valid.error().to_string());
            continue;
        }
        const auto split = split_at_grid_barriers(*valid);
        if (!split) {
            ++refused;
            MESSAGE(split.error().to_string());
            continue;
        }
        for (const std::uint32_t n : {0u, 1u, 2u, 3u, 7u}) {
            CAPTURE(n);
            REQUIRE(compare(*valid, *split, n) == "");
        }
    }
    CHECK(refused == 0);
    CHECK(invalid == 0);
}
