// entry_folder.hpp - a folder that the cache keeps files in, opened and checked: it is its user's alone.
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

namespace muster::platform {

class EntryFolder {
  public:
    /// Opens a folder in `folder`, the cache's. Errors: not_found (there is none); refused (not ours alone: the
    /// message says why); io_failed.
    static Result<EntryFolder> open(const std::string& folder, const std::string& name = "entries");
    /// Makes what is missing of the path, the cache's folder and those in it with mode 0700, and opens it.
    static Result<EntryFolder> make(const std::string& folder, const std::string& name = "entries");

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
    const std::string& path() const { return path_; }

  private:
    EntryFolder(std::string path, FileDescriptor descriptor)
        : path_(std::move(path)), descriptor_(std::move(descriptor)) {}

    std::string path_;
    FileDescriptor descriptor_;
};

/// True of a name that write() gives to files that it hasn't finished.
bool is_unfinished(std::string_view name);

}  // namespace muster::platform
