// place.hpp - this backend's layout of variables: an invocation's own variables are packed, bindings and
// workgroup variables have WGSL's layout.
#pragma once

#include <cstdint>
#include <vector>

#include <muster/foundation/ir/place.hpp>

namespace muster::cpu {

/// True if each invocation has its own copy of the variable.
inline bool is_per_invocation(const Variable& variable) {
    return variable.space == AddressSpace::function || variable.space == AddressSpace::private_;
}

/// True if the kernel never changes the variable, which invocations share.
inline bool is_constant_memory(const Variable& variable) {
    return variable.space == AddressSpace::uniform ||
           (variable.space == AddressSpace::storage && !variable.is_written);
}

/// True if one thread runs all invocations that share the variable, so that atomic
/// operations on it are plain ones.
inline bool is_plain_atomic(const Variable& variable) { return variable.space == AddressSpace::workgroup; }

Place resolve(const Program& program, NodeId reference);

/// The word of its first operand that a word of an extract, a swizzle or a splat is.
std::uint64_t word_of_whole(const Program& program, NodeId part, std::uint64_t word);

/// The nonzero constant, by variable, that an own variable is initialised with, if it is never
/// stored to; otherwise none.
std::vector<NodeId> find_tables(const Program& program);

/// One word of a type: its byte offset in WGSL's layout, and its scalar type. A scalar of 64 bits is two u32.
struct TypeWord {
    std::uint64_t offset = 0;
    Scalar scalar = Scalar::boolean;
    std::uint32_t bytes() const { return info(scalar).bytes; }  // in WGSL's layout
};
std::vector<TypeWord> words_of(const TypeTable& types, TypeId type);

}  // namespace muster::cpu
