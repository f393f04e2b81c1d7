// Random kernels of constructs that the analysis of ranges understands, run with sizes at every edge: none of
// its claims is seen to be wrong.

#include <array>
#include <cstdlib>
#include <random>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "support/parse.hpp"
#include "support/range_oracle.hpp"

using namespace muster;

namespace {

constexpr std::string_view header = R"(
struct Sizes { w: u32, h: u32, n: u32, i: i32, k: i32 }
@group(0) @binding(0) var<uniform> s: Sizes;
@group(0) @binding(1) var<storage, read> x: array<u32>;
@group(0) @binding(2) var<storage, read_write> y: array<u32>;
@group(0) @binding(3) var<storage, read> table: array<u32, 16>;
@group(0) @binding(4) var<storage, read_write> trap: array<u32>;
var<workgroup> tile: array<u32, 64>;
var<private> kept: u32;
fn k_u32(v: u32) -> u32 { return v; }
fn k_i32(v: i32) -> i32 { return v; }
fn early(a: u32) -> u32 { if a >= s.n { return 0u; } return a; }
fn searched(a: u32) -> u32 { for (var q = 0u; q < 5u; q++) { if x[q] == a { return q; } } return 5u; }
)";

// Makes random kernels. Every loop ends soon or is cut short.
class KernelMaker {
  public:
    explicit KernelMaker(std::uint64_t seed) : random_(seed) {}

    std::string kernel() {
        static constexpr std::array sizes{"8", "4, 2", "2, 2, 2", "1", "16"};
        locals_[0] = {"id.x",    "id.y",    "lane", "lid.x",           "group.x",         "groups.x",
                      "s.w",     "s.h",     "s.n",  "arrayLength(&x)", "arrayLength(&y)", "x[1u]",
                      "x[lane]", "u32(s.i)"};
        locals_[1] = {"s.i", "s.k", "i32(id.x)", "i32(lane)", "i32(s.n)", "i32(arrayLength(&y))"};
        std::string body = block(3 + pick(4), 3);
        return fmt::format(
            "{}@compute @workgroup_size({})\nfn main(@builtin(global_invocation_id) id: vec3<u32>, "
            "@builtin(local_invocation_id) lid: vec3<u32>, @builtin(local_invocation_index) lane: u32, "
            "@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {{\n{}}}\n",
            header, one_of(sizes), body);
    }

  private:
    int pick(int below) { return static_cast<int>(random_() % static_cast<unsigned>(below)); }
    bool chance(int percent) { return pick(100) < percent; }
    template <class T>
    std::string one_of(const T& choices) {
        return std::string(choices[static_cast<std::size_t>(pick(static_cast<int>(std::size(choices))))]);
    }
    static std::string_view suffix(bool is_signed) { return is_signed ? "i" : "u"; }

    std::string literal(bool is_signed) {
        static constexpr std::array<std::string_view, 6> edges{"4294967295", "4294967292", "2147483648",
                                                               "2147483647", "1073741824", "65536"};
        if (!is_signed)
            return chance(12) ? fmt::format("k_u32({}u)", one_of(edges))
                              : fmt::format("k_u32({}u)", pick(18));
        static constexpr std::array<std::string_view, 4> signed_edges{"i32(-2147483648)", "2147483647i",
                                                                      "-1000000000i", "-65536i"};
        return fmt::format("k_i32({})", chance(12) ? one_of(signed_edges) : fmt::format("{}i", pick(18) - 3));
    }

