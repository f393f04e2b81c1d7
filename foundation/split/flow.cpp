#include <muster/foundation/split/flow.hpp>

namespace muster::split {
namespace {

using Kind = HostStep::Kind;

void apply(const Transfer& transfer, Set& set) {
    for (std::size_t i = 0; i < set.size(); ++i) set[i] = (set[i] && !transfer.kills[i]) || transfer.makes[i];
}

/// Adds `more` to `into`; returns true if it has grown.
bool join(const Set& more, Set& into) {
    bool grown = false;
    for (std::size_t i = 0; i < into.size(); ++i)
        if (more[i] && !into[i]) grown = into[i] = true;
    return grown;
}

const Transfer* transfer_of(const HostStep& step, const std::vector<Transfer>& by_segment) {
    return step.kind == Kind::run ? &by_segment[step.index] : nullptr;
}

}  // namespace

std::vector<std::uint32_t> successors(const Schedule& schedule, std::uint32_t number) {
    const HostStep& step = schedule.steps[number];
    switch (step.kind) {
        case Kind::end: return {};
        case Kind::jump: return {step.target};
        case Kind::branch:
        case Kind::next_iteration: return {number + 1, step.target};
        case Kind::select: {
            const HostCases& cases = schedule.cases[step.index];
            std::vector<std::uint32_t> all{cases.otherwise};
            for (const HostCase& one : cases.cases) all.push_back(one.target);
            return all;
        }
        case Kind::run:
        case Kind::evaluate:
        case Kind::assign:
        case Kind::read:
        case Kind::fetch: break;
    }
    return {number + 1};
}

std::vector<Set> flow_backward(const Schedule& schedule, const std::vector<Transfer>& by_segment,
                               std::size_t size) {
    std::vector<Set> before(schedule.steps.size(), Set(size));
    for (bool changed = true; changed;) {
        changed = false;
        for (auto i = static_cast<std::uint32_t>(before.size()); i-- > 0;) {
            Set set(size);
            for (const std::uint32_t next : successors(schedule, i)) join(before[next], set);
            if (const Transfer* transfer = transfer_of(schedule.steps[i], by_segment)) apply(*transfer, set);
            changed |= join(set, before[i]);
        }
    }
    return before;
}

std::vector<Set> flow_forward(const Schedule& schedule, const std::vector<Transfer>& by_segment, Set start) {
    std::vector<Set> before(schedule.steps.size(), Set(start.size()));
    before[0] = std::move(start);
    for (bool changed = true; changed;) {
        changed = false;
        for (std::uint32_t i = 0; i < before.size(); ++i) {
            Set set = before[i];
            if (const Transfer* transfer = transfer_of(schedule.steps[i], by_segment)) apply(*transfer, set);
            for (const std::uint32_t next : successors(schedule, i)) changed |= join(set, before[next]);
        }
    }
    return before;
}

}  // namespace muster::split
