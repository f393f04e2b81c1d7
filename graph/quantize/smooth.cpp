#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include <muster/foundation/base/printable.hpp>
#include <muster/foundation/base/try.hpp>
#include <muster/graph/quantize/quantize.hpp>
#include <muster/graph/rewrite/fold.hpp>
#include <muster/graph/rewrite/give.hpp>
#include <muster/graph/rewrite/match.hpp>

namespace muster::graph {
namespace {

/// A product of an activation and a weight that a pattern matches.
struct Product {
    const SmoothPattern* pattern;
    NodeId root;
    PatternTree tree;  // with `smooth` as one more capture, whose value comes last
    Match match;
    ValueId activation, weight;
};

/// The largest magnitude of each index of an axis.
std::vector<float> maxima_along(const Tensor& tensor, std::size_t axis) {
    const auto channels = static_cast<std::size_t>(tensor.sizes()[axis]);
    std::size_t step = 1;
    for (std::size_t i = axis + 1; i < tensor.sizes().size(); ++i)
        step *= static_cast<std::size_t>(tensor.sizes()[i]);
    std::vector<float> maxima(channels);
    const std::vector<float> all = floats(tensor);
    for (std::size_t i = 0; i < all.size(); ++i) {
        float& maximum = maxima[i / step % channels];
        maximum = std::max(maximum, std::isfinite(all[i]) ? std::fabs(all[i]) : 0.0f);
    }
    return maxima;
}

class Smoother {
  public:
    Smoother(const Graph& graph, const Statistics& statistics, float strength)
        : draft_(graph), statistics_(statistics), strength_(strength) {}

    Result<void> collect(const SmoothPattern& pattern);
    Result<Quantized> run();

  private:
    Result<void> apply(std::span<Product> products);
    std::string obstacle(std::span<const Product> products) const;
    std::vector<float> factors(std::span<const Product> products) const;
    Result<ValueId> given(std::string_view text, const Product& product, NodeId at);

