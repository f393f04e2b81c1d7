// The choice Measured: among the devices that fit, the one that is estimated to finish the dispatch first.
#include <fmt/format.h>

#include <muster/driver/routing/picker.hpp>

namespace muster::routing {

/// Chooses the device that is estimated to finish first, if the first one by rank is measured.
void Picker::choose_by_estimate() {
    if (!decision_.candidates[best_->record].estimate) return note_unmeasured();
    std::vector<Pick> picks;
    std::vector<Estimate> times;
    std::optional<std::size_t> current;
    for (const Pick& pick : fits_) {
        const CandidateRecord& record = decision_.candidates[pick.record];
        if (!record.estimate) continue;
        if (record.id() == options_.current) current = picks.size();
        picks.push_back(pick);
        times.push_back(*record.estimate);
    }
    const std::size_t first = first_to_finish(times, current);
    best_ = picks[first];
    const std::string winner = decision_.candidates[best_->record].id();
    for (const Pick& pick : fits_) {
        CandidateRecord& record = decision_.candidates[pick.record];
        if (pick.record == best_->record) {
            record.message =
                fmt::format("It fits, and is estimated to finish first: {}.", record.estimate->to_string());
            continue;
        }
        record.reason = record.estimate ? Reason::estimated_slower : Reason::outranked;
        record.message =
            !record.estimate ? fmt::format("It fits, but isn't measured: {} comes first.", winner)
            : record.estimate->total_us() >= times[first].total_us()
                ? fmt::format("It fits, but is estimated to take {}.", record.estimate->to_string())
                : fmt::format("It fits, and is estimated to take {}: not worth leaving {} for.",
                              record.estimate->to_string(), winner);
        record.fix = record.estimate ? name_it(record.id())
                                     : fmt::format("measure it: muster bench --backend {}", record.id());
    }
}

/// Says that ranks decide, because the first device by rank isn't measured.
void Picker::note_unmeasured() {
    const std::string id = decision_.candidates[best_->record].id();
    decision_.notes.push_back(fmt::format(
        "The policy chooses by measurement, and {} isn't measured: ranks decide. Fix: muster bench "
        "--backend {} measures it, once for this machine.",
        id, id));
}

}  // namespace muster::routing
