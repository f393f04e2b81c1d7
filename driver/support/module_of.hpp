// module_of.hpp - the file of the library or program that code is in: what is installed with it is found from there.
// Threads: any.
#pragma once

#include <string>

namespace muster {

/// Without symbolic links. Empty where the system doesn't say.
std::string module_of(const void* code);

/// Of the driver: libmuster, or the program or library that it is linked into statically.
std::string driver_module();

}  // namespace muster
