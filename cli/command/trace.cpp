#include <cstdint>
#include <span>
#include <string>

#include <muster/cli/command/shared_options.hpp>
#include <muster/cli/command/verb.hpp>
#include <muster/cli/report/trace_report.hpp>
#include <muster/cli/support/file.hpp>
#include <muster/foundation/base/try.hpp>

namespace muster::cli {
namespace {

struct TraceArguments {
    std::string path;
    std::uint32_t rows = 20, gaps = 5;
    bool json = false;
};

void declare(Options& options, TraceArguments& to) {
    options.argument(to.path, "FILE", "A trace, as --trace and MUSTER_TRACE record it");
    options.value(to.rows, "--rows", "N", "The most names to print; 20 by default").within(1u, 100'000u);
    options.value(to.gaps, "--gaps", "N", "The longest idle times of each device to print; 5 by default")
        .within(0u, 100u);
    add_json(options, to.json);
    options.footer(
        "\nExample:\n"
        "  muster run examples/saxpy/saxpy.wgsl --bind a=2 --bind x=iota:f32:8 --bind y=zeros:f32:8 --trace "
        "saxpy.json\n"
        "  muster trace saxpy.json");
}

Attempt<Exit> perform(const TraceArguments& arguments) {
    constexpr std::uint64_t most_bytes = std::uint64_t{1} << 30;
    const Bytes bytes = TRY(step(Exit::usage, read_file(arguments.path, most_bytes)));
    const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    const TraceSummary summary =
        TRY(step(Exit::usage, during("reading " + arguments.path, summarize_trace(text, arguments.gaps))));
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
