// file.hpp - files by the system's own calls, for what the standard library has none for. Errors are errno's values, 0 if there is
// none. Threads: any.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include <muster/foundation/base/api.hpp>
#include <muster/foundation/base/result.hpp>

namespace muster::platform {
MUSTER_API_BEGIN

/// An open file, which its owner closes.
class FileDescriptor {
  public:
    FileDescriptor() = default;
    explicit FileDescriptor(int number) : number_(number) {}
    FileDescriptor(FileDescriptor&& other) noexcept : number_(other.release()) {}
    FileDescriptor& operator=(FileDescriptor&& other) noexcept {
        std::swap(number_, other.number_);
        return *this;
    }
    ~FileDescriptor() { (void)close(); }
    int number() const { return number_; }  // negative: none
    /// Closes it early. Returns the error of a delayed write.
    int close();
    /// Leaves closing it to the caller.
    int release() { return std::exchange(number_, -1); }

  private:
    int number_ = -1;
};

/// Opens a file, or nothing, and errno tells why. Doesn't wait: opening a pipe would wait for a writer.
FileDescriptor open_for_reading(const std::filesystem::path& path);
/// Creates a file, or empties the one that is there; or opens nothing, and errno tells why.
FileDescriptor open_for_writing(const std::filesystem::path& path);
/// A regular file's bytes in memory, read as they are touched. The file must not shrink meanwhile.
class MappedFile {
  public:
    /// `is_writable`: the bytes may be written, which doesn't change the file. The error of a file that isn't a regular one is no
    /// error of the system's: 0.
    static std::expected<std::shared_ptr<const MappedFile>, std::error_code> map(
        const std::filesystem::path& path, bool is_writable = false);
    MappedFile(void* data, std::size_t size) : data_(data), size_(size) {}
    MappedFile(const MappedFile&) = delete;
    MappedFile& operator=(const MappedFile&) = delete;
    ~MappedFile();
    std::span<std::byte> bytes() const { return {static_cast<std::byte*>(data_), size_}; }

  private:
    void* data_;  // null: the file is empty
    std::size_t size_;
};

/// Identifies a file, whatever path leads to it.
struct FileIdentity {
    std::uint64_t device = 0, inode = 0;
    auto operator<=>(const FileIdentity&) const = default;
};
/// Detects that a file has changed since it was read. `changed_ns` is the time of the last status change
/// (ctime): it can't be set back, and it also changes with the permissions.
struct FileStatus {
    FileIdentity identity;
    std::uint64_t bytes = 0;
    std::int64_t changed_ns = 0;
    bool operator==(const FileStatus&) const = default;
};
/// The file at this path; none if there isn't one.
std::optional<FileIdentity> file_identity(const std::string& path);
std::optional<FileStatus> file_status(const std::string& path);

/// True if the pattern matches the name as a shell's patterns do: `*`, `?` and `[a-z]`.
bool name_matches(const std::string& pattern, const std::string& name);

MUSTER_API_END

/// Writes all of it.
int write_all(int file, std::string_view bytes);

/// Calls `each` with the name of every file in the folder. The standard library takes more than twice as long, and the folder may be
/// /usr/bin.
int for_each_name(const std::string& folder, const std::function<void(std::string_view)>& each);

/// Makes the system prefetch the parts of these libraries that will be read, all at once, because a disk serves many requests in the
/// time of a few. Does nothing for a missing file.
void read_ahead(std::span<const std::string> libraries);

}  // namespace muster::platform
