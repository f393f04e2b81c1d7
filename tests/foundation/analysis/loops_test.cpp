// The analysis of loops: what it finds of loops written by hand, and that random ones keep within its bounds.
#include <algorithm>
#include <array>
#include <random>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <muster/foundation/analysis/loops.hpp>

#include "support/parse.hpp"
#include "support/run_kernel.hpp"

using namespace muster;

namespace {

constexpr std::uint64_t two_to_32 = std::uint64_t{1} << 32;

std::vector<NodeId> loops_of(const Program& program) {
    std::vector<NodeId> all;
    for (std::uint32_t i = 0; i < program.node_count(); ++i)
        if (program.node({i}).op == Op::loop) all.push_back({i});
    const Loops loops(program);
    std::ranges::sort(all, [&](NodeId a, NodeId b) { return loops.precedes(a, b); });
    return all;
}
/// The bound of a loop, counted from 0 in program order.
std::optional<std::uint64_t> trips(const std::string& statements, std::size_t which = 0) {
    const Program program = test::parse(test::in_main(statements));
    return Loops(program).max_trip_count(loops_of(program).at(which));
}
/// The bound of a loop with this head, whose body doesn't change its counter.
std::optional<std::uint64_t> trips_of(const std::string& head) { return trips(head + " { u[1] += 3; }"); }

}  // namespace

TEST_CASE("a counted loop runs an iteration for each value that passes its test, and the one that leaves") {
    CHECK(trips_of("for (var k = 0u; k < 100; k++)") == 101);
    CHECK(trips_of("for (var k = 0; k <= 100; k++)") == 102);
    CHECK(trips_of("for (var k = 5; 100 > k; k = 10 + k)") == 11);
    CHECK(trips_of("for (var k = 100; k > 0; k--)") == 101);
    CHECK(trips_of("for (var k = 100; k >= 1; k -= 7)") == 16);
    CHECK(trips_of("for (var k = -8; k < 8; k += 2)") == 9);
    CHECK(trips_of("for (var k = 0u; k != 10; k += 2)") == 6);
    CHECK(trips_of("for (var k = 10u; k < 10; k++)") == 1);
    CHECK(trips_of("for (var k = 10u; k != 10; k++)") == 1);
    CHECK(trips("var k: u32; while k < 10 { k++; }") == 11);
    CHECK(trips("var k = 0u; loop { if !(k < 10) { break; } u[1] += k; k++; }") == 11);
    CHECK(trips("var k = 0u; loop { if k < 10 { u[1] += k; } else { break; } k++; }") == 11);
    CHECK(trips("var k = 0u; loop { u[1] += k; continuing { k++; break if k >= 10; } }") == 11);
    CHECK(trips("var k = 0u; loop { let before = k; k++; if before >= 10 { break; } }") == 11);
}

TEST_CASE("starts and bounds that aren't known may be any value, and bounds may change") {
    CHECK(trips_of("for (var k = n; k < 100; k++)") == 101);
    CHECK(trips_of("for (var k = i[0]; k < 100; k++)") == (std::uint64_t{1} << 31) + 101);
    CHECK(trips_of("for (var k = 0u; k < n; k++)") == two_to_32);
    CHECK(trips_of("for (var k = i[0]; k > i[1]; k--)") == two_to_32);
    CHECK(trips_of("for (var k = 0u; k < u[1]; k++)") == two_to_32);  // the body changes u[1]
    CHECK(trips("var b = 9u; for (var k = 0u; k < b; k++) { b = u[k]; }") == two_to_32);
    CHECK(trips("var b = 9u; for (var k = 0u; k < b; b--) { u[k] = b; }") == 10);  // b is the counter
    CHECK_FALSE(trips_of("for (var k = 0u; k <= n; k++)"));
    CHECK_FALSE(trips_of("for (var k = 0u; k < n; k += 2)"));
    CHECK_FALSE(trips_of("for (var k = 0u; k != n; k++)"));
    CHECK_FALSE(trips_of("for (var k = n; k != 9; k++)"));
    CHECK_FALSE(trips_of("for (var k = 0u; k < 100; k += n)"));
}

