// load_data.hpp - what load() needs of a module besides its words, as bytes (Artifact::load_data). Pure.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include <muster/backend-vulkan/lowering/lower.hpp>
#include <muster/foundation/base/result.hpp>

namespace muster::vulkan {

/// `needs_long_loops`: the module must not run where the driver ends long loops (LongLoops),
/// because it doesn't watch them.
struct LoadData {
    SpirvModule module;  // without words and debug map
    bool needs_long_loops = false;
};

std::vector<std::byte> load_data(const LoadData& data);
/// Errors: invalid_argument (not what load_data() gives).
Result<LoadData> read_load_data(std::span<const std::byte> bytes);

}  // namespace muster::vulkan
