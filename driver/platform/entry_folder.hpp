// entry_folder.hpp - the folder that a DiskCache keeps its files in, opened and checked: it is its user's alone.
// Internal to driver/.
#pragma once

#include <cstdint>
#include <ctime>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <muster/driver/platform/file.hpp>
#include <muster/foundation/base/result.hpp>

namespace muster {

class EntryFolder {
  public:
    /// Opens "entries" in `folder`. Errors: not_found (there is none); refused (not ours alone: the
    /// message says why); io_failed.
    static Result<EntryFolder> open(const std::string& folder);
    /// Makes what is missing of the path, the last two folders with mode 0700, and opens it.
    static Result<EntryFolder> make(const std::string& folder);

    struct File {
        std::string name;
        std::uint64_t bytes = 0;
        std::timespec used{};
    };
    /// The folder's regular files. Errors: io_failed.
    Result<std::vector<File>> files() const;
    /// Reads a regular file of ours that has at most so many bytes; none otherwise. Notes that it
    /// was used, to the minute.
    std::optional<std::string> read(const std::string& name, std::uint64_t most_bytes) const;
    /// Reads the first bytes of a file, at most so many.
    std::string beginning(const std::string& name, std::uint64_t most_bytes) const;
    /// Writes a file as a whole or not at all.
    bool write(const std::string& name, std::string_view bytes) const;
    bool remove(const std::string& name) const;

  private:
    EntryFolder(std::string path, FileDescriptor descriptor)
        : path_(std::move(path)), descriptor_(std::move(descriptor)) {}

    std::string path_;
    FileDescriptor descriptor_;
};

/// True of a name that write() gives to files that it hasn't finished.
bool is_unfinished(std::string_view name);

}  // namespace muster
