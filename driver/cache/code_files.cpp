#include <cstddef>

#include <fmt/format.h>

#include <muster/driver/cache/code_files.hpp>
#include <muster/driver/platform/entry_folder.hpp>
#include <muster/driver/policy/environment.hpp>
#include <muster/foundation/base/try.hpp>

namespace muster::cache {
namespace {

constexpr std::size_t group_digits = 16, most_name_bytes = 200;

/// Keeps the end, which has the extension.
std::string file_name(std::string_view name) {
    if (name.size() > most_name_bytes) name.remove_prefix(name.size() - most_name_bytes);
    std::string text(name);
    for (char& c : text) {
        const bool suits = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                           c == '.' || c == '-' || c == '_';
        if (!suits) c = '_';
    }
    if (text.empty() || text[0] == '.') text.insert(0, 1, '_');
    return text;
}

}  // namespace

Result<std::string> keep_code_file(const Digest& group, std::string_view name, std::string_view bytes) {
    const auto cache = cache_folder();
    if (!cache)
        return fail(ErrorCode::not_found, "There is no cache's folder to keep code in.",
                    "set MUSTER_CACHE_DIR to a folder");
    return keep_code_file(*cache, group, name, bytes);
}

Result<std::string> keep_code_file(const std::string& cache, const Digest& group, std::string_view name,
                                   std::string_view bytes) {
    const platform::EntryFolder folder =
        TRY(platform::EntryFolder::make(cache, "code/" + to_string(group).substr(0, group_digits)));
    const std::string file = file_name(name);
    std::string path = fmt::format("{}/{}", folder.path(), file);
    if (folder.read(file, bytes.size()) == bytes || folder.write(file, bytes)) return path;
    return fail(ErrorCode::io_failed, fmt::format("The file {} can't be written.", path),
                "make room on its disk, or set MUSTER_CACHE_DIR to another folder");
}

}  // namespace muster::cache
