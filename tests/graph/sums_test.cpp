#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <span>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <muster/foundation/math/evaluate.hpp>
#include <muster/graph/evaluate/evaluate.hpp>

#include "graph/graph_text.hpp"
#include "graph/pattern_cases.hpp"

// The order of sums, written anew from docs/numbers.md and compared with the evaluator's.
namespace muster::graph {
namespace {

/// The tree over numbers: the lower half's result, plus the upper half's.
float tree(std::span<const float> items) {
    if (items.size() <= 1) return items.empty() ? 0 : items[0];
    const std::size_t half = std::bit_ceil(items.size()) / 2;
    return tree(items.first(half)) + tree(items.subspan(half));
}

float sum_of_row(const std::vector<float>& terms) {
    std::vector<float> places;
    for (std::size_t place = 0; place < std::min<std::size_t>(terms.size(), 32); ++place) {
        std::vector<float> blocks((terms.size() + 1023) / 1024, 0.0f);
        for (std::size_t i = place; i < terms.size(); i += 32) blocks[i / 1024] += terms[i];
        places.push_back(tree(blocks));
    }
    return tree(places);
}

/// The sum of a product; `starts`: where blocks begin.
float sum_of_product(const std::vector<float>& terms, const std::vector<std::size_t>& starts) {
    std::vector<float> blocks;
    for (std::size_t i = 0; i < terms.size(); ++i) {
        if (std::ranges::find(starts, i) != starts.end()) blocks.push_back(0);
        blocks.back() += terms[i];
    }
    return tree(blocks);
}

Tensor row_of(const std::vector<float>& values) {
    return Tensor::of<float>({1, static_cast<std::int64_t>(values.size())}, std::span<const float>(values));
}

std::vector<float> y_of(std::string_view statements, const std::vector<Tensor>& inputs) {
    const auto outputs = evaluate(graph_of(std::string(statements) + "\noutput y"), inputs);
    if (!outputs) FAIL(outputs.error().to_string());
    return floats(outputs->front());
}

std::vector<float> map(std::vector<float> values, auto&& function) {
    for (float& value : values) value = function(value);
    return values;
}

constexpr float infinity = std::numeric_limits<float>::infinity(),
                nan = std::numeric_limits<float>::quiet_NaN();

}  // namespace

TEST_CASE("Sums of rows have the order of docs/numbers.md") {
    for (const std::size_t length :
         {1u, 2u, 3u, 31u, 32u, 33u, 64u, 1000u, 1023u, 1024u, 1025u, 2049u, 4097u, 100000u}) {
        CAPTURE(length);
        const std::vector<float> x = random_floats(static_cast<std::int64_t>(length), -2, 2, 5);
        const Tensor row = row_of(x);
        const auto count = static_cast<float>(length);
        const std::string of_row = "input x: f32[1, N]\nconstant a: i64[1] = [1]\ny = ";
        const float sum = sum_of_row(x), mean = sum / count;
        CHECK(y_of(of_row + "ReduceSum(x, a)", {row})[0] == sum);
        CHECK(y_of(of_row + "ReduceMean(x, a)", {row})[0] == mean);
        CHECK(y_of(of_row + "ReduceL2(x, a)", {row})[0] ==
              std::sqrt(sum_of_row(map(x, [](float v) { return v * v; }))));
        const float squares = sum_of_row(map(x, [&](float v) { return (v - mean) * (v - mean); }));
        const float inverse = 1 / std::sqrt(squares / count + 1e-5f);
        const std::vector<float> normal = map(x, [&](float v) { return (v - mean) * inverse; });
        CHECK(y_of("input x: f32[1, N]\nconstant s: f32[1] = [1]\ny = LayerNormalization(x, s)", {row}) ==
              normal);
        const Tensor plane =
            Tensor::of<float>({1, 1, static_cast<std::int64_t>(length)}, std::span<const float>(x));
        CHECK(y_of("input x: f32[1, 1, N]\nconstant s: f32[1] = [1]\nconstant b: f32[1] = [0]\n"
                   "y = InstanceNormalization(x, s, b)",
                   {plane}) == normal);
        CHECK(y_of("input x: f32[1, 1, N]\ny = GlobalAveragePool(x)", {plane})[0] == mean);
        const float largest = *std::ranges::max_element(x);
        const std::vector<float> powers =
            map(x, [&](float v) { return math::evaluate(Op::exp, v - largest); });
        const float all = sum_of_row(powers);
        CHECK(y_of("input x: f32[1, N]\ny = Softmax(x)", {row}) ==
              map(powers, [&](float v) { return v / all; }));
    }
}

TEST_CASE("A row along several axes counts its elements in row-major order") {
    const std::vector<float> x = random_floats(40 * 3 * 50, -2, 2, 9);
    const Tensor tensor = Tensor::of<float>({40, 3, 50}, std::span<const float>(x));
    const auto y =
        y_of("input x: f32[40, 3, 50]\nconstant a: i64[2] = [2, 0]\ny = ReduceSum(x, a)", {tensor});
    for (std::size_t k = 0; k < 3; ++k) {
        std::vector<float> row;
        for (std::size_t i = 0; i < 40; ++i)
            for (std::size_t j = 0; j < 50; ++j) row.push_back(x[(i * 3 + k) * 50 + j]);
        CHECK(y[k] == sum_of_row(row));
    }
}

TEST_CASE("A sum begins at +0, and NaN and infinities go through it") {
    const std::string sum = "input x: f32[1, N]\nconstant a: i64[1] = [1]\ny = ReduceSum(x, a)";
    CHECK(!std::signbit(y_of(sum, {row_of({-0.0f})})[0]));
    CHECK(!std::signbit(y_of(sum, {row_of({})})[0]));
    CHECK(!std::signbit(y_of(sum, {row_of(std::vector<float>(2000, -0.0f))})[0]));
    std::vector<float> x(3000, 1.0f);
    x[2500] = infinity;
    CHECK(y_of(sum, {row_of(x)})[0] == infinity);
    x[3] = -infinity;
    CHECK(std::isnan(y_of(sum, {row_of(x)})[0]));
    x[3] = nan;
    CHECK(std::isnan(y_of(sum, {row_of(x)})[0]));
}

TEST_CASE("Products add blocks of 1,024 terms, and convolutions blocks of rows, taps or parts of one") {
    const auto products = [](const std::vector<float>& a, const std::vector<float>& b) {
        std::vector<float> terms;
        for (std::size_t i = 0; i < a.size(); ++i) terms.push_back(a[i] * b[i]);
        return terms;
    };
    for (const std::int64_t depth : {1, 1023, 1024, 1025, 2048, 5000}) {
        CAPTURE(depth);
        const auto a = random_floats(depth, -2, 2, 1), b = random_floats(depth, -2, 2, 2);
        const Tensor row = row_of(a), column = Tensor::of<float>({depth, 1}, std::span<const float>(b));
        std::vector<std::size_t> starts;
        for (std::size_t i = 0; i < a.size(); i += 1024) starts.push_back(i);
        const float sum = sum_of_product(products(a, b), starts);
        CHECK(y_of("input a: f32[1, N]\ninput b: f32[N, 1]\ny = MatMul(a, b)", {row, column})[0] == sum);
        CHECK(y_of("input a: f32[1, N]\ninput b: f32[N, 1]\ny = Gemm(a, b)", {row, column})[0] == sum);
        CHECK(y_of("input a: f32[1, N]\ninput b: f32[N, 1]\ny = Einsum(a, b) {equation = \"ij,jk\"}",
                   {row, column})[0] == sum);
    }
    // A window of 3 x 3 with so many channels is one block, blocks of a row each, of a tap each, and of parts of a tap.
    for (const std::int64_t channels : {100, 130, 341, 342, 1100}) {
        CAPTURE(channels);
        const auto x = random_floats(channels * 9, -2, 2, 3), w = random_floats(channels * 9, -2, 2, 4);
        std::vector<float> by_tap, weights_by_tap;
        std::vector<std::size_t> starts;
        for (std::size_t tap = 0; tap < 9; ++tap) {
            for (std::size_t c = 0; c < static_cast<std::size_t>(channels); ++c) {
                if (channels == 100   ? by_tap.empty()
                    : channels <= 341 ? c == 0 && tap % 3 == 0
                                      : c % 1024 == 0)
                    starts.push_back(by_tap.size());
                by_tap.push_back(x[c * 9 + tap]);
                weights_by_tap.push_back(w[c * 9 + tap]);
            }
        }
        const std::vector<Tensor> inputs{Tensor::of<float>({1, channels, 3, 3}, std::span<const float>(x)),
                                         Tensor::of<float>({1, channels, 3, 3}, std::span<const float>(w))};
        CHECK(y_of("input x: f32[1, C, 3, 3]\ninput w: f32[1, C, 3, 3]\ny = Conv(x, w)", inputs)[0] ==
              sum_of_product(products(by_tap, weights_by_tap), starts));
    }
}

namespace {

/// What some keys make of a query, for values of one element.
struct Attended {
    float largest = -infinity, sum = 0, value = 0;
};

float weight_of(float score, float largest) {
    const float weight = score == -infinity ? 0 : math::evaluate(Op::exp, score - largest);
    return weight < 0x1p-126f ? 0 : weight;
}

Attended attended(std::span<const float> scores, std::span<const float> values) {
    if (scores.size() <= 64) {
        Attended block;
        for (const float score : scores)
            block.largest = std::max(block.largest, std::isnan(score) ? infinity : score);
        std::vector<float> weights;
        for (const float score : scores) weights.push_back(weight_of(score, block.largest));
        for (std::size_t i = 0; i < weights.size(); ++i)
            if (weights[i] != 0) block.value += weights[i] * values[i];
        block.sum = tree(weights);
        return block;
    }
    const std::size_t half = std::bit_ceil((scores.size() + 63) / 64) * 32;
    const Attended a = attended(scores.first(half), values.first(half)),
                   b = attended(scores.subspan(half), values.subspan(half));
    const float largest = std::max(a.largest, b.largest);
    const float of_a = weight_of(a.largest, largest), of_b = weight_of(b.largest, largest);
    const auto both = [&](float x, float y) {
        return (of_a == 0 ? 0 : of_a * x) + (of_b == 0 ? 0 : of_b * y);
    };
    return {largest, both(a.sum, b.sum), both(a.value, b.value)};
}

Tensor one_head(const std::vector<float>& values) {
    return Tensor::of<float>({1, 1, static_cast<std::int64_t>(values.size()), 1},
                             std::span<const float>(values));
}

}  // namespace

TEST_CASE("Attention merges blocks of 64 keys as docs/numbers.md says") {
    const std::string attention =
        "input q: f32[1, 1, 1, 1]\ninput k: f32[1, 1, N, 1]\ninput v: f32[1, 1, N, 1]\ny = Attention(q, k, "
        "v) {scale = 1}";
    for (const std::int64_t keys : {1, 3, 63, 64, 65, 129, 192, 193, 500}) {
        CAPTURE(keys);
        auto k = random_floats(keys, -40, 40, 6), v = random_floats(keys, -2, 2, 7);
        if (keys == 193) k[70] = -infinity;
        const Attended all = attended(map(k, [](float x) { return x * 3; }), v);
        const std::vector<Tensor> inputs{one_head({3}), one_head(k), one_head(v)};
        CHECK(y_of(attention, inputs)[0] == all.value / all.sum);
        if (keys < 65) continue;
        k[64] = nan;
        CHECK(std::isnan(y_of(attention, {one_head({3}), one_head(k), one_head(v)})[0]));
    }
}

TEST_CASE("Attention has the same bits however queries and the cache are cut, and whatever masked keys are") {
    const auto slice = [](const std::vector<float>& of, std::size_t first, std::size_t last) {
        return Tensor::of<float>({1, 1, static_cast<std::int64_t>(last - first), 4},
                                 std::span<const float>(of).subspan(first * 4, (last - first) * 4));
    };
    const std::size_t keys = 150;
    const auto q = random_floats(keys * 4, -2, 2, 1), k = random_floats(keys * 4, -2, 2, 2);
    auto v = random_floats(keys * 4, -2, 2, 3);
    const std::string inputs =
        "input q: f32[1, 1, Q, 4]\ninput k: f32[1, 1, N, 4]\ninput v: f32[1, 1, N, 4]\n";
    const auto whole = y_of(inputs + "y = Attention(q, k, v) {is_causal = 1}",
                            {slice(q, 0, keys), slice(k, 0, keys), slice(v, 0, keys)});
    for (const std::size_t cut : {1u, 63u, 64u, 100u}) {
        CAPTURE(cut);
        const auto rest = y_of(inputs +
                                   "input pk: f32[1, 1, P, 4]\ninput pv: f32[1, 1, P, 4]\ny = Attention(q, "
                                   "k, v, _, pk, pv) {is_causal = 1}",
                               {slice(q, cut, keys), slice(k, cut, keys), slice(v, cut, keys),
                                slice(k, 0, cut), slice(v, 0, cut)});
        CHECK(rest == std::vector<float>(whole.begin() + static_cast<std::ptrdiff_t>(cut) * 4, whole.end()));
    }
    // The first query attends the first key alone, whatever the others' values are.
    for (std::size_t i = 4; i < v.size(); ++i) v[i] = i % 2 ? nan : infinity;
    const auto first = y_of(inputs + "y = Attention(q, k, v) {is_causal = 1}",
                            {slice(q, 0, 1), slice(k, 0, keys), slice(v, 0, keys)});
    CHECK(first == std::vector<float>(whole.begin(), whole.begin() + 4));
}

TEST_CASE("A cumulative sum adds to each block of 256 the sum of those before it") {
    const std::vector<float> x = random_floats(1000, -2, 2, 3);
    const auto y = y_of("input x: f32[1, N]\nconstant a: i64[] = [1]\ny = CumSum(x, a)", {row_of(x)});
    float before = 0;
    for (std::size_t first = 0; first < x.size(); first += 256) {
        float sum = 0;
        for (std::size_t i = first; i < std::min<std::size_t>(first + 256, x.size()); ++i) {
            sum += x[i];
            CHECK(y[i] == before + sum);
        }
        before += sum;
    }
}

}  // namespace muster::graph
