#include <utility>

#include <muster/cluster/decomposition/plan_guard.hpp>

namespace muster::cluster {

PlanGuard::PlanGuard(const Planner& planner, const Plan& plan, std::span<const DistributionId> held,
                     std::uint32_t rank, std::string owner)
    : bindings_(held.size()), owner_(std::move(owner)) {
    for (std::size_t i = 0; i < held.size(); ++i) {
        if (!held[i]) continue;
        BindingWords& words = bindings_[i].emplace();
        words.read = planner.distribution(held[i]).current[rank];
        const std::vector<WordSet>& after = planner.distribution(plan.after[i]).current;
        words.written = after[rank];
        for (std::size_t other = 0; other < after.size(); ++other)
            if (other != rank) words.written = words.written.without(after[other]);
    }
    for (const Transfer& one : plan.transfers)
        if (one.to == rank) bindings_[one.binding]->incoming.insert(one.words);
    for (const Reduction& one : plan.reductions) {
        BindingWords& words = *bindings_[one.binding];
        words.reduced.insert(one.words);
        words.read = words.read.without(words.reduced);
        words.written = words.written.without(words.reduced);
    }
}

void PlanGuard::receive() {
    for (std::optional<BindingWords>& each : bindings_)
        if (each) each->read.insert(each->incoming);
}

bool PlanGuard::allows(std::uint32_t binding, std::uint64_t word, AccessKind access) {
    const std::optional<BindingWords>& words = bindings_[binding];
    if (!words) return true;
    const WordRange one{word, word + 1};
    const bool may_read = words->read.contains(one), may_write = words->written.contains(one);
    switch (access) {
        case AccessKind::read: return may_read;
        case AccessKind::write: return may_write;
        case AccessKind::atomic: return (may_read && may_write) || words->reduced.contains(one);
    }
    return false;
}

}  // namespace muster::cluster
