#include <algorithm>
#include <initializer_list>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <muster/cli/input/pipeline_file.hpp>
#include <muster/cli/support/json.hpp>
#include <muster/foundation/base/nearest.hpp>
#include <muster/foundation/base/try.hpp>

namespace muster::cli {
namespace {

constexpr int most_nested = 8;  // loops
constexpr std::uint32_t most_turns = 1'000'000;

std::unexpected<Error> wrong(const std::string& place, const std::string& what, const std::string& fix) {
    return fail(ErrorCode::invalid_argument, fmt::format("{} {}.", place, what), fix);
}

Result<void> check_object(const Json& json, const std::string& place,
                          std::initializer_list<const char*> members) {
    if (!json.is_object()) return wrong(place, "isn't an object", "write {\"...\": ...}");
    const std::vector<std::string> known(members.begin(), members.end());
    for (const auto& [name, value] : json.items())
        if (std::ranges::find(known, name) == known.end())
            return wrong(place, fmt::format("has a member \"{}\", which isn't known", name),
                         did_you_mean(name, known));
    return {};
}

Result<std::string> text_of(const Json& json, const std::string& place) {
    if (json.is_string()) return json.get<std::string>();
    if (json.is_number()) return json.dump();  // a literal: 2.5
    return wrong(place, "isn't text", "write \"...\"");
}

Result<std::uint64_t> number_of(const Json& json, const std::string& place, std::uint64_t most) {
    if (json.is_number_unsigned() && json.get<std::uint64_t>() <= most) return json.get<std::uint64_t>();
    return wrong(place, fmt::format("isn't a number from 0 to {}", most), "write such a number");
}

Result<NamedTexts> texts_of(const Json& json, const std::string& place) {
    if (!json.is_object()) return wrong(place, "isn't an object", "write {\"NAME\": \"...\"}");
    NamedTexts texts;
    for (const auto& [name, value] : json.items())
        texts.emplace_back(name, TRY(text_of(value, fmt::format("{}.{}", place, name))));
    return texts;
}

Result<RunStep> parse_run(const Json& json, const std::string& place) {
    TRY(check_object(json, place,
                     {"run", "entry", "overrides", "bind", "values", "workgroups", "invocations"}));
    RunStep step{.path = TRY(text_of(json["run"], place + ".run"))};
    if (json.contains("entry")) step.entry = TRY(text_of(json["entry"], place + ".entry"));
    if (json.contains("overrides"))
        for (const auto& [name, value] : TRY(texts_of(json["overrides"], place + ".overrides")))
            step.overrides.push_back(name + "=" + value);
    if (json.contains("bind")) step.bind = TRY(texts_of(json["bind"], place + ".bind"));
    if (json.contains("values")) {
        if (!json["values"].is_object())
            return wrong(place + ".values", "isn't an object", "write {\"NAME\": \"...\"}");
        for (const auto& [name, value] : json["values"].items()) {
            std::vector<std::string> specs;
            const std::string at = fmt::format("{}.values.{}", place, name);
            for (const Json& one : value.is_array() ? value : Json::array({value}))
                specs.push_back(TRY(text_of(one, at)));
            if (specs.empty()) return wrong(at, "is an empty list", "give a value for each turn");
            step.values.emplace_back(name, std::move(specs));
        }
    }
    step.in_invocations = json.contains("invocations");
    if (json.contains("workgroups") == step.in_invocations)
        return wrong(place, "has no grid, or two",
                     "give \"workgroups\" or \"invocations\", as [X], [X, Y] or [X, Y, Z]");
    const char* const name = step.in_invocations ? "invocations" : "workgroups";
    const Json grid = json[name].is_array() ? json[name] : Json::array({json[name]});
    if (grid.empty() || grid.size() > 3)
        return wrong(fmt::format("{}.{}", place, name), "has no one to three numbers",
                     "write [X], [X, Y] or [X, Y, Z]");
    for (std::size_t axis = 0; axis < grid.size(); ++axis) {
        step.grid[axis] = TRY(number_of(grid[axis], fmt::format("{}.{}", place, name), UINT32_MAX));
        if (step.grid[axis] == 0)
            return wrong(fmt::format("{}.{}", place, name), "has no invocation",
                         "write 1 or more for each axis");
    }
    return step;
}

Result<std::vector<PipelineStep>> parse_steps(const Json& json, const std::string& place, int depth);

Result<PipelineStep> parse_step(const Json& json, const std::string& place, int depth) {
    if (json.is_object() && json.contains("run")) return PipelineStep{place, TRY(parse_run(json, place))};
    if (json.is_object() && json.contains("copy")) {
        TRY(check_object(json, place, {"copy", "to"}));
        if (!json.contains("to")) return wrong(place, "copies to nothing", "add \"to\": \"BUFFER\"");
        return PipelineStep{place, CopyStep{TRY(text_of(json["copy"], place + ".copy")),
                                            TRY(text_of(json["to"], place + ".to"))}};
    }
    if (json.is_object() && json.contains("fill")) {
        TRY(check_object(json, place, {"fill", "word"}));
        FillStep fill{TRY(text_of(json["fill"], place + ".fill")), 0};
        if (json.contains("word"))
            fill.word = static_cast<std::uint32_t>(TRY(number_of(json["word"], place + ".word", UINT32_MAX)));
        return PipelineStep{place, fill};
    }
    if (json.is_object() && json.contains("repeat")) {
        TRY(check_object(json, place, {"repeat", "steps"}));
        RepeatStep loop{
            static_cast<std::uint32_t>(TRY(number_of(json["repeat"], place + ".repeat", most_turns))), {}};
        if (!json.contains("steps")) return wrong(place, "repeats nothing", "add \"steps\": [...]");
        loop.steps = TRY(parse_steps(json["steps"], place + ".steps", depth + 1));
        return PipelineStep{place, std::move(loop)};
    }
    return wrong(place, "isn't a step", "write an object with \"run\", \"copy\", \"fill\" or \"repeat\"");
}

Result<std::vector<PipelineStep>> parse_steps(const Json& json, const std::string& place, int depth) {
    if (!json.is_array()) return wrong(place, "isn't a list", "write [...]");
    if (depth > most_nested)
        return wrong(place, fmt::format("is nested deeper than {} loops", most_nested), "use fewer loops");
    std::vector<PipelineStep> steps;
    for (std::size_t i = 0; i < json.size(); ++i)
        steps.push_back(TRY(parse_step(json[i], fmt::format("{}[{}]", place, i), depth)));
    return steps;
}

}  // namespace

Result<Pipeline> parse_pipeline(std::string_view text) {
    Json json;
    try {
        json = Json::parse(text);
    } catch (const Json::exception& error) {
        return fail(ErrorCode::invalid_argument, fmt::format("It isn't JSON: {}.", error.what()),
                    "mend its syntax");
    }
    TRY(check_object(json, "The pipeline", {"buffers", "steps"}));
    Pipeline pipeline;
    if (json.contains("buffers")) pipeline.buffers = TRY(texts_of(json["buffers"], "buffers"));
    if (!json.contains("steps")) return wrong("The pipeline", "has no steps", "add \"steps\": [...]");
    pipeline.steps = TRY(parse_steps(json["steps"], "steps", 0));
    return pipeline;
}

}  // namespace muster::cli
