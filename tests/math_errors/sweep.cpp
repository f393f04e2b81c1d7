#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include <math_errors/arguments.hpp>
#include <math_errors/doubles.hpp>
#include <math_errors/exact.hpp>
#include <math_errors/sweep.hpp>
#include <math_errors/ulp.hpp>

#include <muster/foundation/math/functions.hpp>

namespace muster::math_errors {
namespace {

/// Errors of double precision are below this many ULP of f32. Where they differ by less from the worst, MPFR isn't asked
/// again, so that the true worst error may be so much greater than the one that is printed.
constexpr double slack = 0x1p-20;

/// Applies a function of the table to whole blocks; inlined, so that the compiler vectorises it.
template <std::size_t op>
[[gnu::flatten]] void apply(const float* x, const float* y, float* result, std::size_t count) {
    constexpr auto function = math::functions<float>[op];
    if constexpr (function != nullptr)
        for (std::size_t i = 0; i < count; ++i) result[i] = function(x[i], y[i]);
}
using Floats = void (*)(const float* x, const float* y, float* result, std::size_t count);
constexpr auto floats_of = []<std::size_t... op>(std::index_sequence<op...>) {
    return std::array<Floats, op_count>{apply<op>...};
}
(std::make_index_sequence<op_count>());

struct Block {
    std::array<float, block_size> x{}, y{}, got{};
    std::array<double, block_size> wide_x{}, wide_y{}, exact{}, errors{};
};

class Run {
  public:
    Run(Op op, const Extent& extent, FastFunction* fast = nullptr, double least_unit = 0)
        : op_(op),
          reference_(reference(op)),
          extent_(extent),
          fast_(fast),
          least_unit_(least_unit),
          binary_(info(op).operands == 2),
          mirrored_(reference_.symmetry != Symmetry::none && extent.first <= positive_bits),
          arguments_(binary_ ? extent.pairs : (bit_patterns() + extent.every - 1) / extent.every) {}

    Sweep sweep() {
        std::vector<std::jthread> threads;
        for (unsigned i = 0; i < extent_.threads; ++i) threads.emplace_back([this] { work(); });
        threads.clear();
        return {worst_, mirrored_ ? 2 * arguments_ : arguments_, asked_mpfr_};
    }

  private:
    static constexpr std::uint32_t positive_bits = 0x7fffffffu;  // and below

    std::uint64_t bit_patterns() const {
        const std::uint64_t last = mirrored_ ? std::min(extent_.last, positive_bits) : extent_.last;
        return last - extent_.first + 1;
    }

    void work() {
        auto block = std::make_unique<Block>();
        for (std::uint64_t i = next_++; i * block_size < arguments_; i = next_++) try_block(*block, i);
    }

    void try_block(Block& block, std::uint64_t number) {
        const std::uint64_t first = number * block_size;
        const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(block_size, arguments_ - first));
        if (binary_)
            fill_with_pairs(op_, std::span(block.x).first(count), std::span(block.y).first(count), number);
        else
            fill_with_floats(std::span(block.x).first(count), extent_.first + first * extent_.every,
                             extent_.every);
        evaluate_exactly(block, count);
        compare(block, count);
        if (!mirrored_) return;
        const bool odd = reference_.symmetry == Symmetry::odd;
        for (std::size_t i = 0; i < count; ++i) {
            block.x[i] = -block.x[i];
            block.exact[i] = odd ? -block.exact[i] : block.exact[i];
        }
        compare(block, count);
    }

    void evaluate_exactly(Block& block, std::size_t count) const {
        const Range& range = reference_.range;
        for (std::size_t i = 0; i < count; ++i) {
            const auto x = static_cast<double>(block.x[i]);
            block.wide_x[i] = binary_ ? x : std::min(std::max(x, range.low), range.high);
            block.wide_y[i] = static_cast<double>(block.y[i]);
        }
        reference_.doubles(block.wide_x.data(), block.wide_y.data(), block.exact.data(), count);
        if (binary_) return;
        for (std::size_t i = 0; i < count; ++i) {
            const auto x = static_cast<double>(block.x[i]);
            const double known = x < range.low ? range.below : x > range.high ? range.above : block.exact[i];
            block.exact[i] = x == x ? known : x;
        }
    }

    void compare(Block& block, std::size_t count) {
        if (fast_ != nullptr)
            fast_->apply(std::span(block.x).first(count), std::span(block.y).first(count),
                         std::span(block.got).first(count));
        else
            floats_of[static_cast<std::size_t>(op_)](block.x.data(), block.y.data(), block.got.data(), count);
        for (std::size_t i = 0; i < count; ++i) block.errors[i] = simple_error(block.got[i], block.exact[i]);
        double bound = bound_;
        for (std::size_t i = 0; i < count; ++i)
            if (!(block.errors[i] < bound)) bound = look_closer(block, i);
    }

    bool counts_in_fast_mode(float x, float y, double exact) const {
        if (!std::isnormal(x) || (binary_ && !std::isnormal(y)) || (op_ == Op::pow && x < 0)) return false;
        return exact == 0 || (std::fabs(exact) >= 0x1p-126 && std::fabs(exact) < overflow_from);
    }

    /// Notes the error if it is the worst so far. Returns the bound below which no error matters.
    double look_closer(const Block& block, std::size_t i) {
        const float got = block.got[i];
        const double exact = block.exact[i];
        if (fast_ != nullptr && !counts_in_fast_mode(block.x[i], block.y[i], exact)) return bound_;
        const double units = std::max(1.0, least_unit_ * units_per_1(exact));  // ULP in a unit of error
        double error = error_in_ulp(got, exact) / units;
        if (error < bound_) return bound_;
        // Infinities, NaN and zeros are exact in double precision, unless it overflows or underflows itself.
        if (std::isfinite(exact) && exact != 0 && !std::isnan(got)) {
            error = exact_error(op_, block.x[i], block.y[i], got) / units;
            ++asked_mpfr_;
        }
        const std::lock_guard lock(mutex_);
        if (error > worst_.ulp) {
            worst_ = {error, block.x[i], block.y[i], got};
            bound_ = error + slack;
        }
        return bound_;
    }

    Op op_;
    const Reference& reference_;
    Extent extent_;
    FastFunction* fast_;
    double least_unit_;
    bool binary_, mirrored_;
    std::uint64_t arguments_;
    std::atomic<std::uint64_t> next_ = 0, asked_mpfr_ = 0;
    std::mutex mutex_;
    Worst worst_;
    std::atomic<double> bound_ = worst_.ulp;
};

}  // namespace

Sweep run_sweep(Op op, const Extent& extent) { return Run(op, extent).sweep(); }

Sweep run_sweep(FastFunction& function, Op op, const Extent& extent, double least_unit) {
    Extent on_one_thread = extent;
    on_one_thread.threads = 1;
    return Run(op, on_one_thread, &function, least_unit).sweep();
}

}  // namespace muster::math_errors
