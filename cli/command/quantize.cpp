#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <muster/cli/command/shared_options.hpp>
#include <muster/cli/command/verb.hpp>
#include <muster/cli/input/model_file.hpp>
#include <muster/cli/input/model_tensors.hpp>
#include <muster/cli/input/routing.hpp>
#include <muster/cli/support/file.hpp>
#include <muster/cli/support/json.hpp>
#include <muster/foundation/base/try.hpp>
#include <muster/graph/build/graph_builder.hpp>
#include <muster/graph/portable/portable_pack.hpp>
#include <muster/graph/quantize/quantize.hpp>
#include <muster/graph/rewrite/rewrite.hpp>
#include <muster/graph/run/choose_pack.hpp>
#include <muster/graph/run/model.hpp>
#ifdef MUSTER_HAS_ONNX
#include <muster/graph/onnx/export.hpp>
#endif

namespace muster::cli {
namespace {

struct QuantizeArguments {
    ProgramArguments model;
    RoutingArguments routing;
    std::string samples;  // a folder, or a .npy file
    std::string output;
    double percentile = 100;
    double strength = 0.5;  // of smoothing
    bool no_smooth = false;
    bool json = false;
};

using graph::Graph;
using graph::Model;
using graph::Tensor;
using graph::ValueId;

/// The graph with all floats that nodes make as outputs, behind its own.
Result<Graph> with_all_outputs(const Graph& from) {
    graph::GraphBuilder builder{std::string(from.name())};
    std::vector<ValueId> ids(from.value_count());
    for (const ValueId id : from.inputs())
        ids[id.index] = TRY(builder.input(from.value(id).name, from.value(id).type));
    for (std::uint32_t i = 0; i < from.value_count(); ++i) {
        const graph::Value& value = from.value({i});
        if (value.constant) ids[i] = TRY(builder.constant(value.name, *value.constant));
    }
    std::vector<ValueId> made;
    for (const graph::NodeId node : from.nodes()) {
        graph::NodeSpec spec{.op = from.node(node).op, .name = from.node(node).name};
        for (const ValueId input : from.inputs(node))
            spec.inputs.push_back(input ? ids[input.index] : ValueId());
        for (const ValueId output : from.outputs(node))
            spec.outputs.push_back(output ? from.value(output).name : std::string());
        const auto said = from.attributes(node).said();
        spec.attributes.assign(said.begin(), said.end());
        const std::vector<ValueId> outputs = TRY(builder.node(std::move(spec)));
        for (std::size_t i = 0; i < outputs.size(); ++i) {
            if (!outputs[i]) continue;
            ids[from.outputs(node)[i].index] = outputs[i];
            if (graph::is_float(from.value(from.outputs(node)[i]).type.element)) made.push_back(outputs[i]);
        }
    }
    for (const ValueId id : from.outputs()) TRY(builder.output(ids[id.index]));
    for (const ValueId id : made) TRY(builder.output(id));
    return std::move(builder).finish();
}

/// Collects the ranges of the graph's values for the samples, computed on the session's device.
Result<graph::Statistics> statistics_of(const Session& session, const Graph& graph,
                                        std::span<const Tensor> samples, const QuantizeArguments& arguments) {
    const Graph observed = TRY(with_all_outputs(graph));
    Model model = TRY(Model::open(session, observed, {.compile = compile_options(arguments.routing)}));
    graph::Calibration calibration({.percentile = arguments.percentile});
    for (const Tensor& sample : samples) {
        calibration.add(observed.value(observed.inputs()[0]).name, sample);
        const std::vector<Tensor> values = TRY(model.run(std::span(&sample, 1)));
        for (std::size_t i = 0; i < values.size(); ++i)
            calibration.add(observed.value(observed.outputs()[i]).name, values[i]);
    }
    return calibration.finish();
}

/// How far an output of the model of integers is from that of the model of floats, over all samples.
struct Accuracy {
    std::string output;
    double largest = 0;  // of the floats' magnitudes
    double worst = 0;    // the largest difference
    double sum_of_squares = 0, sum_of_errors = 0;
    std::size_t same_top = 0, samples = 0;  // where the largest element is at the same place
    /// The ratio of the values' power to the errors', in decibels.
    double ratio() const { return 10 * std::log10(sum_of_squares / std::max(sum_of_errors, 1e-30)); }
    void add(const std::vector<float>& wanted, const std::vector<float>& found) {
        for (std::size_t i = 0; i < wanted.size(); ++i) {
            const double w = static_cast<double>(wanted[i]), difference = static_cast<double>(found[i]) - w;
            largest = std::max(largest, std::fabs(w));
            worst = std::max(worst, std::fabs(difference));
            sum_of_squares += w * w;
            sum_of_errors += difference * difference;
        }
        const auto top = [](const std::vector<float>& values) {
            return std::ranges::max_element(values) - values.begin();
        };
        same_top += top(wanted) == top(found);
        ++samples;
    }
};

Result<std::vector<Accuracy>> compare(const Session& session, const Graph& floats, const Graph& integers,
                                      std::span<const Tensor> samples, const QuantizeArguments& arguments) {
    const graph::ModelOptions options{.compile = compile_options(arguments.routing)};
    Model of_floats = TRY(Model::open(session, floats, options)),
          of_integers = TRY(Model::open(session, integers, options));
    std::vector<Accuracy> result;
    for (const ValueId id : floats.outputs()) result.push_back({.output = floats.value(id).name});
    for (const Tensor& sample : samples) {
        const std::vector<Tensor> wanted = TRY(of_floats.run(std::span(&sample, 1))),
                                  found = TRY(of_integers.run(std::span(&sample, 1)));
        for (std::size_t i = 0; i < wanted.size(); ++i)
            if (graph::is_float(wanted[i].element()))
                result[i].add(graph::floats(wanted[i]), graph::floats(found[i]));
    }
    return result;
}

/// The pack that quantises: the chosen one, or the portable one where a device's own, that nobody
/// named, quantises nothing.
Result<graph::Pack> pack_of(const Session& session, const QuantizeArguments& arguments) {
    graph::Pack pack =
        graph::with_portable(*TRY(graph::choose_pack(session, compile_options(arguments.routing))));
    if (!pack.quantized.empty()) return pack;
    if (!session.policy().pack) return graph::portable_pack();
    return fail(ErrorCode::refused,
                fmt::format("The pack \"{}\" quantises nothing: it has no quantized patterns.", pack.name),
                "name another pack; \"portable\" has some");
}

struct IntegerModel {
    Graph graph;
    graph::PatternReport smoothed, quantized;
};

Result<IntegerModel> quantized(const Session& session, const graph::Pack& pack, const Graph& floats,
                               std::span<const Tensor> samples, const QuantizeArguments& arguments) {
    Graph graph = floats;
    graph::PatternReport smoothed;
    graph::Statistics statistics =
        TRY(during("calibrating", statistics_of(session, graph, samples, arguments)));
    if (!arguments.no_smooth && pack.smooth.empty())
        complain(fmt::format("note: the pack \"{}\" moves no scale to weights: it has no smooth patterns\n",
                             pack.name));
    if (!arguments.no_smooth && !pack.smooth.empty()) {
        graph::Quantized smoother =
            TRY(graph::smooth(graph, statistics, pack, static_cast<float>(arguments.strength)));
        smoothed = std::move(smoother.report);
        if (!smoothed.used.empty()) {
            graph = std::move(smoother.graph);
            statistics = TRY(during("calibrating again", statistics_of(session, graph, samples, arguments)));
        }
    }
    graph::Quantized result = TRY(graph::quantize(graph, statistics, pack));
    return IntegerModel{std::move(result.graph), std::move(smoothed), std::move(result.report)};
}

Result<void> write_model([[maybe_unused]] const Graph& graph, [[maybe_unused]] const std::string& path) {
#ifdef MUSTER_HAS_ONNX
    return graph::export_onnx(graph, path);
#else
    return fail(ErrorCode::unsupported, "This muster was built without ONNX models.",
                "install libonnx-dev and libprotobuf-dev, and build muster again");
#endif
}

void report(const QuantizeArguments& arguments, const graph::Pack& pack, const IntegerModel& outcome,
            std::size_t samples, std::span<const Accuracy> accuracies) {
    if (arguments.json) {
        Json outputs = Json::array();
        for (const Accuracy& each : accuracies)
            outputs.push_back({{"name", each.output},
                               {"largest", each.largest},
                               {"worst", each.worst},
                               {"decibels", each.ratio()},
                               {"same_top", each.same_top},
                               {"samples", each.samples}});
        print_json({{"model", arguments.model.path},
                    {"output", arguments.output},
                    {"pack", pack.name},
                    {"samples", samples},
                    {"smoothed", outcome.smoothed.used.size()},
                    {"quantized", outcome.quantized.used.size()},
                    {"outputs", outputs}});
        return;
    }
    std::string text =
        fmt::format("{}: {} products of integers, {} smoothed, from {} samples, pack {}\n", arguments.output,
                    outcome.quantized.used.size(), outcome.smoothed.used.size(), samples, pack.name);
    for (const auto& refusal : outcome.quantized.refused)
        text += fmt::format("  not {}: {}\n", refusal.node, refusal.reason);
    for (const Accuracy& each : accuracies)
        text += fmt::format(
            "  {}: differs by up to {:.3g} of {:.3g}, {:.1f} dB; the same element is the largest in {} of {} "
            "samples\n",
            each.output, each.worst, each.largest, each.ratio(), each.same_top, each.samples);
    say(text);
}

void declare(Options& options, QuantizeArguments& to) {
    options.argument(to.model.path, "MODEL", "The model, an .onnx file");
    add_constants(options, to.model);
    options
        .value(
            to.samples, "--calibrate", "DIR|FILE",
            "Sample inputs: a .npy file whose first axis counts them, or a folder of .npy and picture files")
        .required();
    options.value(to.output, "-o,--output", "FILE", "Where the model of integers goes, an .onnx file")
        .required();
    options
        .value(to.percentile, "--percentile", "P",
               "The part of an activation's values, in percent, that its range holds; 100: all")
        .within(50.0, 100.0);
    options
        .value(to.strength, "--strength", "ALPHA",
               "How much scale moves from activations to weights (SmoothQuant's alpha)")
        .within(0.0, 1.0);
    options.flag(to.no_smooth, "--no-smooth", "Move no scale from activations to weights");
    add_routing(options, to.routing);
    add_json(options, to.json);
    options.footer(
        "\nThe result has QuantizeLinear and DequantizeLinear around its products; other runtimes read it, "
        "too. What\n"
        "it gives for the samples is compared with what the model of floats gives.\n"
        "\nExample:\n  muster quantize resnet50.onnx --calibrate photos -o resnet50.int8.onnx");
}

Attempt<Exit> perform(const QuantizeArguments& arguments) {
    if (extension_of(arguments.output) != ".onnx") {
        return misused(fmt::format("--output is \"{}\", and the result is an ONNX model.", arguments.output),
                       "name an .onnx file");
    }
    TRY(step(Exit::usage, during("checking --output", check_writable(arguments.output))));
    const Graph imported = TRY(load_model(arguments.model));
    const std::vector<Tensor> samples =
        TRY(step(Exit::usage, during("reading --calibrate", read_samples(imported, arguments.samples))));
    const Session session = TRY(open_session(arguments.routing));
    const graph::Pack pack = TRY(step(pack_of(session, arguments)));
    const Graph floats = TRY(step(graph::rewrite(imported, pack.conversion))).graph;
    const IntegerModel outcome = TRY(step(quantized(session, pack, floats, samples, arguments)));
    const auto accuracies = TRY(step(compare(session, floats, outcome.graph, samples, arguments)));
    TRY(step(Exit::failed, write_model(outcome.graph, arguments.output)));
    report(arguments, pack, outcome, samples.size(), accuracies);
    return Exit::done;
}

}  // namespace

const Verb verbs::quantize{"quantize", "Make a model of integers from one of floats",
                           command<QuantizeArguments, declare, perform>};

}  // namespace muster::cli
