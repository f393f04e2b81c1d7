// uniform_layout.hpp - the layout rules of Vulkan's uniform buffers, which are stricter
// than those of the language.
//
// Without the feature uniformBufferStandardLayout, arrays and structures in a uniform buffer lie at multiples
// of 16 bytes (Vulkan section "Offset and Stride Assignment"). A uniform variable that breaks this is
// declared a storage buffer, for which every device takes the language's layout. Pure.
#pragma once

#include <muster/foundation/ir/type.hpp>

namespace muster::vulkan {

bool fits_uniform_buffer(const TypeTable& types, TypeId type);

}  // namespace muster::vulkan
