#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include <doctest/doctest.h>
#include <unistd.h>

#include <muster/driver/verdicts.hpp>

using namespace muster;

namespace {

/// A folder of this test's own, which isn't there yet.
struct Folder {
    std::filesystem::path path =
        std::filesystem::temp_directory_path() / ("muster_verdicts_" + std::to_string(getpid()));
    Folder() { std::filesystem::remove_all(path); }
    ~Folder() { std::filesystem::remove_all(path); }
    std::filesystem::path only_file() const { return std::filesystem::directory_iterator(path)->path(); }
};

std::string text_of(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

TEST_CASE("a verdict counts as long as its circumstances are what they were") {
    const Folder folder;
    const Verdicts verdicts(folder.path / "below");
    CHECK_FALSE(verdicts.find("device", "driver 1"));
    verdicts.keep("device", "driver 1", "fit");
    CHECK(verdicts.find("device", "driver 1") == "fit");
    CHECK(Verdicts(folder.path / "below").find("device", "driver 1") == "fit");
    CHECK_FALSE(verdicts.find("device", "driver 2"));
    CHECK_FALSE(verdicts.find("another", "driver 1"));
    verdicts.keep("device", "driver 2", "");
    CHECK(verdicts.find("device", "driver 2") == "");
    CHECK_FALSE(verdicts.find("device", "driver 1"));  // a subject has one
    CHECK(std::distance(std::filesystem::directory_iterator(folder.path / "below"), {}) == 1);
}

TEST_CASE("what has other bytes than were kept is no verdict") {
    const Folder folder;
    const Verdicts verdicts(folder.path);
    verdicts.keep("a device", "a\ndriver", "one\nverdict");
    const std::filesystem::path file = folder.only_file();
    const std::string kept = text_of(file);
    REQUIRE(verdicts.find("a device", "a\ndriver") == "one\nverdict");
    for (std::size_t length = 0; length < kept.size(); ++length) {
        std::ofstream(file, std::ios::binary) << kept.substr(0, length);
        CHECK_FALSE(verdicts.find("a device", "a\ndriver"));
    }
    for (std::size_t i = 0; i < kept.size(); ++i) {
        std::string other = kept;
        other[i] = static_cast<char>(other[i] ^ 1);
        std::ofstream(file, std::ios::binary) << other;
        CHECK_FALSE(verdicts.find("a device", "a\ndriver"));
    }
    CHECK_FALSE(verdicts.find("a device\na", "driver"));
}

TEST_CASE("where nothing can be kept, nothing is, and nothing fails") {
    const Folder folder;
    const Verdicts nowhere("");
    nowhere.keep("device", "driver", "fit");
    CHECK_FALSE(nowhere.find("device", "driver"));
    std::ofstream(folder.path) << "a file, no folder";
    const Verdicts in_file(folder.path);
    in_file.keep("device", "driver", "fit");
    CHECK_FALSE(in_file.find("device", "driver"));
}
