#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>

#include <fmt/format.h>

#include <muster/backend-cpu/native/source_paths.hpp>
#include <muster/driver/cache/code_files.hpp>
#include <muster/driver/policy/log.hpp>

namespace muster::cpu {
namespace {

bool has_text(const std::filesystem::path& file, const std::string& text) {
    std::error_code error;
    if (!std::filesystem::is_regular_file(file, error) ||
        std::filesystem::file_size(file, error) != text.size())
        return false;
    std::ifstream stream(file, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(stream), {}) == text;
}

std::string path_of(const SourceFile& file, const Digest& group) {
    std::error_code error;
    if (!file.text) return {};
    if (has_text(file.name, *file.text))
        return std::filesystem::absolute(file.name, error).lexically_normal();
    auto copy =
        cache::keep_code_file(group, std::filesystem::path(file.name).filename().string(), *file.text);
    if (copy) return *std::move(copy);
    const Error& why = copy.error();
    log_once(LogLevel::warning, "no source: " + why.message,
             fmt::format("Debuggers won't find the source of kernels. {}{}{}", why.message,
                         why.fix.empty() ? "" : " Fix: ", why.fix));
    return {};
}

}  // namespace

Digest code_group(std::span<const SourceFile> files) {
    Hasher hash;
    for (const SourceFile& file : files) {
        hash.text(file.name);
        hash.text(file.text ? std::string_view(*file.text) : std::string_view());
    }
    return hash.digest();
}

std::vector<std::string> source_paths(std::span<const SourceFile> files, const Digest& group) {
    std::vector<std::string> paths;
    for (const SourceFile& file : files) paths.push_back(path_of(file, group));
    return paths;
}

}  // namespace muster::cpu
