// layout.hpp - the types that variables of each address space may have. Internal to validate.
#pragma once

#include <optional>
#include <string>

#include <muster/foundation/ir/type.hpp>

namespace muster::validation {

/// A rule that a type breaks: a sentence about the type, and the fix.
struct LayoutFault {
    std::string message;
    std::string fix;
};

/// For function and private variables, and values: no atomic, a size known before the program runs.
std::optional<LayoutFault> constructible_fault(const TypeTable& types, TypeId type);
/// For workgroup variables: a size known before the program runs.
std::optional<LayoutFault> fixed_footprint_fault(const TypeTable& types, TypeId type);
/// For storage variables: no bool; a run-time array only as the whole type or as the
/// last member of the whole.
std::optional<LayoutFault> storage_fault(const TypeTable& types, TypeId type);
/// For uniform variables: no bool, no atomic, a fixed size. Their layout is that of storage, as WGSL's
/// language extension uniform_buffer_standard_layout has it.
std::optional<LayoutFault> uniform_fault(const TypeTable& types, TypeId type);

}  // namespace muster::validation
