// build_image.hpp - makes an image (image.hpp) of a lowered kernel: optimises, generates code, links.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include <muster/backend-cpu/compile/compiler.hpp>
#include <muster/backend-cpu/compiler/llvm/target.hpp>
#include <muster/backend-cpu/compiler/lowering/lower.hpp>
#include <muster/driver/contract/artifact.hpp>
#include <muster/foundation/base/result.hpp>

namespace muster::cpu {

/// `width`: LoweredKernel::width. Errors: internal if the module isn't valid; compile_failed.
struct BuiltImage {
    std::vector<std::byte> bytes;
    std::vector<DebugEntry> debug_map;  // by offset from the image's code (ImageHeader::code_offset)
    std::vector<std::byte> debug_data;  // DebugData; empty unless asked for
};

/// `mapped`: the program, if the kernel was lowered with LowerOptions::debug; null: without a debug map.
/// `debug_name`: the kernel's name in the debug data; empty: without that. `observer` may be null.
Result<BuiltImage> build_image(LoweredKernel kernel, const CompileTarget& target, const Machine& machine,
                               std::uint32_t width, const Program* mapped = nullptr,
                               std::string_view debug_name = {}, StageObserver* observer = nullptr);

}  // namespace muster::cpu
