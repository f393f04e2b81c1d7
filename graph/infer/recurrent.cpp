#include <algorithm>
#include <array>

#include <fmt/format.h>

#include <muster/foundation/base/printable.hpp>
#include <muster/foundation/base/try.hpp>
#include <muster/graph/infer/inference.hpp>

namespace muster::graph {
namespace {

constexpr std::array<std::string_view, 3> activations{"Sigmoid", "Tanh", "Relu"};

struct Layer {
    Dimension steps, batch, input, hidden;
    std::int64_t directions = 1, gates = 3;
};

Result<std::int64_t> direction_count(const Attributes& attributes) {
    const std::string_view direction = attributes.text("direction");
    if (direction == "bidirectional") return 2;
    if (direction == "forward" || direction == "reverse") return 1;
    return wrong(fmt::format("Its attribute direction is \"{}\".", printable(direction)),
                 "use one of: forward, reverse, bidirectional");
}

Result<void> check_activations(const Attributes& attributes, std::size_t needed) {
    const auto said = attributes.texts("activations");
    if (!attributes.has("activations")) return {};
    if (said.size() != needed)
        return wrong(
            fmt::format("Its attribute activations has {} names, and needs {}.", said.size(), needed));
    for (const std::string& name : said) {
        if (std::ranges::find(activations, name) != activations.end()) continue;
        return fail(ErrorCode::unsupported,
                    fmt::format("Its activation \"{}\" isn't supported.", printable(name)),
                    fmt::format("use one of: {}", fmt::join(activations, ", ")));
    }
    return {};
}

Result<void> expect_shape(const Inference& node, std::size_t input, const Shape& expected) {
    if (!node.has(input)) return {};
    const Shape& shape = node.shape(input);
    bool fits = shape.size() == expected.size();
    for (std::size_t i = 0; fits && i < shape.size(); ++i) fits = !provably_different(shape[i], expected[i]);
    if (fits) return {};
    return wrong(fmt::format("{}, and must be {}.", node.describe(input), to_string(expected)));
}

}  // namespace

Result<void> infer_recurrent(Inference& node) {
    const Attributes& attributes = node.attributes();
    const bool lstm = node.op() == Operator::lstm, batch_first = attributes.flag("layout");
    for (std::size_t input = 0; input < 3; ++input) TRY(node.expect_rank(input, 3));
    const Shape& x = node.shape(0);
    const Layer of{x[batch_first ? 1 : 0], x[batch_first ? 0 : 1],           x[2],
                   node.shape(2)[2],       TRY(direction_count(attributes)), lstm ? 4 : 3};
    TRY(check_activations(attributes, static_cast<std::size_t>(of.directions) * (lstm ? 3 : 2)));
    if (attributes.has("hidden_size") && provably_different(of.hidden, attributes.integer("hidden_size"))) {
        return wrong(fmt::format("{}, and its attribute hidden_size is {}.", node.describe(2),
                                 attributes.integer("hidden_size")));
    }
    const Dimension gates = of.hidden * Dimension(of.gates);
    const Shape state =
        batch_first ? Shape{of.batch, of.directions, of.hidden} : Shape{of.directions, of.batch, of.hidden};
    TRY(expect_shape(node, 1, {of.directions, gates, of.input}));
    TRY(expect_shape(node, 2, {of.directions, gates, of.hidden}));
    TRY(expect_shape(node, 3, {of.directions, gates * Dimension(2)}));
    TRY(expect_shape(node, 4, {of.batch}));
    TRY(expect_shape(node, 5, state));
    TRY(expect_shape(node, 6, state));
    TRY(expect_shape(node, 7, {of.directions, of.hidden * Dimension(3)}));
    node.set_shape(0, batch_first ? Shape{of.batch, of.steps, of.directions, of.hidden}
                                  : Shape{of.steps, of.directions, of.batch, of.hidden});
    node.set_shape(1, state);
    node.set_shape(2, state);
    return {};
}

}  // namespace muster::graph
