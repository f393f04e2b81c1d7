#include <algorithm>
#include <cmath>
#include <iterator>

#include <muster/cluster/decomposition/words.hpp>

namespace muster::cluster {
namespace {

// The first range that ends behind `word`.
auto behind(std::span<const WordRange> ranges, std::uint64_t word) {
    return std::ranges::upper_bound(ranges, word, {}, &WordRange::end);
}

}  // namespace

std::uint64_t WordSet::size() const {
    std::uint64_t all = 0;
    for (const WordRange& one : ranges_) all += one.size();
    return all;
}

bool WordSet::overlaps(WordRange range) const {
    const auto at = behind(ranges(), range.begin);
    return range.begin < range.end && at != ranges().end() && at->begin < range.end;
}

bool WordSet::overlaps(const WordSet& other) const {
    return std::ranges::any_of(ranges_, [&](const WordRange& one) { return other.overlaps(one); });
}

bool WordSet::contains(WordRange range) const {
    if (range.begin >= range.end) return true;
    const auto at = behind(ranges(), range.begin);
    return at != ranges().end() && at->begin <= range.begin && range.end <= at->end;
}

void WordSet::insert(WordRange range) {
    if (range.begin >= range.end) return;
    const auto first = std::ranges::lower_bound(ranges_, range.begin, {}, &WordRange::end);
    auto last = first;
    for (; last != ranges_.end() && last->begin <= range.end; ++last) {
        range.begin = std::min(range.begin, last->begin);
        range.end = std::max(range.end, last->end);
    }
    ranges_.insert(ranges_.erase(first, last), range);
}

void WordSet::insert(const WordSet& other) {
    if (other.ranges_.size() == 1) return insert(other.ranges_.front());
    std::vector<WordRange> both;
    both.reserve(ranges_.size() + other.ranges_.size());
    std::ranges::merge(ranges_, other.ranges_, std::back_inserter(both));
    ranges_.clear();
    for (const WordRange& one : both)
        if (!ranges_.empty() && one.begin <= ranges_.back().end)
            ranges_.back().end = std::max(ranges_.back().end, one.end);
        else
            ranges_.push_back(one);
}

WordSet WordSet::without(const WordSet& other) const {
    WordSet rest;
    for (WordRange one : ranges_) {
        for (auto at = behind(other.ranges(), one.begin); at != other.ranges().end() && at->begin < one.end;
             ++at) {
            if (one.begin < at->begin) rest.ranges_.push_back({one.begin, at->begin});
            one.begin = at->end;
        }
        if (one.begin < one.end) rest.ranges_.push_back(one);
    }
    return rest;
}

WordSet WordSet::common(const WordSet& other) const { return without(without(other)); }

Distribution replicated(std::uint64_t words, std::size_t ranks) {
    return {words, std::vector<WordSet>(ranks, WordSet(WordRange{0, words}))};
}

std::vector<WordRange> blocks_of_rows(std::uint64_t words, std::uint64_t row_words,
                                      std::span<const std::uint64_t> cuts) {
    const auto word = [&](std::uint64_t row) { return std::min(row * row_words, words); };
    std::vector<WordRange> blocks;
    for (std::size_t i = 1; i < cuts.size(); ++i) blocks.push_back({word(cuts[i - 1]), word(cuts[i])});
    return blocks;
}

Distribution sharded(std::span<const WordRange> blocks) {
    Distribution made{.words = blocks.back().end, .current = {}};
    for (const WordRange& block : blocks) made.current.emplace_back(block);
    return made;
}

Distribution sharded(std::uint64_t words, std::uint64_t row_words, std::span<const double> weights) {
    const std::uint64_t size = std::max(row_words, std::uint64_t{1});
    return sharded(blocks_of_rows(words, size, cut_by_weight((words + size - 1) / size, weights)));
}

std::vector<std::uint64_t> cut_by_weight(std::uint64_t count, std::span<const double> weights) {
    double all = 0, before = 0;
    for (const double weight : weights) all += weight;
    std::vector<std::uint64_t> cuts{0};
    for (const double weight : weights) {
        before += weight;
        const double cut = std::round(static_cast<double>(count) * (before / all));
        cuts.push_back(std::clamp(static_cast<std::uint64_t>(cut), cuts.back(), count));
    }
    cuts.back() = count;
    return cuts;
}

}  // namespace muster::cluster
