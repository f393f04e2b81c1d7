#include <string>

#include <dlfcn.h>

#include <muster/driver/support/driver_library.hpp>

namespace muster {

Result<DriverLibrary> DriverLibrary::open(const char* name) {
    if (void* const handle = dlopen(name, RTLD_NOW | RTLD_LOCAL)) return DriverLibrary(handle);
    const char* const given = dlerror();
    std::string reason = given ? given : "no reason is given";
    const bool none = reason.find("No such file") != reason.npos;
    return fail(none ? ErrorCode::not_found : ErrorCode::unavailable, std::move(reason));
}

DriverLibrary::~DriverLibrary() {
    if (handle_) dlclose(handle_);
}

void* DriverLibrary::find(const char* function) const { return dlsym(handle_, function); }

}  // namespace muster
