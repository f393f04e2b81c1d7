#include <filesystem>

#include <fmt/format.h>
#include <sys/stat.h>

#include <muster/driver/support/module_of.hpp>
#if defined(__ELF__)
#include <dlfcn.h>
#include <link.h>
#endif

namespace muster {

std::string module_of([[maybe_unused]] const void* code) {
#if defined(__ELF__)
    Dl_info info{};
    void* map = nullptr;
    if (dladdr1(code, &info, &map, RTLD_DL_LINKMAP) == 0) return {};
    const char* name = static_cast<const link_map*>(map)->l_name;
    std::error_code ignored;  // the loader has no name for the program itself
    return std::filesystem::canonical(name != nullptr && *name != '\0' ? name : "/proc/self/exe", ignored)
        .string();
#else
    return {};
#endif
}

std::string build_of_file(const std::string& path) {
    struct stat is {};
    if (stat(path.c_str(), &is) != 0) return {};
    return fmt::format("{} bytes of {}.{:09}", is.st_size, is.st_mtim.tv_sec, is.st_mtim.tv_nsec);
}

std::string driver_module() { return module_of(reinterpret_cast<const void*>(&driver_module)); }

}  // namespace muster
