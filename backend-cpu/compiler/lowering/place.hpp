// place.hpp - this backend's layout of variables: an invocation's own variables are packed, bindings and workgroup
// variables have WGSL's layout.
#pragma once

#include <cstdint>
#include <vector>

#include <muster/foundation/ir/place.hpp>

namespace muster::cpu {

/// True if each invocation has its own copy of the variable.
inline bool is_per_invocation(const Variable& variable) {
    return variable.space == AddressSpace::function || variable.space == AddressSpace::private_;
}

Place resolve(const Program& program, NodeId reference);

/// By variable: the nonzero constant that an own variable is initialised with, if it is never stored to; otherwise
/// none.
std::vector<NodeId> find_tables(const Program& program);

/// One word of a type: its byte offset in WGSL's layout, and its scalar type. A scalar of 64 bits is two u32.
struct TypeWord {
    std::uint64_t offset = 0;
    Scalar scalar = Scalar::boolean;
    std::uint32_t bytes() const { return info(scalar).bytes; }  // in WGSL's layout
};
std::vector<TypeWord> words_of(const TypeTable& types, TypeId type);

}  // namespace muster::cpu
