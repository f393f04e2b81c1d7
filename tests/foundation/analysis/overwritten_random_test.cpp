// Random kernels of stores, reads, barriers and control flow: if is_overwritten_first() says that nothing of
// `tile` is read before it is written, the interpreter finds no such read, whatever its order and the data.
#include <array>
#include <random>
#include <string>

#include <muster/foundation/analysis/overwritten.hpp>
#include <muster/foundation/interpreter/interpret.hpp>

#include "support/parse.hpp"

using namespace muster;

namespace {

/// Marks each barrier that only orders storage, and each construct that contains a barrier.
constexpr std::string_view region = "/*region*/ ";

class WritesMaker {
  public:
    explicit WritesMaker(std::uint64_t seed) : random_(seed) {}

    std::string block(int depth, bool in_loop) {
        std::string all;
        for (std::uint32_t left = 1 + below(4); left > 0; --left) all += statement(depth, in_loop);
        return all;
    }

  private:
    std::uint32_t below(std::uint32_t count) { return static_cast<std::uint32_t>(random_() % count); }
    template <std::size_t n>
    std::string one_of(const std::array<std::string_view, n>& all) {
        return std::string(all[below(n)]);
    }

    std::string condition() {
        return one_of<7>({"n > 1u", "n == 0u", "n != 2u", "t0 < n", "i < 16u", "x == y", "out[0] > 3u"});
    }
    std::string statement(int depth, bool in_loop) {
        switch (below(depth > 0 ? 14 : 9)) {
            case 0:
            case 1:
            case 2:
                return one_of<6>({"tile[i] = 7u; ", "tile[31u - i] = i; ", "tile[y * 8u + x] = n; ",
                                  "tile[i] = n; workgroupBarrier(); ", "tile[x * 4u + y] = 1u; ",
                                  "tile[(i * 2u) % 32u + i / 16u] = 1u; "});
            case 3:
                return one_of<5>({"tile[i / 2u] = 7u; ", "tile[n] = 7u; ", "tile[i + n] = 7u; ",
                                  "tile[i & 15u] = 7u; ", "tile[i] = tile[31u - i] + 1u; "});
            case 4:
                return one_of<3>({"sum += tile[(i + 5u) % 32u]; ", "sum += tile[i]; ", "tile[3] += 1u; "});
            case 5:
            case 6: return "workgroupBarrier(); ";
            case 7: return std::string(region) + "storageBarrier(); ";
            case 8: return leaving(in_loop);
            case 9:
            case 10: return choice(depth, in_loop);
            case 11: return several(depth, in_loop);
            default: return loop(depth);
        }
    }
    std::string leaving(bool in_loop) {
        const std::string how = in_loop ? one_of<3>({"break", "continue", "return"}) : "return";
        return "if " + condition() + " { " + how + "; } ";
    }
    /// The construct, marked if it contains a barrier.
    static std::string construct(const std::string& text) {
        return (text.find("Barrier") == std::string::npos ? "" : std::string(region)) + text;
    }
    std::string choice(int depth, bool in_loop) {
        std::string text = "if " + condition() + " { " + block(depth - 1, in_loop) + "} ";
        if (below(2) == 0) text += "else { " + block(depth - 1, in_loop) + "} ";
        return construct(text);
    }
    std::string several(int depth, bool in_loop) {
        std::string text = "switch n { case 0u: { " + block(depth - 1, in_loop) + "} case 1u, 3u: { ";
        text += "if " + condition() + " { break; } " + block(depth - 1, in_loop) + "} default: { ";
        return construct(text + block(depth - 1, in_loop) + "} } ");
    }
    std::string loop(int depth) {
        const std::string t = "t" + std::to_string(++loops_), inner = block(depth - 1, true);
        if (below(2) == 0) {
            const std::string turns = one_of<5>({"0u", "1u", "n", "2u", "i % 3u"});
            return construct("for (var " + t + " = 0u; " + t + " < " + turns + "; " + t + "++) { " + inner +
                             "} ");
        }
        const std::string after = below(2) == 0 ? block(0, false) : "";
        const bool returns = after.find("return") != std::string::npos;  // not allowed in a continuing block
        return "var " + t + " = 0u; " +
               construct("loop { " + inner + "continuing { " + (returns ? "" : after) + t + "++; break if " +
                         t + " > n; } } ");
    }

    std::mt19937_64 random_;
    int loops_ = 0;
};

std::string overwriting_kernel(const std::string& body) {
    return R"(var<workgroup> tile: array<u32, 32>;
@group(0) @binding(0) var<storage, read_write> out: array<u32, 32>;
@group(0) @binding(1) var<uniform> n: u32;
@compute @workgroup_size(8, 4) fn main(
    @builtin(local_invocation_index) i: u32, @builtin(local_invocation_id) id: vec3u) {
    let x = id.x; let y = id.y; let t0 = 1u;
    var sum = 0u;
    )" + body +
           "sum += tile[(i + 9u) % 32u]; out[i] = sum + n; }";
}

/// The text, with a barrier wherever a backend that orders by regions has one.
std::string in_regions(std::string text) {
    for (std::size_t at = 0; (at = text.find(region, at)) != std::string::npos;)
        text.replace(at, region.size(), "workgroupBarrier(); ");
    return text;
}

bool overwritten(const ValidProgram& valid, WorkgroupOrder order) {
    const Program& program = *valid;
    for (std::uint32_t v = 0; v < program.variables().size(); ++v)
        if (program.variable({v}).name == "tile") return is_overwritten_first(program, {v}, order);
    FAIL("the kernel doesn't use tile");
    return false;
}

/// True if some run reads a word that nothing wrote.
bool reads_early(const ValidProgram& program) {
    for (std::uint32_t n = 0; n < 4; ++n) {
        std::array<std::uint32_t, 32> out{4};
        std::array<std::uint32_t, 4> uniform{n};
        const std::array bound{BoundBytes{std::as_writable_bytes(std::span(out))},
                               BoundBytes{std::as_writable_bytes(std::span(uniform))}};
        for (std::uint64_t seed = 0; seed < 4; ++seed) {
            const auto report = interpret(program, bound, {.extent = {1, 1, 1}, .grid = {1, 1, 1}},
                                          {.seed = seed, .report_reads_before_write = true});
            REQUIRE_MESSAGE(report, (report ? "" : report.error().to_string()));
            if (!report->findings.empty()) return true;
        }
    }
    return false;
}

}  // namespace

TEST_CASE("what is said to be overwritten first is never read before it is written") {
    int overwritten_ones = 0, only_in_regions = 0, others = 0;
    for (std::uint64_t seed = 1; seed <= 6000; ++seed) {
        const std::string text = overwriting_kernel(WritesMaker(seed).block(2, false));
        CAPTURE(text);
        const auto program = test::try_program(text);
        if (!program) continue;  // a barrier that not all invocations reach
        const bool always = overwritten(*program, WorkgroupOrder::at_barriers);
        const bool with_regions = overwritten(*program, WorkgroupOrder::in_regions);
        if (always) CHECK_FALSE(reads_early(*program));
        if (with_regions && !always) CHECK_FALSE(reads_early(*validate(test::parse(in_regions(text)))));
        ++(always ? overwritten_ones : with_regions ? only_in_regions : others);
    }
    CHECK(overwritten_ones > 300);
    CHECK(only_in_regions > 30);
    CHECK(others > 300);
}
