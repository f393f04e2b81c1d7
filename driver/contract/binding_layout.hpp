// binding_layout.hpp - what bindings need, as their types say: bytes, element types, and an artifact's list of them. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <muster/driver/contract/artifact.hpp>
#include <muster/foundation/ir/program.hpp>

namespace muster {

/// The least bytes that a binding of this type needs: a run-time array needs one element.
/// WebGPU's "minimum buffer binding size".
std::uint64_t min_binding_bytes(const TypeTable& types, TypeId type);
/// The scalar that all of a type is made of; none where there are several.
std::optional<Scalar> sole_scalar(const TypeTable& types, TypeId type);
/// What an artifact tells of a program's bindings, in their order.
std::vector<BindingLayout> binding_layouts(const Program& program);

}  // namespace muster
