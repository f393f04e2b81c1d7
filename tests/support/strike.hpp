// strike.hpp - makes one native call fail: the first, then the next, until none is left.
//
//     for (test::Strike strike{.code = ErrorCode::device_lost};; strike.next()) {
//         const auto result = [&] { const PlantedFaults faults = strike.plant(); return run(); }();
//         if (strike.struck.empty()) break;      // there were fewer calls
//
// Threads: calls may be made on any.
#pragma once

#include <atomic>
#include <optional>
#include <string>
#include <string_view>

#include <muster/driver/contract/check.hpp>

namespace muster::test {

/// The native call that fails: the `which`-th one, from 0, with this code.
struct Strike {
    int which = 0;
    ErrorCode code = ErrorCode::out_of_memory;
    std::atomic<int> seen = 0;
    std::string struck = {};

    PlantedFaults plant() {
        return PlantedFaults([this](std::string_view call) -> std::optional<Error> {
            if (seen++ != which) return std::nullopt;
            struck = call;
            return Error{code, "Planted.", {}, {}};
        });
    }
    void next() {
        ++which;
        seen = 0;
        struck.clear();
    }
};

}  // namespace muster::test