    std::string plain(bool is_signed, int depth) {
        const auto a = [&] { return number(is_signed, depth - 1); };
        if (depth <= 0 || chance(20)) return chance(70) ? one_of(locals_[is_signed]) : literal(is_signed);
        switch (pick(18)) {
            case 0:
            case 1:
            case 2: return fmt::format("({} + {})", a(), a());
            case 3:
            case 4: return fmt::format("({} - {})", a(), a());
            case 5:
            case 6: return fmt::format("({} * {})", a(), a());
            case 7: return fmt::format("({} / {})", a(), a());
            case 8: return fmt::format("({} % {})", a(), a());
            case 9: return fmt::format("min({}, {})", a(), a());
            case 10: return fmt::format("max({}, {})", a(), a());
            case 11: return fmt::format("({} {} {})", a(), one_of(std::array{"&", "|", "^"}), a());
            case 12:
                return fmt::format("({} {} {})", a(), one_of(std::array{"<<", ">>"}),
                                   chance(70) ? literal(false) : number(false, depth - 1));
            case 13: return fmt::format("select({}, {}, {})", a(), a(), condition(depth - 1));
            case 14:
                return is_signed ? fmt::format("abs({})", a()) : fmt::format("countLeadingZeros({})", a());
            case 15: return is_signed ? fmt::format("-({})", a()) : fmt::format("early({})", a());
            case 16: return fmt::format("clamp({}, {}, {})", a(), literal(is_signed), literal(is_signed));
            default: return fmt::format("{}({})", is_signed ? "i32" : "u32", number(!is_signed, depth - 1));
        }
    }
    std::string number(bool is_signed, int depth) { return plain(is_signed, depth); }

    std::string condition(int depth) {
        if (depth > 0 && chance(35)) {
            switch (pick(4)) {
                case 0: return fmt::format("!({})", condition(depth - 1));
                case 1: return fmt::format("({} || {})", condition(depth - 1), condition(depth - 1));
                default: return fmt::format("({} && {})", condition(depth - 1), condition(depth - 1));
            }
        }
        const bool is_signed = chance(40);
        const std::string left = chance(60) ? one_of(locals_[is_signed]) : number(is_signed, 1);
        return fmt::format("({} {} {})", left,
                           one_of(std::array{"<", "<=", ">", ">=", "==", "!=", "<", ">="}),
                           number(is_signed, 1));
    }

    std::string index() {
        const bool is_signed = chance(35);
        return chance(50) ? one_of(locals_[is_signed]) : number(is_signed, 2);
    }

    std::string access() {
        const std::string array = one_of(std::array{"x", "y", "table", "tile", "y"});
        if (array == "x" || array == "table") return fmt::format("y[0u] = {}[{}];\n", array, index());
        return fmt::format("{}[{}] = 1u;\n", array, index());
    }

    std::string block(int length, int depth) {
        const auto outer = locals_;
        const auto outer_variables = variables_;
        std::string text;
        for (int i = 0; i < length; ++i) text += statement(depth);
        locals_ = outer;
        variables_ = outer_variables;
        return text;
    }

    std::string statement(int depth) {
        const int kind = pick(depth > 0 ? 16 : 9);
        if (kind < 4) return access();
        if (kind < 6) {
            const bool is_signed = chance(40), is_variable = chance(60);
            const std::string name = fmt::format("v{}", counter_++);
            std::string text =
                fmt::format("{} {} = {};\n", is_variable ? "var" : "let", name, number(is_signed, 2));
            locals_[is_signed].push_back(name);
            locals_[is_signed].push_back(name);
            if (is_variable) variables_[is_signed].push_back(name);
            return text;
        }
        if (kind < 8) {
            const bool is_signed = chance(40);
            if (variables_[is_signed].empty()) return access();
            const std::string to = one_of(variables_[is_signed]);
            if (chance(40)) return fmt::format("{} = {};\n", to, number(is_signed, 2));
            return fmt::format("{} {} {};\n", to, one_of(std::array{"+=", "-=", "*=", "/=", "%=", "&="}),
                               number(is_signed, 1));
        }
        if (kind == 8) {
            if (loops_ > 0 && chance(60))
                return fmt::format("if {} {{\n{}{} }}\n", condition(1), trap(),
                                   chance(50) ? "break;" : "continue;");
            return fmt::format("if {} {{\n{}return; }}\n", condition(2), trap());
        }
        if (kind < 12) {
            std::string text =
                fmt::format("if {} {{\n{}{}}}", condition(2), trap(), block(1 + pick(3), depth - 1));
            if (chance(50)) text += fmt::format(" else {{\n{}{}}}", trap(), block(1 + pick(2), depth - 1));
            return text + "\n";
        }
        if (kind == 12 && chance(50)) return switch_(depth);
        return loop(depth);
    }