    Draft draft_;
    const Statistics& statistics_;
    float strength_;
    std::map<ValueId, std::vector<Product>> products_;  // by activation
    PatternReport report_;
};

Result<void> Smoother::collect(const SmoothPattern& pattern) {
    for (const std::string_view text : pattern.match) {
        Formula formula = TRY(read_formula(text, pattern.where, pattern.name));
        const std::uint32_t activation = formula.match.find(pattern.activation),
                            weight = formula.match.find(pattern.weight);
        if (activation == UINT32_MAX || weight == UINT32_MAX || formula.match.find("smooth") != UINT32_MAX) {
            return fail(
                ErrorCode::invalid_program,
                fmt::format(
                    "The formula of the pattern \"{}\" has no {} or no {}, or a capture called smooth.",
                    printable(pattern.name), printable(pattern.activation), printable(pattern.weight)));
        }
        PatternTree tree = formula.match;
        tree.terms.push_back({.name = "smooth"});
        for (NodeId at = draft_.first(); at; at = draft_.next(at)) {
            if (draft_.node(at).op != formula.match.terms[formula.match.root].op) continue;
            MatchResult result = match_at(draft_, at, formula);
            if (!result.match) continue;
            const ValueId value = result.match->values[activation];
            products_[value].push_back(
                {&pattern, at, tree, *result.match, value, result.match->values[weight]});
        }
    }
    return {};
}

/// Why an activation can't be smoothed; empty if it can.
std::string Smoother::obstacle(std::span<const Product> products) const {
    const ValueId activation = products[0].activation;
    const Draft::Value& value = draft_.value(activation);
    const std::string name = printable(value.name);
    if (value.outputs > 0 || value.uses != products.size())
        return fmt::format("users of \"{}\" are {}, of which {} are products that match", name,
                           value.uses + value.outputs, products.size());
    const auto statistics = statistics_.find(value.name);
    if (statistics == statistics_.end()) return fmt::format("there are no statistics of \"{}\"", name);
    const auto channels = static_cast<std::int64_t>(statistics->second.channel_maxima.size());
    for (const Product& product : products) {
        const Tensor* weight = draft_.constant(product.weight);
        const std::int64_t axis = product.pattern->weight_axis;
        if (!weight || axis < 0 || axis >= static_cast<std::int64_t>(weight->sizes().size()) ||
            weight->sizes()[static_cast<std::size_t>(axis)] != channels ||
            draft_.element(product.weight) != ElementType::f32)
            return fmt::format("\"{}\" isn't a constant of f32 with {} indices on axis {}",
                               printable(draft_.value(product.weight).name), channels, axis);
    }
    return {};
}

std::vector<float> Smoother::factors(std::span<const Product> products) const {
    const std::vector<float>& activations =
        statistics_.find(draft_.value(products[0].activation).name)->second.channel_maxima;
    std::vector<float> weights(activations.size());
    for (const Product& product : products) {
        const auto axis = static_cast<std::size_t>(product.pattern->weight_axis);
        const std::vector<float> maxima = maxima_along(*draft_.constant(product.weight), axis);
        for (std::size_t i = 0; i < weights.size(); ++i) weights[i] = std::max(weights[i], maxima[i]);
    }
    std::vector<float> result(activations.size(), 1.0f);
    for (std::size_t i = 0; i < result.size(); ++i) {
        if (activations[i] > 0 && weights[i] > 0)
            result[i] = std::clamp(std::pow(activations[i], strength_) / std::pow(weights[i], 1 - strength_),
                                   1e-5f, 1e5f);
    }
    return result;
}

Result<ValueId> Smoother::given(std::string_view text, const Product& product, NodeId at) {
    const auto applying = [&] {
        return fmt::format("applying the pattern \"{}\"", printable(product.pattern->name));
    };
    const PatternTree tree = TRY(parse_give(
        text, product.tree, fmt::format("pattern \"{}\", give", printable(product.pattern->name))));
    ConversionSite site(draft_, at);
    const ValueId value = TRY(during(applying, give(site, tree, product.tree, product.match)));
    for (const NodeId added : site.added()) draft_.set_name(added, draft_.node(at).name);
    return value;
}

Result<void> Smoother::apply(std::span<Product> products) {
    const ValueId activation = products[0].activation;
    PatternUse use{.pattern = products[0].pattern->name, .bits = Bits::changed};
    for (const Product& product : products) use.nodes.push_back(draft_.label(product.root));
    std::string why = obstacle(products);
    if (!why.empty()) {
        report_.refused.push_back({use.pattern, use.nodes[0], std::move(why)});
        return {};
    }
    const std::vector<float> all = factors(products);
    const ValueId smooth = draft_.add_constant(
        Tensor::of<float>({static_cast<std::int64_t>(all.size())}, std::span<const float>(all)), activation);
    for (Product& product : products) product.match.values.push_back(smooth);
    for (const Product& product : products) {
        const ValueId weight = TRY(given(product.pattern->give_weight, product, product.root));
        for (std::size_t i = 0; i < draft_.node(product.root).inputs.size(); ++i) {
            if (draft_.node(product.root).inputs[i] == product.weight)
                draft_.set_input(product.root, i, weight);
        }
    }
    const NodeId producer = draft_.value(activation).producer;
    draft_.adopt(activation, TRY(given(products[0].pattern->give_activation, products[0], producer)));
    report_.used.push_back(std::move(use));
    return {};
}

Result<Quantized> Smoother::run() {
    for (auto& [activation, products] : products_) TRY(apply(products));
    for (NodeId at = draft_.first(); at;) {
        const NodeId next = draft_.next(at);
        TRY(draft_.update(at));
        fold(draft_, at);
        at = next;
    }
    return Quantized{TRY(std::move(draft_).finish()), std::move(report_)};
}

}  // namespace

Result<Quantized> smooth(const Graph& graph, const Statistics& statistics, const Pack& pack, float strength) {
    Smoother smoother(graph, statistics, strength);
    for (const SmoothPattern& pattern : pack.smooth) TRY(smoother.collect(pattern));
    return smoother.run();
}

}  // namespace muster::graph
