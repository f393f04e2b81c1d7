// tree_text.hpp - loops that merge what they compute by the binary tree of the numeric contract, over numbers
// from 0: 2, 4, 8, ... items have what their lower half gives merged with what their upper half gives.
// Internal to graph/kernels.
//
//     text.line("var sum = 0.0f;");
//     tree.write(text, "b", 5, "", [&](const std::string& b, const std::string& end) {
//         text.line("sum{} = x[{}];", end, b);
//     });
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include <muster/graph/kernel_text/kernel_text.hpp>

namespace muster::graph {

struct TreeText {
    /// Declares what is merged, with `end` behind its names, as what changes nothing that it is merged with.
    std::function<void(const std::string& end)> declare;
    /// Merges what has the one behind its names with what has the other, which is the tree of `size` items from
    /// the one of number `first`: an upper half where first & size isn't 0. A lower half is merged with nothing.
    std::function<void(const std::string& into, const std::string& from, const std::string& first,
                       std::int64_t size)>
        merge;

    /// Writes the loops over `count` items, whose counter begins with `counter`. `leaf` writes how the item of a
    /// number is merged into what is declared with an end. The result is merged into what has `end`, which is
    /// declared before.
    void write(KernelText& text, const std::string& counter, std::int64_t count, const std::string& end,
               const std::function<void(const std::string& item, const std::string& end)>& leaf) const;
};

}  // namespace muster::graph
