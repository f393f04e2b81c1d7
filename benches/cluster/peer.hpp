// peer.hpp - the stencil of measuring/whole_kernels/stencil.wgsl, written by hand in MPI and OpenMP as one does: each
// process has a block of rows with one more on either side, exchanges edges with its neighbours without
// blocking, and meanwhile computes the rows between.
#pragma once

#include <cstdint>
#include <vector>

namespace muster::bench {

class StencilPeer {
  public:
    /// `rows`: this process's, from `first` on, of `height`. `plate` is the whole.
    StencilPeer(const std::vector<float>& plate, std::uint32_t width, std::uint32_t height,
                std::uint32_t first, std::uint32_t rows, int threads);
    void step();
    /// This process's rows.
    std::vector<float> rows() const;

  private:
    void compute(std::uint32_t begin, std::uint32_t end);

    std::uint32_t width_, height_, first_, rows_;
    int rank_ = 0, size_ = 1;
    std::vector<float> before_, after_;
};

}  // namespace muster::bench
