#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include <doctest/doctest.h>
#include <support/own_process.hpp>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <muster/driver/helper/verdicts.hpp>

using namespace muster;

namespace {

/// A folder of this test's own, which doesn't exist yet.
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
    CHECK_FALSE(verdicts.find("device", "driver 1"));  // a subject has only one verdict
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

TEST_CASE("what isn't a regular file is no verdict, and nobody waits for it") {
    const Folder folder;
    const Verdicts verdicts(folder.path);
    verdicts.keep("a device", "a driver", "fit");
    const std::filesystem::path file = folder.only_file();
    const auto find = [&] {  // in a process whose alarm ends it if find() blocks
        return test::in_own_process(10, [&] {
            std::signal(SIGALRM, SIG_DFL);
            alarm(10);
            return verdicts.find("a device", "a driver") ? 1 : 0;
        });
    };
    CHECK(find() == 1);
    std::filesystem::remove(file);
    REQUIRE(mkfifo(file.c_str(), 0600) == 0);
    CHECK(find() == 0);
    verdicts.keep("a device", "a driver", "fit");  // replaces the FIFO
    CHECK(find() == 1);
    std::filesystem::remove(file);
    std::filesystem::create_symlink("/dev/zero", file);
    CHECK(find() == 0);
    std::filesystem::remove(file);
    std::filesystem::create_directory(file);
    CHECK(find() == 0);
}

TEST_CASE("where files may not be so long, nothing is kept and nothing is left behind") {
    const Folder folder;
    const Verdicts verdicts(folder.path);
    for (const rlim_t bytes : {rlim_t{0}, rlim_t{10}}) {
        CAPTURE(bytes);
        const auto kept = test::in_own_process(10, [&] {
            const rlimit limit{bytes, bytes};
            setrlimit(RLIMIT_FSIZE, &limit);
            verdicts.keep("a device", "a driver", "fit");
            return verdicts.find("a device", "a driver") ? 1 : 0;
        });
        CHECK(kept == 0);  // it wasn't ended by SIGXFSZ
        CHECK((!std::filesystem::exists(folder.path) || std::filesystem::is_empty(folder.path)));
    }
    verdicts.keep("a device", "a driver", "fit");
    CHECK(verdicts.find("a device", "a driver") == "fit");
}
