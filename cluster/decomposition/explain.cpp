#include <algorithm>
#include <map>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <muster/cluster/decomposition/explain.hpp>

namespace muster::cluster {
namespace {

std::string workgroups_text(std::uint32_t begin, std::uint32_t end) {
    return end - begin == 1 ? std::to_string(begin) : fmt::format("{} to {}", begin, end - 1);
}

std::string words_text(const WordRange& words) {
    return words.size() == 1 ? fmt::format("word {}", words.begin)
                             : fmt::format("words {} to {}", words.begin, words.end - 1);
}

class PlanText {
  public:
    PlanText(const Plan& plan, const Program& program, std::span<const std::string> members)
        : plan_(plan), program_(program), members_(members) {}

    std::string text() const {
        std::string all = first_line();
        for (std::uint32_t rank = 0; rank < plan_.parts.size(); ++rank) all += rank_line(rank);
        if (plan_.bytes_transferred != 0) all += exchanged_line();
        for (const Reduction& one : plan_.reductions)
            all += fmt::format("\n  {} of \"{}\" {} combined by {}", words_text(one.words),
                               binding(one.binding), one.words.size() == 1 ? "is" : "are", name(one.op));
        if (plan_.one_rank && !plan_.one_rank->fix.empty()) all += "\n  Fix: " + plan_.one_rank->fix;
        return all;
    }

  private:
    std::string first_line() const {
        const Extent3 grid = plan_.grid;
        std::string line =
            fmt::format("{}: {} workgroup{}", program_.entry(), grid.x, grid.x == 1 ? "" : "s");
        if (grid.y != 1 || grid.z != 1)
            line = fmt::format("{}: {} x {}{} workgroups", program_.entry(), grid.x, grid.y,
                               grid.z == 1 ? "" : fmt::format(" x {}", grid.z));
        if (plan_.one_rank) return line + ", on one rank: " + reason_of(plan_);
        const auto busy =
            std::ranges::count_if(plan_.parts, [](const RankPart& part) { return part.begin < part.end; });
        if (busy == 1) return line + ", on one rank";
        return line + fmt::format(", cut along {} over {} ranks", "xyz"[plan_.axis], plan_.parts.size());
    }

    std::string rank_line(std::uint32_t rank) const {
        const RankPart& part = plan_.parts[rank];
        std::string line = fmt::format("\n  {}: ", member(rank));
        if (part.begin == part.end)
            line += "nothing";
        else
            line += (part.end - part.begin == 1 ? "workgroup " : "workgroups ") +
                    workgroups_text(part.begin, part.end);
        std::map<std::uint32_t, std::uint64_t> received;  // bytes, by sender
        for (const Transfer& one : plan_.transfers)
            if (one.to == rank) received[one.from] += 4 * one.words.size();
        if (received.empty()) return line;
        if (part.interior_begin < part.interior_end)
            line += fmt::format(", {} while words come in",
                                workgroups_text(part.interior_begin, part.interior_end));
        std::vector<std::string> parts;
        for (const auto& [from, bytes] : received)
            parts.push_back(fmt::format("{} bytes from {}", bytes, member(from)));
        return line + fmt::format("; receives {}", fmt::join(parts, ", "));
    }

    std::string exchanged_line() const {
        std::map<std::uint32_t, std::uint64_t> exchanged;  // bytes, by binding
        for (const Transfer& one : plan_.transfers) exchanged[one.binding] += 4 * one.words.size();
        std::vector<std::string> parts;
        for (const auto& [which, bytes] : exchanged)
            parts.push_back(fmt::format("\"{}\" {}", binding(which), bytes));
        return fmt::format("\n  {} bytes are exchanged: {}", plan_.bytes_transferred, fmt::join(parts, ", "));
    }

    std::string member(std::uint32_t rank) const {
        return rank < members_.size() ? members_[rank] : fmt::format("rank {}", rank);
    }
    const std::string& binding(std::uint32_t which) const {
        return program_.variable(program_.bindings()[which]).name;
    }

    const Plan& plan_;
    const Program& program_;
    std::span<const std::string> members_;
};

}  // namespace

std::string explain(const Plan& plan, const Program& program, std::span<const std::string> members) {
    return PlanText(plan, program, members).text();
}

std::string reason_of(const Plan& plan) {
    const OneRank& why = *plan.one_rank;
    return why.place.empty() ? why.message : why.place + ": " + why.message;
}

}  // namespace muster::cluster
