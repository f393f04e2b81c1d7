// link_image.hpp - links an object file in memory into bytes that run wherever they are mapped.
//
// Everything that the kernel reaches (code and constants) is laid out at fixed distances, and the
// references, all relative, are resolved. Constants come first, then code; each is aligned as its section
// asks, to at most 4096 bytes. DWARF is no part of the bytes; it is linked for code at debug_code_address.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include <muster/backend-cpu/compiler/llvm/codegen.hpp>
#include <muster/backend-cpu/native/debug_data.hpp>
#include <muster/foundation/base/result.hpp>

namespace muster::cpu {

struct LinkedCode {
    std::vector<std::byte> bytes;
    std::uint64_t entry_offset = 0;
    DebugData debug;  // if asked for
};

/// Errors: compile_failed, which names the undefined symbol, the absolute reference, the writable
/// section or the missing entry. `with_debug`: also links the file's DWARF, and lists its functions, the entry first.
Result<LinkedCode> link_image(const ObjectFile& object, std::string_view entry, bool with_debug = false);

}  // namespace muster::cpu
