// modules.hpp - finds every module (the executable, linked and opened shared libraries) that holds records
// for this driver, and reads them in place.
//
// Opens nothing, looks up no symbol and runs no code of a module (driver/platform/modules.hpp). Threads: any, at any time, also while
// others open and close libraries.
//
// A process may hold several drivers: two libraries that each contain the static muster, say. A module
// is read by the driver that it is linked to, as its mark says (inventory.hpp). A module that is
// linked to none is read by libmuster.so's driver if there is one, else by the executable's, else by
// the one that was loaded first.
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

/// A record that can't be reached, because its module has lost the note that leads to it.
struct LostRecord {
    std::string id;
    bool is_of_pack = false;  // else of a backend
};

/// The records of one module, in the order of its section, which has no meaning.
struct Inventory {
    std::string module;  // path of the executable or library
    std::vector<const RecordHeader*>
        records;  // of any kind, schema and ABI; each as long as its header states
    std::vector<std::size_t>
        damaged;  // offsets of records whose stated size reaches over the next one or the end
    std::vector<const CodeRegistration*> code = {};  // the owners of records that were registered in code
    bool is_foreign = false;                         // another driver reads this module
    std::vector<LostRecord> lost = {};               // if set, the module has no other members than `module`
};

/// A variable of each driver, whose address tells it from other copies of muster in the process.
/// Its value means nothing.
extern const std::uint64_t driver_identity;

/// Adds the records in `section` to `inventory`. Skips padding and sanitizers' red zones between records,
/// eight bytes at a time. `section` must begin at a multiple of eight, as records do.
void scan_records(std::span<const std::byte> section, Inventory& inventory);

/// All modules that hold records for this driver, in the loader's order. Each is pinned first: its records
/// and the functions that they point to stay valid until the process ends, even if someone closes the
/// library. `except`: modules, as the loader names them, that are left out and not pinned.
std::vector<Inventory> read_inventories(std::span<const std::string> except = {});

/// The modules that hold records but have lost the note that leads to them, to a tool that strips
/// notes. Searches all of the modules' data, so it is for explaining what is missing. None on
/// systems other than ELF's.
std::vector<Inventory> read_lost_inventories();

/// The records of the library that dlopen() returned, which isn't pinned; also if another driver reads it.
/// None if it has none, or on systems for which this isn't implemented (Mach-O, PE).
Inventory read_inventory(void* library);

MUSTER_API_END
}  // namespace muster