TEST_CASE("a step that may wrap past the bound proves nothing") {
    CHECK(trips_of("for (var k = 0u; k < 4294967295; k++)") == two_to_32);
    CHECK_FALSE(trips_of("for (var k = 0u; k <= 4294967295; k++)"));
    CHECK(trips_of("for (var k = 0u; k < 4294967280; k += 16)") == 268435456);
    CHECK_FALSE(trips_of("for (var k = 0u; k < 4294967281; k += 16)"));
    CHECK(trips_of("for (var k = 0; k < 2147483647; k++)") == std::uint64_t{1} << 31);
    CHECK_FALSE(trips_of("for (var k = 0; k <= 2147483647; k++)"));
    CHECK(trips_of("for (var k = 0; k > i32(-2147483648); k--)") == (std::uint64_t{1} << 31) + 1);
    CHECK_FALSE(trips_of("for (var k = 0; k >= i32(-2147483648); k--)"));
    CHECK(trips_of("for (var k = 9u; k > 0; k--)") == 10);
    CHECK_FALSE(trips_of("for (var k = 9u; k >= 0; k--)"));
    CHECK_FALSE(trips_of("for (var k = 10; k < 100; k--)"));
    CHECK_FALSE(trips_of("for (var k = 0u; k != 9; k += 2)"));
    CHECK_FALSE(trips_of("for (var k = 0; k < 100; k += 0)"));
    CHECK_FALSE(trips_of("for (var k = 0; k != 100; k += 0)"));
    // Steps are modulo 2^32.
    CHECK(trips_of("for (var k = 9u; k > 0; k += 4294967295)") == 10);
    CHECK(trips_of("for (var k = 0u; k < 2147483648; k += 2147483648)") == 2);
    // The first step may wrap once if no test precedes it.
    CHECK(trips("var k = n; loop { u[1] += k; continuing { k++; break if k >= 10; } }") == 11);
    CHECK(trips("var k = n; loop { u[1] += k; continuing { k -= 2; break if k < 3; } }") == 2147483648);
    CHECK_FALSE(trips("var k = 0u; loop { u[1] += k; continuing { k++; break if k == 0; } }"));
}

TEST_CASE("numbers that are divided or multiplied by a constant leave soon") {
    CHECK(trips_of("for (var k = 128u; k > 0; k /= 2)") == 9);
    CHECK(trips_of("for (var k = n; k != 0; k >>= 1)") == 33);
    CHECK(trips_of("for (var k = 128; k >= 1; k >>= 3)") == 4);
    CHECK(trips_of("for (var k = i[0]; k > 0; k >>= 1)") == 33);
    CHECK(trips_of("for (var k = i[0]; k != 0; k /= 2)") == 33);
    CHECK(trips_of("for (var k = n; k > u[0]; k /= 3)") == 22);
    CHECK(trips_of("for (var k = 1u; k < 1024; k *= 2)") == 12);
    CHECK(trips_of("for (var k = 1; k <= 1024; k <<= 2)") == 7);
    for (const char* head : {"for (var k = i[0]; k != 0; k >>= 1)", "for (var k = -4; k != 0; k >>= 1)",
                             "for (var k = n; k >= 0; k /= 2)", "for (var k = i[0]; k > i[1]; k /= 2)",
                             "for (var k = n; k > 0; k >>= 0u)", "for (var k = n; k > 0; k /= 1)",
                             "for (var k = 128; k != 0; k /= -2)", "for (var k = 0u; k < 1024; k *= 2)",
                             "for (var k = 1u; k < 3000000000; k *= 2)", "for (var k = n; k < 1024; k *= 2)",
                             "for (var k = 1u; k < 1024; k *= 1)", "for (var k = 128u; k > 0; k = 2 / k)"})
        CHECK_FALSE_MESSAGE(trips_of(head), std::string(head));
}

