#include <algorithm>

#include <fmt/format.h>

#include <muster/driver/routing/estimate.hpp>

namespace muster {
namespace {

std::string time_text(double us) {
    if (us >= 1e6) return fmt::format("{:.3g} s", us * 1e-6);
    return us >= 1e3 ? fmt::format("{:.3g} ms", us * 1e-3) : fmt::format("{:.3g} us", us);
}

}  // namespace

std::string Estimate::to_string() const {
    const double moves = std::max(0.0, move_us - credit_us);
    const std::string total = time_text(total_us());
    if (move_bytes == 0) return total;
    return fmt::format("{}, {} of it to move {} bytes there{}", total, time_text(moves), move_bytes,
                       credit_us > 0 ? ", less what that would have saved so far" : "");
}

std::size_t first_to_finish(std::span<const Estimate> estimates, std::optional<std::size_t> current) {
    const auto first = std::ranges::min_element(estimates, {}, &Estimate::total_us);
    if (current && first->total_us() > worth_moving * estimates[*current].total_us()) return *current;
    return static_cast<std::size_t>(first - estimates.begin());
}

double run_us(const DispatchWork& work, const Roof& roof) {
    constexpr double us_of_giga = 1e-3;  // a count, over 10^9 a second, in microseconds
    const double moving = work.bytes / roof.bandwidth_gb_s() * us_of_giga;
    double computing = work.operations / roof.multiply_add_gflop_s * us_of_giga;
    if (roof.lone_gflop_s > 0) {
        const double used = roof.lone_gflop_s * std::max(1.0, work.workgroups);
        computing = std::max(computing, work.operations / used * us_of_giga);
    }
    const double waiting = roof.arrivals_g_s > 0 ? work.arrivals / roof.arrivals_g_s * us_of_giga : 0;
    return roof.launch_us + std::max(moving, computing + waiting) / roof.typical_share;
}

}  // namespace muster
