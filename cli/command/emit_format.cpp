#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <muster/cli/command/emit_format.hpp>
#include <muster/cli/input/routing.hpp>
#include <muster/cli/input/spec.hpp>
#include <muster/cli/support/file.hpp>
#include <muster/foundation/base/try.hpp>

namespace muster::cli {
namespace {

/// The conventional extensions. Any format's own name is one, too: FILE.llvm-ir.
constexpr std::array<std::pair<std::string_view, std::string_view>, 12> conventions{{{".cu", "cuda"},
                                                                                     {".ptx", "ptx"},
                                                                                     {".cubin", "cubin"},
                                                                                     {".cl", "clc"},
                                                                                     {".o", "object"},
                                                                                     {".obj", "object"},
                                                                                     {".s", "asm"},
                                                                                     {".asm", "asm"},
                                                                                     {".ll", "llvm-ir"},
                                                                                     {".spv", "spirv"},
                                                                                     {".spvasm", "spirv-asm"},
                                                                                     {".wgsl", "wgsl"}}};

/// A backend's formats; empty if it can't be constructed. Opens its plugin.
std::vector<std::string> formats_of(Fleet& fleet, std::size_t which) {
    const auto backend = fleet.backend(which);
    if (!backend) return {};
    return {(*backend)->formats().begin(), (*backend)->formats().end()};
}

bool has(const std::vector<std::string>& formats, std::string_view format) {
    return std::ranges::find(formats, format) != formats.end();
}

bool is_allowed(const Policy& policy, const std::string& id) {
    const auto names = [&](const std::string& entry) { return entry.substr(0, entry.find(':')) == id; };
    return (!policy.backends || std::ranges::any_of(*policy.backends, names)) &&
           std::ranges::find(policy.exclude, id) == policy.exclude.end();
}

/// The first allowed backend that has the format; backends in closed plugins are tried last.
std::string emitter_of(const Session& session, std::string_view format) {
    Fleet& fleet = session.fleet();
    for (const bool in_plugins : {false, true})
        for (std::size_t i = 0; i < fleet.size(); ++i) {
            const FleetEntry& entry = fleet.entry(i);
            const bool is_in_plugin = entry.load != nullptr;
            if (entry.fault || is_in_plugin != in_plugins || !is_allowed(session.policy(), entry.id))
                continue;
            if (has(formats_of(fleet, i), format)) return entry.id;
        }
    return {};
}

/// Refuses an extension that says no format, and lists those that do: all, or those of the named backend.
std::unexpected<Error> unknown_extension(const std::string& file, const std::string& extension,
                                         const std::string& backend,
                                         const std::vector<std::string>& formats) {
    std::vector<std::string> known;
    for (const auto& [each, format] : conventions)
        if (formats.empty() || has(formats, format)) known.push_back(fmt::format("{} ({})", each, format));
    known.emplace_back(".muster (an artifact)");
    return fail(
        ErrorCode::invalid_argument,
        fmt::format("\"{}\" says no format of code: {} has none called {}.", file,
                    formats.empty() ? "muster" : backend, extension),
        fmt::format("name the file with one of {}, or with a format's own name; or say --format, which "
                    "allows any extension",
                    fmt::join(known, ", ")));
}

/// The backend that the command line names, by --backend or as the target's prefix.
std::string named_backend(const EmitArguments& arguments, const std::string& target) {
    if (!arguments.backend.empty()) return arguments.backend;
    const std::size_t colon = target.find(':');
    return colon == std::string::npos ? std::string() : target.substr(0, colon);
}

/// What is asked for one target; the format is as given.
Result<EmitOptions> for_target(const EmitArguments& arguments, const std::string& target) {
    EmitOptions options{.backend = arguments.backend, .arch = target, .request = {}};
    options.request.options.precision = arguments.fast ? Precision::fast : Precision::exact;
    options.request.options.specs = TRY(split_assignments(arguments.specs, "--spec"));
    options.request.format = arguments.format;
    return options;
}

}  // namespace

std::string_view format_of_extension(std::string_view extension) {
    const auto found =
        std::ranges::find(conventions, extension, &std::pair<std::string_view, std::string_view>::first);
    return found == conventions.end() ? std::string_view() : found->second;
}

Result<EmitOptions> emit_options(const EmitArguments& arguments, Session& session) {
    if (arguments.targets.size() > 1)
        return fail(ErrorCode::invalid_argument,
                    fmt::format("\"{}\" would have to hold code for {} targets.", arguments.output,
                                arguments.targets.size()),
                    "name one target, or an artifact, which holds several: -o FILE.muster");
    const std::string target = arguments.targets.empty() ? std::string() : arguments.targets.front();
    EmitOptions options = TRY(for_target(arguments, target));
    const std::string named = named_backend(arguments, target);
    const auto which = session.fleet().find(named);
    const std::vector<std::string> formats =
        which ? formats_of(session.fleet(), *which) : std::vector<std::string>();
    const std::string extension = extension_of(arguments.output);
    std::string implied(format_of_extension(extension));
    if (implied.empty() && extension.size() > 1) {
        const std::string own_name = extension.substr(1);
        const bool is_format = which ? has(formats, own_name) : !emitter_of(session, own_name).empty();
        if (is_format)
            implied = own_name;
        else if (arguments.format.empty())
            return unknown_extension(arguments.output, extension, named, formats);
    }
    if (!arguments.format.empty() && !implied.empty() && implied != arguments.format)
        return fail(ErrorCode::invalid_argument,
                    fmt::format("--format is {}, and \"{}\" is named as a file of {}.", arguments.format,
                                arguments.output, implied),
                    fmt::format("give the file another extension, or ask for --format {}", implied));
    if (arguments.format.empty() && !implied.empty() && !formats.empty() && !has(formats, implied))
        return fail(ErrorCode::invalid_argument,
                    fmt::format("\"{}\" is named as a file of {}, which {} doesn't emit.", arguments.output,
                                implied, named),
                    fmt::format("give it another extension; {} emits {}", named, fmt::join(formats, ", ")));
    if (options.request.format.empty()) options.request.format = implied;
    if (!named.empty() || options.request.format.empty()) return options;

    options.backend = emitter_of(session, options.request.format);
    if (options.backend.empty())
        return fail(ErrorCode::not_found,
                    fmt::format("No backend here emits the format {}.", options.request.format),
                    "muster backends lists the formats that there are");
    return options;
}

Result<std::vector<EmitOptions>> package_options(const EmitArguments& arguments) {
    std::vector<EmitOptions> all;
    if (arguments.targets == std::vector<std::string>{"none"}) return all;
    for (const std::string& target : arguments.targets) all.push_back(TRY(for_target(arguments, target)));
    if (all.empty()) all.push_back(TRY(for_target(arguments, {})));
    return all;
}

}  // namespace muster::cli
