#include <algorithm>
#include <array>
#include <utility>

#include <muster/cluster/decomposition/cut.hpp>
#include <muster/cluster/decomposition/reasons.hpp>

namespace muster::cluster {
namespace {

std::uint32_t& along(Extent3& extent, std::uint32_t axis) {
    return axis == 0 ? extent.x : axis == 1 ? extent.y : extent.z;
}

// The ranges of words that an access has on a rank, and on all of them together; with more,
// it counts as an interval.
constexpr std::size_t most_ranges = 4096, most_of_all_ranks = 65536;

ReductionOp reduction_of(Op atomic) {
    if (atomic == Op::atomic_min) return ReductionOp::min;
    if (atomic == Op::atomic_max) return ReductionOp::max;
    if (atomic == Op::atomic_and) return ReductionOp::bit_and;
    if (atomic == Op::atomic_or) return ReductionOp::bit_or;
    return atomic == Op::atomic_xor ? ReductionOp::bit_xor : ReductionOp::add;
}

Extent3 workgroups_that_run(const Dispatch& of) {
    const Extent3 writing = of.footprint.writing;
    const Extent3 run{std::min(of.grid.x, writing.x), std::min(of.grid.y, writing.y),
                      std::min(of.grid.z, writing.z)};
    return run.count() == 0 ? Extent3{0, 0, 0} : run;
}

class Cut {
  public:
    /// `cuts`: rank i has the workgroups [cuts[i], cuts[i + 1]) along the axis.
    Cut(Dispatch& dispatch, std::uint32_t axis, const std::vector<std::uint64_t>& cuts);

    /// Why the cut isn't sound; nothing if it is.
    std::optional<OneRank> fault() const;
    PlannedDispatch plan();
    std::size_t busy_ranks() const {
        return static_cast<std::size_t>(
            std::ranges::count_if(plan_.parts, [](const RankPart& part) { return part.begin < part.end; }));
    }

    using ByBinding = std::vector<WordSet>;
    /// The words that a rank must have.
    ByBinding needed(std::uint32_t rank) const;

  private:
    /// Atomics that are combined after the dispatch, because several ranks change the same
    /// words by the same operation.
    struct Group {
        std::uint32_t binding = 0;
        ReductionOp op = ReductionOp::add;
        Scalar type = Scalar::u32;
        std::vector<std::size_t> accesses = {};
        WordSet words = {};
    };

    const FootprintAccess& access(std::size_t i) const { return of_.footprint.accesses[i]; }
    std::size_t access_count() const { return of_.footprint.accesses.size(); }
    std::uint32_t ranks() const { return static_cast<std::uint32_t>(of_.weights.size()); }
    void set_box(std::uint32_t begin, std::uint32_t end);
    WordSet words_in_box(std::size_t access) const;
    void find_groups();
    bool share_words(std::size_t a, std::size_t b) const;
    bool lacks_words(std::uint32_t binding) const;

    void receive(std::uint32_t rank);
    void fetch(std::uint32_t rank, std::uint32_t binding, WordSet missing);
    void find_interior(std::uint32_t rank, const ByBinding& incoming);
    void reduce(const Group& group);
    std::vector<Distribution> after() const;

