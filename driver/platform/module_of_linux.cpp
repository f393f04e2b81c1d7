#include <array>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>

#include <dlfcn.h>
#include <fmt/format.h>
#include <link.h>
#include <sys/auxv.h>
#include <sys/stat.h>

#include <muster/driver/platform/module_of.hpp>

namespace muster::platform {
namespace {

/// True if the program was started through the dynamic loader ("ld.so ./program"): then the kernel has loaded
/// no loader for it, although it names one.
bool started_by_loader() {
    if (getauxval(AT_BASE) != 0) return false;
    // NOLINTNEXTLINE(performance-no-int-to-ptr): the kernel gives addresses
    const auto* headers = reinterpret_cast<const ElfW(Phdr)*>(getauxval(AT_PHDR));
    for (unsigned long i = 0; headers != nullptr && i < getauxval(AT_PHNUM); ++i)
        if (headers[i].p_type == PT_INTERP) return true;
    return false;
}

/// The file that is mapped at this address; empty if there is none.
std::string file_mapped_at(unsigned long address) {
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> maps(std::fopen("/proc/self/maps", "re"),
                                                               std::fclose);
    std::array<char, 8192> line{};  // longer than a path can be
    while (maps && std::fgets(line.data(), line.size(), maps.get()) != nullptr) {
        unsigned long begin = 0, end = 0;
        int path = 0;  // the offset of the path, behind "begin-end permissions offset device inode"
        if (std::sscanf(line.data(), "%lx-%lx %*s %*s %*s %*s %n", &begin, &end, &path) < 2) continue;
        if (path == 0 || address < begin || address >= end) continue;
        const std::string_view found(line.data() + path);
        return std::string(found.substr(0, found.find('\n')));
    }
    return {};
}

}  // namespace

std::string program_path() {
    if (started_by_loader()) return file_mapped_at(getauxval(AT_PHDR));
    std::error_code unknown;
    return std::filesystem::read_symlink("/proc/self/exe", unknown).string();
}

std::string module_of(const void* code) {
    Dl_info info{};
    void* map = nullptr;
    if (dladdr1(code, &info, &map, RTLD_DL_LINKMAP) == 0) return {};
    const char* name = static_cast<const link_map*>(map)->l_name;
    std::error_code ignored;  // the loader has no name for the program itself
    return std::filesystem::canonical(name != nullptr && *name != '\0' ? name : program_path(), ignored)
        .string();
}

bool is_driver_library(std::string_view path) {
    const std::string_view name = path.substr(path.rfind('/') + 1);
    return name.starts_with("libmuster.so") || (name.starts_with("libmuster-") && name.contains(".so"));
}

std::string build_of_file(const std::string& path) {
    struct stat is {};
    if (stat(path.c_str(), &is) != 0) return {};
    return fmt::format("{} bytes of {}.{:09}", is.st_size, is.st_mtim.tv_sec, is.st_mtim.tv_nsec);
}

std::string driver_module() { return module_of(reinterpret_cast<const void*>(&driver_module)); }

}  // namespace muster::platform
