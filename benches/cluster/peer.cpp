#include "peer.hpp"

#include <algorithm>
#include <utility>

#include <mpi.h>
#include <omp.h>

namespace muster::bench {

StencilPeer::StencilPeer(const std::vector<float>& plate, std::uint32_t width, std::uint32_t height,
                         std::uint32_t first, std::uint32_t rows, int threads)
    : width_(width),
      height_(height),
      first_(first),
      rows_(rows),
      before_(std::size_t{width} * (rows + 2)),
      after_(before_.size()) {
    omp_set_num_threads(threads);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &size_);
    const auto own = plate.begin() + std::ptrdiff_t{first} * width;
    // Touched by the threads that compute them, so that they lie near.
#pragma omp parallel for schedule(static)
    for (std::uint32_t row = 1; row <= rows; ++row)
        for (auto* target : {&before_, &after_})
            std::copy_n(own + std::ptrdiff_t{row - 1} * width, width,
                        target->begin() + std::ptrdiff_t{row} * width);
}

void StencilPeer::compute(std::uint32_t begin, std::uint32_t end) {
    const float* const before = before_.data();
    float* const after = after_.data();
    const std::size_t width = width_;
#pragma omp parallel for schedule(static)
    for (std::uint32_t row = begin; row < end; ++row) {
        const std::uint32_t global = first_ + row - 1;
        if (global == 0 || global + 1 == height_) continue;
        for (std::size_t i = row * width + 1; i < row * width + width - 1; ++i)
            after[i] =
                0.2f * (before[i] + before[i - 1] + before[i + 1] + before[i - width] + before[i + width]);
    }
}

void StencilPeer::step() {
    const int count = static_cast<int>(width_);
    const auto row = [&](std::uint32_t number) { return before_.data() + std::size_t{number} * width_; };
    MPI_Request requests[4];
    int begun = 0;
    if (rank_ > 0) {
        MPI_Irecv(row(0), count, MPI_FLOAT, rank_ - 1, 0, MPI_COMM_WORLD, &requests[begun++]);
        MPI_Isend(row(1), count, MPI_FLOAT, rank_ - 1, 0, MPI_COMM_WORLD, &requests[begun++]);
    }
    if (rank_ + 1 < size_) {
        MPI_Irecv(row(rows_ + 1), count, MPI_FLOAT, rank_ + 1, 0, MPI_COMM_WORLD, &requests[begun++]);
        MPI_Isend(row(rows_), count, MPI_FLOAT, rank_ + 1, 0, MPI_COMM_WORLD, &requests[begun++]);
    }
    compute(2, rows_);
    MPI_Waitall(begun, requests, MPI_STATUSES_IGNORE);
    compute(1, 2);
    if (rows_ > 1) compute(rows_, rows_ + 1);
    std::swap(before_, after_);
}

std::vector<float> StencilPeer::rows() const { return {before_.begin() + width_, before_.end() - width_}; }

}  // namespace muster::bench
