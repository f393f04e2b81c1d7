// record_file.hpp - reads the records of a library from its file, without loading it.
//
// No code of the library runs, so any file may be read: an incompatible plugin, a broken one, one
// built for a driver that isn't installed. Functions are left out: in a file, a pointer is a relocation.
// Reads 64-bit ELF of this machine's byte order (shared libraries, executables, object files); errors name
// other formats. A truncated or malformed file gives an error, whatever it contains.
// Threads: any. At most 16 MiB of a file are read.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <muster/driver/contract/records.hpp>
#include <muster/foundation/base/result.hpp>

namespace muster {

/// The contents of a record, without its functions.
struct FileRecord {
    std::uint32_t schema = 0;
    RecordKind kind{};
    std::string id;
    std::string abi;
    std::string origin;
    // Set only for records of this schema and of the kind named:
    std::string tags;               // registration
    std::uint32_t rank = unranked;  // precedence
    bool dispatches = false;        // capability
    std::string hides_devices;      // environment

    /// True if this driver would accept its schema and ABI.
    bool usable_here() const;
};

/// All records of a file, sorted by kind and id. Empty if the file holds no backend.
/// Errors: not_found, io_failed (unreadable, truncated, malformed), unsupported (another format).
Result<std::vector<FileRecord>> read_record_file(const std::string& path);

}  // namespace muster
