#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <span>
#include <utility>

#include <fmt/format.h>

#include <muster/cli/report/trace_report.hpp>
#include <muster/cli/support/text.hpp>
#include <muster/foundation/base/printable.hpp>
#include <muster/foundation/base/try.hpp>

namespace muster::cli {
namespace {

constexpr std::size_t most_spans = 10'000'000;
constexpr std::size_t most_host_rows = 3;   // of a gap
constexpr std::size_t most_with_gaps = 64;  // devices
constexpr std::size_t most_depth = 12;      // of bars in bars

struct Span {
    std::uint64_t begun = 0, ended = 0;
    std::uint32_t line = 0, name = 0;
};

/// A sum of times of a stranger's file, at most the largest number.
std::uint64_t sum(std::uint64_t a, std::uint64_t b) { return a > UINT64_MAX - b ? UINT64_MAX : a + b; }

/// The lines of a trace and their spans.
class Reading {
  public:
    /// Takes one event; what it doesn't know is passed over.
    void take(const Json& event) {
        if (!event.is_object()) return;
        const std::string phase = text(event, "ph");
        if (phase == "M") return take_name(event);
        if (phase != "X" && phase != "B" && phase != "E") return;
        const std::optional<std::uint64_t> moment = time(event, "ts");
        if (!moment) return;
        const std::uint64_t at = *moment;
        const std::uint32_t line = line_of(event);
        first_ = std::min(first_, at);
        last_ = std::max(last_, at);
        if (phase == "X") {
            const std::uint64_t end = at + time(event, "dur").value_or(0);
            last_ = std::max(last_, end);
            add({at, end, line, name_of(event)});
            if (text(event, "cat") == "run") lines_[line].is_device = true;
        } else if (phase == "B") {
            lines_[line].open.push_back({at, 0, line, name_of(event)});
        } else if (!lines_[line].open.empty()) {
            Span span = lines_[line].open.back();
            lines_[line].open.pop_back();
            span.ended = std::max(at, span.begun);
            add(span);
        }
    }
    bool is_full() const { return spans_.size() >= most_spans; }

    TraceSummary summary(std::size_t most_gaps, bool with_lines) {
        TraceSummary made;
        if (last_ < first_) return made;
        for (Line& line : lines_)
            for (Span& span : line.open) {
                span.ended = last_;
                made.unfinished.push_back(fmt::format("{} ({})", names_[span.name], line.name));
                add(span);
            }
        made.length_ns = last_ - first_;
        made.events = spans_.size();
        made.notes = notes_;
        std::ranges::sort(spans_, [](const Span& a, const Span& b) {
            return std::tuple(a.line, a.begun, b.ended) < std::tuple(b.line, b.begun, a.ended);
        });
        made.rows = rows();
        if (with_lines) made.lines = timeline();
        for (std::uint32_t line = 0; line < lines_.size(); ++line)
            if (lines_[line].is_device)
                made.devices.push_back(device(line, made.devices.size() < most_with_gaps ? most_gaps : 0));
        return made;
    }

