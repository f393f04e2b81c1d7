// this_module.hpp - the file that the driver itself is in. What is installed with it is found from there.
#pragma once

#include <string>

namespace muster {

/// The path of libmuster, or of the program or library that it is linked into statically. Empty where the system doesn't say.
std::string this_module();

}  // namespace muster
