#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include <muster/cli/input/program_file.hpp>
#include <muster/cli/input/spec.hpp>
#include <muster/cli/support/file.hpp>
#include <muster/foundation/base/try.hpp>
#include <muster/foundation/wgsl/wgsl.hpp>

namespace muster::cli {
namespace {

// Far larger than any real program; so a wrong path (a disk, /dev/zero) isn't read to its end.
constexpr std::uint64_t most_program_bytes = std::uint64_t{1} << 26;

Attempt<ArtifactFile> read_artifact(const ProgramArguments& arguments, std::span<const std::byte> bytes) {
    if (!arguments.entry.empty() || !arguments.overrides.empty())
        return misused(
            fmt::format(
                "\"{}\" is an artifact: its entry point and overrides were chosen when it was emitted.",
                arguments.path),
            fmt::format("leave out {}", arguments.entry.empty() ? "--override" : "--entry"));
    return step(Exit::usage, during("reading " + arguments.path, read_artifact_file(bytes)));
}

/// Parses with wgsl::parse or wgsl::parse_unproven.
auto parse(const ProgramArguments& arguments, std::span<const std::byte> bytes, auto parser)
    -> Attempt<typename decltype(parser("", {}))::value_type> {
    wgsl::ParseOptions options{.file = arguments.path, .entry = arguments.entry, .overrides = {}};
    if (arguments.path == "-") options.file = "standard input";
    for (auto& [name, value] : TRY(step(Exit::usage, split_assignments(arguments.overrides, "--override")))) {
        options.overrides.push_back({name, value});
    }
    auto program = parser(as_text(bytes), options);
    if (!program) {
        const ErrorCode code = program.error().code;
        // Without --entry, a missing entry point is the program's fault.
        const bool is_usage =
            (code == ErrorCode::not_found && !arguments.entry.empty()) || code == ErrorCode::invalid_argument;
        return std::unexpected(
            Failure{is_usage ? Exit::usage : Exit::bad_program, std::move(program).error()});
    }
    return *std::move(program);
}

}  // namespace

Attempt<void> check_digest(const ProgramArguments& arguments, std::span<const std::byte> bytes) {
    if (arguments.digest.empty()) return {};
    std::string asked = arguments.digest;
    std::ranges::transform(asked, asked.begin(),
                           [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    const std::string found = to_string(digest_of(bytes));
    if (asked == found) return {};
    return std::unexpected(Failure{
        Exit::usage,
        {ErrorCode::refused,
         fmt::format("\"{}\" has the SHA-256 {}, and --digest asks for {}.", arguments.path, found, asked),
         "get the file that has it, or find out why this one differs",
         {}}});
}

Attempt<void> check_no_constants(const ProgramArguments& arguments) {
    if (arguments.constants.empty()) return {};
    return misused(fmt::format("--constant {} is for ONNX models, and \"{}\" is none.",
                               arguments.constants.front(), arguments.path),
                   "leave out --constant");
}

Attempt<Bytes> read_program(const ProgramArguments& arguments) {
    TRY(check_no_constants(arguments));
    Bytes bytes = TRY(step(Exit::usage, read_file(arguments.path, most_program_bytes)));
    TRY(check_digest(arguments, bytes));
    return bytes;
}

Attempt<ArtifactFile> load_file(const ProgramArguments& arguments, std::span<const std::byte> bytes) {
    if (is_artifact_file(bytes)) return read_artifact(arguments, bytes);
    return ArtifactFile{TRY(step(Exit::bad_program, validate(TRY(parse(arguments, bytes, wgsl::parse))))),
                        {}};
}

Attempt<ArtifactFile> load_file(const ProgramArguments& arguments) {
    return load_file(arguments, TRY(read_program(arguments)));
}

Attempt<std::string> text_of(const ProgramArguments& arguments, std::span<const std::byte> bytes) {
    if (is_artifact_file(bytes))
        return misused(fmt::format("\"{}\" is an artifact: its overrides were chosen when it was emitted.",
                                   arguments.path),
                       "give the WGSL file");
    return std::string(as_text(bytes));
}

Attempt<ValidProgram> load_program(const ProgramArguments& arguments) {
    return TRY(load_file(arguments)).program;
}

Attempt<wgsl::UnprovenProgram> parse_program(const ProgramArguments& arguments) {
    const Bytes bytes = TRY(read_program(arguments));
    if (is_artifact_file(bytes))
        return wgsl::UnprovenProgram{*TRY(read_artifact(arguments, bytes)).program, {}};
    return parse(arguments, bytes, wgsl::parse_unproven);
}

}  // namespace muster::cli
