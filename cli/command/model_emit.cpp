// `muster emit` and `muster inspect` of models.
#include <algorithm>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <muster/cli/command/emit.hpp>
#include <muster/cli/command/emit_format.hpp>
#include <muster/cli/input/model_ends.hpp>
#include <muster/cli/input/model_file.hpp>
#include <muster/cli/input/model_tensors.hpp>
#include <muster/cli/input/routing.hpp>
#include <muster/cli/report/artifact_report.hpp>
#include <muster/cli/support/file.hpp>
#include <muster/cli/support/json.hpp>
#include <muster/cli/support/text.hpp>
#include <muster/foundation/base/try.hpp>
#include <muster/graph/kernels/constant_inputs.hpp>
#include <muster/graph/stored_model/package.hpp>

namespace muster::cli {
namespace {

using graph::ModelArtifact;
using graph::RunPlan;
using graph::RunTensor;
using graph::Tensor;
using SymbolSizes = std::map<std::string, std::int64_t, std::less<>>;

/// Refuses the options that concern kernels alone.
Attempt<void> check_options(const EmitArguments& arguments) {
    if (extension_of(arguments.output) != ".muster")
        return misused(
            fmt::format("\"{}\" is a model, which is emitted as an artifact alone.", arguments.program.path),
            "name the file so: -o FILE.muster");
    const std::pair<bool, std::string_view> given[]{{arguments.parts, "--parts"},
                                                    {arguments.embed, "--embed"},
                                                    {!arguments.debug_map.empty(), "--debug-map"},
                                                    {!arguments.format.empty(), "--format"}};
    for (const auto& [is_given, option] : given)
        if (is_given)
            return misused(fmt::format("{} isn't for models.", option), fmt::format("leave out {}", option));
    return {};
}

/// "N=8,T=64" as sizes.
Attempt<SymbolSizes> parse_sizes(const std::string& text) {
    SymbolSizes sizes;
    std::string_view rest = text;
    while (!rest.empty()) {
        const std::string_view one = rest.substr(0, rest.find(','));
        const std::size_t equals = one.find('=');
        const auto size = number_in<std::int64_t>(equals == one.npos ? "" : one.substr(equals + 1));
        if (size.value_or(-1) < 0 || equals == 0)
            return misused(fmt::format("--size {} doesn't say how large something is.", text),
                           "write --size NAME=NUMBER, or several with commas: --size N=8,T=64");
        sizes[std::string(one.substr(0, equals))] = *size;
        rest.remove_prefix(std::min(one.size() + 1, rest.size()));
    }
    return sizes;
}

/// Zeros of an input's sizes, with the symbols' sizes in place of these.
Attempt<Tensor> sized_zeros(const graph::Value& input, const SymbolSizes& symbols) {
    graph::Value sized = input;
    for (graph::Dimension& dimension : sized.type.shape) {
        if (dimension.is_unknown())
            return misused(
                fmt::format("Input \"{}\" is {}, of which one size has no name.", input.name,
                            to_string(input.type)),
                fmt::format("bind it to data of the wanted sizes: --bind {}=zeros:...", input.name));
        graph::Dimension product(dimension.factor());
        for (const std::string& symbol : dimension.symbols()) {
            const auto found = symbols.find(symbol);
            if (found == symbols.end())
                return misused(fmt::format("Input \"{}\" is {}, and {} isn't given.", input.name,
                                           to_string(input.type), symbol),
                               fmt::format("add --size {}=NUMBER", symbol));
            product = product * graph::Dimension(found->second);
        }
        dimension = product;
    }
    return zeros(std::span(&sized, 1)).front();
}

/// A tensor for each input: what it is bound to, or zeros of its sizes.
Attempt<std::vector<Tensor>> inputs_for(const graph::Graph& graph, const NamedTexts& binds,
                                        const SymbolSizes& symbols) {
    const ModelEnds ends = ends_of(graph);
    const auto deciding = graph::inputs_that_decide_kernels(graph);
    std::vector<Tensor> tensors;
    for (const auto& [name, spec] : binds)
        if (std::ranges::find(ends.inputs, name, &graph::Value::name) == ends.inputs.end())
            TRY(step(Exit::usage, make_tensors(ends.inputs, binds)));  // says so
    for (std::size_t i = 0; i < ends.inputs.size(); ++i) {
        const graph::Value& input = ends.inputs[i];
        const auto bind = std::ranges::find(binds, input.name, [](const auto& each) { return each.first; });
        if (bind != binds.end()) {
            tensors.push_back(
                TRY(step(Exit::usage, make_tensors(std::span(&input, 1), NamedTexts{*bind}))).front());
            continue;
        }
        if (deciding.contains(graph.inputs()[i]))
            return misused(fmt::format("The kernels are made for what input \"{}\" holds.", input.name),
                           fmt::format("bind it: --bind {}=SPEC", input.name));
        tensors.push_back(TRY(sized_zeros(input, symbols)));
    }
    return tensors;
}

/// "data: f32 [1, 3, 224, 224]".
std::string tensor_text(const RunTensor& tensor) {
    return fmt::format("{}: {} [{}]", tensor.name, graph::name(tensor.element),
                       fmt::join(tensor.sizes, ", "));
}

struct Sizes {
    std::uint64_t weights = 0, values = 0;
};

Sizes sizes_of(const RunPlan& plan) {
    Sizes sizes;
    for (const graph::RunBuffer& buffer : plan.buffers)
        (buffer.weights.bytes.empty() ? sizes.values : sizes.weights) += buffer.bytes;
    return sizes;
}

/// Bytes of code by target.
Result<std::map<std::string, std::uint64_t>> code_bytes(const ModelArtifact& artifact) {
    std::map<std::string, std::uint64_t> bytes;
    for (const graph::ProgramSource& program : artifact.choices.front().programs)
        for (const Artifact& code : TRY(program()).codes) bytes[code.target] += code.bytes.size();
    return bytes;
}

std::string artifact_text(const ModelArtifact& artifact, const std::string& path,
                          const std::map<std::string, std::uint64_t>& codes) {
    const std::size_t kernels = artifact.choices.front().programs.size();
    std::string text =
        fmt::format("{}: model {}, {}, {}\n  {} kernels, pack {}\n", path, artifact.name,
                    human_bytes(artifact.bytes), name(artifact.options.precision), kernels, artifact.pack);
    for (const auto& [target, bytes] : codes)
        text += fmt::format("  code for {}: {}\n", target, human_bytes(bytes));
    for (const RunPlan& plan : artifact.choices) {
        const Sizes sizes = sizes_of(plan);
        text += fmt::format("  plan of {} steps, {} dispatches; weights {}, values {}\n", plan.steps.size(),
                            plan.dispatches.size(), human_bytes(sizes.weights), human_bytes(sizes.values));
        for (const RunTensor& input : plan.inputs)
            text += fmt::format("    input {}{}\n", tensor_text(input),
                                input.contents ? ", with the contents that it was emitted for" : "");
        for (const RunTensor& output : plan.outputs)
            text += fmt::format("    output {}\n", tensor_text(output));
    }
    return text;
}

Json tensors_json(std::span<const RunTensor> tensors) {
    Json json = Json::array();
    for (const RunTensor& tensor : tensors)
        json.push_back({{"name", tensor.name},
                        {"element", graph::name(tensor.element)},
                        {"sizes", tensor.sizes},
                        {"has_contents", tensor.contents.has_value()}});
    return json;
}

Json artifact_json(const ModelArtifact& artifact, const std::string& path,
                   const std::map<std::string, std::uint64_t>& codes) {
    Json json{{"file", path},
              {"bytes", artifact.bytes},
              {"model", artifact.name},
              {"pack", artifact.pack},
              {"precision", name(artifact.options.precision)},
              {"kernels", artifact.choices.front().programs.size()},
              {"code_bytes", codes},
              {"plans", Json::array()}};
    for (const RunPlan& plan : artifact.choices) {
        const Sizes sizes = sizes_of(plan);
        json["plans"].push_back({{"inputs", tensors_json(plan.inputs)},
                                 {"outputs", tensors_json(plan.outputs)},
                                 {"steps", plan.steps.size()},
                                 {"dispatches", plan.dispatches.size()},
                                 {"weight_bytes", sizes.weights},
                                 {"value_bytes", sizes.values}});
    }
    return json;
}

Attempt<void> tell(const ModelArtifact& artifact, const std::string& path, bool as_json) {
    const auto codes = TRY(step(Exit::usage, during("reading " + path, code_bytes(artifact))));
    if (as_json)
        print_json(artifact_json(artifact, path, codes));
    else
        say(artifact_text(artifact, path, codes));
    return {};
}

}  // namespace

Attempt<Exit> emit_model(const EmitArguments& arguments) {
    TRY(check_options(arguments));
    TRY(step(Exit::failed, check_writable(arguments.output)));
    const graph::Graph graph = TRY(load_model(arguments.program));
    const NamedTexts binds = TRY(step(Exit::usage, split_assignments(arguments.binds, "--bind")));
    std::vector<std::vector<Tensor>> inputs;
    for (const std::string& sizes : arguments.sizes)
        inputs.push_back(TRY(inputs_for(graph, binds, TRY(parse_sizes(sizes)))));
    if (inputs.empty()) inputs.push_back(TRY(inputs_for(graph, binds, {})));
    const std::vector<EmitOptions> targets = TRY(step(Exit::usage, package_options(arguments)));
    const Session session = TRY(
        open_session({.subgroup_size = arguments.subgroup_size, .compile_budget = arguments.compile_budget}));
    const graph::Model model =
        TRY(step(graph::Model::open(session, graph, {.compile = targets.front().request.options})));
    const graph::ModelPackage package = TRY(step(graph::package_model(session, model, inputs, targets)));
    TRY(step(Exit::failed, write_file(arguments.output, graph::model_artifact_bytes(package))));
    TRY(tell(TRY(step(graph::load_model_artifact(arguments.output))), arguments.output, arguments.json));
    return Exit::done;
}

Attempt<Exit> inspect_model(const std::string& path, bool as_json) {
    TRY(tell(TRY(step(Exit::usage, graph::load_model_artifact(path))), path, as_json));
    return Exit::done;
}

}  // namespace muster::cli
