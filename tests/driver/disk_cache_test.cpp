// The cache on disk: whole entries or none, a limit, and a folder that is ours alone.
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <support/own_process.hpp>
#include <support/scratch_folder.hpp>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <muster/driver/cache/disk_cache.hpp>

using namespace muster;
namespace fs = std::filesystem;
using test::ScratchFolder;

namespace {

const CacheKey key = digest_of("a key"), other_key = digest_of("another");

std::string content(const fs::path& file) {
    std::ifstream stream(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
}

fs::path only_file(const ScratchFolder& folder) {
    return fs::directory_iterator(folder.path / "cache/entries")->path();
}

fs::path file_of(const ScratchFolder& folder, CacheKey of) {
    return folder.path / "cache/entries" / to_string(of);
}

std::size_t file_count(const ScratchFolder& folder) {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder.path / "cache/entries"), {}));
}

DiskCache cache_in(const ScratchFolder& folder, std::uint64_t most_bytes = DiskCache::usual_most_bytes) {
    return DiskCache(folder.path / "cache", most_bytes);
}

/// Makes a file look as if it had been used so long ago.
void age(const fs::path& file, std::chrono::hours by) {
    fs::last_write_time(file, fs::file_time_type::clock::now() - by);
}

/// The bytes of process `who`'s entry: their beginning says how many there are.
std::string bytes_of_process(unsigned who, unsigned turn) {
    return fmt::format("{}:", who) +
           std::string(1000 + (who * 7919 + turn * 104729) % 50000, static_cast<char>('a' + who));
}

}  // namespace

TEST_CASE("an entry is found by its key, in this process and later ones") {
    const ScratchFolder folder;
    const DiskCache cache = cache_in(folder);
    CHECK_FALSE(cache.find(key));
    cache.keep(key, "first", std::string("a\0b", 3));
    CHECK(cache.find(key) == std::string("a\0b", 3));
    CHECK(cache_in(folder).find(key) == std::string("a\0b", 3));
    CHECK_FALSE(cache.find(other_key));
    cache.keep(key, "second", "");
    CHECK(cache.find(key) == "");
    cache.drop(key);
    CHECK_FALSE(cache.find(key));
    cache.drop(key);
}

TEST_CASE("a damaged entry is removed and counts as missing") {
    const ScratchFolder folder;
    const DiskCache cache = cache_in(folder);
    cache.keep(key, "a label", "some bytes");
    const fs::path file = only_file(folder);
    const std::string whole = content(file);
    const auto check_missing = [&](const std::string& damaged) {
        std::ofstream(file, std::ios::binary) << damaged;
        CHECK_FALSE(cache.find(key));
        CHECK_FALSE(fs::exists(file));
    };
    for (std::size_t length = 0; length < whole.size(); ++length) check_missing(whole.substr(0, length));
    for (std::size_t bit = 0; bit < 8 * whole.size(); ++bit) {
        std::string damaged = whole;
        damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ 1 << bit % 8);
        check_missing(damaged);
    }
    check_missing(whole + "x");
    std::ofstream(file, std::ios::binary) << whole;
    CHECK(cache.find(key) == "some bytes");
    fs::rename(file, file_of(folder, other_key));
    CHECK_FALSE(cache.find(other_key));  // an entry under another's name
}

TEST_CASE("where nothing can be kept, nothing is, and nothing fails") {
    const ScratchFolder folder;
    const DiskCache nowhere("");
    nowhere.keep(key, "", "bytes");
    CHECK_FALSE(nowhere.find(key));
    CHECK(nowhere.list()->empty());
    CHECK(*nowhere.clear() == 0);
    std::ofstream(folder.path / "cache") << "a file, no folder";
    const DiskCache in_file = cache_in(folder);
    in_file.keep(key, "", "bytes");
    CHECK_FALSE(in_file.find(key));
}

TEST_CASE("a folder that can't be written costs only the cache") {
    if (geteuid() == 0) return;  // root may write everywhere
    const ScratchFolder folder;
    const DiskCache cache = cache_in(folder);
    cache.keep(key, "", "bytes");
    chmod((folder.path / "cache/entries").c_str(), 0500);
    cache.keep(other_key, "", "bytes");
    CHECK(cache.find(key) == "bytes");
    CHECK_FALSE(cache.find(other_key));
    chmod((folder.path / "cache/entries").c_str(), 0700);
}

