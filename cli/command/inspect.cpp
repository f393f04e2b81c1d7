#include <optional>

#include <fmt/format.h>

#include <muster/cli/command/emit.hpp>
#include <muster/cli/command/shared_options.hpp>
#include <muster/cli/command/verb.hpp>
#include <muster/cli/input/model_file.hpp>
#include <muster/cli/input/routing.hpp>
#include <muster/cli/report/artifact_report.hpp>
#include <muster/cli/report/disassembly.hpp>
#include <muster/cli/support/file.hpp>
#include <muster/foundation/base/try.hpp>

namespace muster::cli {
namespace {

struct InspectArguments {
    std::string path;
    bool map = false;
    bool disassemble = false;
    bool json = false;
};

void declare(Options& options, InspectArguments& to) {
    options.argument(to.path, "FILE", "An artifact: a .muster file");
    options.flag(to.map, "--map", "Also print which source line each part of the code comes from");
    options.flag(to.disassemble, "--disassemble", "Also print each code, disassembled if it isn't text");
    add_json(options, to.json);
    options.footer("\nExample:\n  muster inspect build/saxpy.muster");
}

Attempt<Exit> perform(const InspectArguments& arguments) {
    if (is_stored_model(arguments.path)) {
        if (!arguments.map && !arguments.disassemble) return inspect_model(arguments.path, arguments.json);
        return misused(fmt::format("{} isn't for models.", arguments.map ? "--map" : "--disassemble"),
                       "emit the kernel by itself");
    }
    constexpr std::uint64_t most_bytes = std::uint64_t{1} << 32;
    const Bytes bytes = TRY(step(Exit::usage, read_file(arguments.path, most_bytes)));
    const ArtifactFile file =
        TRY(step(Exit::usage, during("reading " + arguments.path, read_artifact_file(bytes))));
    std::optional<Session> session;  // for the backends
    if (arguments.disassemble) session = TRY(open_session({}));
    if (arguments.json) {
        Json json = artifact_file_json(file, arguments.path, bytes);
        if (session) add_disassembly(json["codes"], session->fleet(), file);
        print_json(json);
        return Exit::done;
    }
    say(artifact_file_text(file, arguments.path, bytes));
    if (arguments.map) say(debug_map_text(file));
    if (session) say(disassembly_text(session->fleet(), file));
    return Exit::done;
}

}  // namespace

const Verb verbs::inspect{"inspect", "Say what an artifact holds",
                          command<InspectArguments, declare, perform>};

}  // namespace muster::cli
