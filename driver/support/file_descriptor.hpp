// file_descriptor.hpp - a POSIX file descriptor that its owner closes.
#pragma once

#include <utility>

#include <unistd.h>

namespace muster {

class FileDescriptor {
  public:
    FileDescriptor() = default;
    explicit FileDescriptor(int number) : number_(number) {}
    FileDescriptor(FileDescriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
    FileDescriptor& operator=(FileDescriptor&& other) noexcept {
        std::swap(number_, other.number_);
        return *this;
    }
    ~FileDescriptor() {
        if (number_ >= 0) close(number_);
    }
    int number() const { return number_; }  // negative: none

  private:
    int number_ = -1;
};

}  // namespace muster
