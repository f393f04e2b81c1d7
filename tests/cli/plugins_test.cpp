// The tool's messages about plugins, and the environment variables that control them (tests/plugins makes the
// plugins).
#include <doctest/doctest.h>
#include <support/plugin_scratch.hpp>
#include <unistd.h>

#include "run_tool.hpp"

#if defined(MUSTER_TEST_PLUGINS)

using muster::test::contains;
using muster::test::scratch;
using muster::test::scratch_file;
using muster::test::tool;
using muster::test::ToolRun;

namespace {

const std::string route = "route examples/saxpy/saxpy.wgsl --json ";
const std::string in_alpha = "MUSTER_BACKEND_PATH=" MUSTER_TEST_PLUGINS "/alpha";

const nlohmann::json* find(const nlohmann::json& list, const std::string& key, const std::string& value) {
    for (const auto& one : list)
        if (one[key] == value) return &one;
    return nullptr;
}

}  // namespace

TEST_CASE("a plugin's pack of patterns is listed, without opening it") {
    const std::string packed = "MUSTER_BACKEND_PATH=" MUSTER_TEST_PLUGINS "/packed";
    const ToolRun text = tool("backends", packed);
    CHECK_MESSAGE(contains(text.out, "pack of patterns packed, in a plugin that isn't opened: "), text.out);
    const nlohmann::json json = tool("backends --json", packed).json();
    const auto* pack = find(json["packs"], "id", "packed");
    REQUIRE(pack != nullptr);
    CHECK((*pack)["opened"] == false);
    const auto* plugin = find(json["plugins"], "state", "not_opened");
    REQUIRE(plugin != nullptr);
    CHECK((*plugin)["packs"][0]["origin"] == "pieces/patterns.cpp");
    const ToolRun open = tool("backends --open", packed);
    CHECK_MESSAGE(
        contains(open.out, "pack of patterns packed, for devices of every backend: For tests.\n  in "),
        open.out);
    const nlohmann::json of_open = tool("backends --open --json", packed).json();
    CHECK((*find(of_open["packs"], "id", "packed"))["purpose"] == "For tests.");
}

TEST_CASE("quantize uses the pack that is named, and refuses one that quantises nothing") {
    const std::string model = scratch_file(
        "two_products.graph",
        "graph \"g\" {\ninput x: f32[N, 2]\nconstant w: f32[2, 2] = [1, 2, 3, -1]\nm = MatMul(x, w)\n"
        "y = Gemm(m, w)\noutput y\n}\n");
    const std::string samples = scratch("two_products.npy"),
                      ones = scratch_file("ones.graph",
                                          "graph \"g\" {\ninput x: f32[3, 2]\ny = Identity(x)\n"
                                          "output y\n}\n");
    REQUIRE(tool("run " + ones + " --bind x=random:f32:3,2:1 --quiet --out y=" + samples).exit == 0);
    const std::string quantize =
        "quantize --json " + model + " --calibrate " + samples + " -o " + scratch("q.onnx");
    const std::string path = "MUSTER_BACKEND_PATH=" MUSTER_TEST_PLUGINS;
    const ToolRun portable = tool(quantize);
    if (portable.exit == 5 && contains(portable.err, "built without ONNX")) return;
    REQUIRE_MESSAGE(portable.exit == 0, portable.err);
    CHECK(portable.json()["pack"] == "portable");
    CHECK(portable.json()["quantized"] == 2);
    const ToolRun own = tool(quantize + " --pack quantizing", path + "/quantizing");
    REQUIRE_MESSAGE(own.exit == 0, own.err);
    CHECK(own.json()["pack"] == "quantizing");
    CHECK(own.json()["quantized"] == 1);
    CHECK(contains(own.err,
                   "note: the pack \"quantizing\" moves no scale to weights: it has no smooth patterns"));
    CHECK(tool(quantize + " --no-smooth", path + "/quantizing MUSTER_PACK=quantizing").err.empty());
    // In fast mode it's the one pack of the device; one that quantises nothing isn't taken unless it is named.
    CHECK(tool(quantize + " --fast --backend reference", path + "/quantizing").json()["pack"] ==
          "quantizing");
    CHECK(tool(quantize + " --fast --backend reference", path + "/packed").json()["pack"] == "portable");
    const ToolRun none = tool(quantize + " --pack packed", path + "/packed");
    CHECK(none.exit == 4);
    CHECK(contains(none.err, "The pack \"packed\" quantises nothing: it has no quantized patterns."));
    const ToolRun unknown = tool(quantize + " --pack nobody", path + "/packed");
    CHECK(contains(unknown.err, "No pack of patterns is called \"nobody\"."));
    CHECK(contains(unknown.err, "packed, portable"));
}

