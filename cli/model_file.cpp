#include <array>
#include <fstream>
#include <span>

#include <fmt/format.h>

#include <muster/cli/file.hpp>
#include <muster/cli/model_file.hpp>
#include <muster/cli/program_file.hpp>
#include <muster/foundation/base/try.hpp>
#include <muster/foundation/graph/text/graph_text.hpp>
#ifdef MUSTER_HAS_ONNX
#include <muster/graph/onnx/import.hpp>
#endif

namespace muster::cli {
namespace {

Attempt<graph::Graph> read_onnx([[maybe_unused]] const std::string& path) {
#ifdef MUSTER_HAS_ONNX
    auto graph = graph::import_onnx(path);
    if (graph) return *std::move(graph);
    const bool is_file =
        graph.error().code == ErrorCode::not_found || graph.error().code == ErrorCode::io_failed;
    return std::unexpected(Failure{is_file ? Exit::usage : Exit::bad_program, std::move(graph.error())});
#else
    return std::unexpected(Failure{
        Exit::usage,
        Error{ErrorCode::unsupported,
              fmt::format("{} is an ONNX model, and this muster was built without their import.", path),
              "install libonnx-dev and libprotobuf-dev, and build muster again",
              {}}});
#endif
}

/// Refuses what models don't have, and another digest than is asked for.
Attempt<void> check_arguments(const ProgramArguments& arguments) {
    if (!arguments.entry.empty() || !arguments.overrides.empty()) {
        return std::unexpected(Failure{
            Exit::usage,
            Error{ErrorCode::invalid_argument,
                  fmt::format("{} is a model, which has neither entry points nor overrides.", arguments.path),
                  "leave out --entry and --override",
                  {}}});
    }
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
    if (extension_of(arguments.path) == ".onnx") return read_onnx(arguments.path);
    const Bytes bytes = TRY(step(Exit::usage, read_file(arguments.path)));
    const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    return step(Exit::bad_program, graph::parse_graph(text, arguments.path));
}

Attempt<graph::ModelArtifact> load_stored_model(const ProgramArguments& arguments) {
    TRY(check_arguments(arguments));
    return step(Exit::usage, graph::load_model_artifact(arguments.path));
}

}  // namespace muster::cli
