// module_of.hpp - the file of the library or program that contains given code, to find files installed
// beside it. Threads: any.
#pragma once

#include <string>
#include <string_view>

#include <muster/foundation/base/api.hpp>

namespace muster::platform {
MUSTER_API_BEGIN

/// The path of this program's file; empty if the system doesn't report it. Right also for a program that was
/// started as "ld.so ./program", where /proc/self/exe is the loader.
std::string program_path();

/// The path of the module that `code` is in, without symbolic links. Empty if the system doesn't report it.
std::string module_of(const void* code);

/// True if a file of this name is libmuster itself, the shared driver, also as packages for Python rename it
/// ("libmuster-1f3a.so.0.1").
bool is_driver_library(std::string_view path);

/// The size and time of last change of a file, as text: it tells one build of a module from another. Empty
/// if there is no such file.
std::string build_of_file(const std::string& path);

/// The path of the driver's module: libmuster, or the program or library that it is linked into statically.
std::string driver_module();

MUSTER_API_END
}  // namespace muster::platform