  private:
    struct Line {
        std::string name;
        std::uint64_t process = 0;
        bool is_device = false;
        std::vector<Span> open = {};
    };
    static std::string text(const Json& event, const char* member) {
        const auto found = event.find(member);
        return found != event.end() && found->is_string() ? found->get<std::string>() : std::string();
    }
    static std::uint64_t number(const Json& event, const char* member) {
        const auto found = event.find(member);
        return found != event.end() && found->is_number_unsigned() ? found->get<std::uint64_t>() : 0;
    }
    /// Microseconds as ns, if it is a time.
    static std::optional<std::uint64_t> time(const Json& event, const char* member) {
        const auto found = event.find(member);
        if (found == event.end() || !found->is_number()) return std::nullopt;
        const double us = found->get<double>();
        if (!(us >= 0 && us < 1e15)) return std::nullopt;
        return static_cast<std::uint64_t>(std::llround(us * 1000));
    }
    std::uint32_t line_of(const Json& event) {
        const std::pair key{number(event, "pid"), number(event, "tid")};
        const auto [found, is_new] = numbers_.try_emplace(key, static_cast<std::uint32_t>(lines_.size()));
        if (is_new) lines_.push_back({fmt::format("thread {}", key.second), key.first});
        return found->second;
    }
    std::uint32_t name_of(const Json& event) {
        std::string name = printable(text(event, "name"));
        const auto [found, is_new] =
            name_numbers_.try_emplace(std::move(name), static_cast<std::uint32_t>(names_.size()));
        if (is_new) names_.push_back(found->first);
        return found->second;
    }
    void take_name(const Json& event) {
        const auto arguments = event.find("args");
        if (arguments == event.end() || !arguments->is_object()) return;
        const std::string kind = text(event, "name");
        if (kind == "thread_name") lines_[line_of(event)].name = printable(text(*arguments, "name"));
        const std::string label = text(*arguments, "labels");
        if (kind == "process_labels" && label.find(" 0 events left out") == std::string::npos)
            notes_.push_back(printable(label));
    }
    void add(const Span& span) { spans_.push_back(span); }

    /// Calls `each` with what every line does from moment to moment: the innermost span, cut to that time.
    template <class Each>
    void for_each_segment(Each&& each) const {
        std::vector<const Span*> stack;
        std::uint64_t at = 0;
        const auto until = [&](std::uint64_t moment) {
            while (!stack.empty() && stack.back()->ended <= moment) {
                const Span& span = *stack.back();
                if (span.ended > at) each(Span{at, span.ended, span.line, span.name});
                at = std::max(at, span.ended);
                stack.pop_back();
            }
            if (!stack.empty() && moment > at) each(Span{at, moment, stack.back()->line, stack.back()->name});
            at = std::max(at, moment);
        };
        for (std::size_t i = 0; i < spans_.size(); ++i) {
            const Span& span = spans_[i];
            if (i == 0 || span.line != spans_[i - 1].line) {
                until(UINT64_MAX);
                at = 0;
            }
            until(span.begun);
            stack.push_back(&span);
        }
        until(UINT64_MAX);
    }

    std::vector<TimelineLine> timeline() const {
        std::vector<TimelineLine> made(lines_.size());
        for (std::size_t i = 0; i < lines_.size(); ++i) made[i].name = lines_[i].name;
        std::vector<const Span*> around;
        for (const Span& span : spans_) {
            if (!around.empty() && around.back()->line != span.line) around.clear();
            while (!around.empty() && around.back()->ended <= span.begun) around.pop_back();
            made[span.line].bars.push_back({names_[span.name], span.begun - first_, span.ended - first_,
                                            static_cast<std::uint32_t>(std::min(around.size(), most_depth))});
            around.push_back(&span);
        }
        std::erase_if(made, [](const TimelineLine& line) { return line.bars.empty(); });
        return made;
    }
    std::vector<TraceRow> rows() const {
        std::vector<TraceRow> all(names_.size());
        for (const Span& span : spans_) {
            if (lines_[span.line].is_device) continue;
            TraceRow& row = all[span.name];
            ++row.count;
            row.sum_ns = sum(row.sum_ns, span.ended - span.begun);
            row.longest_ns = std::max(row.longest_ns, span.ended - span.begun);
        }
        for_each_segment([&](const Span& segment) {
            std::uint64_t& own = all[segment.name].own_ns;
            if (!lines_[segment.line].is_device) own = sum(own, segment.ended - segment.begun);
        });
        return sorted(std::move(all));
    }
    /// With their names, and without empty ones.
    std::vector<TraceRow> sorted(std::vector<TraceRow> rows) const {
        for (std::uint32_t name = 0; name < rows.size(); ++name) rows[name].name = names_[name];
        std::erase_if(rows, [](const TraceRow& row) { return row.count == 0 && row.own_ns == 0; });
        std::ranges::stable_sort(rows,
                                 [](const TraceRow& a, const TraceRow& b) { return a.own_ns > b.own_ns; });
        return rows;
    }

