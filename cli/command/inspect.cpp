#include <optional>

#include <fmt/format.h>

#include <muster/cli/command/commands.hpp>
#include <muster/cli/command/model.hpp>
#include <muster/cli/input/model_file.hpp>
#include <muster/cli/input/routing.hpp>
#include <muster/cli/report/artifact_report.hpp>
#include <muster/cli/report/disassembly.hpp>
#include <muster/cli/support/file.hpp>
#include <muster/foundation/base/try.hpp>

namespace muster::cli {

Attempt<Exit> command_inspect(const InspectArguments& arguments) {
    if (is_stored_model(arguments.path)) return inspect_model(arguments);
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

}  // namespace muster::cli
