#include <string>

#include <dlfcn.h>

#include <muster/driver/platform/driver_library.hpp>

namespace muster {

Result<DriverLibrary> DriverLibrary::loaded(const std::string& file) {
    if (void* const handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL)) return DriverLibrary(handle);
    const char* const given = dlerror();
    std::string reason = given ? given : "no reason is given";
    const bool none = reason.find("No such file") != reason.npos;
    return fail(none ? ErrorCode::not_found : ErrorCode::unavailable, std::move(reason));
}

DriverLibrary::~DriverLibrary() {
    if (handle_) dlclose(handle_);
}

void* DriverLibrary::find(const char* function) const { return dlsym(handle_, function); }

void* exported_beside(const void* code, const char* name) {
    Dl_info here{};
    if (dladdr(code, &here) == 0) return nullptr;
    void* const library = dlopen(here.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
    if (library == nullptr) return nullptr;
    void* const found = dlsym(library, name);
    dlclose(library);
    return found;
}

}  // namespace muster
