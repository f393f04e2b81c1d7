#include <algorithm>
#include <array>
#include <fstream>
#include <span>

#include <fmt/format.h>

#include <muster/cli/input/literal.hpp>
#include <muster/cli/input/model_file.hpp>
#include <muster/cli/input/model_tensors.hpp>
#include <muster/cli/input/program_file.hpp>
#include <muster/cli/support/file.hpp>
#include <muster/foundation/base/try.hpp>
#include <muster/graph/text/graph_text.hpp>
#ifdef MUSTER_HAS_ONNX
#include <muster/graph/onnx/import.hpp>
#endif

namespace muster::cli {
namespace {

#ifdef MUSTER_HAS_ONNX
/// Inputs, and sizes that they leave open, with the values that --constant gives them.
Result<graph::ImportOptions> known_values(const ProgramArguments& arguments) {
    graph::ImportOptions options;
    const NamedTexts given = TRY(split_assignments(arguments.constants, "--constant"));
    if (given.empty()) return options;
    const std::vector<graph::Value> inputs = TRY(graph::onnx_inputs(arguments.path));
    for (const auto& [name, text] : given) {
        const auto input = std::ranges::find(inputs, name, &graph::Value::name);
        if (input == inputs.end()) {
            options.sizes.emplace_back(
                name, static_cast<std::int64_t>(
                          TRY(during("reading --constant " + name, parse_number(text, Scalar::i64)))));
            continue;
        }
        const std::vector<graph::Tensor> tensors =
            TRY(make_tensors(std::span(&*input, 1), NamedTexts{{name, text}}));
        options.constants.emplace_back(name, tensors.front());
    }
    return options;
}
#endif

Attempt<graph::Graph> read_onnx([[maybe_unused]] const ProgramArguments& arguments) {
#ifdef MUSTER_HAS_ONNX
    const graph::ImportOptions options = TRY(step(Exit::usage, known_values(arguments)));
    auto graph = graph::import_onnx(arguments.path, options);
    if (graph) return *std::move(graph);
    const ErrorCode code = graph.error().code;
    const bool is_usage =
        code == ErrorCode::not_found || code == ErrorCode::io_failed || code == ErrorCode::invalid_argument;
    return std::unexpected(Failure{is_usage ? Exit::usage : Exit::bad_program, std::move(graph.error())});
#else
    return std::unexpected(Failure{
        Exit::usage, Error{ErrorCode::unsupported,
                           fmt::format("{} is an ONNX model, and this muster was built without their import.",
                                       arguments.path),
                           "install libonnx-dev and libprotobuf-dev, and build muster again",
                           {}}});
#endif
}

/// Refuses what models don't have, and another digest than is asked for.
Attempt<void> check_arguments(const ProgramArguments& arguments) {
    if (!arguments.entry.empty() || !arguments.overrides.empty()) {
        return misused(
            fmt::format("{} is a model, which has neither entry points nor overrides.", arguments.path),
            "leave out --entry and --override");
    }
    if (extension_of(arguments.path) != ".onnx") TRY(check_no_constants(arguments));
    if (!arguments.digest.empty())
        TRY(check_digest(arguments, TRY(step(Exit::usage, read_file(arguments.path)))));
    return {};
}

}  // namespace

bool is_model(const std::string& path) {
    return extension_of(path) == ".onnx" || extension_of(path) == ".graph";
}

bool is_stored_model(const std::string& path) {
    std::array<char, 8> begin{};
    std::ifstream file(path, std::ios::binary);
    file.read(begin.data(), begin.size());
    return file && graph::is_model_artifact(std::as_bytes(std::span(begin)));
}

Attempt<graph::Graph> load_model(const ProgramArguments& arguments) {
    TRY(check_arguments(arguments));
    if (extension_of(arguments.path) == ".onnx") return read_onnx(arguments);
    const Bytes bytes = TRY(step(Exit::usage, read_file(arguments.path)));
    return step(Exit::bad_program, graph::parse_graph(as_text(bytes), arguments.path));
}

Attempt<graph::ModelArtifact> load_stored_model(const ProgramArguments& arguments) {
    TRY(check_arguments(arguments));
    return step(Exit::usage, graph::load_model_artifact(arguments.path));
}

}  // namespace muster::cli