    static std::string trap() { return "trap[9u] = 1u;\n"; }

    std::string switch_(int depth) {
        const bool is_signed = chance(40);
        const int loops = std::exchange(loops_, 0);
        std::string text = fmt::format("switch {} {{\n", one_of(locals_[is_signed]));
        for (int i = 0; i < 2; ++i)
            text += fmt::format("case {}{}, {}{}: {{\n{}}}\n", 2 * i, suffix(is_signed), 3 + 2 * i,
                                suffix(is_signed), block(1, depth - 1));
        text += fmt::format("default: {{\n{}}}\n}}\n", block(1, depth - 1));
        loops_ = loops;
        return text;
    }

    std::string loop(int depth) {
        const bool is_signed = chance(50);
        const std::string name = fmt::format("v{}", counter_++), u(suffix(is_signed));
        const std::string from = chance(50) ? fmt::format("{}{}", pick(20), u) : number(is_signed, 1);
        const std::string to = chance(60) ? one_of(locals_[is_signed]) : number(is_signed, 1);
        static constexpr std::array<std::string_view, 17> steps{
            "@ += 1",          "@ += 1",          "@ -= 1", "@ += 3", "@ -= 2", "@ /= 2",
            "@ = @ >> 1u",     "@ = @ << 1u",     "@ *= 2", "@ += #", "@ -= #", "@ = 1 + @",
            "@ += 1000000000", "@ -= 1000000000", "@ *= 3", "@ %= 7", "@ &= 13"};
        std::string step = one_of(steps);
        for (std::size_t at; (at = step.find('@')) != std::string::npos;) step.replace(at, 1, name);
        if (const std::size_t at = step.find('#'); at != std::string::npos)
            step.replace(at, 1, one_of(locals_[is_signed]));
        const bool counts_down = step.find('-') != std::string::npos;
        std::string test = fmt::format(
            "{} {} {}", name,
            one_of(counts_down ? std::array{">", ">=", "!=", ">"} : std::array{"<", "<=", "!=", "<"}), to);
        if (chance(25)) test = fmt::format("{} && {}", test, condition(1));
        if (chance(10)) test = condition(1);

        const auto outer = locals_;
        const auto outer_variables = variables_;
        for (int i = 0; i < 3; ++i) locals_[is_signed].push_back(name);
        if (chance(30)) variables_[is_signed].push_back(name);
        ++loops_;
        std::string body = block(1 + pick(3), depth - 1);
        --loops_;
        locals_ = outer;
        variables_ = outer_variables;
        const std::string turns = fmt::format("turns{}", counter_++);
        std::string cut = fmt::format("if {0} > 40u {{ break; }} {0}++;\n", turns);
        std::string text = fmt::format("{{ var {}: u32;\n", turns);
        switch (pick(4)) {
            case 0:
            case 1:
                text +=
                    fmt::format("for (var {} = {}; {}; {}) {{\n{}{}}}\n", name, from, test, step, cut, body);
                break;
            case 2:
                if (chance(60))  // a path around the guard
                    cut += fmt::format("y[{}] = 1u;\nif {} {{ continue; }}\n", name, condition(1));
                text +=
                    fmt::format("var {} = {};\nloop {{ {}if !({}) {{ break; }}\n{}continuing {{ {}; }} }}\n",
                                name, from, cut, test, body, step);
                break;
            default:
                text += fmt::format("var {} = {};\nloop {{ {}{}continuing {{ {}; break if !({}); }} }}\n",
                                    name, from, cut, body, step, test);
        }
        return text + "}\n";
    }

    std::mt19937_64 random_;
    std::array<std::vector<std::string>, 2> locals_, variables_;
    int counter_ = 0, loops_ = 0;
};

std::uint64_t setting(const char* name, std::uint64_t otherwise) {
    const char* value = std::getenv(name);
    return value == nullptr ? otherwise : std::strtoull(value, nullptr, 10);
}

