#include <fmt/format.h>

#include <muster/backend-opencl/native/api.hpp>

namespace muster::opencl {
namespace {

constexpr const char* library_name = "libOpenCL.so.1";

Result<std::shared_ptr<const Api>> open_api() {
    auto library = DriverLibrary::open(library_name);
    if (!library) {
        if (library.error().code == ErrorCode::refused) return std::unexpected(library.error());
        const Error& why = library.error();  // names what isn't there: the loader, or a library that it needs
        return fail(why.code,
                    why.code == ErrorCode::not_found && why.message.starts_with(library_name)
                        ? fmt::format("This machine has no OpenCL loader ({}).", library_name)
                        : fmt::format("The OpenCL loader can't be opened: {}.", why.message),
                    "install it, and the device's driver (Debian: ocl-icd-libopencl1; pocl-opencl-icd for a "
                    "device on the processor)");
    }
    auto api = std::make_shared<Api>();
    const char* const missing = library->fill([&](const auto& visit) {
#define MUSTER_OPENCL_VISIT(name) visit(#name, api->name.pointer);
        MUSTER_OPENCL_FUNCTIONS(MUSTER_OPENCL_VISIT)
#undef MUSTER_OPENCL_VISIT
    });
    if (missing)
        return fail(ErrorCode::unavailable,
                    fmt::format("The OpenCL loader ({}) has no {} of OpenCL 1.2.", library_name, missing),
                    "install a newer loader");
    library->keep();
    return api;
}

}  // namespace

Result<std::shared_ptr<const Api>> process_api() {
    static const ForkMark
        first_used;  // by the first call: its caller goes on to the drivers, which start threads
    if (first_used.is_from_parent()) return std::unexpected(in_use_before_fork("OpenCL"));
    static auto* const shared = new SharedOnce<const Api>;  // devices may be in use until the process ends
    return shared->get(open_api);
}

}  // namespace muster::opencl
