#include <algorithm>
#include <chrono>
#include <map>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <muster/cli/command/route.hpp>
#include <muster/cli/command/run.hpp>
#include <muster/cli/input/model_ends.hpp>
#include <muster/cli/input/model_file.hpp>
#include <muster/cli/input/model_tensors.hpp>
#include <muster/cli/input/routing.hpp>
#include <muster/cli/report/artifact_report.hpp>
#include <muster/cli/report/measure.hpp>
#include <muster/cli/report/model_profile.hpp>
#include <muster/cli/support/file.hpp>
#include <muster/cli/support/json.hpp>
#include <muster/cli/support/text.hpp>
#include <muster/foundation/base/try.hpp>
#include <muster/graph/run/model.hpp>
#include <muster/graph/stored_model/stored_model.hpp>

namespace muster::cli {
namespace {

using graph::Graph;
using graph::Model;
using graph::ModelStep;
using graph::ModelSummary;
using graph::RunSummary;
using graph::StoredModel;
using graph::Tensor;

std::int64_t now_ns() { return std::chrono::steady_clock::now().time_since_epoch().count(); }

std::unexpected<Failure> wrong_option(std::string_view option, std::string_view why) {
    return misused(fmt::format("{} isn't for models: {}.", option, why));
}

/// Refuses the options that concern kernels alone.
Attempt<void> check_options(const RunArguments& arguments) {
    if (!arguments.input.workgroups.empty() || !arguments.input.invocations.empty())
        return wrong_option("A grid", "each of its kernels has its own");
    if (arguments.tuned) return wrong_option("--tuned", "it has no override constants");
    if (arguments.routing.measured)
        return wrong_option("--measured", "its kernels stay where they are prepared");
    return {};
}

/// The outputs that --out names, each with its place among the model's.
Attempt<std::vector<std::pair<std::size_t, std::string>>> outputs_of(const RunArguments& arguments,
                                                                     const ModelEnds& model) {
    std::vector<std::pair<std::size_t, std::string>> result;
    std::vector<std::string> names;
    for (const graph::Value& output : model.outputs) names.push_back(output.name);
    for (const auto& [name, path] : TRY(step(Exit::usage, split_assignments(arguments.outs, "--out")))) {
        const auto found = std::ranges::find(names, name);
        if (found == names.end()) {
            return misused(fmt::format("--out names \"{}\", which isn't an output of the model.", name),
                           fmt::format("its outputs are {}", fmt::join(names, ", ")));
        }
        if (path == "-" && arguments.json) return taken_by_json("--out " + name + "=-");
        TRY(step(Exit::usage, during("checking --out " + name, check_tensor_path(path))));
        result.emplace_back(static_cast<std::size_t>(found - names.begin()), path);
    }
    return result;
}

/// The devices that run steps, each with how many.
std::string devices_text(const RunSummary& summary) {
    std::map<std::string, std::size_t> counts;
    for (const ModelStep& step : summary.steps)
        if (step.route && step.route->execute()) ++counts[step.route->execute()->id()];
    if (counts.size() == 1) return counts.begin()->first;
    std::vector<std::string> texts;
    for (const auto& [id, count] : counts) texts.push_back(fmt::format("{} ({} steps)", id, count));
    return fmt::format("{}", fmt::join(texts, ", "));
}

std::size_t kernels_of(const RunSummary& summary) {
    std::size_t count = 0;
    for (const ModelStep& step : summary.steps) count += step.kernels;
    return count;
}

std::string place_text(const ModelStep& step) {
    if (step.kernels == 0) return "in place";
    if (!step.route || !step.route->execute()) return "nowhere";
    return step.route->execute()->id();
}

std::string pack_text(const RunSummary& summary) {
    return summary.pack_keeps_bits
               ? summary.pack
               : fmt::format("{} (bits may differ from the portable pack's)", summary.pack);
}

struct Times {
    Spread wall_ns;
    std::uint64_t first_ns = 0;
    Precision precision = Precision::exact;
};

void report(const RunArguments& arguments, const ModelEnds& model, const RunSummary& summary,
            const Times& times, std::span<const Tensor> outputs) {
    std::string text =
        fmt::format("{} on {}, {}\n", model.name, devices_text(summary), name(times.precision));
    text += fmt::format("  plan   {} steps, {} kernels, pack {}; weights {:.1f} MB, activations {:.1f} MB\n",
                        summary.steps.size(), kernels_of(summary), pack_text(summary),
                        static_cast<double>(summary.weight_bytes) / 1e6,
                        static_cast<double>(summary.activation_bytes) / 1e6);
    text += arguments.repeat == 1
                ? fmt::format("  time   {}", human_time(times.wall_ns.median))
                : fmt::format("  time   {} (median of {} runs, {} to {})", human_time(times.wall_ns.median),
                              arguments.repeat, human_time(times.wall_ns.min), human_time(times.wall_ns.max));
    text += fmt::format("; first result after {}\n", human_time(times.first_ns));
    for (std::size_t i = 0; i < outputs.size(); ++i)
        text += fmt::format("  {}: {}, xxh3 {:016x}\n    {}\n", model.outputs[i].name,
                            to_string(outputs[i].type()), checksum(outputs[i]), preview(outputs[i]));
    complain(text);
}

Json outputs_json(const ModelEnds& model, std::span<const Tensor> outputs) {
    Json json = Json::array();
    for (std::size_t i = 0; i < outputs.size(); ++i)
        json.push_back({{"name", model.outputs[i].name},
                        {"type", to_string(outputs[i].type())},
                        {"xxh3", fmt::format("{:016x}", checksum(outputs[i]))}});
    return json;
}

void report_json(const RunArguments& arguments, const ModelEnds& model, const RunSummary& summary,
                 const Times& times, std::span<const Tensor> outputs) {
    print_json({{"model", arguments.program.path},
                {"devices", devices_text(summary)},
                {"precision", name(times.precision)},
                {"pack", summary.pack},
                {"pack_keeps_bits", summary.pack_keeps_bits},
                {"steps", summary.steps.size()},
                {"kernels", kernels_of(summary)},
                {"weight_bytes", summary.weight_bytes},
                {"activation_bytes", summary.activation_bytes},
                {"runs", arguments.repeat},
                {"wall_ns", cli::to_json(times.wall_ns)},
                {"first_ns", times.first_ns},
                {"outputs", outputs_json(model, outputs)}});
}

Json to_json(const graph::PatternReport& report) {
    Json used = Json::array(), refused = Json::array();
    for (const auto& use : report.used)
        used.push_back({{"pattern", use.pattern}, {"bits", graph::name(use.bits)}, {"nodes", use.nodes}});
    for (const auto& refusal : report.refused)
        refused.push_back({{"pattern", refusal.pattern}, {"node", refusal.node}, {"reason", refusal.reason}});
    return {{"used", used}, {"refused", refused}};
}

Json to_json(const RunSummary& summary) {
    Json steps = Json::array();
    for (const ModelStep& step : summary.steps) {
        Json json{{"nodes", step.nodes},
                  {"pattern", step.pattern},
                  {"kernels", step.kernels},
                  {"device", place_text(step)}};
        steps.push_back(std::move(json));
    }
    return {{"pack", summary.pack},
            {"pack_keeps_bits", summary.pack_keeps_bits},
            {"notes", summary.notes},
            {"steps", steps}};
}

std::string report_text(std::string_view what, const graph::PatternReport& report, bool explains) {
    std::map<std::string_view, std::pair<std::size_t, graph::Bits>> counts;
    for (const auto& use : report.used) {
        auto& [count, bits] = counts[use.pattern];
        ++count;
        bits = use.bits;
    }
    std::string text = fmt::format("{}:{}\n", what, counts.empty() ? " none" : "");
    for (const auto& [pattern, use] : counts)
        text += fmt::format("  {:4} x {}, bits {}\n", use.first, pattern, graph::name(use.second));
    if (!explains) return text;
    for (const auto& use : report.used)
        text += fmt::format("    {}: {}\n", use.pattern, fmt::join(use.nodes, " + "));
    for (const auto& refusal : report.refused)
        text += fmt::format("    not {} at {}: {}\n", refusal.pattern, refusal.node, refusal.reason);
    return text;
}

/// The reasons of each distinct decision, once.
std::string reasons_text(const RunSummary& summary) {
    std::vector<std::string> said;
    std::string text;
    for (const ModelStep& step : summary.steps) {
        if (!step.route) continue;
        std::string reasons = step.route->explain();
        // The first line names the kernel's program, which every step has its own of.
        if (std::ranges::find(said, reasons) != said.end()) continue;
        const bool is_first_of_place = std::ranges::none_of(summary.steps, [&](const ModelStep& other) {
            return &other < &step && other.route && place_text(other) == place_text(step);
        });
        if (!is_first_of_place) continue;
        text += fmt::format("\nNode {}:\n{}\n", fmt::join(step.nodes, " + "), reasons);
        said.push_back(std::move(reasons));
    }
    return text;
}

/// Runs a Model or a StoredModel.
template <class Opened>
Attempt<Exit> run_opened(const RunArguments& arguments, std::int64_t start_ns, const ModelEnds& ends,
                         Opened model, std::span<const Tensor> inputs, Precision precision) {
    const auto outs = TRY(outputs_of(arguments, ends));
    if (!arguments.profile.empty()) TRY(step(Exit::usage, check_profile_path(arguments.profile)));
    const RunSummary summary = TRY(step(model.prepare(inputs)));
    std::vector<Tensor> outputs;
    std::vector<std::uint64_t> times;
    Times all{.precision = precision};
    for (std::uint32_t i = 0; i < arguments.repeat; ++i) {
        const std::int64_t began = now_ns();
        outputs = TRY(step(model.run(inputs)));
        times.push_back(static_cast<std::uint64_t>(now_ns() - began));
        if (i == 0) all.first_ns = static_cast<std::uint64_t>(now_ns() - start_ns);
    }
    all.wall_ns = spread_of(std::move(times));
    if (arguments.json)
        report_json(arguments, ends, summary, all, outputs);
    else if (!arguments.quiet)
        report(arguments, ends, summary, all, outputs);
    for (const std::string& note : summary.notes) complain(fmt::format("note: {}\n", note));
    if (arguments.explain) complain(reasons_text(summary));
    std::fflush(stdout);
    for (const auto& [which, path] : outs)
        TRY(step(Exit::failed,
                 during("writing --out " + ends.outputs[which].name, write_tensor(outputs[which], path))));
    if (!arguments.profile.empty()) {
        const auto profile = TRY(step(model.profile(inputs)));
        TRY(step(Exit::failed,
                 during("writing --profile", write_profile(summary, profile, arguments.profile))));
    }
    (void)wait_until_optimized(most_until_optimized);
    return Exit::done;
}

bool runs(const RunSummary& summary) {
    return std::ranges::none_of(summary.steps, [](const ModelStep& each) {
        return each.kernels > 0 && !(each.route && each.route->execute());
    });
}

std::string steps_text(const RunSummary& summary) {
    std::string text = "steps:\n";
    for (const ModelStep& each : summary.steps) {
        text += fmt::format("  {:12} {}", place_text(each), fmt::join(each.nodes, " + "));
        text += each.pattern.empty() ? "\n" : fmt::format(": {}\n", each.pattern);
    }
    for (const std::string& note : summary.notes) text += fmt::format("note: {}\n", note);
    return text + reasons_text(summary);
}

/// The artifact's options; in fast mode, and with specs, those that are asked for.
Attempt<CompileOptions> options_of(const graph::ModelArtifact& artifact, const RoutingArguments& routing,
                                   const std::vector<std::string>& specs) {
    CompileOptions options = artifact.options;
    if (routing.fast) options.precision = Precision::fast;
    const NamedTexts given = TRY(step(Exit::usage, split_assignments(specs, "--spec")));
    if (!given.empty()) options.specs = given;
    return options;
}

Attempt<Exit> run_stored(const RunArguments& arguments, std::int64_t start_ns) {
    graph::ModelArtifact artifact = TRY(load_stored_model(arguments.program));
    const ModelEnds ends = ends_of(artifact);
    const NamedTexts binds = TRY(step(Exit::usage, split_assignments(arguments.input.binds, "--bind")));
    const std::vector<Tensor> inputs = TRY(step(Exit::usage, make_tensors(ends.inputs, binds)));
    const CompileOptions options = TRY(options_of(artifact, arguments.routing, arguments.specs));
    StoredModel model =
        TRY(step(StoredModel::open(TRY(open_session(arguments.routing)), std::move(artifact), options)));
    return run_opened(arguments, start_ns, ends, model, inputs, options.precision);
}

Attempt<Exit> route_stored(const RouteArguments& arguments) {
    graph::ModelArtifact artifact = TRY(load_stored_model(arguments.program));
    const ModelEnds ends = ends_of(artifact);
    const NamedTexts binds = TRY(step(Exit::usage, split_assignments(arguments.input.binds, "--bind")));
    std::vector<Tensor> inputs =
        binds.empty() ? first_inputs(artifact) : TRY(step(Exit::usage, make_tensors(ends.inputs, binds)));
    const CompileOptions options = TRY(options_of(artifact, arguments.routing, {}));
    Session session = TRY(open_session(arguments.routing));
    StoredModel model = TRY(step(StoredModel::open(session, std::move(artifact), options)));
    const RunSummary summary = TRY(step(model.route(inputs)));
    // All kernels have codes for the same targets.
    const auto& programs = model.artifact().choices.front().programs;
    std::optional<ArtifactFile> kernel;
    if (!programs.empty()) kernel = TRY(step(Exit::usage, programs.front()()));
    if (arguments.json) {
        Json json{{"model", arguments.program.path}};
        json.update(to_json(summary));
        if (kernel) json["codes"] = fits_json(session.fleet(), *kernel);
        print_json(json);
    } else {
        say(fmt::format("{}: {} steps, {} kernels, on {}\npack {}\n", ends.name, summary.steps.size(),
                        kernels_of(summary), devices_text(summary), pack_text(summary)) +
            steps_text(summary));
        if (kernel) say(fits_text(session.fleet(), *kernel));
    }
    return runs(summary) ? Exit::done : Exit::refused;
}

}  // namespace

Attempt<Exit> run_model(const RunArguments& arguments, std::int64_t start_ns) {
    TRY(check_options(arguments));
    if (!is_model(arguments.program.path)) return run_stored(arguments, start_ns);
    const Graph graph = TRY(load_model(arguments.program));
    const ModelEnds ends = ends_of(graph);
    const NamedTexts binds = TRY(step(Exit::usage, split_assignments(arguments.input.binds, "--bind")));
    const std::vector<Tensor> inputs = TRY(step(Exit::usage, make_tensors(ends.inputs, binds)));
    graph::ModelOptions options{.compile = compile_options(arguments.routing)};
    options.compile.specs = TRY(step(Exit::usage, split_assignments(arguments.specs, "--spec")));
    const Model model = TRY(step(Model::open(TRY(open_session(arguments.routing)), graph, options)));
    return run_opened(arguments, start_ns, ends, model, inputs, options.compile.precision);
}

Attempt<Exit> route_model(const RouteArguments& arguments) {
    if (!is_model(arguments.program.path)) return route_stored(arguments);
    const Graph graph = TRY(load_model(arguments.program));
    const ModelEnds ends = ends_of(graph);
    const NamedTexts binds = TRY(step(Exit::usage, split_assignments(arguments.input.binds, "--bind")));
    const std::vector<Tensor> inputs =
        binds.empty() ? zeros(ends.inputs) : TRY(step(Exit::usage, make_tensors(ends.inputs, binds)));
    Model model = TRY(step(Model::open(TRY(open_session(arguments.routing)), graph,
                                       {.compile = compile_options(arguments.routing)})));
    const ModelSummary summary = TRY(step(model.route(inputs)));
    if (arguments.json) {
        Json json{{"model", arguments.program.path},
                  {"conversions", to_json(summary.conversions)},
                  {"fusion", to_json(summary.fusion)}};
        json.update(to_json(static_cast<const RunSummary&>(summary)));
        print_json(json);
        return runs(summary) ? Exit::done : Exit::refused;
    }
    std::string text =
        fmt::format("{}: {} nodes, {} steps, {} kernels, on {}\npack {}\n", graph.name(), graph.node_count(),
                    summary.steps.size(), kernels_of(summary), devices_text(summary), pack_text(summary));
    text += report_text("conversions", summary.conversions, arguments.explain);
    text += report_text("groups", summary.fusion, arguments.explain);
    say(text + steps_text(summary));
    return runs(summary) ? Exit::done : Exit::refused;
}

}  // namespace muster::cli
