// noted_accesses.hpp - the words that ranks' workgroups really access, and the bytes that a plan must send for these at least.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include <muster/cluster/decomposition/plan_guard.hpp>

namespace muster::test {

/// Notes what a rank's workgroups access, besides checking it.
class NotedAccesses final : public WordGuard {
  public:
    explicit NotedAccesses(cluster::PlanGuard guard, std::size_t bindings)
        : guard(std::move(guard)), read(bindings), written(bindings), changed(bindings) {}
    bool allows(std::uint32_t binding, std::uint64_t word, AccessKind access) override {
        if (access == AccessKind::atomic)
            changed[binding].insert(word);
        else if (access == AccessKind::write)
            written[binding].insert(word);
        else if (!written[binding].contains(word))
            read[binding].insert(word);
        return guard.allows(binding, word, access);
    }
    std::string owner() const override { return guard.owner(); }

    cluster::PlanGuard guard;
    // By binding; the words that the rank reads before it writes them, writes, and changes by atomics.
    std::vector<std::unordered_set<std::uint64_t>> read, written, changed;
};

struct SentBytes {
    std::uint64_t transferred = 0, reduced = 0;
    SentBytes& operator+=(const SentBytes& more) {
        transferred += more.transferred;
        reduced += more.reduced;
        return *this;
    }
};

/// The least that a plan's cut needs: the words that a rank reads and doesn't hold before; of reductions, those that several ranks
/// change. `noted`: by rank.
inline SentBytes needed_bytes(const cluster::Planner& planner, const cluster::Plan& plan,
                              const std::vector<cluster::DistributionId>& held,
                              const std::vector<NotedAccesses>& noted) {
    SentBytes needed;
    std::vector<cluster::WordSet> reduced(held.size());
    for (const cluster::Reduction& one : plan.reductions) reduced[one.binding].insert(one.words);
    for (std::uint32_t binding = 0; binding < held.size(); ++binding) {
        if (!held[binding]) continue;
        std::map<std::uint64_t, std::uint64_t> changers;  // ranks, by word
        for (std::size_t rank = 0; rank < noted.size(); ++rank) {
            std::unordered_set<std::uint64_t> read = noted[rank].read[binding];
            for (const std::uint64_t word : noted[rank].changed[binding])
                if (reduced[binding].contains({word, word + 1}))
                    ++changers[word];
                else
                    read.insert(word);
            const cluster::WordSet& current = planner.distribution(held[binding]).current[rank];
            for (const std::uint64_t word : read)
                if (!current.contains({word, word + 1})) needed.transferred += 4;
        }
        for (const auto& [word, ranks] : changers)
            if (ranks > 1) needed.reduced += 8 * (noted.size() - 1);
    }
    return needed;
}

}  // namespace muster::test
