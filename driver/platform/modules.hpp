// modules.hpp - the modules of this process, which are the executable and its linked and opened libraries, and the sections of them
// that hold muster's records (driver/contract/inventory.hpp). Opens nothing, looks up no symbol and runs no code of a module.
// Threads: any, at any time, also while others open and close libraries. Internal to driver/.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <muster/foundation/base/api.hpp>

namespace muster::platform {

/// One loaded module; valid while for_each_module() calls back, because it can't be unloaded meanwhile.
class LoadedModule {
  public:
    using Section = std::span<const std::byte>;
    LoadedModule() = default;
    LoadedModule(const LoadedModule&) = delete;
    LoadedModule& operator=(const LoadedModule&) = delete;
    virtual ~LoadedModule() = default;

    virtual std::uintptr_t base() const = 0;
    /// As the loader names it, which has no name for the program.
    virtual const char* loader_name() const = 0;
    virtual bool is_program() const = 0;
    virtual std::string path() const = 0;
    virtual bool contains(std::uintptr_t address) const = 0;
    /// The sections of records, each once. LTO may make several of one module's.
    virtual std::vector<Section> sections() const = 0;
    /// The bytes that it has in its file of the memory that it may write to, in which records are that no longer can be found; none
    /// where they always can.
    virtual std::vector<Section> data() const = 0;
};

/// Calls `visit` for each module, in the loader's order and under its lock.
MUSTER_API void for_each_module(const std::function<void(const LoadedModule&)>& visit);

/// Keeps the library mapped until the process ends. Returns its base address, or none if it is already unloaded.
std::optional<std::uintptr_t> pin_module(const std::string& loader_name);

/// A library that is open, by the loader's handle (DriverLibrary::handle).
struct OpenedModule {
    std::uintptr_t base;
    std::string loader_name;
};
/// None on systems for which this isn't implemented (Mach-O, PE).
std::optional<OpenedModule> opened_module(void* library);

}  // namespace muster::platform
