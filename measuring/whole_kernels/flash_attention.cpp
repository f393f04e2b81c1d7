#include <muster/measuring/whole_kernels/data.hpp>

namespace muster::kernels {

Job flash_attention(Size size) {
    constexpr std::uint32_t width = 64, heads = 2;
    const std::uint32_t length = 70 * size.scale;
    const std::size_t count = std::size_t{heads} * length * width;
    Random random(size.seed);
    const Floats q = random.floats(count, -2, 2), k = random.floats(count, -2, 2),
                 v = random.floats(count, -1, 1);
    Job job{
        .arrays = {{"q", words_of(q)}, {"k", words_of(k)}, {"v", words_of(v)}, {"attention", Words(count)}},
        .overrides = {override_of("length", length)},
        .steps = {{.grid = Workgroups{(length + 31) / 32, heads}}}};
    job.expected = [=] {
        Doubles attention(count);
        for (std::size_t query = 0; query < heads * length; ++query) {
            double* const out = attention.data() + query * width;
            double weights = 0;
            for (std::size_t key = query - query % length; key <= query; ++key) {
                double score = 0;
                for (std::size_t i = 0; i < width; ++i)
                    score += double{q[query * width + i]} * k[key * width + i];
                const double weight = std::exp(score / 8);
                weights += weight;
                for (std::size_t i = 0; i < width; ++i) out[i] += weight * v[key * width + i];
            }
            for (std::size_t i = 0; i < width; ++i) out[i] /= weights;
        }
        // A score, a sum of 64 products of up to 4, has 64 roundings of up to 256 / 8, and another when it is
        // compared with the greatest; the weighted mean of values of up to 1 is off by twice a weight's
        // error. It is scaled down and added to up to `length` times.
        const double bound = (2 * 64 * 32 + 4 * length) * rounding;
        return std::vector{Expected{.array = "attention", .values = std::move(attention), .absolute = bound}};
    };
    return job;
}

}  // namespace muster::kernels
