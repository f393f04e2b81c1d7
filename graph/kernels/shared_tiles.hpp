// shared_tiles.hpp - sums of products of two matrices, rows by columns, where a workgroup loads what its
// invocations share into workgroup memory, a few terms of all its sums at a time. Each sum has the order of
// its blocks. Internal to graph/kernels.
//
//     const SharedTiles tiles(algorithm, rows, columns, blocks);
//     KernelText text(tiles.lanes());
//     tiles.sum(text, {...});                               // loads, and adds up
//     tiles.each_result(text, [&](const SharedTiles::Result& result) { text.store(y, ..., result.sum); });
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>

#include <muster/graph/kernel_text/kernel_text.hpp>
#include <muster/graph/kernels/product_blocks.hpp>
#include <muster/graph/pack/pack.hpp>

namespace muster::graph {

class SharedTiles {
  public:
    /// Precondition: `algorithm` passed check().
    SharedTiles(const Algorithm& algorithm, std::int64_t rows, std::int64_t columns,
                const ProductBlocks& blocks)
        : algorithm_(algorithm),
          rows_(rows),
          columns_(columns),
          depth_(blocks.taps * blocks.channels),
          blocks_(blocks) {}

    /// Errors: unsupported (the numbers of the algorithm don't divide each other, or ask for more than
    /// WebGPU's default limits).
    static muster::Result<void> check(const Algorithm& algorithm, std::string_view pattern);

    std::uint32_t lanes() const;
    /// Rows along x, columns along y.
    std::array<std::uint32_t, 3> workgroups(std::int64_t along_z) const;
    /// The offset of an element, by its term and column, in a matrix packed in the order of the workgroups'
    /// reads: [block of columns][term][column in the block].
    std::string packed_offset(const std::string& term, const std::string& lane) const;

    /// The expressions of a load, all of u32. Rows, columns and terms that the matrices
    /// don't have read anything.
    struct Loads {
        /// Declares what depends on the row alone, for the `which`-th load of an invocation.
        std::function<void(std::size_t which, const std::string& row)> declare_row;
        std::function<std::string(std::size_t which, const std::string& term)> a;
        /// `lane`: the column within the workgroup's.
        std::function<std::string(const std::string& term, const std::string& column,
                                  const std::string& lane)>
            b;
    };
    void sum(KernelText& text, const Loads& loads) const;

    struct Result {
        std::string sum, row, column;  // the latter two are names of u32
        std::size_t number = 0;
    };
    /// Calls `write` for each of the invocation's sums that lies within the matrix, so that
    /// it writes the sum's use.
    void each_result(KernelText& text, const std::function<void(const Result&)>& write) const;

  private:
    void sum_block(KernelText& text, const Loads& loads, const std::string& block,
                   const std::string& end) const;

    Algorithm algorithm_;
    std::int64_t rows_, columns_, depth_;
    ProductBlocks blocks_;
};

}  // namespace muster::graph
