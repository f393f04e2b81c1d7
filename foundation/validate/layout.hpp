// layout.hpp - what variables of each address space may hold, and how the uniform one lays it out. Internal
// to validate.
#pragma once

#include <optional>
#include <string>

#include <muster/foundation/ir/type.hpp>

namespace muster::validation {

/// A rule that a type breaks: a sentence about the type, and what to do.
struct LayoutFault {
    std::string message;
    std::string fix;
};

/// Function and private variables, and values: no atomic, a size known before the program runs.
std::optional<LayoutFault> constructible_fault(const TypeTable& types, TypeId type);
/// Workgroup variables: a size known before the program runs.
std::optional<LayoutFault> fixed_footprint_fault(const TypeTable& types, TypeId type);
/// Storage variables: no bool; an array sized at run time only as the whole or as the last member of the
/// whole.
std::optional<LayoutFault> storage_fault(const TypeTable& types, TypeId type);
/// Uniform variables: no bool, no atomic, a fixed size, and WGSL's section "Address Space Layout
/// Constraints": array strides are multiples of 16 bytes, structures and arrays start at multiples of 16, and
/// what follows a structure starts no earlier than its size rounded up to 16.
std::optional<LayoutFault> uniform_fault(const TypeTable& types, TypeId type);

}  // namespace muster::validation