TEST_CASE("backends lists a plugin from its file, not opened") {
    const ToolRun text = tool("backends", in_alpha);
    CHECK(text.exit == 0);
    CHECK_MESSAGE(
        contains(text.out, "alpha  rank 11, runs programs, tagged alone, first\n  plugin, not opened: "),
        text.out);
    CHECK(contains(text.out, "/libmuster_backend_alpha.so\n"));
    const nlohmann::json json = tool("backends --json", in_alpha).json();
    const auto* alpha = find(json["backends"], "id", "alpha");
    REQUIRE(alpha != nullptr);
    CHECK((*alpha)["opened"] == false);
    CHECK_FALSE(alpha->contains("probe"));
    CHECK(json["backends"].size() > 1);
    REQUIRE(json["plugins"].size() == 1);
    CHECK(json["plugins"][0]["state"] == "not_opened");
    CHECK(json["plugins"][0]["backends"][0]["id"] == "alpha");
    CHECK(json["plugin_folders"][0]["from"] == "environment");
    CHECK(contains(json["plugins"][0]["abi"], "muster "));
}

TEST_CASE("backends --open opens plugins and probes their devices") {
    const ToolRun text = tool("backends --open", in_alpha);
    CHECK(text.exit == 0);
    CHECK_FALSE(contains(text.out, "plugin, not opened"));
    const nlohmann::json json = tool("backends --open --json", in_alpha).json();
    const auto* alpha = find(json["backends"], "id", "alpha");
    REQUIRE(alpha != nullptr);
    CHECK((*alpha)["opened"] == true);
    CHECK((*alpha)["probe"]["state"] == "answered");
    CHECK_FALSE((*alpha)["devices"].empty());
    CHECK(json["plugins"][0]["state"] == "loaded");
}

TEST_CASE("route opens a plugin when it gets to it") {
    const auto chosen = tool(route + "--backend alpha", in_alpha).json();
    CHECK(chosen["backend"] == "alpha");
}

TEST_CASE("route names the variables that hide a plugin's devices") {
    const ToolRun run =
        tool("route examples/saxpy/saxpy.wgsl --backend alpha", in_alpha + " MUSTER_TEST_HIDES_ALPHA=1");
    CHECK_MESSAGE(contains(run.out, "MUSTER_TEST_HIDES_ALPHA=\"1\" is set"), run.out);
    CHECK_FALSE(contains(tool("route examples/saxpy/saxpy.wgsl --backend alpha", in_alpha).out, "is set"));
}

TEST_CASE("MUSTER_LOG=info tells which plugins are refused") {
    const std::string path = "MUSTER_BACKEND_PATH=" MUSTER_TEST_PLUGINS "/foreign ";
    CHECK(contains(tool("backends", path + "MUSTER_LOG=info").err,
                   "libmuster_backend_foreign.so is refused: "));
    CHECK(tool("backends", path).err.empty());
}

TEST_CASE("MUSTER_AUTOLOAD=0 looks for no plugins") {
    CHECK(tool("backends --json", in_alpha + " MUSTER_AUTOLOAD=0").json()["plugins"].empty());
    CHECK(tool(route + "--backend alpha", in_alpha + " MUSTER_AUTOLOAD=0").exit == 4);
    CHECK(tool("backends --json", in_alpha + " MUSTER_AUTOLOAD=1").json()["plugins"].size() == 1);
}

