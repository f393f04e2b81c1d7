// The list of verbs has every row that a file of cli/command defines: nothing else reaches a row.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <string>

#include <doctest/doctest.h>

#include <muster/cli/command/verb.hpp>

namespace {

/// The names of the rows, "new_backend", that the sources define.
std::set<std::string> defined_rows() {
    const std::regex row(R"(const Verb verbs::(\w+))");
    std::set<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(MUSTER_SOURCE_DIR "/cli/command")) {
        if (entry.path().extension() != ".cpp") continue;
        std::ifstream file(entry.path());
        const std::string text{std::istreambuf_iterator<char>(file), {}};
        for (std::sregex_iterator found(text.begin(), text.end(), row), end; found != end; ++found)
            names.insert((*found)[1]);
    }
    return names;
}

TEST_CASE("every verb that a file defines is listed") {
    std::set<std::string> listed{"version"};  // an option, beside the list
    for (const muster::cli::Verb* verb : muster::cli::verbs::all) {
        std::string name = verb->name;
        std::ranges::replace(name, '-', '_');
        listed.insert(name);
    }
    CHECK(listed == defined_rows());
}

}  // namespace