TEST_CASE("a folder that isn't ours alone is refused with the reason") {
    const ScratchFolder folder;
    const DiskCache cache = cache_in(folder);
    cache.keep(key, "", "bytes");
    const fs::path entries = folder.path / "cache/entries";
    struct stat is {};
    REQUIRE(stat(entries.c_str(), &is) == 0);
    CHECK((is.st_mode & 07777u) == 0700);
    for (const mode_t mode : {0701u, 0710u, 0720u, 0750u, 0777u}) {
        CAPTURE(mode);
        chmod(entries.c_str(), mode);
        CHECK_FALSE(cache.find(key));
        const auto listed = cache.list();
        REQUIRE_FALSE(listed);
        CHECK(listed.error().message == fmt::format("The cache's folder {} isn't used, because others may "
                                                    "have written to it: its mode is {:04o}.",
                                                    entries.string(), mode));
        CHECK(listed.error().fix == "remove it, or set MUSTER_CACHE_DIR to a folder of your own");
    }
    chmod(entries.c_str(), 0700);
    CHECK(cache.find(key) == "bytes");
    fs::rename(entries, folder.path / "elsewhere");
    fs::create_directory_symlink(folder.path / "elsewhere", entries);
    CHECK_FALSE(cache.find(key));
    CHECK(cache.list().error().message ==
          fmt::format("The cache's folder {} isn't used: it is a link, or no folder.", entries.string()));
    fs::remove(entries);
    fs::rename(folder.path / "elsewhere", entries);
    const fs::path file = only_file(folder);
    fs::rename(file, folder.path / "file");
    fs::create_symlink(folder.path / "file", file);
    CHECK_FALSE(cache.find(key));  // an entry that is a link
    fs::remove(file);
    REQUIRE(mkfifo(file.c_str(), 0600) == 0);
    CHECK(test::in_own_process(10, [&] { return cache.find(key) ? 1 : 0; }) == 0);  // nobody waits for a pipe
    cache.keep(key, "", "bytes");                                                   // replaces it
    CHECK(cache.find(key) == "bytes");
}

TEST_CASE("beyond the limit, the entries used least recently are removed") {
    const ScratchFolder folder;
    const DiskCache cache = cache_in(folder, 40000);
    const std::string bytes(9000, 'x');
    std::vector<CacheKey> keys;
    for (int i = 0; i < 4; ++i) {
        keys.push_back(digest_of(std::to_string(i)));
        cache.keep(keys.back(), std::to_string(i), bytes);
        age(file_of(folder, keys.back()), std::chrono::hours(10 - i));
    }
    CHECK(file_count(folder) == 4);
    CHECK(cache.find(keys[0]));  // used now
    cache.keep(key, "another", bytes);
    CHECK(cache.find(keys[0]));
    CHECK_FALSE(cache.find(keys[1]));
    CHECK(cache.find(keys[2]));
    CHECK(cache.find(key));
    cache.keep(other_key, "a quarter of the limit and a byte", std::string(10001, 'x'));
    CHECK_FALSE(cache.find(other_key));
}

TEST_CASE("files that ended processes haven't finished are removed after an hour") {
    const ScratchFolder folder;
    const DiskCache cache = cache_in(folder, 40000);
    cache.keep(key, "", "bytes");
    const fs::path old_one = folder.path / "cache/entries/new-1-2-3",
                   new_one = folder.path / "cache/entries/new-4-5-6";
    for (const fs::path& file : {old_one, new_one}) std::ofstream(file) << "MUSTER en";
    age(old_one, std::chrono::hours(2));
    cache.keep(other_key, "", "bytes");
    CHECK_FALSE(fs::exists(old_one));
    CHECK(fs::exists(new_one));
    CHECK(cache.list()->size() == 2);
}

TEST_CASE("files that aren't the cache's stay, whatever happens to its own") {
    const ScratchFolder folder;
    const DiskCache cache = cache_in(folder, 40000);
    cache.keep(key, "", "bytes");
    const fs::path entries = folder.path / "cache/entries";
    const std::string digits(64, 'a'), entry = content(file_of(folder, key));
    std::vector<fs::path> others;
    const auto add = [&](const std::string& name, const std::string& text) {
        std::ofstream(entries / name) << text;
        age(entries / name, std::chrono::hours(20));
        others.push_back(entries / name);
    };
    add("diary.txt", std::string(30000, 'x'));
    add(".hidden", "");
    add("new-year", "");
    add("new-1-2-3-4", "");
    add("new-1--3", "");
    add("new-7-8-9", "a letter");  // an unfinished file's name, and another's beginning
    add(digits, "a list of names");
    add(digits.substr(1), entry);
    add(digits.substr(1) + "A", entry);
    add(digits.substr(32), "MUSTER entr");
    std::vector<CacheKey> keys;
    for (int i = 0; i < 8; ++i) {  // beyond the limit
        keys.push_back(digest_of(std::to_string(i)));
        cache.keep(keys.back(), "", std::string(9000, 'x'));
    }
    CHECK_FALSE(cache.find(keys[0]));
    CHECK(cache.find(keys[7]));
    const auto listed = cache.list();
    REQUIRE(listed);
    CHECK(*cache.clear() == listed->size());
    for (const fs::path& file : others) {
        CAPTURE(file.string());
        CHECK(fs::exists(file));
    }
    CHECK(file_count(folder) == others.size());
}

