// docs/packs.md against the portable pack and against code that compiles.
#include <fstream>
#include <sstream>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <muster/driver/contract/inventory.hpp>
#include <muster/graph/portable/portable_pack.hpp>
#include <muster/graph/rewrite/fuse.hpp>
#include <muster/graph/rewrite/rewrite.hpp>

#include "graph/graph_text.hpp"

namespace muster::graph {
namespace {

// begin of docs/packs.md
const Pack& npu_pack() {
    static const Pack pack{
        .name = "npu",
        .purpose = "For the NPU, which has products with an activation.",
        .backends = {"npu"},
        .conversion = {{.name = "Gelu",
                        .bits = Bits::changed,
                        .match = {"x * 0.5 * (1 + Erf(x / 1.41421356))"},
                        .give = "Gelu(x)"},
                       {.name = "factor into MatMul",
                        .bits = Bits::changed,
                        .match = {"y = MatMul(a, W) * k"},
                        .where = "constant(W, k), one_element(k), rank(W, 2)",
                        .give = "MatMul(a, W * k)"}},
        .fusion = {
            {.name = "product with activation", .match = {"m = MatMul(a, W)"}, .growth = Growth::epilogue}}};
    return pack;
}
// end of docs/packs.md

// begin of docs/packs.md
constexpr BackendPatterns patterns{.id = "npu", .pack = npu_pack};
MUSTER_SUBMIT(patterns);
// end of docs/packs.md

std::string text_of(const std::string& file) {
    std::ifstream stream(MUSTER_SOURCE "/" + file);
    std::ostringstream text;
    text << stream.rdbuf();
    return text.str();
}

/// Blanks and line ends are one space each, as where the page is wrapped.
std::string unwrapped(std::string_view text) {
    std::string result;
    for (const char c : text) {
        const bool blank = c == ' ' || c == '\n';
        if (!blank || (!result.empty() && result.back() != ' ')) result += blank ? ' ' : c;
    }
    return result;
}

std::string conversions_list() {
    std::string list;
    for (const ConversionPattern& pattern : portable_pack().conversion) {
        list += fmt::format("- **{}**, bits {}: ", pattern.name, name(pattern.bits));
        if (pattern.function)
            list += "a function.\n";
        else
            list += fmt::format("`{}` becomes `{}`.\n", pattern.match[0], pattern.give);
    }
    return list;
}

std::string fusion_list() {
    std::string list;
    for (const FusionPattern& pattern : portable_pack().fusion) {
        list += fmt::format("- **{}**, bits {}", pattern.name, name(pattern.bits));
        for (const std::string_view match : pattern.match)
            list += fmt::format("{} `{}`", &match == &pattern.match[0] ? ":" : ",", match);
        list += ".\n";
    }
    return list;
}

std::string quantization_list() {
    std::string list;
    for (const SmoothPattern& pattern : portable_pack().smooth)
        list += fmt::format("- smooth, **{}**: `{}`.\n", pattern.name, pattern.match[0]);
    for (const QuantizedPattern& pattern : portable_pack().quantized)
        list += fmt::format("- quantized, **{}**: `{}`.\n", pattern.name, pattern.match[0]);
    return list;
}

/// Whether the page has the list; shows the list where it doesn't.
bool has_list(const std::string& page, const std::string& list) {
    if (unwrapped(page).find(unwrapped(list)) != std::string::npos) return true;
    MESSAGE(list);
    return false;
}

}  // namespace

TEST_CASE("docs/packs.md has the lists of the portable pack, and code that compiles") {
    const std::string page = text_of("docs/packs.md"), here = text_of("tests/graph/packs_page_test.cpp");
    CHECK(has_list(page, conversions_list()));
    CHECK(has_list(page, fusion_list()));
    CHECK(has_list(page, quantization_list()));
    const std::string begin = "\n// begin of docs/packs.md\n";
    std::size_t blocks = 0;
    for (std::size_t at = here.find(begin); at != std::string::npos;
         at = here.find(begin, at + 1), ++blocks) {
        const std::size_t from = at + begin.size();
        const std::string code = here.substr(from, here.find("// end of docs/packs.md", from) - from);
        CHECK(page.find("```cpp\n" + code + "```\n") != std::string::npos);
    }
    CHECK(blocks == 2);
}

TEST_CASE("The pack of docs/packs.md rewrites and fuses") {
    const Graph graph = graph_of(R"(
        input x: f32[4, 2]
        constant w: f32[2, 2] = [1, 2, 3, 4]
        constant k: f32[] = [2]
        m = MatMul(x, w)
        s = Mul(m, k)
        y = Relu(s)
        output y)");
    const Rewritten result = rewrite(graph, npu_pack().conversion).value();
    CHECK(result.report.used.size() == 1);
    const Fused fused = fuse(result.graph, npu_pack()).value();
    CHECK(fused.report.used.size() == 1);
    CHECK(npu_pack().applies_to("npu"));
    CHECK(!npu_pack().applies_to("cpu"));
    CHECK(!npu_pack().keeps_bits());
    CHECK(portable_pack().applies_to("cpu"));
}

}  // namespace muster::graph
