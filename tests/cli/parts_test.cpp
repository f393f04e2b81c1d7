// A host that knows only the files of `emit --parts` runs the parts, and gets the results of `run`.
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "run_tool.hpp"

using muster::test::content_of;
using muster::test::scratch;
using muster::test::scratch_file;
using muster::test::tool;

namespace {

using Json = nlohmann::json;
using Words = std::vector<std::uint32_t>;

std::string bytes_of(const Words& words) {
    std::string bytes(words.size() * 4, '\0');
    std::memcpy(bytes.data(), words.data(), bytes.size());
    return bytes;
}

Words words_of(const std::string& bytes) {
    Words words(bytes.size() / 4);
    std::memcpy(words.data(), bytes.data(), words.size() * 4);
    return words;
}

/// A host as docs/grid-barriers.md describes it. The parts are WGSL here, and the tool runs them.
class Host {
  public:
    Host(const std::string& program, std::map<std::string, Words> bindings, std::uint32_t workgroups)
        : memory_(std::move(bindings)), workgroups_(workgroups) {
        const auto run =
            tool("emit " + program + " --backend reference --parts --json -o " + scratch("part.wgsl"));
        REQUIRE_MESSAGE(run.exit == 0, run.err);
        description_ = run.json();
        const Json& scratch_words = description_["scratch"];
        const auto per = [&](const char* what) { return scratch_words[what].get<std::size_t>(); };
        const std::size_t invocations = workgroups * description_["workgroup_size"][0].get<std::size_t>();
        scratch_.resize(per("header_words") + per("words_per_invocation") * invocations +
                        per("words_per_workgroup") * workgroups);
        known_.resize(description_["values"].size());
    }

    const Words& run(const std::string& result) {
        const Json& steps = description_["steps"];
        for (std::size_t at = 0; at < steps.size();) {
            const Json& step = steps[at++];
            const std::string what = step["do"];
            if (what == "end" || (what == "fetch" && !fetch(step))) break;
            if (what == "run") run_part(description_["parts"][step["part"].get<std::size_t>()]);
            if (what == "assign")
                variables_[step["variable"]] = step.contains("value") ? value(step["value"]) : Words{0};
            if (what == "evaluate") known_[step["value"]] = variables_[source(step)["variable"]];
            if (what == "read") known_[step["value"]] = load(source(step));
            const bool jumps =
                what == "jump" || what == "turn" || (what == "branch" && value(step["value"])[0] == 0);
            if (jumps) at = step["to"];
            REQUIRE(what != "select");  // none of these programs has a switch
        }
        return memory_[result];
    }
    int runs() const { return runs_; }

  private:
    const Json& source(const Json& step) const {
        return description_["values"][step["value"].get<std::size_t>()]["from"];
    }

    void run_part(const Json& part) {
        ++runs_;
        std::string command =
            "run " + scratch(part["file"]) + " --quiet --workgroups " + std::to_string(workgroups_);
        for (const Json& binding : part["bindings"]) {
            const std::string file =
                scratch_file(binding["name"].get<std::string>() + ".bin", bytes_of(content(part, binding)));
            command += " --bind " + binding["name"].get<std::string>() + "=" + file;
            if (binding["from"] != "host_values")
                command += " --out " + binding["name"].get<std::string>() + "=" + file;
        }
        const auto run = tool(command);
        REQUIRE_MESSAGE(run.exit == 0, run.err);
        for (const Json& binding : part["bindings"]) {
            const Words words = words_of(content_of(scratch(binding["name"].get<std::string>() + ".bin")));
            if (binding["from"] == "program") memory_[binding["binds"]] = words;
            if (binding["from"] == "scratch") scratch_ = words;
        }
    }

    Words content(const Json& part, const Json& binding) {
        if (binding["from"] == "program") return memory_[binding["binds"]];
        if (binding["from"] == "scratch") return scratch_;
        Words words;
        for (const Json& one : part["host_values"]) {
            const Words more = value(one);
            words.insert(words.end(), more.begin(), more.end());
        }
        return words;
    }

    bool fetch(const Json& step) {
        if (scratch_[0] == 0) return false;
        if (step.contains("value")) known_[step["value"]] = {scratch_[1]};
        scratch_[0] = 0;
        return true;
    }

    Words load(const Json& from) {
        const Words& words = memory_[from["binding"]];
        std::size_t at = from["offset_bytes"];
        for (const Json& index : from["indices"]) {
            const std::size_t number = value(index["value"])[0];
            if (index.contains("count") && number >= index["count"]) return {0};
            at += number * index["stride_bytes"].get<std::size_t>();
        }
        return {at / 4 < words.size() ? words[at / 4] : 0};
    }

    Words value(std::size_t number) {
        if (!known_[number].empty()) return known_[number];
        const Json& one = description_["values"][number];
        const std::string op = one["op"];
        if (op == "constant") return one["words"];
        if (op == "load") return load(one["from"]);
        std::vector<std::uint32_t> operands;
        for (const Json& operand : one["operands"]) operands.push_back(value(operand)[0]);
        if (op == "add") return {operands[0] + operands[1]};
        if (op == "lt") return {operands[0] < operands[1]};
        if (op == "eq") return {operands[0] == operands[1]};
        if (op == "ne") return {operands[0] != operands[1]};
        if (op == "rem") return {operands[0] % operands[1]};
        if (op == "logical_not") return {operands[0] == 0};
        FAIL("this host has no ", op);
        return {};
    }

    std::map<std::string, Words> memory_;
    std::uint32_t workgroups_;
    Json description_;
    Words scratch_;
    std::vector<Words> known_;  // by value; empty: computed when it is used
    std::map<std::uint32_t, Words> variables_;
    int runs_ = 0;
};

bool has_reference() {
    return tool("emit examples/scan/scan.wgsl --backend reference -o /dev/null").exit == 0;
}

}  // namespace

TEST_CASE("what lives across the barriers of a scan is in the scratch between its parts") {
    if (!has_reference()) return;
    Words values(700), sums(700);
    for (std::uint32_t i = 0; i < values.size(); ++i) values[i] = i * 7 + 1;
    for (std::uint32_t i = 1; i < values.size(); ++i) sums[i] = sums[i - 1] + values[i - 1];
    Host host("examples/scan/scan.wgsl", {{"values", values}, {"totals", Words(3)}}, 3);
    CHECK(host.run("values") == sums);
    CHECK(host.runs() == 3);
}

TEST_CASE("a search goes on until the host has read that nothing more was found") {
    if (!has_reference()) return;
    Host host("examples/bfs/bfs.wgsl",
              {{"source", {0}},
               {"first", {0, 2, 3, 3, 4}},
               {"targets", {1, 2, 3, 1}},
               {"distances", Words(4)},
               {"deepest", {0}}},
              1);
    CHECK(host.run("distances") == Words{0, 1, 1, 2});
    CHECK(host.runs() >= 3);
}
