// replace_file.hpp - replaces a file atomically.
//
// Nobody sees a half-written file, and a full disk doesn't destroy the old one.
//
// The bytes go to a temporary file in the same folder, which is then renamed; at any time there is either the
// old file or the new one. A file that can't be replaced by a rename (its folder isn't writable, or it has
// other hard links or another owner) is overwritten after its space has been reserved; pipes, terminals and
// other non-files are written directly. A process killed in between leaves the temporary file,
// .muster-PID-0.tmp.
//
// Threads: any.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include <muster/foundation/base/api.hpp>

namespace muster::platform {
MUSTER_API_BEGIN

/// Returns 0, or an errno. Follows symbolic links; keeps an existing file's permissions.
int replace_file(const std::string& path, std::span<const std::byte> bytes);

/// Returns 0, or the errno for which this process may not write to the file or folder.
int why_not_writable(const std::string& path);

/// Writes to standard output. Returns 0, or an errno.
int write_standard_output(std::span<const std::byte> bytes);

MUSTER_API_END
}  // namespace muster::platform
