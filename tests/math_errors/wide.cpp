#include <algorithm>
#include <array>
#include <atomic>
#include <mutex>
#include <thread>
#include <vector>

#include <math_errors/arguments.hpp>
#include <math_errors/exact.hpp>
#include <math_errors/wide.hpp>

#include <muster/foundation/math/evaluate.hpp>

namespace muster::math_errors {

WideSweep sweep_doubles(Op op, std::uint64_t arguments, unsigned threads) {
    constexpr std::uint64_t block = 1024;
    WideSweep worst;
    std::mutex mutex;
    std::atomic<std::uint64_t> next = 0;
    const auto work = [&] {
        WideSweep own;
        for (std::uint64_t number = next++; number * block < arguments; number = next++) {
            std::array<double, block> x{}, y{};
            const auto count =
                static_cast<std::size_t>(std::min<std::uint64_t>(block, arguments - number * block));
            fill_with_doubles(op, std::span(x).first(count), std::span(y).first(count), number);
            for (std::size_t i = 0; i < count; ++i) {
                const double got = math::evaluate(op, x[i], y[i]);
                const double ulp = exact_error(op, x[i], y[i], got);
                if (ulp > own.ulp) own = {ulp, x[i], y[i], got};
            }
        }
        const std::lock_guard lock(mutex);
        if (own.ulp > worst.ulp) worst = own;
    };
    std::vector<std::jthread> running;
    for (unsigned i = 0; i < threads; ++i) running.emplace_back(work);
    running.clear();
    return worst;
}

}  // namespace muster::math_errors
