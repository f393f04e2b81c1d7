// replace_file.hpp - writes a file so that it is never seen half written, and an old one isn't lost to a full disk.
//
// The bytes go to a temporary file beside it, which is then renamed: there is the old file or the new one, whatever
// happens in between. A file that can't be renamed over (its folder can't be written, it has other names or another
// owner) is overwritten once its space is reserved; what is no file (a pipe, a terminal) is written to as it is. A process
// that is killed in between leaves the temporary file, .muster-PID-0.tmp.
// POSIX. Threads: any.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace muster::cli {

/// Returns 0, or the system's errno. Follows symbolic links; keeps the permissions of a file that is there.
int replace_file(const std::string& path, std::span<const std::byte> bytes);

/// The same for standard output.
int write_standard_output(std::span<const std::byte> bytes);

}  // namespace muster::cli
