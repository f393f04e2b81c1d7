// plugin_scratch.hpp - a folder that a test fills with copies of a plugin: whole, changed or truncated.
#pragma once

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <string_view>

namespace muster::test {

inline std::string file_bytes(const std::filesystem::path& path) {
    std::ifstream stream(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
}

/// Replaces every occurrence of an id by another of the same length: records are plain bytes.
inline std::string renamed(std::string bytes, std::string_view from, std::string_view to) {
    for (auto at = bytes.find(from); at != std::string::npos; at = bytes.find(from, at + from.size()))
        bytes.replace(at, from.size(), to);
    return bytes;
}

class PluginScratch {
  public:
    PluginScratch()
        : path_(std::filesystem::temp_directory_path() / ("muster-plugins-" + random() + random())) {
        std::filesystem::create_directories(path_);
    }
    ~PluginScratch() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    PluginScratch(const PluginScratch&) = delete;
    PluginScratch& operator=(const PluginScratch&) = delete;

    const std::filesystem::path& path() const { return path_; }
    /// The path of libmuster_backend_NAME.so in the folder, whether or not it exists.
    std::string file(std::string_view name) const {
        return (path_ / ("libmuster_backend_" + std::string(name) + ".so")).string();
    }
    /// Writes the file, and returns its path.
    std::string add(std::string_view name, const std::string& bytes) const {
        std::ofstream(file(name), std::ios::binary)
            .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
        return file(name);
    }

  private:
    static std::string random() { return std::to_string(std::random_device{}()); }
    std::filesystem::path path_;
};

}  // namespace muster::test
