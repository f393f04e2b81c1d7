#include "run_tool.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <sys/wait.h>
#include <unistd.h>

namespace muster::test {
namespace {

struct Folder {
    std::filesystem::path path =
        std::filesystem::temp_directory_path() / ("muster_cli_test_" + std::to_string(getpid()));
    Folder() { std::filesystem::create_directories(path); }
    ~Folder() {
        std::error_code ignored;
        std::filesystem::remove_all(path, ignored);
    }
};

}  // namespace

std::string scratch(const std::string& name) {
    static const Folder folder;
    return (folder.path / name).string();
}

std::string scratch_file(const std::string& name, const std::string& content) {
    const std::string path = scratch(name);
    std::ofstream(path, std::ios::binary) << content;
    return path;
}

std::string content_of(const std::string& path) {
    std::ostringstream content;
    content << std::ifstream(path, std::ios::binary).rdbuf();
    return content.str();
}

ToolRun tool_reading(const std::string& input, const std::string& command) {
    const std::string out = scratch("stdout"), err = scratch("stderr"), in = scratch_file("stdin", input);
    const std::string line = "cd " MUSTER_SOURCE_DIR " && " + command + " <" + in + " >" + out + " 2>" + err;
    const int status = std::system(line.c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, content_of(out), content_of(err)};
}

ToolRun tool(const std::string& command, const std::string& environment) {
    // The test doesn't inherit the caller's environment variables about backends.
    const std::string clean =
        "env -u MUSTER_BACKEND -u MUSTER_EXCLUDE -u MUSTER_BACKEND_PATH -u MUSTER_AUTOLOAD " + environment +
        " ";
    return tool_reading("", clean + MUSTER_TOOL " " + command);
}

bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

bool has_backend(const std::string& id) {
    const nlohmann::json listed = tool("backends --json").json();
    for (const auto& backend : listed["backends"])
        if (backend["id"] == id) return true;
    return false;
}

}  // namespace muster::test
