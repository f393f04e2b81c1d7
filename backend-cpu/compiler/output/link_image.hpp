// link_image.hpp - an object file in memory to bytes that run wherever they are mapped.
//
// What the kernel reaches (code and constants) is laid out at fixed distances, and the references among it, all of
// them relative, are resolved. Constants come first, then code; both start aligned as their sections ask, to at most
// 4096 bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include <muster/backend-cpu/compiler/llvm/codegen.hpp>
#include <muster/foundation/base/result.hpp>

namespace muster::cpu {

struct LinkedCode {
    std::vector<std::byte> bytes;
    std::uint64_t entry_offset = 0;
};

/// Errors: compile_failed, naming it, for an undefined symbol, an absolute reference, memory that is written, or an
/// entry that isn't there.
Result<LinkedCode> link_image(const ObjectFile& object, std::string_view entry);

}  // namespace muster::cpu
