#include <algorithm>
#include <numeric>

#include <muster/measuring/whole_kernels/data.hpp>

namespace muster::kernels {

// A matrix whose pivots are large and never in doubt, but in shuffled rows.
Job lu(Size size) {
    const std::uint32_t side = 40 * size.scale;
    Random random(size.seed);
    Floats a = random.floats(std::size_t{side} * side, -1, 1);
    Words large(side);  // the column of each row's large element
    std::iota(large.begin(), large.end(), 0u);
    for (std::uint32_t row = side - 1; row > 0; --row) std::swap(large[row], large[random.below(row + 1)]);
    for (std::size_t row = 0; row < side; ++row) a[row * side + large[row]] += 2 * static_cast<float>(side);
    Words order(side);
    std::iota(order.begin(), order.end(), 0u);
    Job job{.arrays = {{"a", words_of(a)}, {"order", order}}, .overrides = {override_of("size", side)}};
    for (std::uint32_t column = 0; column + 1 < side; ++column) {
        const std::uint32_t below = side - column - 1;
        job.steps.push_back({"pivot", Workgroups{1}, {{"column", {column}}}});
        job.steps.push_back({"eliminate", Invocations{below, below}, {{"column", {column}}}});
    }
    // Doolittle's method, a row of U and a column of L at a time, on the rows in the order
    // of their large elements.
    job.expected = [=] {
        Words rows(side);
        for (std::uint32_t row = 0; row < side; ++row) rows[large[row]] = row;
        Doubles parts(std::size_t{side} * side);
        const auto part = [&](std::size_t row, std::size_t column) -> double& {
            return parts[row * side + column];
        };
        const auto rest = [&](std::size_t row, std::size_t column, std::size_t terms) {
            double left = a[rows[row] * side + column];
            for (std::size_t k = 0; k < terms; ++k) left -= part(row, k) * part(k, column);
            return left;
        };
        for (std::size_t i = 0; i < side; ++i) {
            for (std::size_t column = i; column < side; ++column) part(i, column) = rest(i, column, i);
            for (std::size_t row = i + 1; row < side; ++row) part(row, i) = rest(row, i, i) / part(i, i);
        }
        // An element changes `side` times at most, with two roundings of at most its size: that of the large
        // ones is up to 2 * side + 1. Elements of L, at most 1, make no error greater.
        const double bound = 2.0 * side * (2 * side + 1) * rounding;
        return std::vector{Expected{.array = "order", .values = std::move(rows)},
                           Expected{.array = "a", .values = std::move(parts), .absolute = bound}};
    };
    return job;
}

}  // namespace muster::kernels
