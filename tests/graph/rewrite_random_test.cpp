// Random graphs: the portable pack keeps their results, and its groups are in order.
#include <algorithm>
#include <random>
#include <set>

#include <muster/graph/build/graph_builder.hpp>
#include <muster/graph/portable/portable_pack.hpp>
#include <muster/graph/rewrite/fuse.hpp>
#include <muster/graph/rewrite/specialise.hpp>

#include "graph/pattern_cases.hpp"

namespace muster::graph {
namespace {

/// A graph of some twenty nodes over values of f32 with 24 elements, shaped in several ways.
class RandomGraph {
  public:
    explicit RandomGraph(std::uint32_t seed) : random_(seed) {}

    Graph make() {
        values_.push_back(builder_.input("x", {ElementType::f32, {2, 3, 4}}).value());
        values_.push_back(builder_.input("z", {ElementType::f32, {Dimension::symbol("N"), 12}}).value());
        for (const float number : {0.0f, 1.0f, 0.5f, 2.0f})
            numbers_.push_back(
                builder_.constant(fmt::format("c{}", number), Tensor::of<float>({}, {number})).value());
        for (int i = 0; i < 20; ++i) add();
        for (std::size_t i = 0; i < 3; ++i) REQUIRE(builder_.output(values_[values_.size() - 1 - i]));
        return std::move(builder_).finish().value();
    }

  private:
    std::uint32_t below(std::uint32_t count) { return static_cast<std::uint32_t>(random_() % count); }
    ValueId any() {
        return values_[values_.size() - 1 -
                       below(static_cast<std::uint32_t>(std::min<std::size_t>(values_.size(), 5)))];
    }
    const Shape& shape_of(ValueId value) const { return builder_.fact(value).type.shape; }

    void node(Operator op, std::vector<ValueId> inputs, std::vector<NamedAttribute> attributes = {}) {
        const std::string name = fmt::format("v{}", ++count_);
        auto made = builder_.node({.op = op,
                                   .name = "n" + name,
                                   .inputs = std::move(inputs),
                                   .outputs = {name},
                                   .attributes = std::move(attributes)});
        if (made) values_.push_back((*made)[0]);
    }

    ValueId integers(std::vector<std::int64_t> list) {
        const auto size = static_cast<std::int64_t>(list.size());
        return builder_
            .constant(fmt::format("i{}", ++count_),
                      Tensor::of<std::int64_t>({size}, std::span<const std::int64_t>(list)))
            .value();
    }

    void add() {
        using enum Operator;
        const ValueId x = any();
        switch (below(9)) {
            case 0: return node(std::array{relu, neg, abs, sigmoid, identity, tanh}[below(6)], {x});
            case 1: return node(std::array{Operator::add, sub, mul, div}[below(4)], {x, numbers_[below(4)]});
            case 2: return node(std::array{Operator::add, mul, min, max}[below(4)], {x, any()});
            case 3: {
                std::vector<std::int64_t> axes;
                for (std::size_t i = 0; i < shape_of(x).size(); ++i)
                    axes.push_back(static_cast<std::int64_t>(i));
                std::shuffle(axes.begin(), axes.end(), random_);
                return node(transpose, {x}, {{"perm", axes}});
            }
            case 4: {
                const std::vector<std::int64_t> shapes[]{{-1, 12}, {2, 3, 4},     {4, 1, 6},
                                                         {-1},     {1, 2, 1, 12}, {0, -1}};
                return node(reshape, {x, integers(shapes[below(6)])});
            }
            case 5: return node(flatten, {x}, {{"axis", std::int64_t{1}}});
            case 6: return node(unsqueeze, {x, integers({static_cast<std::int64_t>(below(2))})});
            case 7: return node(softmax, {x});
            default: return node(sum, {x, any()});
        }
    }

    std::mt19937 random_;
    GraphBuilder builder_{"random"};
    std::vector<ValueId> values_, numbers_;
    int count_ = 0;
};

void check_groups(const Graph& graph, const Fused& fused) {
    std::set<NodeId> seen;
    for (const Group& group : fused.groups) {
        for (const ValueId input : group.inputs) {
            const NodeId producer = graph.value(input).producer;
            CHECK((!producer || seen.contains(producer)));
        }
        for (const NodeId node : group.nodes) CHECK(seen.insert(node).second);
    }
    CHECK(seen.size() == graph.node_count());
}

}  // namespace

TEST_CASE(
    "Random graphs keep their results when they are rewritten and specialised, and groups have their "
    "inputs") {
    std::set<std::string_view> used;
    for (std::uint32_t seed = 0; seed < 400; ++seed) {
        CAPTURE(seed);
        const Graph graph = RandomGraph(seed).make();
        const std::vector<Tensor> inputs = random_inputs(graph);
        const auto wanted = evaluate(graph, inputs);
        if (!wanted) continue;  // a symbol that stands for one size alone
        const auto rewritten = rewrite(graph, portable_pack().conversion);
        if (!rewritten) FAIL(rewritten.error().to_string());
        for (const PatternUse& use : rewritten->report.used) used.insert(use.pattern);
        const auto exact = specialise(rewritten->graph, {.symbols = {{"N", 2}}});
        if (!exact) FAIL(exact.error().to_string());
        const auto again = rewrite(*exact, portable_pack().conversion);
        if (!again) FAIL(again.error().to_string());
        for (const Graph* other : {&rewritten->graph, &again->graph}) {
            const auto got = evaluate(*other, inputs);
            if (!got) FAIL(got.error().to_string());
            for (std::size_t i = 0; i < wanted->size(); ++i) {
                const double difference = relative_difference((*wanted)[i], (*got)[i]);
                CHECK((difference < 1e-5 || std::isnan(difference)));
                if (rewritten->report.keeps_bits() && again->report.keeps_bits())
                    CHECK((*wanted)[i] == (*got)[i]);
            }
            const auto fused = fuse(*other, portable_pack());
            if (!fused) FAIL(fused.error().to_string());
            check_groups(*other, *fused);
        }
    }
    for (const std::string_view pattern :
         {"Transpose of Transpose joined", "Reshape of Reshape joined", "multiplication by 1 removed",
          "Identity removed", "Sum of two to Add"})
        CHECK_MESSAGE(used.contains(pattern), pattern);
}

TEST_CASE("A Cast of a Cast that loses nothing has the result of one") {
    for (const ElementTypeInfo& from : element_types) {
        for (const ElementTypeInfo& between : element_types) {
            for (const ElementTypeInfo& to : element_types) {
                CAPTURE(from.name);
                CAPTURE(between.name);
                CAPTURE(to.name);
                const Graph graph =
                    case_graph(fmt::format("input x: f32[64]\ns = Cast(x) {{to = {}}}\na = Cast(s) {{to = "
                                           "{}}}\ny = Cast(a) {{to = {}}}\noutput y",
                                           from.onnx, between.onnx, to.onnx));
                std::vector<float> values = random_floats(64, -300, 300, 7);
                values[0] = 0, values[1] = -0.0f, values[2] = 65504, values[3] = 3e9f, values[4] = -129,
                values[5] = 1;
                const std::vector<Tensor> x{Tensor::of<float>({64}, std::span<const float>(values))};
                const auto result = rewrite(graph, portable_pack().conversion);
                REQUIRE(result);
                CHECK(evaluate(graph, x).value()[0] == evaluate(result->graph, x).value()[0]);
            }
        }
    }
}

}  // namespace muster::graph
