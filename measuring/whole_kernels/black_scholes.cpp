#include <fmt/format.h>

#include <muster/measuring/whole_kernels/data.hpp>

namespace muster::kernels {
namespace {

/// The normal distribution by Abramowitz and Stegun 26.2.17.
double normal(double d) {
    const double k = 1 / (1 + 0.2316419 * std::fabs(d));
    double series = 0;
    for (const double factor : {1.330274429, -1.821255978, 1.781477937, -0.356563782, 0.31938153})
        series = k * (factor + series);
    const double tail = 0.39894228 * std::exp(-0.5 * d * d) * series;
    return d > 0 ? 1 - tail : tail;
}

}  // namespace

Job black_scholes(Size size) {
    constexpr double rate = 0.02, volatility = 0.30;
    const std::uint32_t count = 2000 * size.scale;
    Random random(size.seed);
    const Floats price = random.floats(count, 5, 30), strike = random.floats(count, 1, 100),
                 years = random.floats(count, 0.25f, 10);
    Job job{.arrays = {{"price", words_of(price)},
                       {"strike", words_of(strike)},
                       {"years", words_of(years)},
                       {"call", Words(count)},
                       {"put", Words(count)}},
            .steps = {{.grid = Invocations{count}}},
            .work = {.bytes = 20.0 * count, .flops = 55.0 * count},
            .size = fmt::format("{} options", count)};
    job.expected = [=] {
        Doubles calls, puts;
        for (std::size_t i = 0; i < count; ++i) {
            const double spread = volatility * std::sqrt(years[i]);
            const double d =
                (std::log(double{price[i]} / strike[i]) + (rate + 0.5 * volatility * volatility) * years[i]) /
                spread;
            const double discounted = strike[i] * std::exp(-rate * years[i]);
            const double n1 = normal(d), n2 = normal(d - spread);
            calls.push_back(price[i] * n1 - discounted * n2);
            puts.push_back(discounted * (1 - n2) - price[i] * (1 - n1));
        }
        // Some 40 roundings of terms of at most 100; WGSL lets functions have several each.
        const double bound = 100 * 40 * rounding;
        return std::vector{Expected{.array = "call", .values = std::move(calls), .absolute = bound},
                           Expected{.array = "put", .values = std::move(puts), .absolute = bound}};
    };
    return job;
}

}  // namespace muster::kernels
