// record_file.hpp - the records of a library that isn't loaded, read from its file.
//
// Nothing of the library runs, so it can be asked of any file: a plugin that may not fit, a broken one, one
// built for a driver that isn't there. Functions are left out: in a file, a pointer is a relocation. Reads
// 64-bit ELF of this machine's byte order (shared libraries, executables, object files); other formats are
// refused by name. A file that is cut short or not what it claims gives an error, whatever it contains.
// Threads: any. At most 16 MiB of a file are read.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <muster/driver/contract/records.hpp>
#include <muster/foundation/base/result.hpp>

namespace muster {

/// What a record says, without its functions.
struct FileRecord {
    std::uint32_t schema = 0;
    RecordKind kind{};
    std::string id;
    std::string abi;
    std::string origin;
    // Of this schema only, by kind:
    std::string tags;               // registration
    std::uint32_t rank = unranked;  // precedence
    bool dispatches = false;        // capability
    std::string hides_devices;      // environment

    /// Whether this driver would take it.
    bool usable_here() const;
};

/// All records of a file, by kind and id. None: no backend of muster's.
/// Errors: not_found, io_failed (unreadable, cut short, not what it claims), unsupported (another format).
Result<std::vector<FileRecord>> read_record_file(const std::string& path);

}  // namespace muster
