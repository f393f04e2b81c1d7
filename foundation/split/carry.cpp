#include <algorithm>
#include <cstdint>
#include <functional>
#include <utility>

#include <muster/foundation/split/carry.hpp>

namespace muster::split {
namespace {

/// True if the entry has a value before the body begins, and may still have it.
bool has_initial(const Program& program, const Carried& one) {
    if (one.kind != Carried::Kind::variable) return one.kind == Carried::Kind::workgroup;
    return one.variable.index >= program.variables().size() ||
           program.variable(one.variable).space == AddressSpace::private_;
}

class Carrying {
  public:
    Carrying(const Program& program, const Schedule& schedule, std::vector<Effects> all, std::size_t first,
             Plan& plan)
        : program_(program), schedule_(schedule), all_(std::move(all)), first_(first), plan_(plan) {}

    void run() {
        std::vector<Transfer> backward;
        for (const Effects& one : all_) backward.emplace_back(one.exposed, one.kills);
        live_ = flow_backward(schedule_, backward, plan_.carried.size());
        do {
            changed_ = maybe_changed(program_, schedule_, all_, plan_);
            choose();
        } while (save_initial_values());
        give_slots();
    }

  private:
    void choose() {
        for (std::uint32_t step = 0; step < schedule_.steps.size(); ++step) {
            if (schedule_.steps[step].kind != HostStep::Kind::run) continue;
            const std::uint32_t s = schedule_.steps[step].index;
            PartPlan& part = plan_.parts[s];
            std::erase_if(part.restored, [&](std::uint32_t i) { return i >= first_; });
            std::erase_if(part.saved, [&](std::uint32_t i) { return i >= first_; });
            for (auto i = static_cast<std::uint32_t>(first_); i < plan_.carried.size(); ++i) {
                const bool lives_on = is_live_after(step, i);
                const bool keeps_some = all_[s].writes[i] && lives_on && !all_[s].kills[i];
                if (live_[step][i] && changed_[step][i] && (all_[s].exposed[i] || keeps_some))
                    part.restored.push_back(i);
                if (all_[s].writes[i] && lives_on) part.saved.push_back(i);
            }
        }
    }

    bool is_live_after(std::uint32_t step, std::size_t i) const {
        return std::ranges::any_of(successors(schedule_, step),
                                   [&](std::uint32_t next) { return live_[next][i]; });
    }

    /// If a part would restore what may not have been saved yet, lets the first part save it. Returns true if
    /// that added a save.
    bool save_initial_values() {
        std::vector<Transfer> transfers(plan_.parts.size(), Transfer(plan_.carried.size()));
        for (std::size_t s = 0; s < plan_.parts.size(); ++s)
            for (const std::uint32_t i : plan_.parts[s].saved) transfers[s].kills[i] = true;
        const std::vector<Set> unsaved = flow_forward(schedule_, transfers, Set(plan_.carried.size(), true));
        bool added = false;
        for (std::uint32_t step = 0; step < schedule_.steps.size(); ++step) {
            if (schedule_.steps[step].kind != HostStep::Kind::run) continue;
            for (const std::uint32_t i : plan_.parts[schedule_.steps[step].index].restored) {
                if (i < first_ || !unsaved[step][i] || !has_initial(program_, plan_.carried[i]) ||
                    all_[0].writes[i])
                    continue;
                all_[0].writes[i] = added = true;
                plan_.parts[0].is_part = true;
            }
        }
        return added;
    }

    /// The lifetime of an entry: a bit for each step.
    std::vector<std::uint64_t> times_of(std::size_t i) const {
        std::vector<std::uint64_t> times(live_.size() / 64 + 1);
        for (std::size_t step = 0; step < live_.size(); ++step)
            if (live_[step][i] && changed_[step][i]) times[step / 64] |= std::uint64_t{1} << (step % 64);
        return times;
    }

    /// Largest first, each at the first offset that no entry with an overlapping lifetime uses.
    void give_slots() {
        for (const PartPlan& part : plan_.parts)
            for (const std::uint32_t i : part.restored) plan_.carried[i].is_live = true;
        std::vector<std::size_t> order;
        for (std::size_t i = first_; i < plan_.carried.size(); ++i)
            if (plan_.carried[i].is_live) order.push_back(i);
        std::ranges::sort(order, [&](std::size_t a, std::size_t b) {
            const auto larger = plan_.carried[b].words <=> plan_.carried[a].words;
            return larger != 0 ? larger < 0 : a < b;
        });
        std::vector<std::pair<const Carried*, std::vector<std::uint64_t>>> placed;
        for (const std::size_t i : order) {
            std::vector<std::uint64_t> times = times_of(i);
            std::vector<const Carried*> others;
            for (const auto& [other, theirs] : placed)
                if (meet(times, theirs)) others.push_back(other);
            give_slot(plan_.carried[i], std::move(others));
            placed.emplace_back(&plan_.carried[i], std::move(times));
        }
    }

    static bool meet(const std::vector<std::uint64_t>& a, const std::vector<std::uint64_t>& b) {
        for (std::size_t k = 0; k < a.size(); ++k)
            if ((a[k] & b[k]) != 0) return true;
        return false;
    }

    void give_slot(Carried& one, std::vector<const Carried*> others) {
        std::ranges::sort(others, {}, &Carried::slot);
        for (const Carried* other : others)
            if (other->slot < one.slot + one.words && one.slot < other->slot + other->words)
                one.slot = other->slot + other->words;
        std::uint64_t& words =
            one.kind == Carried::Kind::workgroup ? plan_.workgroup_words : plan_.invocation_words;
        words = std::max(words, one.slot + one.words);
    }

    const Program& program_;
    const Schedule& schedule_;
    std::vector<Effects> all_;
    std::size_t first_;
    Plan& plan_;
    std::vector<Set> live_, changed_;  // before each step
};

}  // namespace

std::vector<Set> maybe_changed(const Program& program, const Schedule& schedule,
                               const std::vector<Effects>& by_segment, const Plan& plan) {
    std::vector<Transfer> transfers;
    for (const Effects& one : by_segment) transfers.emplace_back(one.writes, Set(one.writes.size()));
    Set start(plan.carried.size());
    for (std::size_t i = 0; i < start.size(); ++i) start[i] = !has_initial(program, plan.carried[i]);
    return flow_forward(schedule, transfers, std::move(start));
}

void carry(const Program& program, const Schedule& schedule, std::vector<Effects> by_segment,
           std::size_t first, Plan& plan) {
    Carrying(program, schedule, std::move(by_segment), first, plan).run();
}

}  // namespace muster::split
