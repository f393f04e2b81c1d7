#include <algorithm>
#include <deque>
#include <fstream>
#include <iterator>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include <muster/driver/elf/elf_file.hpp>
#include <muster/driver/elf/elf_format.hpp>
#include <muster/driver/platform/environment_variable.hpp>
#include <muster/driver/platform/library_search.hpp>
#include <muster/driver/platform/modules.hpp>
#include <muster/foundation/base/try.hpp>

namespace muster {
namespace {

using Folders = std::vector<std::string>;

constexpr std::size_t most_libraries = 512;
constexpr std::string_view elf_magic = "\x7f\x45\x4c\x46";

/// A library's entries about the libraries that it needs.
struct Needs {
    bool is_library = true;  // else a program
    std::vector<std::string> names = {};
    Folders rpath = {}, runpath = {};  // with $ORIGIN replaced
};

std::string folder_of(const std::string& path) {
    const std::size_t slash = path.rfind('/');
    return slash == std::string::npos ? "." : path.substr(0, std::max<std::size_t>(slash, 1));
}

Folders split_path(std::string_view list, std::string_view separators = ":") {
    Folders folders;
    while (!list.empty()) {
        const std::size_t end = std::min(list.find_first_of(separators), list.size());
        folders.emplace_back(end == 0 ? "." : list.substr(0, end));
        list.remove_prefix(std::min(end + 1, list.size()));
    }
    return folders;
}

std::string with_origin(std::string text, const std::string& origin) {
    for (const std::string_view variable : {"${ORIGIN}", "$ORIGIN"})
        for (std::size_t at = text.find(variable); at != std::string::npos; at = text.find(variable, at))
            text.replace(at, variable.size(), origin);
    return text;
}

/// Reads the dynamic section by the program headers, as the loader does. Errors: unsupported (it isn't for
/// this machine), io_failed (damaged).
Result<Needs> read_needs(const std::string& path) {
    elf::File file = TRY(elf::File::open(path));
    const auto header = TRY(file.read<elf::FileHeader>(0, 1, "header")).front();
    const std::string_view magic(reinterpret_cast<const char*>(header.ident.data()), 4);
    if (magic != elf_magic)
        return fail(ErrorCode::io_failed, path + " isn't an ELF file.", "install it anew");
    constexpr unsigned char of_64_bits = 2;
    if (header.ident[4] != of_64_bits || header.machine != elf_native_machine())
        return fail(ErrorCode::unsupported, path + " is for another machine.",
                    "install one for this machine");
    const auto segments =
        TRY(file.read<elf::ProgramHeader>(header.segments_offset, header.segment_count, "program headers"));
    constexpr std::uint32_t load = 1, dynamic = 2;
    const auto offset_of = [&](std::uint64_t address) -> std::uint64_t {
        for (const elf::ProgramHeader& one : segments)
            if (one.type == load && address >= one.address && address - one.address < one.file_bytes)
                return one.offset + (address - one.address);
        return UINT64_MAX;
    };
    constexpr std::int64_t needed = 1, strings = 5, string_bytes = 10, rpath = 15, runpath = 29;
    std::vector<elf::DynamicEntry> entries;
    for (const elf::ProgramHeader& one : segments)
        if (one.type == dynamic)
            entries = TRY(file.read<elf::DynamicEntry>(one.offset, one.file_bytes / sizeof(elf::DynamicEntry),
                                                       "dynamic section"));
    std::uint64_t table = UINT64_MAX, table_bytes = 0;
    for (const elf::DynamicEntry& entry : entries) {
        if (entry.tag == strings) table = offset_of(entry.value);
        if (entry.tag == string_bytes) table_bytes = entry.value;
    }
    const auto text_at = [&](std::uint64_t at) -> Result<std::string> {
        constexpr std::uint64_t most = 4096;
        if (at >= table_bytes || table > UINT64_MAX - at)
            return fail(ErrorCode::io_failed, "A name in " + path + " lies outside its strings.");
        const std::uint64_t there = std::min(most, file.size() - std::min(file.size(), table + at));
        const auto bytes = TRY(file.read<char>(table + at, std::min(there, table_bytes - at), "strings"));
        return std::string(bytes.begin(), std::ranges::find(bytes, '\0'));
    };
    Needs needs{.is_library = header.type == elf_shared_object};
    const std::string origin = folder_of(path);
    for (const elf::DynamicEntry& entry : entries) {
        if (entry.tag == 0) break;
        if (entry.tag == needed) needs.names.push_back(TRY(text_at(entry.value)));
        if (entry.tag == rpath) needs.rpath = split_path(with_origin(TRY(text_at(entry.value)), origin));
        if (entry.tag == runpath) needs.runpath = split_path(with_origin(TRY(text_at(entry.value)), origin));
    }
    return needs;
}

bool exists(const std::string& path) { return std::ifstream(path).good(); }

/// The names of the libraries that the process has already, which the loader takes first.
std::set<std::string, std::less<>> loaded_libraries() {
    std::set<std::string, std::less<>> names;
    platform::for_each_module([&](const platform::LoadedModule& module) {
        const std::string_view path = module.loader_name();
        names.emplace(path.substr(path.rfind('/') + 1));
    });
    return names;
}

/// The paths that the loader's cache has for a name. The cache's strings are read, and not its tables, whose
/// format has changed more than once.
Folders cached_paths(const std::string& name) {
    static const std::string cache = [] {
        std::ifstream file("/etc/ld.so.cache", std::ios::binary);
        return std::string(std::istreambuf_iterator<char>(file), {});
    }();
    Folders paths;
    const std::string ending = '/' + name + '\0';
    for (std::size_t at = cache.find(ending); at != std::string::npos; at = cache.find(ending, at + 1)) {
        const std::size_t before = cache.rfind('\0', at);
        const std::size_t begin = before == std::string::npos ? 0 : before + 1;
        paths.push_back(cache.substr(begin, at - begin) + '/' + name);
    }
    return paths;
}

Folders system_folders() {
    Folders folders;
#if defined(__x86_64__)
    folders = {"/lib/x86_64-linux-gnu", "/usr/lib/x86_64-linux-gnu"};
#elif defined(__aarch64__)
    folders = {"/lib/aarch64-linux-gnu", "/usr/lib/aarch64-linux-gnu"};
#endif
    for (const char* folder : {"/lib64", "/usr/lib64", "/lib", "/usr/lib"}) folders.emplace_back(folder);
#if !defined(__GLIBC__)
    folders.emplace_back("/usr/local/lib");
#endif
    return folders;
}

Folders library_path() {
    const auto list = platform::environment_variable("LD_LIBRARY_PATH");
    return list ? split_path(*list, ":;") : Folders();
}

/// The files that the loader tries for a name, in its order.
std::vector<std::string> tried_for(const std::string& name, const Needs& by) {
    if (name.find('/') != std::string::npos) return {name};
    std::vector<std::string> files;
    const auto add = [&](const Folders& folders) {
        for (const std::string& folder : folders) files.push_back(folder + '/' + name);
    };
    if (by.runpath.empty()) add(by.rpath);
    add(library_path());
    add(by.runpath);
    for (std::string& path : cached_paths(name)) files.push_back(std::move(path));
    add(system_folders());
    return files;
}

/// The library that the loader would open for a name, and what that needs. None: it finds
/// none, or one that is damaged.
std::optional<std::pair<std::string, Needs>> found(const std::string& name, const Needs& by) {
    for (std::string& file : tried_for(name, by)) {
        if (!exists(file)) continue;
        auto needs = read_needs(file);
        if (needs && needs->is_library) return std::pair(std::move(file), *std::move(needs));
        if (needs || needs.error().code != ErrorCode::unsupported)
            return std::nullopt;  // the loader gives up, too
    }
    return std::nullopt;
}

}  // namespace

std::optional<MissingLibrary> missing_library(const std::string& path_or_name, const std::string& opener) {
    std::set<std::string, std::less<>> known = loaded_libraries();
    struct Asked {
        std::string name, by;
        Needs from;
    };
    std::deque<Asked> open{
        {path_or_name, {}, opener.empty() ? Needs() : read_needs(opener).value_or(Needs())}};
    while (!open.empty() && known.size() < most_libraries) {
        const Asked asked = std::move(open.front());
        open.pop_front();
        if (!known.insert(asked.name).second) continue;
        auto library = found(asked.name, asked.from);
        if (!library) return MissingLibrary{asked.name, asked.by};
        for (const std::string& name : library->second.names)
            open.push_back({name, library->first, library->second});
    }
    return std::nullopt;
}

std::optional<std::string> library_file(const std::string& path_or_name, const std::string& opener) {
    auto library = found(path_or_name, opener.empty() ? Needs() : read_needs(opener).value_or(Needs()));
    return library ? std::optional(std::move(library->first)) : std::nullopt;
}

}  // namespace muster
