// vulkan_validation.hpp - Vulkan's validation layer, on in a whole test program (vulkan_validation.cpp): any
// message fails the program, except those that a test expects and takes.
#pragma once

#include <string>
#include <vector>

namespace muster::test {

/// The layer's messages since the test began, or since the last call.
std::vector<std::string> take_validation_messages();

}  // namespace muster::test
