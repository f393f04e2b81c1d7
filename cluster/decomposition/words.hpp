// words.hpp - sets of a buffer's 32-bit words, and which ranks hold which words.
//
// Threads: values.
#pragma once

#include <compare>
#include <cstdint>
#include <span>
#include <vector>

namespace muster::cluster {

/// The words from `begin` up to, without, `end`.
struct WordRange {
    std::uint64_t begin = 0, end = 0;
    constexpr std::uint64_t size() const { return end - begin; }
    constexpr auto operator<=>(const WordRange&) const = default;
};

/// The words that both have; perhaps none.
constexpr WordRange common(WordRange a, WordRange b) {
    const WordRange both{a.begin > b.begin ? a.begin : b.begin, a.end < b.end ? a.end : b.end};
    return both.begin < both.end ? both : WordRange{};
}

/// Ranges in ascending order that neither overlap nor touch.
class WordSet {
  public:
    WordSet() = default;
    explicit WordSet(WordRange only) { insert(only); }

    std::span<const WordRange> ranges() const { return ranges_; }
    bool empty() const { return ranges_.empty(); }
    std::uint64_t size() const;  // words
    bool overlaps(WordRange range) const;
    bool overlaps(const WordSet& other) const;
    bool contains(WordRange range) const;

    void insert(WordRange range);  // an empty range changes nothing
    void insert(const WordSet& other);
    WordSet without(const WordSet& other) const;
    WordSet common(const WordSet& other) const;

    bool operator==(const WordSet&) const = default;

  private:
    std::vector<WordRange> ranges_;
};

/// Which words of a buffer are current on each rank: those that have the buffer's contents there. Every word
/// is current on at least one rank.
struct Distribution {
    std::uint64_t words = 0;
    std::vector<WordSet> current;
    bool operator==(const Distribution&) const = default;
};

Distribution replicated(std::uint64_t words, std::size_t ranks);
/// A block of rows for each rank, one behind the other: rank i has the rows [cuts[i], cuts[i + 1]). A row,
/// which is an element of the leading dimension, has `row_words` words; the last one may have fewer.
std::vector<WordRange> blocks_of_rows(std::uint64_t words, std::uint64_t row_words,
                                      std::span<const std::uint64_t> cuts);
/// Each rank has its block of words.
Distribution sharded(std::span<const WordRange> blocks);
/// Likewise, blocks of rows that are as large as the ranks' weights are to each other.
Distribution sharded(std::uint64_t words, std::uint64_t row_words, std::span<const double> weights);

/// Cuts `count` things into consecutive parts, as large as the weights are to each other: part i is
/// [result[i], result[i + 1]).
std::vector<std::uint64_t> cut_by_weight(std::uint64_t count, std::span<const double> weights);

}  // namespace muster::cluster
