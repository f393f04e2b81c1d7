#include <bit>

#include <muster/graph/kernels/tree_text.hpp>

namespace muster::graph {

void TreeText::write(KernelText& text, const std::string& counter, std::int64_t count, const std::string& end,
                     const std::function<void(const std::string&, const std::string&)>& leaf) const {
    if (count <= 1) return leaf("0u", end);
    // A loop for each level of the tree, the outermost for its top: it merges what its two turns give.
    const auto levels = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(count - 1)));
    const auto end_of = [&](int level) {
        return level == levels ? end : fmt::format("{}_{}{}", end, counter, level);
    };
    for (int level = levels; level-- > 0;) {
        const std::int64_t size = std::int64_t{1} << level;
        const bool is_top = level + 1 == levels;
        const std::string from = is_top ? "0u" : fmt::format("{}{}", counter, level + 1);
        std::string last = is_top ? index_literal(count) : fmt::format("{} + {}u", from, 2 * size);
        if (!is_top && count % (2 * size) != 0) last = fmt::format("min({}, {})", last, index_literal(count));
        text.line("for (var {0}{1} = {2}; {0}{1} < {3}; {0}{1} += {4}u) {{", counter, level, from, last,
                  size);
        declare(end_of(level));
    }
    leaf(fmt::format("{}0", counter), end_of(0));
    for (int level = 0; level < levels; ++level) {
        merge(end_of(level + 1), end_of(level), fmt::format("{}{}", counter, level),
              std::int64_t{1} << level);
        text.line("}");
    }
}

}  // namespace muster::graph
