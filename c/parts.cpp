#include <filesystem>
#include <system_error>

#include <fmt/format.h>

#include <muster/c/parts_entry.hpp>
#include <muster/driver/contract/records.hpp>
#include <muster/driver/platform/driver_library.hpp>
#include <muster/driver/platform/module_of.hpp>
#include <muster/foundation/base/try.hpp>

namespace muster::c {
namespace {

constexpr const char* file_name = "libmuster_c_parts.so";

Result<Parts*> checked(Parts* parts, const std::string& where) {
    static constexpr BuildText ours = build_fingerprint();
    if (parts->build() == ours.view()) return parts;
    return fail(
        ErrorCode::unavailable,
        fmt::format("{} is of another build: \"{}\" instead of \"{}\".", where, parts->build(), ours.view()),
        fmt::format("install {} and libmuster from the same build", file_name));
}

/// Opens the module beside libmuster. A static driver has none: the module would bring another one.
Result<Parts*> open_module() {
    const std::string driver = platform::driver_module();
    if (!platform::is_driver_library(driver))
        return fail(ErrorCode::unavailable,
                    "Models and the conformance suite aren't linked into this program.",
                    "link muster::c_parts beside muster, or use the shared libmuster");
    std::error_code ignored;
    const std::string path =
        (std::filesystem::canonical(driver, ignored).parent_path() / "muster" / file_name).string();
    auto module = DriverLibrary::open(path.c_str());
    if (!module)
        return during("opening models and the conformance suite",
                      Result<Parts*>(std::unexpected(Error{
                          ErrorCode::unavailable,
                          module.error().message,
                          module.error().fix.empty() ? fmt::format("install {} beside libmuster", file_name)
                                                     : module.error().fix,
                          {}})));
    using Entry = decltype(&muster_c_parts);
    const auto entry = reinterpret_cast<Entry>(module->find("muster_c_parts"));
    if (entry == nullptr)
        return fail(ErrorCode::unavailable, fmt::format("{} has no muster_c_parts.", path),
                    "install it and libmuster from the same build");
    module->keep();
    return checked(entry(), path);
}

}  // namespace

Result<Parts*> find_parts() {
    if (&muster_c_parts_linked != nullptr) return checked(muster_c_parts_linked(), "what is linked");
    static const Result<Parts*> opened = open_module();
    return opened;
}

}  // namespace muster::c