TEST_CASE("a counter changes once in each iteration") {
    CHECK_FALSE(trips("let k = n; while k < 10 { u[1] += 1; }"));
    CHECK_FALSE(trips("for (var k = 0u; k < 100; k++) { if n > 2 { k = 0; } }"));
    CHECK_FALSE(trips("for (var k = 0u; k < 100; k++) { k -= 1; }"));
    CHECK_FALSE(trips("var k = 0u; while k < 100 { k++; if n > 2 { k = 0; } }"));
    CHECK_FALSE(trips("for (var k = 0u; k < 100; k++) { for (var q = 0; q < 3; q++) { k--; } }"));
    CHECK_FALSE(trips("var k = 0u; while k < 10 { for (var q = 0; q < 3; q++) { k++; } }"));
    CHECK_FALSE(trips("var k = 0u; while k < 10 { if u[0] == 3 { k++; } }"));
    CHECK_FALSE(trips("loop { var k = 0u; k++; if k > 10 { break; } }"));
    CHECK_FALSE(trips("loop { var k = n; if k > 10 { break; } }"));
    CHECK_FALSE(trips("while u[1] < 100 { u[1] += 1; }"));
    CHECK_FALSE(trips("var k = vec2u(); while k.x < 10 { k.x += 1; }"));
    CHECK_FALSE(trips("var k = 0.0; while k < 10 { k += 1; }"));
}

TEST_CASE("a jump to the continuing block skips the tests and steps after it, not those before") {
    CHECK(trips("for (var k = 0u; k < 10; k++) { if u[k] == 3 { continue; } u[1] += k; }") == 11);
    CHECK(trips("var k = 0u; while k < 10 { k++; if u[k] == 3 { continue; } u[1] += k; }") == 11);
    CHECK(trips("var k = 0u; loop { if k >= 10 { break; } else { if u[k] == 3 { k++; continue; } } }") ==
          std::nullopt);
    CHECK(trips("var k = 0u; loop { if k >= 10 { break; } else { if u[k] == 3 { continue; } } u[1] = k;"
                " continuing { k++; } }") == 11);
    CHECK(trips("for (var k = 0u; k < 10; k++) { for (var q = 0; q < 3; q++) { if u[k] == 3 { continue; }"
                " u[1] += k; } }") == 11);
    CHECK_FALSE(trips("var k = 0u; while k < 10 { if u[0] == 3 { continue; } k++; }"));
    CHECK_FALSE(
        trips("var k = 0u; loop { if u[0] == 3 { continue; } if k >= 10 { break; }"
              " continuing { k++; } }"));
    CHECK_FALSE(
        trips("var k = 0u; loop { if k >= 10 { if u[0] == 3 { continue; } break; }"
              " continuing { k++; } }"));
    CHECK(trips("var k = 0u; loop { if k >= 10 { for (var q = 0; q < 3; q++) { if u[0] == 3 { continue; }"
                " u[1] = 4; } break; } continuing { k++; } }") == 11);
}

TEST_CASE("of several exits the first bound counts, and one without a bound doesn't matter") {
    CHECK(trips("for (var k = 0u; k < 100; k++) { if u[k] == 3 { break; } if k > 6 { break; } }") == 8);
    CHECK(trips("for (var k = 0u; k < 6; k++) { if k > 100 { break; } }") == 7);
    CHECK(trips("for (var k = 0u; k < 100; k++) { if u[k] == 3 { return; } }") == 101);
    CHECK(trips("var q = 0; for (var k = 0u; k < 100; k++) { if q > 6 { break; } q++; }") == 8);
    CHECK(trips("var k = 0u; loop { if u[0] == 3 { break; } continuing { k++; break if k > 6; } }") == 8);
    CHECK_FALSE(
        trips("var k = 0u; loop { switch n { case 1 { if k > 6 { break; } } default {} }"
              " if u[0] == 3 { break; } continuing { k++; } }"));
    CHECK_FALSE(trips("var k = 0u; loop { if n > 1 { if k > 6 { break; } } continuing { k++; } }"));
}

