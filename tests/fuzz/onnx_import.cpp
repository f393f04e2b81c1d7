// Import of ONNX models: whatever the bytes, a graph or an error; and what is imported can be exported and imported again.
#include <span>
#include <string_view>
#include <vector>

#include <muster/foundation/interpreter/random.hpp>
#include <muster/graph/onnx/export.hpp>
#include <muster/graph/onnx/import.hpp>
#include <muster/graph/text/graph_text.hpp>

#include "damage.hpp"
#include "model_text.hpp"
#include "target.hpp"

namespace muster::fuzz {
namespace {

void import(std::span<const std::byte> bytes) {
    const auto graph = graph::import_onnx_bytes(bytes);
    if (!graph) {
        expect(!graph.error().message.empty(), "an error says what is wrong");
        return;
    }
    const auto exported = graph::export_onnx_bytes(*graph);
    expect(exported.has_value(), "an imported graph can be exported");
    const auto again = graph::import_onnx_bytes(*exported);
    expect(again.has_value(), "an exported graph can be imported", again ? "" : again.error().to_string());
    expect(graph->node_count() == again->node_count(), "an exported graph is imported with all its nodes");
    const auto third = graph::import_onnx_bytes(*graph::export_onnx_bytes(*again));
    if (!third || !graph::same_structure(*again, *third))
        expect(false, "an exported graph is imported as it was", print_graph(*graph) + print_graph(*again));
}

}  // namespace

/// The text is a model in protobuf's text format, or bytes.
void check(std::string_view text) {
    const auto model = graph::try_onnx_bytes(text);
    if (!model) return import(std::as_bytes(std::span(text)));
    import(*model);
    interpreter::Random random(static_cast<std::uint64_t>(model->size()));
    for (int i = 0; i < 20; ++i) import(damaged(*model, random));
}

}  // namespace muster::fuzz