struct Memory {
    std::vector<std::uint32_t> sizes, x, y, table, trap;
    std::vector<BoundBytes> bindings(const Program& program) {
        std::vector<std::uint32_t>* all[] = {&sizes, &x, &y, &table, &trap};
        std::vector<BoundBytes> bound;
        for (const VariableId id : program.bindings())
            bound.push_back({std::as_writable_bytes(std::span(*all[program.variable(id).binding]))});
        return bound;
    }
};

std::uint32_t size(std::mt19937_64& random) {
    static constexpr std::array<std::uint32_t, 8> edges{0,           1,           0xffffffffu, 0xfffffff0u,
                                                        0x7fffffffu, 0x80000000u, 0x80000001u, 0xfffffffeu};
    const std::uint64_t kind = random() % 8;
    if (kind == 0) return edges[random() % edges.size()];
    return static_cast<std::uint32_t>(random() % (kind < 4 ? 20 : 70));
}

Memory memory(std::mt19937_64& random) {
    Memory made;
    for (int i = 0; i < 5; ++i) made.sizes.push_back(size(random));
    made.sizes.resize(8);
    made.x.resize(1 + random() % 70);
    for (std::uint32_t& word : made.x) word = size(random);
    made.y.resize(1 + random() % 70);
    made.table.resize(16);
    made.trap.resize(1);
    return made;
}

LaunchGrid launch(std::mt19937_64& random) {
    const auto few = [&] { return static_cast<std::uint32_t>(1 + random() % 3); };
    LaunchGrid grid{.extent = {few(), few(), 1}};
    static constexpr std::array<std::uint32_t, 6> origins{0x0fffffff, 0x1fffffff, 0x3fffffff,
                                                          0x10000000, 0x20000000, 0x7ffffffe};
    const auto origin = [&] {
        const std::uint64_t kind = random() % 12;
        return kind == 0 ? origins[random() % origins.size()]
                         : static_cast<std::uint32_t>(kind < 8 ? 0 : random() % 5);
    };
    grid.origin = {origin(), origin(), 0};
    grid.grid = {grid.origin.x + grid.extent.x, grid.origin.y + grid.extent.y, 1};
    return grid;
}

}  // namespace

TEST_CASE("random kernels full of indices: what is claimed is so") {
    const std::uint64_t first = setting("MUSTER_RANDOM_SEED", 1);
    const std::uint64_t count =
        setting("MUSTER_RANGE_PROGRAMS", std::getenv("MUSTER_TEST_ALL") != nullptr ? 20'000 : 400);
    std::size_t runs = 0, held = 0, claims = 0;
    for (std::uint64_t seed = first; seed < first + count; ++seed) {
        const std::string text = KernelMaker(seed).kernel();
        const auto parsed = wgsl::parse(text);
        REQUIRE_MESSAGE(parsed, "seed ", seed, ":\n", parsed.error().to_string(), "\n", text);
        const auto program = validate(*parsed);
        REQUIRE_MESSAGE(program, "seed ", seed, ":\n", program.error().to_string(), "\n", text);
        test::RangeOracle oracle(*program);
        std::mt19937_64 random(seed);
        for (int i = 0; i < 12; ++i) {
            Memory with = memory(random);
            const LaunchGrid grid = launch(random);
            const std::vector<std::uint32_t> sizes = with.sizes;
            const std::string wrong = oracle.fault(with.bindings(**program), grid);
            if (wrong.empty()) continue;
            FAIL(fmt::format(
                "seed {}, run {}: {}\nw {} h {} n {} i {} k {}, x {}, y {}, origin {} {} extent {} {}\n{}",
                seed, i, wrong, sizes[0], sizes[1], sizes[2], static_cast<std::int32_t>(sizes[3]),
                static_cast<std::int32_t>(sizes[4]), with.x.size(), with.y.size(), grid.origin.x,
                grid.origin.y, grid.extent.x, grid.extent.y, text));
        }
        runs += oracle.runs();
        held += oracle.held();
        claims += oracle.ranges().conditions().size();
    }
    MESSAGE(runs, " runs, ", claims, " conditions, ", held, " times one held");
    CHECK(runs > 4 * count);
    CHECK(held > count);
}