    TraceDevice device(std::uint32_t line, std::size_t most_gaps) const {
        TraceDevice made{.name = lines_[line].name};
        std::vector<TraceGap> gaps;
        std::uint64_t end = 0;
        for (const Span& span : std::ranges::equal_range(spans_, line, {}, &Span::line)) {
            if (made.runs++ == 0)
                made.first_ns = span.begun - first_;
            else if (span.begun > end)
                gaps.push_back({end, span.begun - end, {}});
            if (span.ended > end) made.busy_ns += span.ended - std::max(span.begun, end);
            end = std::max(end, span.ended);
        }
        made.last_ns = end - first_;
        std::ranges::stable_sort(
            gaps, [](const TraceGap& a, const TraceGap& b) { return a.length_ns > b.length_ns; });
        gaps.resize(std::min(gaps.size(), most_gaps));
        fill(gaps, lines_[line].process);
        for (TraceGap& gap : gaps) gap.begins_ns -= first_;
        made.gaps = std::move(gaps);
        return made;
    }
    /// Finds what the threads of the process did in each gap.
    void fill(std::vector<TraceGap>& gaps, std::uint64_t process) const {
        for (TraceGap& gap : gaps) {
            std::vector<TraceRow> host(names_.size());
            for_each_segment([&](const Span& segment) {
                const Line& line = lines_[segment.line];
                const std::uint64_t begun = std::max(segment.begun, gap.begins_ns);
                const std::uint64_t ended = std::min(segment.ended, gap.begins_ns + gap.length_ns);
                if (!line.is_device && line.process == process && begun < ended)
                    host[segment.name].own_ns += ended - begun;
            });
            gap.host = sorted(std::move(host));
            gap.host.resize(std::min(gap.host.size(), most_host_rows));
        }
    }

    std::vector<Span> spans_;
    std::vector<Line> lines_;
    std::map<std::pair<std::uint64_t, std::uint64_t>, std::uint32_t> numbers_;
    std::vector<std::string> names_, notes_;
    std::map<std::string, std::uint32_t, std::less<>> name_numbers_;
    std::uint64_t first_ = UINT64_MAX, last_ = 0;
};

/// Lines of a list, of which the first few are shown.
std::string some_of(std::string_view begin, const std::vector<std::string>& all, std::size_t most) {
    std::string text;
    for (const std::string& one : std::span(all).first(std::min(most, all.size())))
        text += fmt::format("{}: {}\n", begin, one);
    if (all.size() > most) text += fmt::format("{}: {} more\n", begin, all.size() - most);
    return text;
}

double percent(std::uint64_t part, std::uint64_t whole) {
    return whole == 0 ? 0.0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole);
}

Json rows_json(const std::vector<TraceRow>& rows) {
    Json json = Json::array();
    for (const TraceRow& row : rows)
        json.push_back({{"name", row.name},
                        {"count", row.count},
                        {"sum_ns", row.sum_ns},
                        {"own_ns", row.own_ns},
                        {"longest_ns", row.longest_ns}});
    return json;
}

}  // namespace

