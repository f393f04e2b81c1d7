// rows.hpp - kernels whose invocations each go over a row: the elements of a tensor along some axes, in
// row-major order. Internal to graph/kernels.
#pragma once

#include <string>
#include <vector>

#include <muster/graph/kernels/group_lowering.hpp>

namespace muster::graph {

class Rows {
  public:
    /// One invocation for each row of `sizes` along `axes`: declares the indices of the row's first element.
    Rows(KernelText& text, const Sizes& sizes, std::vector<std::size_t> axes);

    /// An index for each axis; on the row's own axes those of the innermost loop, or 0 outside of loops.
    const std::vector<std::string>& indices() const { return indices_; }
    std::int64_t length() const { return length_; }

    /// Loops over the row; `step` may use indices().
    template <class Step>
    void each(Step&& step) {
        begin();
        step();
        end();
    }
    /// The element of an operand of the same sizes, or of one that broadcasts to them, at indices().
    std::string load(OperandId operand) const;

  private:
    void begin();
    void end();

    KernelText& text_;
    Sizes sizes_;
    std::vector<std::size_t> axes_;
    std::vector<std::string> indices_;
    std::int64_t length_ = 1;
};

}  // namespace muster::graph
