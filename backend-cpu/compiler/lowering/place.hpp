// place.hpp - how this backend lays variables out: those that each invocation has for itself are packed, bindings and
// workgroup variables have WGSL's layout.
#pragma once

#include <cstdint>
#include <vector>

#include <muster/foundation/ir/place.hpp>

namespace muster::cpu {

/// True of variables that each invocation has for itself.
inline bool is_own(const Variable& variable) {
    return variable.space == AddressSpace::function || variable.space == AddressSpace::private_;
}

Place resolve(const Program& program, NodeId reference);

/// By variable: the constant, not zero, that a variable of each invocation begins as where it is never stored to; none
/// of others.
std::vector<NodeId> find_tables(const Program& program);

/// Where the words of a type lie, in bytes of WGSL's layout, and which scalars they are.
struct TypeWord {
    std::uint64_t offset = 0;
    Scalar scalar = Scalar::boolean;
};
std::vector<TypeWord> words_of(const TypeTable& types, TypeId type);

}  // namespace muster::cpu
