// calibration.hpp - statistics of a graph's values over sample inputs, for quantisation.
//
//     Calibration calibration({.percentile = 99.9});
//     for (const std::vector<Tensor>& sample : samples) TRY(calibrate(graph, sample, calibration));
//     const Statistics statistics = std::move(calibration).finish();
//
// Threads: one at a time.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <muster/foundation/base/result.hpp>
#include <muster/graph/ir/graph.hpp>

namespace muster::graph {

/// The range that a value's elements were seen to have.
struct ValueStatistics {
    float least = 0, greatest = 0;           // or the percentiles
    std::vector<float> channel_maxima = {};  // by index of the last axis, of |x|
};
using Statistics = std::map<std::string, ValueStatistics, std::less<>>;  // by the value's name

struct CalibrationOptions {
    /// The part of the elements, in percent, that lies between `least` and `greatest`, the same number cut
    /// off on both sides. 100: the least and the greatest of all. From a histogram of 4096 bins.
    double percentile = 100;
};

class Calibration {
  public:
    explicit Calibration(CalibrationOptions options = {}) : options_(options) {}
    /// Counts a tensor's elements; those of integer tensors and of NaN and infinities are passed over.
    void add(std::string_view value, const Tensor& tensor);
    Statistics finish() const;

  private:
    struct Histogram {
        float reach = 0;  // bins lie from -reach to reach
        std::vector<std::uint64_t> bins;
        float least = 0, greatest = 0;
        std::uint64_t count = 0;
        std::vector<float> channel_maxima;
        void widen(float to);
    };
    float cut(const Histogram& histogram, double part) const;

    CalibrationOptions options_;
    std::map<std::string, Histogram, std::less<>> histograms_;
};

/// Evaluates the graph with the reference evaluator and adds all its float values. Errors: evaluate()'s.
Result<void> calibrate(const Graph& graph, std::span<const Tensor> inputs, Calibration& calibration);

}  // namespace muster::graph
