#include <chrono>
#include <cstdint>
#include <span>
#include <string>

#include <fmt/format.h>

#include <muster/cli/command/shared_options.hpp>
#include <muster/cli/command/verb.hpp>
#include <muster/cli/report/trace_report.hpp>
#include <muster/cli/support/file.hpp>
#include <muster/cli/support/text.hpp>
#include <muster/foundation/base/try.hpp>

namespace muster::cli {
namespace {

struct TraceArguments {
    std::string path;
    std::string svg, from, to;  // a path, and times such as "2ms"; empty: none
    std::uint32_t rows = 20, gaps = 5;
    bool json = false;
};

void declare(Options& options, TraceArguments& to) {
    options.argument(to.path, "FILE", "A trace, as --trace and MUSTER_TRACE record it");
    options.value(to.rows, "--rows", "N", "The most names to print; 20 by default").within(1u, 100'000u);
    options.value(to.gaps, "--gaps", "N", "The longest idle times of each device to print; 5 by default")
        .within(0u, 100u);
    options.value(to.svg, "--svg", "FILE", "Also draw a picture: a line for each thread and device");
    options.value(to.from, "--from", "TIME", "Where the picture begins, from the trace's beginning: 20ms");
    options.value(to.to, "--to", "TIME", "Where it ends; the trace's end by default");
    add_json(options, to.json);
    options.footer(
        "\nExample:\n"
        "  muster run examples/saxpy/saxpy.wgsl --bind a=2 --bind x=iota:f32:8 --bind y=zeros:f32:8 --trace "
        "saxpy.json\n"
        "  muster trace saxpy.json --svg saxpy.svg");
}

/// Draws the part of the time that is asked for.
Result<void> draw(const TraceArguments& arguments, const TraceSummary& summary) {
    const auto time = [](const char* option, const std::string& text,
                         std::uint64_t otherwise) -> Result<std::uint64_t> {
        if (text.empty()) return otherwise;
        const auto parsed = TRY(during(fmt::format("reading {}", option), parse_time(text)));
        return static_cast<std::uint64_t>(parsed.count());
    };
    const std::uint64_t from = TRY(time("--from", arguments.from, 0));
    const std::uint64_t to = TRY(time("--to", arguments.to, summary.length_ns));
    if (from >= to)
        return fail(
            ErrorCode::invalid_argument,
            fmt::format("The picture would end at {}, and begin at {}.", human_time(to), human_time(from)),
            "give --from an earlier time than --to");
    return write_text(arguments.svg, timeline_svg(summary.lines, from, to));
}

Attempt<Exit> perform(const TraceArguments& arguments) {
    constexpr std::uint64_t most_bytes = std::uint64_t{1} << 30;
    const Bytes bytes = TRY(step(Exit::usage, read_file(arguments.path, most_bytes)));
    const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    const TraceSummary summary =
        TRY(step(Exit::usage, during("reading " + arguments.path,
                                     summarize_trace(text, arguments.gaps, !arguments.svg.empty()))));
    if (!arguments.svg.empty())
        TRY(step(Exit::usage, during("drawing " + arguments.svg, draw(arguments, summary))));
    if (arguments.json)
        print_json(trace_json(summary));
    else
        say(trace_text(summary, arguments.rows));
    return Exit::done;
}

}  // namespace

const Verb verbs::trace{"trace", "Say where the time of a recorded run went",
                        command<TraceArguments, declare, perform>};

}  // namespace muster::cli
