#include <muster/driver/this_module.hpp>

#if defined(__ELF__)

#include <filesystem>

#include <dlfcn.h>
#include <link.h>

namespace muster {

std::string this_module() {
    Dl_info info{};
    void* map = nullptr;
    if (dladdr1(reinterpret_cast<const void*>(&this_module), &info, &map, RTLD_DL_LINKMAP) == 0) return {};
    const char* name = static_cast<const link_map*>(map)->l_name;
    std::error_code ignored;  // the program itself has no name there
    return std::filesystem::canonical(name != nullptr && *name != '\0' ? name : "/proc/self/exe", ignored)
        .string();
}

}  // namespace muster

#else

namespace muster {

std::string this_module() { return {}; }

}  // namespace muster

#endif
