// run_tool.hpp - runs build/bin/muster like a user, from the repository's root.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace muster::test {

struct ToolRun {
    int exit = -1;
    std::string out, err;
    nlohmann::json json() const { return nlohmann::json::parse(out); }
};

/// Runs the tool. `command`: the text after "muster", in shell syntax; `environment`: variables before it, such
/// as "MUSTER_BACKEND=cpu".
ToolRun tool(const std::string& command, const std::string& environment = {});
/// Runs the tool with these bytes on standard input.
ToolRun tool_reading(const std::string& input, const std::string& command);

/// A path in a folder of this process, which is removed when the process ends.
std::string scratch(const std::string& name);
/// Writes a file into that folder and returns its path.
std::string scratch_file(const std::string& name, const std::string& content);
std::string content_of(const std::string& path);

bool contains(const std::string& text, const std::string& part);
/// True if the tool lists this backend.
bool has_backend(const std::string& id);

}  // namespace muster::test
