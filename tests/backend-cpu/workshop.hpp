// workshop.hpp - a folder of files, and a C programmer's commands in it.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include <doctest/doctest.h>
#include <sys/wait.h>

namespace muster::test {

class Workshop {
  public:
    Workshop() {
        std::string pattern = (std::filesystem::temp_directory_path() / "muster_workshop_XXXXXX").string();
        REQUIRE(mkdtemp(pattern.data()) != nullptr);
        folder_ = pattern;
    }
    Workshop(const Workshop&) = delete;
    Workshop& operator=(const Workshop&) = delete;
    ~Workshop() {
        std::error_code ignored;
        std::filesystem::remove_all(folder_, ignored);
    }

    void write(const std::string& name, std::string_view content) const {
        std::ofstream(folder_ / name, std::ios::binary) << content;
    }

    struct Run {
        int exit = -1;    // 128 and the signal's number if a signal ended it
        std::string out;  // with standard error
    };
    Run run(const std::string& command) const {
        FILE* pipe = popen(("cd " + folder_.string() + " && {\n" + command + "\n} 2>&1").c_str(), "r");
        REQUIRE(pipe != nullptr);
        Run result;
        for (int c = std::fgetc(pipe); c != EOF; c = std::fgetc(pipe)) result.out += static_cast<char>(c);
        const int status = pclose(pipe);
        result.exit = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
        return result;
    }
    /// Runs a command that has to succeed, and returns its output.
    std::string must(const std::string& command) const {
        const Run result = run(command);
        if (result.exit != 0) FAIL(command << " gives " << result.exit << ": " << result.out);
        return result.out;
    }
    bool has(const std::string& tool) const { return run("command -v " + tool).exit == 0; }

  private:
    std::filesystem::path folder_;
};

}  // namespace muster::test
