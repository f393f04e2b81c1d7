// binding.hpp - fits a dispatch's arguments to a program's bindings: once, for every backend. Pure; touches
// no device.
//
// Each binding is given exactly once, by name or by group and binding. Checked: that it exists, type, size,
// access, offset, the device's limits, and that what the program writes overlaps nothing else that is bound.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include <muster/driver/argument.hpp>
#include <muster/driver/backend.hpp>
#include <muster/foundation/program.hpp>
#include <muster/foundation/result.hpp>

namespace muster {

/// An argument in its place.
struct BoundArgument {
    const Variable* variable = nullptr;
    std::variant<BufferRange, const ArgumentValue*> what;  // a range's bytes are filled in
};

/// In Program::bindings() order. `empty_grid`: nothing will run, so that arrays may be empty, too.
/// Errors: invalid_argument (which binding, and why), limit_exceeded, conflict (overlap).
/// The result points into `program` and `arguments`.
Result<std::vector<BoundArgument>> bind_arguments(const Program& program, const DeviceLimits& limits,
                                                  std::span<const Argument> arguments, bool empty_grid);

/// The least bytes that a binding of this type needs: a run-time array needs one element.
/// WebGPU's "minimum buffer binding size".
std::uint64_t min_binding_bytes(const TypeTable& types, TypeId type);
/// The scalar that all of a type is made of; none where there are several.
std::optional<Scalar> sole_scalar(const TypeTable& types, TypeId type);
/// What an artifact tells of a program's bindings, in their order.
std::vector<BindingLayout> binding_layouts(const Program& program);

}  // namespace muster
