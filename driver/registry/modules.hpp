// modules.hpp - finds every module (the executable, linked and opened shared libraries) that holds records,
// and reads them in place.
//
// On ELF, a walk over dl_iterate_phdr, looking for the note that inventory.hpp emits. Nothing is opened, no
// symbol is looked up, nothing of a module runs. Threads: any, at any time, also while others open and close
// libraries.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <muster/driver/contract/records.hpp>

namespace muster {

struct CodeRegistration;  // code_registration.hpp

/// The records of one module, in the order of its section, which means nothing.
struct Inventory {
    std::string module;  // path of the executable or library
    std::vector<const RecordHeader*>
        records;                       // any kind, schema and ABI; as many bytes each as its header says
    std::vector<std::size_t> damaged;  // offsets of what begins as a record but has no possible size
    std::vector<const CodeRegistration*> code = {};  // whose records these are, where code registered them
};

/// Adds what `section` holds to `inventory`. Padding and sanitizers' red zones between records are skipped,
/// eight bytes at a time. `section` must begin at a multiple of eight, as records do.
void scan_records(std::span<const std::byte> section, Inventory& inventory);

/// All modules that hold records, in the loader's order. Each is pinned first: its records and the functions
/// that they point to stay valid until the process ends, even if someone closes the library.
/// `except`: modules, as the loader names them, that are left out and not pinned.
std::vector<Inventory> read_inventories(std::span<const std::string> except = {});

/// Of the library that dlopen() gave: not pinned. Without records where it holds none, or where the system has no
/// arm for this.
Inventory read_inventory(void* library);

}  // namespace muster
