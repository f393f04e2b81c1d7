// The tool on a machine where nothing can run: it has only a backend that emits (doubles/emitter.cpp).
#include <doctest/doctest.h>

#include "run_tool.hpp"

using muster::test::contains;
using muster::test::content_of;
using muster::test::scratch;
using muster::test::ToolRun;

namespace {

const std::string saxpy = "examples/saxpy/saxpy.wgsl";
const std::string binds = " --bind a=2 --bind x=iota:f32:8 --bind y=like:x";

ToolRun emitter(const std::string& command) {
    return muster::test::tool_reading("", MUSTER_EMITTER_TOOL " " + command);
}

}  // namespace

TEST_CASE("where only emission is possible, run and route end with 6 and say how to get the code") {
    const ToolRun run = emitter("run " + saxpy + binds);
    CHECK(run.exit == 6);
    CHECK(run.out.empty());
    const std::string fix =
        "muster emit " + saxpy + " --target emitter:e1 -o FILE writes that code (--format text or shout)";
    CHECK_MESSAGE(contains(run.err, fix), run.err);
    const ToolRun route = emitter("route " + saxpy);
    CHECK(route.exit == 6);
    CHECK(contains(route.out, fix));
    const auto json = emitter("route " + saxpy + " --json").json();
    CHECK(json["mode"] == "emit-only");
    CHECK(json["target"] == "emitter:e1");
    const ToolRun failed = emitter("run " + saxpy + binds + " --json");
    CHECK(failed.json()["exit"] == 6);
}

TEST_CASE("emit takes the emission rung's target, or the one that is asked for") {
    const std::string path = scratch("code"), map = scratch("map");
    const auto json = emitter("emit " + saxpy + " -o " + path + " --debug-map " + map + " --json").json();
    CHECK(json["target"] == "emitter:e1");
    CHECK(json["format"] == "text");
    CHECK(json["debug_entries"] == 1);
    CHECK(json["side_files"] == nlohmann::json{"emitter_entry.h"});
    CHECK(content_of(path) == "entry saxpy\n");
    CHECK(content_of(scratch("emitter_entry.h")) == "// saxpy\n");
    const auto entry = nlohmann::json::parse(content_of(map));
    CHECK(entry["target"] == 1);
    CHECK(contains(entry["source"].get<std::string>(), "saxpy.wgsl:8:"));

    CHECK(emitter("emit " + saxpy + " --target emitter:e2 --format shout --spec level=3 -o " + path).exit ==
          0);
    CHECK(content_of(path) == "ENTRY SAXPY\nLEVEL 3\n");
    CHECK(emitter("emit " + saxpy + " --backend emitter --target e2 -o " + path).exit == 0);
    const ToolRun unknown = emitter("emit " + saxpy + " --backend emitter --target e3 -o " + path);
    CHECK(unknown.exit == 4);
    CHECK(contains(unknown.err, "There are e1 and e2."));
    CHECK(emitter("emit " + saxpy + " --spec nothing=1 -o " + path).exit == 2);
}

TEST_CASE("backends says why there is no device, and what can be emitted") {
    const ToolRun text = emitter("backends");
    CHECK(text.exit == 0);
    CHECK(contains(text.out, "emits only"));
    CHECK(contains(text.out, "No emitter is plugged in."));
    CHECK(contains(text.out, "emits text, shout for emitter:e1"));
    CHECK(contains(text.out, "--spec level=...  how much to optimise"));
    const auto backend = emitter("backends --json").json()["backends"][0];
    CHECK(backend["dispatches"] == false);
    CHECK(backend["probe"]["error"]["message"] == "No emitter is plugged in.");
    CHECK(backend["emits"]["formats"] == nlohmann::json{"text", "shout"});
}
