// Traces: what the driver records, and what muster trace says of it.
#include <csignal>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include <doctest/doctest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <muster/cli/report/trace_report.hpp>
#include <muster/driver/trace/recorder.hpp>

#include "run_tool.hpp"

using namespace muster::test;
using muster::cli::summarize_trace;
using muster::trace::Span;
using muster::trace::Stage;
namespace fs = std::filesystem;
namespace trace = muster::trace;

namespace {

using Json = nlohmann::json;

/// The events of a category. The file must be JSON, by a parser that isn't muster's.
std::vector<Json> events_of(const std::string& path, const std::string& category) {
    const Json file = Json::parse(content_of(path));
    std::vector<Json> found;
    for (const Json& event : file.at("traceEvents"))
        if (event.value("cat", "") == category) found.push_back(event);
    return found;
}

/// Runs `child` in a child of a fork, which `end` kills. Returns the signal that ended it.
template <class Child>
int killed(Child child) {
    const pid_t process = fork();
    if (process == 0) {
        child();
        (void)raise(SIGKILL);
        _exit(1);
    }
    int status = 0;
    waitpid(process, &status, 0);
    return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

const std::string traced_saxpy =
    "run examples/saxpy/saxpy.wgsl --bind a=2 --bind x=iota:f32:8 --bind y=zeros:f32:8 --quiet";

}  // namespace

TEST_CASE("a trace is whole before its end, whoever writes") {
    const std::string path = scratch("whole.json");
    REQUIRE(trace::start(path) == path);
    constexpr std::size_t rounds = 5, threads = 4, spans = 1000;
    for (std::size_t round = 1; round <= rounds; ++round) {
        {
            std::vector<std::jthread> writers;
            for (std::size_t i = 0; i < threads; ++i)
                writers.emplace_back([] {
                    for (std::size_t n = 0; n < spans; ++n) {
                        Span span(Stage::write, "a \"name\"\n\\ \xff", "cpu:0");
                        span.bytes(n);
                    }
                });
        }
        CHECK(events_of(path, "write").size() == round * threads * spans);
    }
    CHECK(trace::end() == 0);
    CHECK(events_of(path, "write").size() == rounds * threads * spans);
    CHECK_FALSE(contains(content_of(path), std::string(4096, ' ')));
}

TEST_CASE("a trace has a limit, and says what it left out") {
    const std::string path = scratch("full.json");
    REQUIRE(trace::start(path, 1 << 20));
    for (int i = 0; i < 20'000; ++i)
        const Span span(Stage::write, "a name of some length, so that the file is full soon");
    CHECK(fs::file_size(path) == 1 << 20);
    const std::size_t there = events_of(path, "write").size();
    CHECK(trace::end() == 20'000 - there);
    const auto summary = summarize_trace(content_of(path), 5);
    REQUIRE(summary);
    REQUIRE(summary->notes.size() == 1);
    CHECK(contains(summary->notes[0], std::to_string(20'000 - there) + " events left out"));
}

TEST_CASE("a process that is killed leaves a whole trace, which tells where it was") {
    const std::string path = scratch("killed.json");
    CHECK(killed([&] {
              if (!trace::start(path)) _exit(2);
              const Span outer(Stage::compile, "saxpy", "cpu:0");
              { const Span ended(Stage::lower); }
              const Span inner(Stage::optimize);
              (void)raise(SIGKILL);
          }) == SIGKILL);
    const auto summary = summarize_trace(content_of(path), 5);
    REQUIRE(summary);
    CHECK(summary->unfinished ==
          std::vector<std::string>{"compile saxpy (main thread)", "optimize (main thread)"});
}

TEST_CASE("names in a trace are those of the programs, however long") {
    if (!has_backend("cpu")) return;
    const std::string name = "a_kernel_whose_name_no_short_string_holds", path = scratch("long_name.json");
    const std::string source =
        scratch_file("long_name.wgsl",
                     "@group(0) @binding(0) var<storage, read_write> y: array<u32>;\n"
                     "@compute @workgroup_size(64) fn " +
                         name + "(@builtin(global_invocation_id) id: vec3u) { y[id.x] = id.x; }\n");
    REQUIRE(tool("run " + source + " --bind y=zeros:u32:64 --repeat 20 --quiet --trace " + path,
                 "MUSTER_BACKEND=cpu")
                .exit == 0);
    for (const char* stage : {"submit", "run"})
        for (const Json& event : events_of(path, stage)) CHECK(event.at("name") == stage + (" " + name));
}

TEST_CASE("a disk that is full costs a trace its events, and the program little") {
    const std::string path = scratch("no_space.json");
    rlimit before{};
    REQUIRE(getrlimit(RLIMIT_FSIZE, &before) == 0);
    const rlimit least{2 << 20, before.rlim_max};
    REQUIRE(setrlimit(RLIMIT_FSIZE, &least) == 0);
    REQUIRE(trace::start(path));
    for (int i = 0; i < 50'000; ++i)
        const Span span(Stage::write, "a name of some length, so that the file is full soon");
    const std::size_t there = events_of(path, "write").size();
    CHECK(trace::end() == 50'000 - there);
    CHECK(there > 5000);
    REQUIRE(setrlimit(RLIMIT_FSIZE, &before) == 0);
}

TEST_CASE("several devices that run one dispatch are recorded, too") {
    if (!has_backend("cpu")) return;
    const std::string path = scratch("devices.json");
    CHECK(tool(traced_saxpy + " --devices cpu:0 --trace " + path).exit == 0);
    CHECK_FALSE(events_of(path, "submit").empty());
}

TEST_CASE("a child of a fork records nothing, and doesn't touch its parent's trace") {
    const std::string path = scratch("parent.json");
    REQUIRE(trace::start(path));
    CHECK(killed([] { const Span span(Stage::compile, "in the child"); }) == SIGKILL);
    CHECK(killed([] {
              if (trace::is_recording() || trace::end() != 0) _exit(2);
          }) == SIGKILL);
    { const Span span(Stage::compile, "in the parent"); }
    CHECK(events_of(path, "compile").size() == 1);
    CHECK(killed([&] {  // the name is taken
              const auto own = trace::start(path);
              if (!own || *own == path) _exit(2);
              const Span span(Stage::open, "in the child");
          }) == SIGKILL);
    CHECK(trace::end() == 0);
    std::size_t traces = 0;
    for (const auto& file : fs::directory_iterator(fs::path(path).parent_path()))
        if (file.path().filename().string().starts_with("parent.")) ++traces;
    CHECK(traces == 2);
}

TEST_CASE("only a trace is replaced by a trace, once the new one stands") {
    const std::string path = scratch_file("old.json", "");
    REQUIRE(trace::start(path) == path);
    CHECK(trace::start(path).error().code == muster::ErrorCode::conflict);
    trace::mark("an old one", "");
    trace::end();
    const std::string old = content_of(path);
    CHECK(contains(old, "an old one"));
    killed([&] {
        const rlimit little{100, 100};
        (void)setrlimit(RLIMIT_FSIZE, &little);
        if (trace::start(path)) _exit(1);
    });
    CHECK(content_of(path) == old);
    REQUIRE(trace::start(path) == path);
    trace::end();
    CHECK_FALSE(contains(content_of(path), "an old one"));
    for (const char* content : {"{\"a\":1}", "{", "[]"}) {
        CHECK_FALSE(trace::start(scratch_file("old.json", content)));
        CHECK(content_of(path) == content);
    }

    CHECK_FALSE(trace::start((fs::path(path).parent_path() / "none" / "t.json").string()));
    const std::string kept = scratch_file("kept", "kept"), link = scratch("link.json");
    fs::create_symlink(kept, link);
    const auto refused = trace::start(link);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().message ==
          link + " is there and isn't a trace of muster's, so no trace is written there.");
    CHECK(content_of(kept) == "kept");
    CHECK_FALSE(trace::start(fs::path(kept).parent_path().string()));
    CHECK_FALSE(trace::start("/proc/none/trace.json"));
    CHECK_FALSE(trace::is_recording());
}

TEST_CASE("muster run --trace records each stage, and muster trace sums them up") {
    if (!has_backend("cpu")) return;
    const std::string path = scratch("run.json"), environment = "MUSTER_CACHE_BYTES=0 MUSTER_BACKEND=cpu";
    const ToolRun run = tool(traced_saxpy + " --repeat 3 --json --trace " + path, environment);
    REQUIRE(run.exit == 0);
    for (const char* stage :
         {"probe", "route", "open", "compile", "expand", "lower", "optimize", "generate", "load"})
        CHECK_MESSAGE(!events_of(path, stage).empty(), stage);
    CHECK(events_of(path, "submit").size() == events_of(path, "run").size());
    for (const Json& event : events_of(path, "run")) CHECK(event.at("args").at("clock") == "device");

    const ToolRun said = tool("trace " + path + " --rows 3");
    CHECK(said.exit == 0);
    CHECK(contains(said.out, "\ncpu:0: "));
    CHECK(contains(said.out, " more names\n"));
    const Json json = tool("trace " + path + " --json").json();
    CHECK(json.at("unfinished").empty());
    CHECK(json.at("notes").empty());
    REQUIRE(json.at("devices").size() == 1);
    CHECK(json.at("devices")[0].at("runs") == events_of(path, "run").size());
}

TEST_CASE("MUSTER_TRACE records a process; a path that can't be written is an error") {
    if (!has_backend("cpu")) return;
    const std::string path = scratch("environment.json");
    CHECK(tool(traced_saxpy, "MUSTER_BACKEND=cpu MUSTER_TRACE=" + path).exit == 0);
    CHECK_FALSE(events_of(path, "submit").empty());
    const ToolRun refused = tool(traced_saxpy, "MUSTER_TRACE=/proc/none/t.json");
    CHECK(refused.exit != 0);
    CHECK(contains(refused.err, "reading MUSTER_TRACE=\"/proc/none/t.json\" from the environment"));
}

TEST_CASE("times of idle devices are told with what the host did") {
    // A device runs from 10 to 20 us and from 100 to 110; in between one thread compiles, with an inner span.
    const std::string text =
        R"([{"ph":"M","pid":1,"tid":9,"name":"thread_name","args":{"name":"cpu:0"}},
            {"ph":"X","pid":1,"tid":9,"ts":10,"dur":10,"cat":"run","name":"run a"},
            {"ph":"X","pid":1,"tid":9,"ts":100,"dur":10,"cat":"run","name":"run a"},
            {"ph":"B","pid":1,"tid":2,"ts":15,"cat":"compile","name":"compile"},
            {"ph":"X","pid":1,"tid":2,"ts":50,"dur":30,"cat":"lower","name":"lower"},
            {"ph":"E","pid":1,"tid":2,"ts":90}])";
    const auto summary = summarize_trace(text, 5);
    REQUIRE(summary);
    REQUIRE(summary->devices.size() == 1);
    const auto& device = summary->devices[0];
    CHECK(device.name == "cpu:0");
    CHECK(device.busy_ns == 20'000);
    REQUIRE(device.gaps.size() == 1);
    CHECK(device.gaps[0].begins_ns == 10'000);
    CHECK(device.gaps[0].length_ns == 80'000);
    REQUIRE(device.gaps[0].host.size() == 2);
    CHECK(device.gaps[0].host[0].name == "compile");
    CHECK(device.gaps[0].host[0].own_ns == 40'000);
    CHECK(device.gaps[0].host[1].own_ns == 30'000);
    REQUIRE(summary->rows.size() == 2);
    CHECK(summary->rows[0].sum_ns == 75'000);
    CHECK(summary->rows[0].own_ns == 45'000);
}

TEST_CASE("what isn't a trace is an error, and what an event lacks costs nothing else") {
    for (const char* text : {"", "{}", "3", "{\"a\":1}", "{\"files\":[{}]}", "[", "[{]", "\"traceEvents\""})
        CHECK_MESSAGE(!summarize_trace(text, 5), text);
    CHECK_FALSE(summarize_trace(std::string(100'000, '['), 5));
    const auto odd = summarize_trace(
        R"({"traceEvents":[1, null, [], {}, {"ph":"X"}, {"ph":"E","ts":-3}, {"ph":"X","ts":"now","dur":1e300},
            {"ph":"B","ts":1e14,"tid":-1,"name":7}, {"ph":"M","name":"thread_name","args":[]}]})",
        5);
    REQUIRE(odd);
    CHECK(odd->unfinished.size() == 1);
    std::string long_spans = "[";
    for (int i = 0; i < 40; ++i)
        long_spans += R"({"ph":"X","ts":0,"dur":9e14,"name":"a"},{"ph":"B","ts":0,"name":"b"},)";
    const auto longest = summarize_trace(long_spans + "{}]", 5);
    REQUIRE(longest);
    CHECK(longest->rows[0].sum_ns == UINT64_MAX);
    CHECK(longest->unfinished.size() == 40);
    CHECK(contains(muster::cli::trace_text(*longest, 2), "Unfinished when the process ended: 38 more\n"));
    const ToolRun refused = tool("trace README.md");
    CHECK(refused.exit == 2);
    CHECK(contains(refused.err, "This isn't a trace"));
}
