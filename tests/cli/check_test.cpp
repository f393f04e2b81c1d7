// The command check: on the reference backend, and on one that fails in several ways when a program divides
// (doubles/wrong.cpp).
#include <algorithm>
#include <vector>

#include <doctest/doctest.h>

#include "run_tool.hpp"

using muster::test::contains;
using muster::test::content_of;
using muster::test::scratch;
using muster::test::scratch_file;
using muster::test::tool;
using muster::test::ToolRun;
using Json = nlohmann::json;

namespace {

const std::string divides = " --case integers/signed_division", signs = " --case integers/sign";

ToolRun wrong(const std::string& command) {
    return muster::test::tool_reading("", MUSTER_WRONG_TOOL " check " + command);
}

std::string gaps(const std::string& text) { return " --gaps " + scratch_file("known.gaps", text); }

/// The first difference between the page's opening and closing tags; empty if they match.
std::string mismatch(const std::string& page) {
    std::vector<std::string> open;
    std::size_t at = page.find("<html");
    while ((at = page.find('<', at)) != std::string::npos) {
        const std::size_t end = page.find('>', at);
        if (end == std::string::npos) return "no > behind " + page.substr(at, 20);
        const bool closes = page[at + 1] == '/';
        const std::size_t begin = at + (closes ? 2 : 1);
        const std::string name = page.substr(begin, page.find_first_of(" >", begin) - begin);
        at = end;
        if (name.empty() || name.find_first_not_of("abcdefghijklmnopqrstuvwxyz123456") != std::string::npos)
            return "<" + name + "> isn't a tag";
        if (name == "meta") continue;
        if (!closes) {
            open.push_back(name);
        } else if (open.empty() || open.back() != name) {
            return "</" + name + "> closes " + (open.empty() ? "nothing" : open.back());
        } else {
            open.pop_back();
        }
    }
    return open.empty() ? "" : open.back() + " stays open";
}

}  // namespace

TEST_CASE("check says which cases need more than a device has") {
    if (!muster::test::has_backend("reference")) return;
    const std::string large =
        scratch_file("large.wgsl", R"(// Needs more workgroup memory than the device has.
// bind y = zeros u32 1
var<workgroup> w: array<u32, 4000000>;
@group(0) @binding(0) var<storage, read_write> y: array<u32>;
@compute @workgroup_size(1) fn main() { y[0] = w[y[0]]; }
)");
    const ToolRun run = tool("check --backend reference --case " + large);
    CHECK_MESSAGE(run.exit == 0, run.err);
    CHECK_MESSAGE(contains(run.out, "large.wgsl: main needs 16000000 bytes of workgroup memory"), run.out);
    CHECK_MESSAGE(contains(run.out, "  own "), run.out);
}

TEST_CASE("check passes on the reference backend") {
    if (!muster::test::has_backend("reference")) return;
    const ToolRun run = tool("check --backend reference" + signs + " --case 'conversions/*' --json -");
    CHECK_MESSAGE(run.exit == 0, run.err);
    const Json json = run.json();
    CHECK(json["passes"] == true);
    REQUIRE(json["devices"].size() == 1);
    const Json& device = json["devices"][0];
    CHECK(device["id"] == "reference:0");
    CHECK(device["device"]["name"].is_string());
    CHECK(device["behaviours"][0] == Json{{"name", "conversions"},
                                          {"cases", 3},
                                          {"passed", 3},
                                          {"beyond_limits", 0},
                                          {"known_gaps", 0},
                                          {"failed", 0}});
    REQUIRE(device["cases"].size() == 4);
    CHECK(device["cases"][3]["name"] == "integers/sign");
    CHECK(device["cases"][3]["outcome"] == "passed");
    REQUIRE(device["deviations"].size() == 4);
    CHECK(device["deviations"][0] == Json{{"operation", "x / y"},
                                          {"promise", "promised"},
                                          {"mode", "exact"},
                                          {"inputs", 4096},
                                          {"differing", 0},
                                          {"largest_ulp", 0.0}});
    const ToolRun text = tool("check --backend reference" + signs);
    CHECK_MESSAGE(contains(text.out, "  integers       1 of 1\n"), text.out);
    CHECK(contains(text.out, "reference:0 passes, in "));
}

TEST_CASE("check lists the cases") {
    const ToolRun run = tool("check --list --case 'integers/sign*'");
    CHECK(run.exit == 0);
    CHECK(contains(run.out, "integers/sign  "));
    CHECK(contains(run.out, "integers/signed_division  "));
    CHECK_FALSE(contains(run.out, "integers/min_max_clamp"));
}

