// trace_report.hpp - what a trace says: where the time went, when devices were idle, and what the host did then.
//
// Traces are those of driver/trace; of others in the same form (Chrome's "Trace Event Format"), what is there
// is read the same way.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <muster/cli/report/timeline.hpp>
#include <muster/cli/support/json.hpp>
#include <muster/foundation/base/result.hpp>

namespace muster::cli {

/// All spans of one name. Times in ns.
struct TraceRow {
    std::string name;
    std::uint64_t count = 0, sum_ns = 0, own_ns = 0, longest_ns = 0;  // own: without what is inside of them
};

/// A time in which a device ran nothing, and what its process's threads did most then.
struct TraceGap {
    std::uint64_t begins_ns = 0, length_ns = 0;  // from the trace's beginning
    std::vector<TraceRow> host;                  // own_ns: within the gap
};

struct TraceDevice {
    std::string name;
    std::uint64_t runs = 0, busy_ns = 0, first_ns = 0, last_ns = 0;
    std::vector<TraceGap> gaps;  // the longest, in order
};

struct TraceSummary {
    std::uint64_t length_ns = 0, events = 0;
    std::vector<TraceRow> rows;  // by the time of their own, the most first
    std::vector<TraceDevice> devices;
    std::vector<std::string> unfinished;  // spans that hadn't ended when the process died
    std::vector<std::string> notes;       // such as events that were left out
    std::vector<TimelineLine> lines;  // if asked for: threads and devices; times from the trace's beginning
};

/// `with_lines`: also every span by itself, for a picture. Errors: invalid_argument (no such JSON), limit_exceeded (more than
/// 10,000,000 spans).
Result<TraceSummary> summarize_trace(std::string_view json, std::size_t most_gaps, bool with_lines = false);

/// `most_rows` of the table.
std::string trace_text(const TraceSummary& summary, std::size_t most_rows);
Json trace_json(const TraceSummary& summary);

}  // namespace muster::cli