Result<TraceSummary> summarize_trace(std::string_view json, std::size_t most_gaps, bool with_lines) {
    Reading reading;
    bool is_a_trace = false;
    // An event is dropped once it is read: a trace is much larger as values than as text. Events stand in an
    // array that is the whole file, or a member of an object.
    int depth_of_events = -1;
    bool is_list_of_events = false;
    const auto each = [&](int depth, Json::parse_event_t kind, Json& value) {
        const bool begins =
            kind == Json::parse_event_t::array_start || kind == Json::parse_event_t::object_start;
        if (kind == Json::parse_event_t::key && depth == 1) is_list_of_events = value == "traceEvents";
        if (kind == Json::parse_event_t::array_start && depth <= 1 && depth_of_events < 0 &&
            (depth == 0 || is_list_of_events)) {
            depth_of_events = depth + 1;
            is_a_trace = true;
            return true;
        }
        // The parser keeps events and their "args" alone.
        if (begins && depth > 0 &&
            (depth_of_events < 0 || depth > depth_of_events + 1 ||
             (depth == depth_of_events && kind == Json::parse_event_t::array_start)))
            return false;
        if (kind != Json::parse_event_t::object_end || depth != depth_of_events) return true;
        if (!reading.is_full()) reading.take(value);
        return false;
    };
    const Json parsed = Json::parse(json, each, false);
    if (parsed.is_discarded() || !is_a_trace)
        return fail(ErrorCode::invalid_argument, "This isn't a trace: JSON with an array of events.",
                    "record one with --trace FILE, or MUSTER_TRACE=FILE");
    if (reading.is_full())
        return fail(ErrorCode::limit_exceeded, fmt::format("The trace has {} spans or more.", most_spans),
                    "record a shorter time");
    return reading.summary(most_gaps, with_lines);
}

std::string trace_text(const TraceSummary& summary, std::size_t most_rows) {
    std::string text = fmt::format("{} spans in {}\n", summary.events, human_time(summary.length_ns));
    text += some_of("Note", summary.notes, most_rows);
    text += some_of("Unfinished when the process ended", summary.unfinished, most_rows);
    text += fmt::format("\n{:>10}  {:>10}  {:>10}  {:>8}  host\n", "own time", "in all", "longest", "count");
    for (const TraceRow& row : std::span(summary.rows).first(std::min(most_rows, summary.rows.size())))
        text += fmt::format("{:>10}  {:>10}  {:>10}  {:>8}  {}\n", human_time(row.own_ns),
                            human_time(row.sum_ns), human_time(row.longest_ns), row.count, row.name);
    if (summary.rows.size() > most_rows)
        text += fmt::format("{:>46}  and {} more names\n", "", summary.rows.size() - most_rows);
    for (const TraceDevice& device : summary.devices) {
        const std::uint64_t span = device.last_ns - device.first_ns;
        text += fmt::format("\n{}: {} runs, busy for {} of {} ({:.1f} %)\n", device.name, device.runs,
                            human_time(device.busy_ns), human_time(span), percent(device.busy_ns, span));
        for (const TraceGap& gap : device.gaps) {
            text += fmt::format("  idle for {} at {}", human_time(gap.length_ns), human_time(gap.begins_ns));
            for (std::size_t i = 0; i < gap.host.size(); ++i)
                text += fmt::format("{} {} {}", i == 0 ? "; the host:" : ",", gap.host[i].name,
                                    human_time(gap.host[i].own_ns));
            text += gap.host.empty() ? "; no span of the host\n" : "\n";
        }
    }
    return text;
}

Json trace_json(const TraceSummary& summary) {
    Json json{{"length_ns", summary.length_ns},   {"spans", summary.events},
              {"host", rows_json(summary.rows)},  {"devices", Json::array()},
              {"unfinished", summary.unfinished}, {"notes", summary.notes}};
    for (const TraceDevice& device : summary.devices) {
        Json one{{"name", device.name},         {"runs", device.runs},       {"busy_ns", device.busy_ns},
                 {"first_ns", device.first_ns}, {"last_ns", device.last_ns}, {"gaps", Json::array()}};
        for (const TraceGap& gap : device.gaps)
            one["gaps"].push_back(
                {{"begins_ns", gap.begins_ns}, {"length_ns", gap.length_ns}, {"host", rows_json(gap.host)}});
        json["devices"].push_back(std::move(one));
    }
    return json;
}

}  // namespace muster::cli
