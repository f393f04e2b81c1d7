// modules.hpp - finds every module (the executable, linked and opened shared libraries) that holds records,
// and reads them in place.
//
// On ELF, it walks the modules with dl_iterate_phdr and looks for the note that inventory.hpp emits. It opens nothing,
// looks up no symbol and runs no code of a module. Threads: any, at any time, also while others open and close
// libraries.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <muster/driver/contract/records.hpp>
#include <muster/foundation/base/api.hpp>

namespace muster {
MUSTER_API_BEGIN

struct CodeRegistration;  // code_registration.hpp: internal

/// The records of one module, in the order of its section, which has no meaning.
struct Inventory {
    std::string module;  // path of the executable or library
    std::vector<const RecordHeader*>
        records;                       // of any kind, schema and ABI; each as long as its header states
    std::vector<std::size_t> damaged;  // offsets of records whose stated size is impossible
    std::vector<const CodeRegistration*> code = {};  // the owners of records that were registered in code
};

/// Adds the records in `section` to `inventory`. Skips padding and sanitizers' red zones between records,
/// eight bytes at a time. `section` must begin at a multiple of eight, as records do.
void scan_records(std::span<const std::byte> section, Inventory& inventory);

/// All modules that hold records, in the loader's order. Each is pinned first: its records and the functions
/// that they point to stay valid until the process ends, even if someone closes the library.
/// `except`: modules, as the loader names them, that are left out and not pinned.
std::vector<Inventory> read_inventories(std::span<const std::string> except = {});

/// The records of the library that dlopen() returned, which isn't pinned. None if it has none, or on systems for which
/// this isn't implemented (Mach-O, PE).
Inventory read_inventory(void* library);

MUSTER_API_END
}  // namespace muster