TEST_CASE("a loop that is entered again may start with the value that it left") {
    const std::string outer = "for (var t = 0; t < 5; t++) ",
                      until_10 = "loop { k++; if k == 10 { break; } }";
    const std::string until_1000 = "loop { k *= 2; if k > 1000 { break; } }";
    CHECK(trips("var k = 0u; " + until_10) == 11);
    CHECK(trips(outer + "{ var k = 0u; " + until_10 + " }", 1) == 11);
    CHECK(trips("var k = 0u; " + outer + "{ k = 0; " + until_10 + " }", 1) == 11);
    CHECK(trips("var k = 0u; " + outer + "{ k = 0; if n > 3 { " + until_10 + " } }", 1) == 11);
    CHECK_FALSE(trips("var k = 0u; " + outer + "{ " + until_10 + " }", 1));
    CHECK_FALSE(trips("var k = 0u; " + outer + "{ " + until_10 + " k = 0; }", 1));
    CHECK_FALSE(trips("var k = 0u; " + outer + "{ if n > 3 { k = 0; } " + until_10 + " }", 1));
    CHECK(trips(outer + "{ var k = 1u; " + until_1000 + " }", 1) == 11);
    CHECK_FALSE(trips("var k = 1u; " + outer + "{ " + until_1000 + " }", 1));
    CHECK(trips("var k = 0; " + outer + "{ while k < 10 { k++; } }", 1) == 11);
    CHECK(trips("var k = 0; " + outer + "{ loop { k++; if k >= 10 { break; } } }", 1) ==
          (std::uint64_t{1} << 31) + 11);
    CHECK(trips("var k = 0u; " + outer + "{ while k < 10 { k++; } }", 0) == 6);
}

TEST_CASE("assignments are found by loop, and nodes that each iteration reaches") {
    const Program program = test::parse(test::in_main(
        "var k = 0u; loop { k = 1; if n > 3 { k = 2; continue; } k = 3; loop { k = 4; if n > 4 { break; } }"
        " continuing { k = 5; break if k > n; } } k = 6;"));
    const Loops loops(program);
    const auto all = loops_of(program);
    REQUIRE(all.size() == 2);
    VariableId k{0};
    while (program.variable(k).name != "k") ++k.index;
    REQUIRE(loops.assignments(k).size() == 7);
    CHECK(program.node(loops.assignments(k)[0].node).op == Op::declare);
    CHECK_FALSE(loops.assignments(k)[0].loop);
    const auto inside = loops.inside(all[0], loops.assignments(k));
    REQUIRE(inside.size() == 5);
    const std::array in_each{true, false, false, false, true};
    for (std::size_t i = 0; i < 5; ++i) {
        CHECK(loops.is_inside(all[0], inside[i].node));
        CHECK(loops.is_inside(all[1], inside[i].node) == (i == 3));
        CHECK(inside[i].loop == all[i == 3 ? 1 : 0]);
        CHECK(loops.is_in_each_iteration(all[0], inside[i].node) == in_each[i]);
    }
    CHECK(loops.is_in_each_iteration(all[1], inside[3].node));
    CHECK_FALSE(loops.is_inside(all[0], loops.assignments(k)[6].node));
    REQUIRE(loops.tests(all[0]).size() == 1);
    CHECK(program.node(loops.tests(all[0])[0].node).op == Op::break_if);
    CHECK(loops.tests(all[0])[0].leaves);
    CHECK(loops.tests(all[1]).empty());
}

TEST_CASE("an update has the variable on the left, or on either side where operands commute") {
    const Program program = test::parse(
        test::in_main("var k = n; k = k - 3; k = 4 - k; k = 5 + k; k = k * k; k = ~k; u[k] = 1;"));
    const Loops loops(program);
    VariableId k{0};
    while (program.variable(k).name != "k") ++k.index;
    const auto update = [&](std::size_t which) {
        const NodeId value = program.operand(loops.assignments(k)[which].node, 1);
        return own_update(program, value, [&](NodeId one) { return program.node(one).op == Op::load; });
    };
    REQUIRE(update(1));
    CHECK(update(1)->op == Op::sub);
    CHECK(program.constant_words(update(1)->by)[0] == 3);
    CHECK_FALSE(update(2));
    REQUIRE(update(3));
    CHECK(update(3)->op == Op::add);
    CHECK(program.constant_words(update(3)->by)[0] == 5);
    CHECK_FALSE(update(4));
    CHECK_FALSE(update(5));
}

namespace {

constexpr std::uint32_t most_trips = 200;  // after which a random loop is cut short

// A loop with random start, test and step at the edges of its type, entered a few times. `seen[0]` becomes the most
// iterations of an entry.
class RandomLoop {
  public:
    explicit RandomLoop(std::uint32_t seed) : random_(seed) {}

