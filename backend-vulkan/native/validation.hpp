// validation.hpp - Vulkan's validation layer, for tests: reports what is wrong with this backend's calls.
//
//     vulkan::validate([](std::string_view message) { messages().push_back(message); });   // before anything else
//
// Synchronisation validation is on. Users enable the layer by the loader's own means (VK_INSTANCE_LAYERS).
#pragma once

#include <string_view>

namespace muster::vulkan {

/// Receives each warning and error, on any thread.
using ValidationSink = void (*)(std::string_view message);

/// Enables the layer for instances created from now on, whose creation fails if it isn't
/// installed. Null disables it.
void validate(ValidationSink sink);
ValidationSink validation_sink();

}  // namespace muster::vulkan
