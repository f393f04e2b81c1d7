// vulkan_validation.hpp - Vulkan's validation layer, on in a whole test program (vulkan_validation.cpp): any message of its
// fails the program, but for those that a test takes, because it asked for them.
#pragma once

#include <string>
#include <vector>

namespace muster::test {

/// What the layer has said since the test began, or since it was asked last.
std::vector<std::string> take_validation_messages();

}  // namespace muster::test