    std::string text() {
        is_signed_ = chance(50);
        const std::string body =
            fmt::format("trips++; seen[0] = max(seen[0], trips); if trips > {} {{ return; }} {}{}",
                        most_trips, chance(30) ? "if (data[trips % 8u] & 1u) == 0u { break; } " : "",
                        chance(20) ? "if (data[trips % 8u] & 2u) == 0u { continue; } " : "");
        const std::string loop = "trips = 0u; " + one_loop(body);
        const std::string start = chance(30) ? fmt::format("k = {}; ", value()) : "";
        const std::string around =
            chance(50) ? fmt::format("for (var t = 0; t < 6; t++) {{ {}{} }}", start, loop) : loop;
        return fmt::format(
            "@group(0) @binding(0) var<storage, read_write> seen: array<u32>;\n"
            "@group(0) @binding(1) var<storage> data: array<u32>;\n"
            "@compute @workgroup_size(1) fn main() {{ var trips = 0u * data[0]; var k = {}; {} }}",
            value(), around);
    }

  private:
    std::uint32_t pick(std::uint32_t below) { return static_cast<std::uint32_t>(random_() % below); }
    bool chance(std::uint32_t percent) { return pick(100) < percent; }

    std::string number(std::uint32_t bits) const {
        return is_signed_ ? fmt::format("bitcast<i32>({}u)", bits) : fmt::format("{}u", bits);
    }
    std::string constant() {
        constexpr std::array edges{0u, 1u << 16, 1u << 30, 1u << 31, ~0u};
        return number(chance(60) ? pick(100) : edges[pick(5)] + pick(7) - 3);
    }
    std::string value() {
        if (chance(80)) return constant();
        return fmt::format("{}(data[{}u])", is_signed_ ? "bitcast<i32>" : "u32", pick(8));
    }
    std::string step() {
        const std::string small = number(1 + pick(4)), any = constant();
        switch (pick(8)) {
            case 0: return "k + " + any;
            case 1: return "k - " + any;
            case 2: return "k - " + small;
            case 3: return "k / " + (chance(70) ? small : any == number(0) ? small : any);
            case 4: return "k * " + (chance(70) ? small : any);
            case 5: return fmt::format("k >> {}u", pick(4));
            case 6: return fmt::format("k << {}u", pick(4));
            default: return small + " + k";
        }
    }
    std::string one_loop(const std::string& body) {
        static constexpr std::array comparisons{"<", "<=", ">", ">=", "!="};
        static constexpr std::array opposites{">=", ">", "<=", "<", "=="};
        const std::uint32_t which = pick(5);
        const std::string bound = value(), next = step();
        const std::string goes_on = fmt::format("k {} {}", comparisons[which], bound);
        const std::string leaves = fmt::format("k {} {}", opposites[which], bound);
        switch (pick(5)) {
            case 0: return fmt::format("for (; {}; k = {}) {{ {} }}", goes_on, next, body);
            case 1: return fmt::format("while {} {{ {} k = {}; }}", goes_on, body, next);
            case 2: return fmt::format("loop {{ {} k = {}; if {} {{ break; }} }}", body, next, leaves);
            case 3:
                return fmt::format("loop {{ {} continuing {{ k = {}; break if {}; }} }}", body, next, leaves);
            default:
                return fmt::format("loop {{ let stays = {}; k = {}; if !stays {{ break; }} {} }}", goes_on,
                                   next, body);
        }
    }

    std::mt19937 random_;
    bool is_signed_ = false;
};

}  // namespace

TEST_CASE("random loops, run by the interpreter, never exceed their bounds") {
    std::uint32_t bounded = 0, exact = 0;
    for (std::uint32_t seed = 0; seed < 4000; ++seed) {
        const std::string text = RandomLoop(seed).text();
        const Program program = test::parse(text);
        const auto bound = Loops(program).max_trip_count(loops_of(program).back());
        if (!bound) continue;
        ++bounded;
        auto valid = validate(program);
        REQUIRE(valid);
        const auto memory =
            test::run(*valid, {{0}, {seed % 16, 2, 5, ~seed, 3u << 30, (1u << 31) - seed % 5, 7, 1}});
        CHECK_MESSAGE(memory[0][0] <= *bound, text);
        exact += memory[0][0] == *bound;
    }
    CHECK(bounded > 800);
    CHECK(exact > 50);
}
