// validation.hpp - Vulkan's validation layer, for tests: what it has to say of this backend's calls.
//
//     vulkan::validate([](std::string_view message) { messages().push_back(message); });   // before anything else
//
// Synchronisation validation is on. Users turn the layer on by the loader's own means (VK_INSTANCE_LAYERS).
#pragma once

#include <string_view>

namespace muster::vulkan {

/// Called for each warning and error, from any thread.
using ValidationSink = void (*)(std::string_view message);

/// Instances created from now on have the layer; where it isn't installed, creating one fails. Null: no layer.
void validate(ValidationSink sink);
ValidationSink validation_sink();

}  // namespace muster::vulkan
