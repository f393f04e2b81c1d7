// library_search.hpp - finds out, from files alone, what of a library the loader wouldn't find,
// without opening the library.
//
//     if (const auto missing = missing_library("/usr/lib/muster/libcompiler.so"))
//         say(missing->name, missing->needed_by);      // "libLLVM.so.19.1", "/usr/lib/muster/libcompiler.so"
//
// Looks where the system's loader does: LD_LIBRARY_PATH, the run paths of the library that needs another one,
// the loader's cache, the system's folders; among the process's own libraries first. It is a look, no
// promise: a library that is there may still not open, and a loader may know places that files don't tell of.
// On systems without ELF nothing is missing. Threads: any.
#pragma once

#include <optional>
#include <string>

#include <muster/foundation/base/api.hpp>

namespace muster {
MUSTER_API_BEGIN

struct MissingLibrary {
    std::string name;       // as asked for, or as a library's dynamic section has it
    std::string needed_by;  // the library that needs it; empty: it is the one that was asked for
};

/// The first library that isn't there: this one, by path or by name, or one that it needs, or that one of
/// these needs. None: all are there. `opener`: the file of the module that would open it, whose run paths
/// count for a name; empty: none counts.
std::optional<MissingLibrary> missing_library(const std::string& path_or_name,
                                              const std::string& opener = {});

/// The file that the loader would open for a name, or the path itself, if it is a library for this machine. None: there is none, or
/// another file is in its way. On systems without ELF none is found. `opener`: as above.
std::optional<std::string> library_file(const std::string& path_or_name, const std::string& opener = {});

MUSTER_API_END
}  // namespace muster
