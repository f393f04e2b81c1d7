// scratch_folder.hpp - an empty folder of a test's own, removed at its end.
#pragma once

#include <filesystem>
#include <string>

#include <unistd.h>

namespace muster::test {

struct ScratchFolder {
    std::filesystem::path path =
        std::filesystem::temp_directory_path() / ("muster_scratch_" + std::to_string(getpid()));
    ScratchFolder() {
        std::filesystem::remove_all(path);
        std::filesystem::create_directory(path);
    }
    ~ScratchFolder() { std::filesystem::remove_all(path); }
    ScratchFolder(const ScratchFolder&) = delete;
    ScratchFolder& operator=(const ScratchFolder&) = delete;
};

}  // namespace muster::test