    Dispatch& of_;
    Plan plan_;
    std::vector<std::vector<WordSet>> words_;     // by access and rank
    std::vector<std::vector<WordRange>> filled_;  // likewise: those that are certainly written
    std::vector<Group> groups_;
    std::vector<bool> is_reduced_;  // by access
};

Cut::Cut(Dispatch& dispatch, std::uint32_t axis, const std::vector<std::uint64_t>& cuts) : of_(dispatch) {
    plan_.axis = axis;
    plan_.grid = dispatch.grid;
    plan_.runs = workgroups_that_run(dispatch);
    words_.assign(access_count(), std::vector<WordSet>(ranks()));
    filled_.assign(access_count(), std::vector<WordRange>(ranks()));
    for (std::uint32_t rank = 0; rank < ranks(); ++rank) {
        RankPart part{static_cast<std::uint32_t>(cuts[rank]), static_cast<std::uint32_t>(cuts[rank + 1])};
        part.interior_begin = part.begin;
        part.interior_end = part.end;
        plan_.parts.push_back(part);
        if (part.begin == part.end) continue;
        set_box(part.begin, part.end);
        for (std::size_t i = 0; i < access_count(); ++i) {
            words_[i][rank] = words_in_box(i);
            const FootprintValues::Words filled = of_.values.filled(i);
            filled_[i][rank] = {filled.begin, filled.end};
        }
    }
    find_groups();
}

void Cut::set_box(std::uint32_t begin, std::uint32_t end) {
    const Extent3 low = plan_.origin(begin), extent = plan_.extent(begin, end);
    of_.values.set_box(low, {low.x + extent.x - 1, low.y + extent.y - 1, low.z + extent.z - 1});
}

WordSet Cut::words_in_box(std::size_t i) const {
    WordSet words;
    for (const FootprintValues::Words& part :
         of_.values.parts(i, std::min(most_ranges, most_of_all_ranks / ranks())))
        words.insert(WordRange{part.begin, part.end});
    return words;
}

void Cut::find_groups() {
    is_reduced_.assign(access_count(), false);
    for (std::size_t i = 0; i < access_count(); ++i) {
        if (!access(i).is_reducible) continue;
        const ReductionOp op = reduction_of(of_.footprint.program.node(access(i).node).op);
        auto group = std::ranges::find_if(groups_, [&](const Group& one) {
            return one.binding == access(i).binding && one.op == op && one.type == access(i).scalar;
        });
        if (group == groups_.end())
            group = groups_.insert(groups_.end(), {access(i).binding, op, access(i).scalar});
        group->accesses.push_back(i);
        for (const WordSet& words : words_[i]) group->words.insert(words);
    }
    std::erase_if(groups_, [&](const Group& group) {
        return std::ranges::none_of(group.accesses, [&](std::size_t a) {
            return std::ranges::any_of(group.accesses, [&](std::size_t b) { return share_words(a, b); });
        });
    });
    for (const Group& group : groups_)
        for (const std::size_t i : group.accesses) is_reduced_[i] = true;
}

// True if a rank's words in one access may be among those of another rank in the other access.
bool Cut::share_words(std::size_t a, std::size_t b) const {
    const auto meet = [&](std::size_t first, std::size_t second) {
        WordSet before;  // words of ranks before, in the second access
        for (std::uint32_t rank = 0; rank < ranks(); ++rank) {
            if (words_[first][rank].overlaps(before)) return true;
            before.insert(words_[second][rank]);
        }
        return false;
    };
    return meet(a, b) || (a != b && meet(b, a));
}

// True if a rank that has workgroups doesn't hold all words of the binding.
bool Cut::lacks_words(std::uint32_t binding) const {
    const Distribution* held = of_.held[binding];
    for (std::uint32_t rank = 0; held != nullptr && rank < ranks(); ++rank) {
        const bool is_busy = plan_.parts[rank].begin < plan_.parts[rank].end;
        if (is_busy && !held->current[rank].contains({0, held->words})) return true;
    }
    return false;
}

std::optional<OneRank> Cut::fault() const {
    const Footprint& footprint = of_.footprint;
    for (std::size_t i = 0; i < access_count(); ++i) {
        if (!is_reduced_[i] && !access(i).writes && !of_.values.is_bounded(i) &&
            !of_.bindings[access(i).binding].reads_whole && lacks_words(access(i).binding))
            return unbounded_read(footprint, i);
        for (std::size_t k = 0; k < access_count(); ++k) {
            const bool may_meet =
                access(k).binding == access(i).binding && (access(i).writes || access(k).writes);
            if (!may_meet || is_reduced_[i] || is_reduced_[k] || !share_words(i, k)) continue;
            const std::size_t at = access(i).writes && !access(k).writes ? k : i;
            return shared_words(footprint, at, at == i ? k : i, of_.values.is_bounded(at));
        }
    }
    for (const Group& group : groups_)
        for (std::size_t i = 0; i < access_count(); ++i) {
            const bool is_other = access(i).binding == group.binding &&
                                  std::ranges::find(group.accesses, i) == group.accesses.end();
            if (is_other && std::ranges::any_of(
                                words_[i], [&](const WordSet& words) { return group.words.overlaps(words); }))
                return mixed_with_atomics(footprint, i);
        }
    return {};
}

PlannedDispatch Cut::plan() {
    for (std::uint32_t rank = 0; rank < ranks(); ++rank) receive(rank);
    std::vector<Distribution> held_after = after();
    for (const Group& group : groups_) reduce(group);
    std::ranges::stable_sort(plan_.transfers, {},
                             [](const Transfer& one) { return std::pair(one.to, one.from); });
    std::vector<std::uint64_t> words(ranks());
    for (const Transfer& one : plan_.transfers) {
        plan_.bytes_transferred += 4 * one.words.size();
        words[one.from] += one.words.size();
        words[one.to] += one.words.size();
    }
    plan_.most_words = std::ranges::max(words);
    for (const Reduction& one : plan_.reductions) plan_.bytes_reduced += 8 * (ranks() - 1) * one.words.size();
    return {std::move(plan_), std::move(held_after)};
}

// A rank needs the words that it reads, and those that it may write and may leave as they are.
Cut::ByBinding Cut::needed(std::uint32_t rank) const {
    ByBinding words(of_.bindings.size()), filled(of_.bindings.size());
    const auto insert = [&](bool reads) {
        for (std::size_t i = 0; i < access_count(); ++i)
            if (access(i).reads == reads && !is_reduced_[i] && of_.held[access(i).binding] != nullptr)
                words[access(i).binding].insert(words_[i][rank]);
    };
    insert(false);
    for (std::size_t i = 0; i < access_count(); ++i) filled[access(i).binding].insert(filled_[i][rank]);
    for (std::size_t i = 0; i < words.size(); ++i) words[i] = words[i].without(filled[i]);
    insert(true);
    return words;
}

void Cut::receive(std::uint32_t rank) {
    ByBinding incoming = needed(rank);
    bool is_any = false;
    for (std::uint32_t binding = 0; binding < incoming.size(); ++binding) {
        if (incoming[binding].empty()) continue;
        incoming[binding] = incoming[binding].without(of_.held[binding]->current[rank]);
        is_any |= !incoming[binding].empty();
        fetch(rank, binding, incoming[binding]);
    }
    if (is_any) find_interior(rank, incoming);
}

// Each word comes from the nearest rank that has it.
void Cut::fetch(std::uint32_t rank, std::uint32_t binding, WordSet missing) {
    const auto take = [&](std::uint32_t from) {
        const WordSet taken = missing.common(of_.held[binding]->current[from]);
        for (const WordRange& words : taken.ranges()) plan_.transfers.push_back({from, rank, binding, words});
        missing = missing.without(taken);
    };
    for (std::uint32_t distance = 1; distance < ranks() && !missing.empty(); ++distance) {
        if (distance <= rank) take(rank - distance);
        if (rank + distance < ranks()) take(rank + distance);
    }
}

// The workgroups that touch no incoming word, around one of three: those that a halo or a shifted cut leaves.
void Cut::find_interior(std::uint32_t rank, const ByBinding& incoming) {
    RankPart& part = plan_.parts[rank];
    part.interior_end = part.interior_begin;
    if (part.begin == part.end) return;
    const auto is_free = [&](std::uint32_t begin, std::uint32_t end) {
        set_box(begin, end);
        for (std::size_t i = 0; i < access_count(); ++i)
            if (incoming[access(i).binding].overlaps(words_in_box(i))) return false;
        return true;
    };
    for (const std::uint32_t inner : {part.begin + (part.end - part.begin) / 2, part.end - 1, part.begin}) {
        if (!is_free(inner, inner + 1)) continue;
        std::uint32_t low = part.begin, high = part.end;  // a larger box touches no fewer words
        for (std::uint32_t end = inner; low < end;) {
            const std::uint32_t middle = low + (end - low) / 2;
            if (is_free(middle, inner + 1))
                end = middle;
            else
                low = middle + 1;
        }
        for (std::uint32_t begin = inner + 1; begin < high;) {
            const std::uint32_t middle = begin + (high - begin + 1) / 2;
            if (is_free(inner, middle))
                begin = middle;
            else
                high = middle - 1;
        }
        part.interior_begin = low;
        part.interior_end = high;
        return;
    }
}

// The ranks with most of the words keep theirs.
void Cut::reduce(const Group& group) {
    std::vector<std::uint32_t> keepers(ranks());
    std::vector<std::uint64_t> has(ranks());
    for (std::uint32_t rank = 0; rank < ranks(); ++rank) {
        keepers[rank] = rank;
        has[rank] = group.words.common(of_.held[group.binding]->current[rank]).size();
    }
    std::ranges::stable_sort(keepers, [&](std::uint32_t a, std::uint32_t b) { return has[a] > has[b]; });
    WordSet rest = group.words;
    for (const std::uint32_t keeper : keepers) {
        const WordSet kept = rest.common(of_.held[group.binding]->current[keeper]);
        for (const WordRange& words : kept.ranges())
            plan_.reductions.push_back({group.binding, words, group.op, group.type, keeper});
        rest = rest.without(kept);
    }
}

std::vector<Distribution> Cut::after() const {
    std::vector<Distribution> all(of_.bindings.size());
    for (std::uint32_t binding = 0; binding < all.size(); ++binding)
        if (of_.held[binding] != nullptr) all[binding] = *of_.held[binding];
    for (const Transfer& one : plan_.transfers) all[one.binding].current[one.to].insert(one.words);
    std::vector<ByBinding> written(ranks(), ByBinding(all.size()));
    for (std::size_t i = 0; i < access_count(); ++i)
        for (std::uint32_t rank = 0; access(i).writes && !is_reduced_[i] && rank < ranks(); ++rank)
            written[rank][access(i).binding].insert(words_[i][rank]);
    for (std::uint32_t binding = 0; binding < all.size(); ++binding) {
        WordSet by_any;
        for (const ByBinding& of_rank : written) by_any.insert(of_rank[binding]);
        if (by_any.empty()) continue;
        for (std::uint32_t rank = 0; rank < ranks(); ++rank) {
            WordSet& current = all[binding].current[rank];
            current = current.without(by_any);
            current.insert(written[rank][binding]);
        }
    }
    for (const Group& group : groups_)
        for (WordSet& current : all[group.binding].current) current.insert(group.words);
    return all;
}

// All workgroups on the rank to which the fewest words must come; of equals, the one
// with the greatest weight.
PlannedDispatch on_one_rank(Dispatch& of) {
    const auto cut = [&](std::size_t rank) {
        std::vector<std::uint64_t> cuts(of.weights.size() + 1, 0);
        std::fill(cuts.begin() + static_cast<std::ptrdiff_t>(rank) + 1, cuts.end(),
                  workgroups_that_run(of).x);
        return Cut(of, 0, cuts);
    };
    const Cut::ByBinding needed = cut(0).needed(0);
    const auto lacking = [&](std::size_t rank) {
        std::uint64_t words = 0;
        for (std::size_t i = 0; i < needed.size(); ++i)
            if (!needed[i].empty()) words += needed[i].without(of.held[i]->current[rank]).size();
        return words;
    };
    std::size_t best = 0;
    std::uint64_t least = lacking(0);
    for (std::size_t rank = 1; rank < of.weights.size(); ++rank) {
        const std::uint64_t words = lacking(rank);
        if (words > least || (words == least && of.weights[rank] <= of.weights[best])) continue;
        best = rank;
        least = words;
    }
    return cut(best).plan();
}

}  // namespace

PlannedDispatch plan_dispatch(Dispatch& of) {
    Extent3 runs = workgroups_that_run(of);
    if (runs.count() <= 1) return on_one_rank(of);
    std::optional<PlannedDispatch> best;
    std::optional<OneRank> reason;
    std::size_t best_busy = 0;
    std::uint32_t longest = 0;  // of the axes that can't be cut
    for (const std::uint32_t axis : {2u, 1u, 0u}) {
        const std::uint32_t length = along(runs, axis);
        if (length < 2) continue;
        Cut cut(of, axis, cut_by_weight(length, of.weights));
        if (auto fault = cut.fault()) {
            if (length > longest) reason = std::move(fault);
            longest = std::max(longest, length);
            continue;
        }
        const std::size_t busy = cut.busy_ranks();
        PlannedDispatch made = cut.plan();
        const auto bytes = [](const Plan& plan) { return plan.bytes_transferred + plan.bytes_reduced; };
        if (best && (busy < best_busy || (busy == best_busy && bytes(made.plan) >= bytes(best->plan))))
            continue;
        best = std::move(made);
        best_busy = busy;
    }
    if (best) return *std::move(best);
    PlannedDispatch made = on_one_rank(of);
    made.plan.one_rank = std::move(reason);
    return made;
}

}  // namespace muster::cluster