TEST_CASE("a wrong result is shown by its first difference and the smallest kernel, which repeats it") {
    const ToolRun run = wrong("--backend wrong:0 --json -" + divides + signs);
    CHECK(run.exit == 7);
    const Json json = run.json();
    CHECK(json["passes"] == false);
    const Json& cases = json["devices"][0]["cases"];
    CHECK(cases[0]["name"] == "integers/sign");
    CHECK(cases[0]["outcome"] == "passed");
    CHECK(cases[1]["outcome"] == "failed");
    CHECK(cases[1]["fault"] == "wrong_result");
    CHECK_MESSAGE(contains(cases[1]["text"], " instead of "), cases[1]["text"]);
    CHECK(cases[1]["repeat"] == "muster check --backend wrong:0 --case integers/signed_division");
    const std::string kernel = cases[1]["kernel"]["text"];
    CHECK_MESSAGE(contains(kernel, "/ "), kernel);
    CHECK_MESSAGE(std::ranges::count(kernel, '\n') <= 12, kernel);
    CHECK_MESSAGE(std::ranges::count(kernel, ';') <= 6, kernel);

    const std::string file = scratch_file("small.wgsl", kernel);
    const ToolRun again = wrong("--backend wrong:0 --case " + file);
    CHECK(again.exit == 7);
    CHECK_MESSAGE(contains(again.out, "fails: "), again.out);
    CHECK(contains(again.out, "  Repeat: muster check --backend wrong:0 --case " + file + "\n"));
    CHECK(tool("check --backend reference --case " + file).exit == 0);

    const ToolRun text = wrong("--backend wrong:0" + divides);
    CHECK_MESSAGE(contains(text.out, "  The smallest kernel found that shows it"), text.out);
    CHECK(contains(text.out, "wrong:0 doesn't pass, in "));
}

TEST_CASE("check tells each result as it comes, and reports what was done when it is interrupted") {
    const std::string told = scratch("told"), report = scratch("interrupted.json");
    const ToolRun run = muster::test::tool_reading(
        "", "{ " MUSTER_WRONG_TOOL " check --backend wrong:2 --timeout 1s" + signs + divides +
                " --case integers/unsigned_division --json " + report + " 2>" + told +
                " & until grep -q passed " + told + "; do sleep 0.02; done; kill -TERM $!; wait $!; }");
    CHECK(run.exit == 7);
    CHECK_MESSAGE(contains(content_of(told), "wrong:2  integers/sign  passed, "), content_of(told));
    CHECK_MESSAGE(contains(run.out, "The check was interrupted: "), run.out);
    const Json json = Json::parse(content_of(report));
    CHECK(json["passes"] == false);
    CHECK(json["left_out"] >= 1);
    CHECK(json["devices"][0]["cases"][0]["outcome"] == "passed");
}

TEST_CASE("a crash is told with what was running, and where") {
    const auto err_of = [](const std::string& command) {
        return muster::test::tool_reading(
                   "", "ulimit -c 0; MUSTER_CHECK_DEVICES=0 " MUSTER_WRONG_TOOL " " + command)
            .err;
    };
    const std::string aborted = "muster: error: the process ends by signal 6 (aborted) while running ";
    const std::string check = err_of("check --backend wrong:4" + divides);
    CHECK_MESSAGE(contains(check, aborted + "the case integers/signed_division on wrong:4. Fix: mend"),
                  check);
    const std::string kernel = scratch_file("divides.wgsl", R"(
@group(0) @binding(0) var<storage, read_write> y: array<u32>;
@compute @workgroup_size(1) fn quotient() { y[0] = y[0] / y[1]; }
)");
    const std::string run = err_of("run " + kernel + " --backend wrong:4 --bind y=6,2");
    CHECK_MESSAGE(contains(run, aborted + "quotient on wrong:4. Fix: run it elsewhere"), run);
}

TEST_CASE("a kernel that doesn't compile is reduced, too") {
    const Json json = wrong("--backend wrong:1 --json -" + divides).json();
    const Json& failed = json["devices"][0]["cases"][0];
    CHECK(failed["fault"] == "error");
    CHECK(contains(failed["text"], "The wrong compiler knows no division."));
    CHECK_MESSAGE(std::ranges::count(std::string(failed["kernel"]["text"]), ';') <= 6,
                  failed["kernel"]["text"]);
}

TEST_CASE("what never ends fails in time, and the next case runs") {
    for (const std::string device : {"wrong:2", "wrong:3"}) {
        CAPTURE(device);
        const ToolRun run = wrong("--timeout 300ms --json - --backend " + device + divides +
                                  " --case integers/unsigned_order");
        CHECK(run.exit == 7);
        const Json cases = run.json()["devices"][0]["cases"];
        CHECK(cases[0]["fault"] == "timed_out");
        CHECK(contains(cases[0]["text"], "It didn't end within 0.3 s."));
        CHECK(cases[1]["outcome"] == "passed");
    }
}