TEST_CASE("MUSTER_PROBE=isolated finds the same devices, in other processes") {
    const auto here = tool("backends --json").json(),
               apart = tool("backends --json", "MUSTER_PROBE=isolated").json();
    REQUIRE(here["backends"].size() == apart["backends"].size());
    const auto devices_of = [](nlohmann::json backend) {
        for (auto& device : backend["devices"]) device["hardware"].erase("free_memory_bytes");  // it varies
        return backend["devices"];
    };
    for (std::size_t i = 0; i < here["backends"].size(); ++i) {
        CAPTURE(here["backends"][i]["id"]);
        CHECK(here["backends"][i]["probe"]["state"] == apart["backends"][i]["probe"]["state"]);
        CHECK(devices_of(here["backends"][i]) == devices_of(apart["backends"][i]));
    }
    const ToolRun wrong = tool("backends", "MUSTER_PROBE=always");
    CHECK(wrong.exit == 2);
    CHECK(contains(wrong.err, "MUSTER_PROBE"));
}

TEST_CASE("a value about plugins that can't be understood is a usage error") {
    for (const char* wrong : {"MUSTER_AUTOLOAD=no", "MUSTER_AUTOLOAD=", "MUSTER_BACKEND_PATH=:/a"}) {
        CAPTURE(wrong);
        CHECK(tool("backends", wrong).exit == 2);
        const ToolRun routed = tool(route, wrong);
        CHECK(routed.exit == 2);
        CHECK(contains(routed.err, std::string(wrong).substr(0, std::string(wrong).find('='))));
    }
}

TEST_CASE("what is wrong with a plugin or a folder is shown, and everything else works") {
    const std::string path = "MUSTER_BACKEND_PATH=" MUSTER_TEST_PLUGINS
                             "/foreign:/nonexistent/plugins:" MUSTER_TEST_PLUGINS "/alpha";
    const ToolRun text = tool("backends", path);
    CHECK(text.exit == 0);
    CHECK_MESSAGE(
        contains(text.out, "libmuster_backend_foreign.so is refused: The registration of \"foreign\" in "),
        text.out);
    CHECK(contains(text.out, "compiled against \"muster 0.0.1 libother\""));
    CHECK(contains(text.out, "The folder of plugins /nonexistent/plugins isn't there."));
    CHECK(contains(text.out, "plugin, not opened"));
    const auto json = tool("backends --json", path).json();
    CHECK(json["plugins"][0]["state"] == "refused");
    CHECK(contains(json["plugins"][0]["error"]["fix"], "rebuild it"));
    CHECK(json["plugin_folders"][1].contains("error"));
    CHECK(tool(route + "--backend foreign,alpha", path).json()["backend"] == "alpha");
}

TEST_CASE("`muster backends` lists a plugin that others may change, with the reason and the fix") {
    if (geteuid() != 0) return;  // others can't give files away
    const muster::test::PluginScratch folder;
    const std::string path = folder.add(
        "alpha", muster::test::file_bytes(MUSTER_TEST_PLUGINS "/alpha/libmuster_backend_alpha.so"));
    REQUIRE(chown(path.c_str(), 65534, 65534) == 0);
    const std::string named = "MUSTER_BACKEND_PATH=" + folder.path().string();
    const ToolRun text = tool("backends", named);
    CHECK_MESSAGE(
        contains(text.out, "The plugin " + path +
                               " is used because its place was named, though others may change it. " + path +
                               " belongs to user 65534, whose code would run as user 0.\nFix: "),
        text.out);
    const nlohmann::json json = tool("backends --json", named).json();
    const auto* plugin = find(json["plugins"], "path", path);
    REQUIRE(plugin != nullptr);
    CHECK((*plugin)["warning"]["code"] == "refused");
    CHECK(json["passed_over"].is_array());
}

#endif
