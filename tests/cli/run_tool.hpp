// run_tool.hpp - runs build/bin/muster as a user does, from the repository's root.
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

/// `command`: what stands behind "muster", in shell syntax; `environment` in front: "MUSTER_BACKEND=cpu".
ToolRun tool(const std::string& command, const std::string& environment = {});
/// The same, with these bytes on standard input.
ToolRun tool_reading(const std::string& input, const std::string& command);

/// A path in a folder of this process's own, which is removed at its end.
std::string scratch(const std::string& name);
/// Writes a file there and returns its path.
std::string scratch_file(const std::string& name, const std::string& content);
std::string content_of(const std::string& path);

}  // namespace muster::test
