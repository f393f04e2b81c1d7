// binding_layout.hpp - the bytes and element types that bindings need by their types, and an
// artifact's list of them. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <muster/driver/contract/artifact.hpp>
#include <muster/foundation/base/api.hpp>
#include <muster/foundation/ir/program.hpp>

namespace muster {
MUSTER_API_BEGIN

/// A dispatch with more of them takes more allocations.
inline constexpr std::size_t usual_bindings = 8;

/// The minimum size of a binding of this type; a run-time array counts as one element.
/// WebGPU's "minimum buffer binding size".
std::uint64_t min_binding_bytes(const TypeTable& types, TypeId type);
/// The only scalar type that occurs in a type; none if there are several.
std::optional<Scalar> sole_scalar(const TypeTable& types, TypeId type);
/// The layouts of a program's bindings, in their order, as its artifact lists them.
std::vector<BindingLayout> binding_layouts(const Program& program);

/// An artifact with everything that the program determines: entry, workgroup size, bindings, files,
/// fingerprint. Its bytes, format, target and debug map are the backend's to fill in.
Artifact make_artifact(const Program& program, const CompileOptions& options);

MUSTER_API_END
}  // namespace muster
