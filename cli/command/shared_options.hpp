// shared_options.hpp - the rows that several commands have.
#pragma once

#include <string_view>

#include <muster/cli/command/options.hpp>
#include <muster/cli/input/arguments.hpp>

namespace muster::cli {

inline constexpr const char* program_kinds = "A WGSL file, an artifact, or - for standard input";
inline constexpr const char* program_or_model_kinds =
    "A WGSL file, an artifact, a model (.onnx), or - for standard input";

/// The kinds of SPEC that --bind takes, and the grid that follows from them; for a footer.
extern const std::string_view about_input;

void add_program(Options& options, ProgramArguments& to, const char* kinds);
/// --constant.
void add_constants(Options& options, ProgramArguments& to);
/// --bind, --workgroups and --invocations.
void add_input(Options& options, InputArguments& to);
/// --spec.
void add_specs(Options& options, std::vector<std::string>& to);
void add_subgroup_size(Options& options, std::uint32_t& to);
void add_compile_budget(Options& options, std::string& to);
void add_fast(Options& options, bool& to);
/// The policy, but for --validate.
void add_routing(Options& options, RoutingArguments& to);
void add_validate(Options& options, RoutingArguments& to);
void add_json(Options& options, bool& to);

}  // namespace muster::cli
