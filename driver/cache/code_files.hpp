// code_files.hpp - files that debuggers and profilers read of code that was compiled in a process: folders in "code" in the cache's
// folder.
//
//     const std::string path = TRY(keep_code_file(group, "saxpy.wgsl", text));   // CACHE/code/GROUP/saxpy.wgsl
//
// Profilers read them when the process has ended, so they stay; nothing limits their number. The folders are made with mode 0700,
// and refused if they are links, belong to another user, or can be read or written by others. Threads and processes: any.
#pragma once

#include <string>
#include <string_view>

#include <muster/foundation/base/api.hpp>
#include <muster/foundation/base/digest.hpp>
#include <muster/foundation/base/result.hpp>

namespace muster::cache {
MUSTER_API_BEGIN

/// Writes a file of the group, unless it is there with these bytes, and returns its path. `name`: characters that don't suit a
/// file's name become '_'. Errors: not_found (there is no cache); refused (the folder isn't ours alone); io_failed.
Result<std::string> keep_code_file(const Digest& group, std::string_view name, std::string_view bytes);
/// As above, in the folder of another cache.
Result<std::string> keep_code_file(const std::string& cache, const Digest& group, std::string_view name,
                                   std::string_view bytes);

MUSTER_API_END
}  // namespace muster::cache
