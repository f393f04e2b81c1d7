// live_file.hpp - a file that is written as memory: what is there when the process ends, by whatever cause, is in
// the file. Threads: one at a time; the memory itself: any. Internal to driver/.
#pragma once

#include <cstdint>
#include <expected>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include <muster/driver/platform/file.hpp>

namespace muster::platform {

class LiveFile {
  public:
    /// Makes a file that holds `content` and grows to at most so many bytes. A file of this name is replaced if it is a regular
    /// one that is empty or begins with `kind`, and stays as it is after any error: EBUSY (another process has it as
    /// a LiveFile), EEXIST (it is something else; symbolic links aren't followed), or what the system says.
    static std::expected<LiveFile, std::error_code> create(const std::string& path, std::uint64_t most_bytes,
                                                           std::string_view content, std::string_view kind);
    LiveFile(LiveFile&& other) noexcept
        : file_(std::move(other.file_)),
          memory_(std::exchange(other.memory_, {})),
          bytes_(std::exchange(other.bytes_, 0)) {}
    LiveFile& operator=(LiveFile&& other) noexcept {
        std::swap(file_, other.file_);
        std::swap(memory_, other.memory_);
        std::swap(bytes_, other.bytes_);
        return *this;
    }
    ~LiveFile();

    /// The first bytes() of it may be read and written.
    char* memory() const { return memory_.data(); }
    std::uint64_t bytes() const { return bytes_; }
    std::uint64_t most_bytes() const { return memory_.size(); }
    /// Makes it longer by a text, in order: at any moment a part of it stands there from its beginning. Returns 0, or
    /// an errno, and it is as long as before.
    int append(std::string_view text);
    /// Makes it shorter. Precondition: no thread uses what is cut off.
    void cut(std::uint64_t bytes);

  private:
    LiveFile(FileDescriptor file, std::span<char> memory) : file_(std::move(file)), memory_(memory) {}

    FileDescriptor file_;
    std::span<char> memory_;
    std::uint64_t bytes_ = 0;
};

}  // namespace muster::platform
