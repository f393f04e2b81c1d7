#include <muster/cli/file.hpp>
#include <muster/cli/program_file.hpp>
#include <muster/cli/spec.hpp>
#include <muster/foundation/base/try.hpp>
#include <muster/foundation/wgsl/wgsl.hpp>

namespace muster::cli {
namespace {

// Far larger than any real program; so a wrong path (a disk, /dev/zero) isn't read to its end.
constexpr std::uint64_t most_program_bytes = std::uint64_t{1} << 26;

}  // namespace

Attempt<ValidProgram> load_program(const ProgramArguments& arguments) {
    wgsl::ParseOptions options{.file = arguments.path, .entry = arguments.entry, .overrides = {}};
    if (arguments.path == "-") options.file = "standard input";
    for (auto& [name, value] : TRY(step(Exit::usage, split_assignments(arguments.overrides, "--override")))) {
        options.overrides.push_back({name, value});
    }
    const Bytes bytes = TRY(step(Exit::usage, read_file(arguments.path, most_program_bytes)));
    const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());

    auto program = wgsl::parse(text, options);
    if (!program) {
        const ErrorCode code = program.error().code;
        // Without --entry, a missing entry point is the program's fault.
        const bool is_usage =
            (code == ErrorCode::not_found && !arguments.entry.empty()) || code == ErrorCode::invalid_argument;
        return std::unexpected(
            Failure{is_usage ? Exit::usage : Exit::bad_program, std::move(program).error()});
    }
    return step(Exit::bad_program, validate(*std::move(program)));
}

}  // namespace muster::cli
