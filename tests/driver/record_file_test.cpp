// Records in files that aren't loaded: a whole file, every truncation of it, and files of other kinds.
#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <random>

#include <doctest/doctest.h>
#if defined(__linux__)
#include <sys/mman.h>
#include <unistd.h>
#endif

#include <muster/driver/contract/inventory.hpp>
#include <muster/driver/registry/record_file.hpp>

using namespace muster;

namespace {

constexpr BackendPrecedence precedence{.id = "freeze-test", .rank = 4294967290u};
MUSTER_SUBMIT(precedence);

using Bytes = std::string;

template <class T>
void append(Bytes& bytes, const T& value) {
    bytes.append(reinterpret_cast<const char*>(&value), sizeof(T));
}

/// A hand-made 64-bit ELF file of three sections (none, names, records) with one record.
Bytes small_file() {
    constexpr std::uint64_t names_at = 64, records_at = 128,
                            table_at = records_at + sizeof(BackendPrecedence);
    Bytes file;
    append(file, std::array<unsigned char, 16>{0x7f, 'E', 'L', 'F', 2, 1, 1});
    append(file, std::array<std::uint16_t, 4>{3, 62, 1, 0});
    append(file, std::array<std::uint64_t, 3>{0, 0, table_at});
    append(file, std::array<std::uint16_t, 8>{0, 0, 64, 0, 0, 64, 3, 1});
    const std::string_view names("\0names\0muster_records\0", 22);
    file.append(names);
    file.resize(records_at);
    append(file, precedence);
    append(file, std::array<std::uint64_t, 8>{});
    const auto section = [&](std::uint32_t name, std::uint64_t offset, std::uint64_t size) {
        append(file, std::array<std::uint32_t, 2>{name, 1});
        append(file, std::array<std::uint64_t, 7>{0, 0, offset, size, 0, 8, 0});
    };
    section(1, names_at, names.size());
    section(7, records_at, sizeof(BackendPrecedence));
    return file;
}

class TemporaryFile {
  public:
    explicit TemporaryFile(const Bytes& bytes)
        : path_(std::filesystem::temp_directory_path() /
                ("muster-record-file-" + std::to_string(std::random_device{}()) +
                 std::to_string(std::random_device{}()))) {
        std::ofstream(path_, std::ios::binary)
            .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    }
    ~TemporaryFile() { std::filesystem::remove(path_); }
    std::string path() const { return path_.string(); }

  private:
    std::filesystem::path path_;
};

Result<std::vector<FileRecord>> read(const Bytes& bytes) {
    return read_record_file(TemporaryFile(bytes).path());
}

}  // namespace

#if defined(__linux__)
TEST_CASE("a file of holes, however long, whose section table would fill memory is refused") {
    // The number of section headers, in the first one's size field, is too large for memory, and overflows to
    // zero when it is multiplied by their size.
    Bytes file = small_file();
    const std::uint64_t table_at = 128 + sizeof(BackendPrecedence), count = std::uint64_t{1} << 60;
    std::memset(file.data() + 60, 0, 2);  // section_count
    std::memcpy(file.data() + table_at + 32, &count, sizeof(count));
    const int memory = memfd_create("muster-record-file", MFD_CLOEXEC);
    REQUIRE(memory >= 0);
    REQUIRE(write(memory, file.data(), file.size()) == static_cast<ssize_t>(file.size()));
    REQUIRE(ftruncate(memory, std::int64_t{1} << 60) == 0);
    const auto records = read_record_file("/proc/self/fd/" + std::to_string(memory));
    close(memory);
    REQUIRE_FALSE(records);
    CHECK(records.error().message.find("over 1152921504606846976 times 64") != std::string::npos);
}
#endif

TEST_CASE("a file's records are read as they are") {
    const auto records = read(small_file());
    REQUIRE_MESSAGE(records, records.error().to_string());
    REQUIRE(records->size() == 1);
    const FileRecord& record = records->front();
    CHECK(record.kind == RecordKind::precedence);
    CHECK(record.id == "freeze-test");
    CHECK(record.rank == 4294967290u);
    CHECK(record.abi == abi_fingerprint().view());
    CHECK(record.origin == "driver/record_file_test.cpp");
    CHECK(record.usable_here());
}

TEST_CASE("a file cut short anywhere is an error or has no record, never more") {
    const Bytes whole = small_file();
    for (std::size_t size = 0; size < whole.size(); size += 3) {
        const auto records = read(Bytes(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size)));
        CHECK_FALSE(records);
        if (!records) CHECK(!records.error().message.empty());
    }
}

TEST_CASE("a file with any byte changed is read or refused") {
    const Bytes whole = small_file();
    std::minstd_rand random(5);
    for (std::size_t at = 0; at < whole.size(); at += at < 128 || at > 320 ? 1 : 7) {
        Bytes changed = whole;
        changed[at] = static_cast<char>(random());
        const auto records = read(changed);
        if (records) CHECK(records->size() <= 1);
    }
    for (const char fill : {'\0', '\xff'}) {  // offsets and sizes at their extremes
        for (std::size_t at = 16; at + 8 <= whole.size(); at += 8) {
            Bytes changed = whole;
            std::fill_n(changed.begin() + static_cast<std::ptrdiff_t>(at), 8, fill);
            const auto records = read(changed);
            if (records) CHECK(records->size() <= 1);
        }
    }
}

TEST_CASE("what isn't a file for this is refused by name") {
    const auto refused = [](std::string_view text) {
        const auto records = read(Bytes(text.begin(), text.end()));
        REQUIRE_FALSE(records);
        return records.error().to_string();
    };
    CHECK(refused("").find("not an ELF file") != std::string::npos);
    CHECK(refused("!<arch>\nsomething").find("static library") != std::string::npos);
    CHECK(refused("MZ\x90 and so on and on").find("PE file") != std::string::npos);
    CHECK(refused("\xcf\xfa\xed\xfe and so on and on").find("Mach-O") != std::string::npos);
    CHECK(refused("\x7f"
                  "ELF\x01\x01\x01 thirty-two bits")
              .find("64-bit") != std::string::npos);
    CHECK(refused("\x7f"
                  "ELF\x02\x02\x01 big end first")
              .find("byte order") != std::string::npos);
    CHECK(read_record_file("/nonexistent/library.so").error().code == ErrorCode::not_found);
    CHECK(read_record_file("/").error().code == ErrorCode::io_failed);
    CHECK(read_record_file("/dev/zero").error().code == ErrorCode::io_failed);
}

TEST_CASE("records of another ABI or schema are told apart, not hidden") {
    Bytes file = small_file();
    const std::size_t abi_at = 128 + offsetof(RecordHeader, abi);
    std::memcpy(file.data() + abi_at, "musket", 6);
    const auto foreign = read(file);
    REQUIRE(foreign);
    REQUIRE(foreign->size() == 1);
    CHECK_FALSE(foreign->front().usable_here());
    file = small_file();
    file[128 + offsetof(RecordHeader, schema)] = 9;
    const auto later = read(file);
    REQUIRE(later);
    REQUIRE(later->size() == 1);
    CHECK(later->front().schema == 9);
    CHECK(later->front().rank == unranked);
    CHECK_FALSE(later->front().usable_here());
}

TEST_CASE("this program's own file holds what it submits") {
    const auto records = read_record_file("/proc/self/exe");
    REQUIRE_MESSAGE(records, records.error().to_string());
    CHECK(std::ranges::any_of(*records, [](const FileRecord& record) {
        return record.kind == RecordKind::precedence && record.id == "freeze-test" &&
               record.rank == 4294967290u;
    }));
}
