// driver_library.hpp - a library that is opened when it is first needed, such as a driver's, and its
// functions by name. The one door to the loader: muster opens all code through it.
//
//     DriverLibrary library = TRY(DriverLibrary::open("libgpu.so.1"));
//     GpuTable table;
//     const char* const missing = library.fill([&](auto&& visit) {
//         visit("gpu_open", table.gpu_open);      // the name, and the member of this type
//         visit("gpu_launch", table.gpu_launch);
//     });
//     if (missing) return fail(...);
//     library.keep();
//
// The table is a plain value, so that a test can substitute its own; every call of its functions goes through
// check_native (driver/contract/check.hpp). Threads: movable values, one thread at a time.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include <muster/foundation/base/api.hpp>
#include <muster/foundation/base/result.hpp>

namespace muster {
MUSTER_API_BEGIN

/// The origin of a library's path: the program found it in some folder, or its user named it.
enum class CodePlace : std::uint8_t { found, named };

/// The reason why no driver is opened in this process: it has more rights than its user, whose variables
/// drivers obey (OCL_ICD_VENDORS, for one, names code). None if it has not.
std::optional<Error> why_no_driver(std::string_view name);

class DriverLibrary {
  public:
    /// Opens a library by name, looked for as the system does, unless the process has more rights than its
    /// user; or by path. A path that was found is opened only if nobody may change it who doesn't run code
    /// here already; one that the user named is, unless the process has more rights than its user. `module`:
    /// the file that has the code that asks; empty: the driver's. The message of other errors is the
    /// system's. Errors: not_found (it, or a library that it needs, isn't there), unavailable (it can't be
    /// opened), refused (others may change it, or why_no_driver()).
    static Result<DriverLibrary> open(const char* name, CodePlace place = CodePlace::found,
                                      const std::string& module = {});
    DriverLibrary(DriverLibrary&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
    DriverLibrary& operator=(DriverLibrary&& other) noexcept {
        std::swap(handle_, other.handle_);
        return *this;
    }
    /// Closes the library, unless it is kept.
    ~DriverLibrary();

    /// Leaves the library open until the process ends, as drivers need: they start threads.
    void keep() { handle_ = nullptr; }

    /// The loader's handle. Not after keep().
    void* handle() const { return handle_; }
    /// The function's address; null if the library has none of this name. Not after keep().
    void* find(const char* function) const;
    /// Sets each function that `for_each(visit)` visits, by visit(name, pointer to function). Returns the
    /// name of the first one that is missing, or null.
    template <class ForEach>
    const char* fill(ForEach&& for_each) const {
        const char* missing = nullptr;
        std::forward<ForEach>(for_each)([&](const char* name, auto& function) {
            function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(find(name));
            if (!function && !missing) missing = name;
        });
        return missing;
    }

  private:
    explicit DriverLibrary(void* handle) : handle_(handle) {}
    static Result<DriverLibrary> loaded(const std::string& file);
    void* handle_;
};

/// What the module that has this code exports under a name, though the program may have opened it for nobody else to see; null: nothing.
void* exported_beside(const void* code, const char* name);

MUSTER_API_END
}  // namespace muster