#if defined(MUSTER_TEST_PLUGINS)
TEST_CASE("the devices of a plugin are checked like those of a linked backend") {
    const std::string found = "MUSTER_BACKEND_PATH=" MUSTER_TEST_PLUGINS "/wrong ";
    const ToolRun right =
        tool("check --backend wrong" + signs, found + "MUSTER_EXCLUDE=wrong:2,wrong:3,wrong:4");
    CHECK_MESSAGE(right.exit == 0, right.out);
    CHECK(contains(right.out, "wrong:0 passes, in "));
    CHECK(contains(right.out, "wrong:1 passes, in "));
    CHECK_FALSE(contains(right.out, "wrong:2"));
    CHECK(tool("check --backend wrong:0" + divides, found).exit == 7);
    CHECK(tool("check --backend wrong:0" + signs).exit == 4);
}
#endif

TEST_CASE("a known gap that fails as listed is allowed, and a wrong result is called so") {
    const std::string list =
        gaps("# What it can't do.\n\nintegers/signed_* on wrong:0: instead of | it divides badly\n");
    const ToolRun run = wrong("--backend wrong:0" + divides + signs + list);
    CHECK_MESSAGE(run.exit == 0, run.out);
    CHECK(contains(run.out, "    integers/signed_division, a wrong result: it divides badly\n"));
    const Json json = wrong("--backend wrong:0 --json -" + divides + list).json();
    CHECK(json["devices"][0]["cases"][0]["outcome"] == "known_gap");
    CHECK(json["devices"][0]["cases"][0]["gap"]["reason"] == "it divides badly");
    // Another device, and another failure, aren't what the list says.
    CHECK(wrong("--backend wrong:1" + divides + list).exit == 7);
    CHECK(wrong("--backend wrong:0" + divides + gaps("integers/*: no division | x")).exit == 7);
}

TEST_CASE("a gap that no longer fails is an error") {
    const ToolRun run =
        wrong("--backend wrong:0" + signs + gaps("integers/sign on wrong*: instead of | it was bad\n"));
    CHECK(run.exit == 7);
    CHECK_MESSAGE(contains(run.out, "integers/sign on wrong:0 passes, but is listed as a known gap ("),
                  run.out);
    CHECK(contains(run.out, "known.gaps:1): it was bad\nFix: take it out of the list\n"));
}

TEST_CASE("lists of gaps and names of cases that are wrong are usage errors") {
    for (const std::string line : {"integers/sign", "integers/sign: text", "integers/sign: | reason",
                                   "integers/sign: text |", ": text | reason"}) {
        CAPTURE(line);
        const ToolRun run = wrong(signs + gaps("# first\n" + line + "\n"));
        CHECK(run.exit == 2);
        CHECK_MESSAGE(contains(run.err, "known.gaps:2"), run.err);
        CHECK(contains(run.err, "isn't a gap."));
    }
    const ToolRun unmatched = wrong(signs + gaps("integer/*: text | reason\n"));
    CHECK(unmatched.exit == 2);
    CHECK_MESSAGE(contains(unmatched.err, "No conformance case matches \"integer/*\"."), unmatched.err);
    CHECK(contains(unmatched.err, "known.gaps:1"));
    CHECK(contains(wrong("--case 'integer/*'").err, "No conformance case matches \"integer/*\"."));
    CHECK(wrong("--case 'integer/*'").exit == 2);
    CHECK(wrong("--case nowhere/own.wgsl").exit == 2);
    CHECK(wrong("--gaps nowhere/list" + signs).exit == 2);
    CHECK(wrong("--timeout soon" + signs).exit == 2);
    CHECK(wrong("--json - --html -" + signs).exit == 2);
    CHECK(wrong("--html nowhere/page.html" + signs).exit == 2);
    CHECK(wrong("--backend wrong:9" + signs).exit == 4);
    CHECK(wrong("--backend wrong:0,nobody" + signs).exit == 4);
}

TEST_CASE("a case of one's own says what is wrong with it") {
    CHECK(wrong("--case " + scratch_file("own.wgsl", "// Own.\n// bind a = f33 1\n")).exit == 2);
    const ToolRun run = wrong("--case " + scratch_file("own.wgsl", "// Own.\n@compute fn main() {}\n"));
    CHECK(run.exit == 3);
    CHECK_MESSAGE(contains(run.err, "own.wgsl:2:"), run.err);
}

TEST_CASE("the page is well-formed, self-contained, and shows names as they are") {
    const std::string page = scratch("page.html");
    CHECK(wrong("--backend wrong:0 --html " + page + divides + signs).exit == 7);
    const std::string text = content_of(page);
    CHECK(mismatch(text) == "");
    CHECK(contains(text, "<h2>a &lt;wrong&gt; device &amp; its &quot;name&quot;</h2>"));
    CHECK(contains(text, "integers/signed_division"));
    CHECK(contains(text, "The smallest kernel found that shows it"));
    for (const char* foreign : {"http", "<script", "<link", "url(", "@import", "src="})
        CHECK_FALSE(contains(text, foreign));
    CHECK(contains(wrong("--backend wrong:0 --html -" + signs).out, "</html>\n"));
}
