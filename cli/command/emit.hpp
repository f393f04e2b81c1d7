// emit.hpp - the parts of `muster emit`, and of `muster inspect` for models.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <muster/cli/input/arguments.hpp>
#include <muster/cli/support/exit.hpp>

namespace muster::cli {

struct EmitArguments {
    ProgramArguments program;
    std::string backend;
    std::vector<std::string> targets;  // several: for an artifact alone
    std::vector<std::string> sizes;    // of a model: NAME=N[,NAME=N...], for each choice of sizes
    std::vector<std::string> binds;    // of a model: NAME=SPEC
    std::string format;
    std::vector<std::string> specs;  // KEY=VALUE
    std::string output;
    std::string debug_map;  // file; empty: none
    std::uint32_t subgroup_size = 0;
    std::string compile_budget;
    bool parts = false;
    bool embed = false;
    std::string function;  // with embed: its name; empty: ENTRY_artifact
    bool fast = false;
    bool json = false;
};

/// `muster emit` of a model.
Attempt<Exit> emit_model(const EmitArguments& arguments);
/// Tells of what emit_model() has written.
Attempt<Exit> inspect_model(const std::string& path, bool as_json);

}  // namespace muster::cli
