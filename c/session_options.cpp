#include <algorithm>

#include <fmt/format.h>

#include <muster/c/session_options.hpp>
#include <muster/c/structures.hpp>
#include <muster/driver/policy/policy_options.hpp>
#include <muster/foundation/base/printable.hpp>

namespace muster::c {
namespace {

Answer<Precision> parse_precision(std::string_view text) {
    for (const Precision precision : {Precision::exact, Precision::fast})
        if (name(precision) == text) return precision;
    return std::unexpected(Error{ErrorCode::invalid_argument,
                                 fmt::format("\"{}\" isn't a precision.", printable(text)),
                                 "give exact or fast",
                                 {}});
}

Answer<Specs> read_specs(const muster_option* first, std::size_t count) {
    Specs specs;
    for (const muster_option& spec : TRY(read_values(first, count, "specs")))
        specs.emplace_back(TRY(read_text(spec.name, "a spec's name")),
                           TRY(read_text(spec.value, "a spec's value")));
    return specs;
}

}  // namespace

Answer<Policy> read_policy(const muster_option* options, std::size_t count, Precision* precision) {
    Policy policy;
    for (const muster_option& option : TRY(read_values(options, count, "options"))) {
        const std::string_view name = TRY(read_text(option.name, "an option's name"));
        const std::string_view value = TRY(read_text(option.value, "an option's value"));
        if (precision != nullptr && name == "precision")
            *precision = TRY(parse_precision(value));
        else
            TRY(policy::set_policy_option(policy, name, value));
    }
    return policy;
}

Answer<CompileOptions> read_compile_options(const muster_compile_options* given, Precision unless_said) {
    const muster_compile_options options = TRY(read(given, "muster_compile_options"));
    TRY(check_flags(options.flags, MUSTER_COMPILE_UNCHECKED, "compile options"));
    CompileOptions result{.precision = unless_said,
                          .unchecked = (options.flags & MUSTER_COMPILE_UNCHECKED) != 0,
                          .subgroup_size = options.subgroup_size,
                          .specs = TRY(read_specs(options.specs, options.spec_count))};
    switch (options.precision) {
        case MUSTER_PRECISION_OF_SESSION: break;
        case MUSTER_EXACT: result.precision = Precision::exact; break;
        case MUSTER_FAST: result.precision = Precision::fast; break;
        default:
            return std::unexpected(Error{ErrorCode::invalid_argument,
                                         fmt::format("{} isn't a precision.", options.precision),
                                         "give MUSTER_EXACT, MUSTER_FAST or 0",
                                         {}});
    }
    return result;
}

Answer<EmitOptions> read_emit_options(const muster_emit_options& options, Precision unless_said) {
    TRY(check_flags(options.flags, MUSTER_EMIT_TO_LOAD, "emit options"));
    return EmitOptions{.backend = std::string(TRY(read_text(options.backend, "backend"))),
                       .arch = std::string(TRY(read_text(options.target, "target"))),
                       .request = {.format = std::string(TRY(read_text(options.format, "format"))),
                                   .options = TRY(read_compile_options(options.compile, unless_said)),
                                   .to_load = (options.flags & MUSTER_EMIT_TO_LOAD) != 0}};
}

std::chrono::nanoseconds timeout_of(std::uint64_t ns) {
    return std::chrono::nanoseconds(static_cast<std::int64_t>(std::min<std::uint64_t>(ns, INT64_MAX)));
}

std::chrono::nanoseconds time_of(std::uint64_t ns, std::chrono::nanoseconds unless_said) {
    return ns == 0 ? unless_said : timeout_of(ns);
}

Answer<void> check_flags(std::uint32_t flags, std::uint32_t known, std::string_view what) {
    if ((flags & ~known) == 0) return {};
    return std::unexpected(
        Error{ErrorCode::invalid_argument,
              fmt::format("The flags of {} are {:#x}, and {:#x} are known.", what, flags, known),
              "set only flags that muster.h has",
              {}});
}

}  // namespace muster::c