TEST_CASE("entries of earlier versions are removed with the others") {
    const ScratchFolder folder;
    const DiskCache cache = cache_in(folder);
    cache.keep(key, "", "bytes");
    const fs::path old = folder.path / "cache/entries" / std::string(32, '7');
    std::ofstream(old) << "MUSTER entry 1\nand so on";
    CHECK(cache.list()->size() == 1);
    CHECK(*cache.clear() == 2);
    CHECK(file_count(folder) == 0);
}

TEST_CASE("an entry of any size counts as missing, and takes no memory of that size") {
    const ScratchFolder folder;
    const DiskCache cache = cache_in(folder, UINT64_MAX);
    cache.keep(key, "", "bytes");
    for (const std::uintmax_t bytes : {std::uintmax_t{2} << 30, std::uintmax_t{4} << 40}) {
        std::error_code unsupported;  // by a file system with a lower limit
        fs::resize_file(file_of(folder, key), bytes, unsupported);
        const auto found = test::in_own_process(10, [&] {
            if (cache.find(key)) return 1;
            rusage used{};
            getrusage(RUSAGE_SELF, &used);
            return used.ru_maxrss > (1 << 20) ? 2 : 0;  // in KiB
        });
        CHECK(found == 0);
    }
    cache.keep(key, "", "bytes");  // replaces it
    CHECK(cache.find(key) == "bytes");
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)  // these reserve terabytes
TEST_CASE("where there is no memory for an entry, it counts as missing") {
    const ScratchFolder folder;
    const DiskCache cache = cache_in(folder, UINT64_MAX);
    cache.keep(key, "", "bytes");
    fs::resize_file(file_of(folder, key), std::uintmax_t{1} << 30);
    const auto found = test::in_own_process(10, [&] {
        const rlimit limit{std::uint64_t{1} << 28, std::uint64_t{1} << 28};
        setrlimit(RLIMIT_AS, &limit);
        return cache.find(key) ? 1 : 0;
    });
    CHECK(found == 0);
}
#endif

TEST_CASE("a list has each entry's label and size, the last used first") {
    const ScratchFolder folder;
    const DiskCache cache = cache_in(folder);
    CHECK(cache.list()->empty());
    cache.keep(key, "older", "12345");
    age(only_file(folder), std::chrono::hours(1));
    cache.keep(other_key, "new\x1b[2Jer" + std::string(600, 'x'), "1");
    const auto entries = *cache.list();
    REQUIRE(entries.size() == 2);
    CHECK(entries[0].key == other_key);
    CHECK(entries[0].label.starts_with("new\\x1b[2Jerxxx"));
    CHECK(entries[1].label == "older");
    CHECK(entries[1].bytes == fs::file_size(file_of(folder, key)));
    CHECK(entries[0].used - entries[1].used >= std::chrono::minutes(59));
    CHECK(*cache.clear() == 2);
    CHECK(cache.list()->empty());
    CHECK_FALSE(cache.find(key));
}

TEST_CASE("where files may not be so long, nothing is kept and nothing is left behind") {
    const ScratchFolder folder;
    const DiskCache cache = cache_in(folder);
    const auto found = test::in_own_process(10, [&] {
        const rlimit limit{10, 10};
        setrlimit(RLIMIT_FSIZE, &limit);
        cache.keep(key, "", "longer than ten bytes");
        return cache.find(key) ? 1 : 0;
    });
    CHECK(found == 0);  // it wasn't ended by SIGXFSZ
    CHECK(file_count(folder) == 0);
}

TEST_CASE("16 processes that are killed at any moment leave every entry whole") {
    const ScratchFolder folder;
    const DiskCache cache = cache_in(folder);
    const bool is_long = std::getenv("MUSTER_TEST_ALL") != nullptr;
    const auto end =
        std::chrono::steady_clock::now() + (is_long ? std::chrono::seconds(60) : std::chrono::seconds(2));
    std::size_t killed = 0;
    while (std::chrono::steady_clock::now() < end) {
        std::vector<pid_t> writers;
        for (unsigned who = 0; who < 16; ++who) {
            const pid_t writer = fork();
            REQUIRE(writer >= 0);
            if (writer == 0)
                for (unsigned turn = 0;; ++turn)  // all write the same 8 entries
                    cache.keep(digest_of(std::to_string(turn % 8)), "", bytes_of_process(who, turn));
            writers.push_back(writer);
        }
        usleep(static_cast<useconds_t>(5000 + 1777 * (killed % 11)));
        for (const pid_t writer : writers) {
            kill(writer, SIGKILL);
            CHECK(waitpid(writer, nullptr, 0) == writer);
            ++killed;
        }
        for (unsigned entry = 0; entry < 8; ++entry) {
            const CacheKey of = digest_of(std::to_string(entry));
            if (!fs::exists(file_of(folder, of))) continue;
            const auto found = cache.find(of);
            REQUIRE(found);
            const auto who = static_cast<unsigned>(std::stoul(*found));
            const std::string head = fmt::format("{}:", who);
            CHECK(found->find_first_not_of(static_cast<char>('a' + who), head.size()) == std::string::npos);
        }
    }
    MESSAGE(killed << " processes killed");
}
