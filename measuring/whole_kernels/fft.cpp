#include <complex>
#include <numbers>

#include <muster/measuring/whole_kernels/data.hpp>

namespace muster::kernels {

Job fft(Size size) {
    std::uint32_t stages = 8;
    while ((std::uint64_t{2} << stages) <= std::uint64_t{256} * size.scale) ++stages;
    const std::uint32_t count = 1u << stages;
    const Floats before = Random(size.seed).floats(std::size_t{2} * count, -1, 1);
    Job job{.arrays = {{"before", words_of(before)},
                       {"after", Words(before.size())},
                       {"spare", Words(before.size())}}};
    for (std::uint32_t stage = 0; stage < stages; ++stage) {
        // To and fro, ending in `after`; the numbers stay, so that the job may be repeated.
        const bool to_after = (stages - stage) % 2 == 1;
        Step step{.grid = Invocations{count / 2}, .uniforms = {{"length", {1u << stage}}}};
        if (stage > 0) step.bind["before"] = to_after ? "spare" : "after";
        if (!to_after) step.bind["after"] = "spare";
        job.steps.push_back(std::move(step));
    }
    // The definition: the sum over n of x[n] e^(-2 pi i k n / count).
    job.expected = [=] {
        std::vector<std::complex<double>> roots(count);
        for (std::size_t i = 0; i < count; ++i)
            roots[i] = std::polar(1.0, -2 * std::numbers::pi * static_cast<double>(i) / count);
        Doubles transformed;
        double squares = 0;
        for (std::size_t k = 0; k < count; ++k) {
            std::complex<double> sum = 0;
            for (std::size_t n = 0; n < count; ++n)
                sum += std::complex<double>(before[2 * n], before[2 * n + 1]) * roots[k * n % count];
            transformed.push_back(sum.real());
            transformed.push_back(sum.imag());
            squares += std::norm(sum);
        }
        // Each stage's error is at most some roundings of the result's length, as stages keep
        // lengths but for a factor.
        const double bound = 8 * stages * rounding * std::sqrt(squares);
        return std::vector{Expected{.array = "after", .values = std::move(transformed), .absolute = bound}};
    };
    return job;
}

}  // namespace muster::kernels
