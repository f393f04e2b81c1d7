// binding.hpp - matches a dispatch's arguments to a program's bindings, in the same way for every backend.
//
// Each binding must be given exactly once, by name or by group and binding. The checks cover existence, type,
// size, access, offset and the device's limits, and that a range which the program writes overlaps no other
// bound range. Pure: uses no device.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include <muster/driver/contract/backend.hpp>
#include <muster/driver/contract/binding_layout.hpp>
#include <muster/driver/device/argument.hpp>
#include <muster/driver/support/inline_vector.hpp>
#include <muster/foundation/base/result.hpp>
#include <muster/foundation/ir/program.hpp>

namespace muster {

/// A part of a buffer; `bytes` is its actual size, never 0 for "up to the end".
struct BoundRange {
    Buffer::State* buffer = nullptr;
    std::uint64_t offset = 0;
    std::uint64_t bytes = 0;
};

/// An argument matched to its binding.
struct BoundArgument {
    const Variable* variable = nullptr;
    std::variant<BoundRange, const ArgumentValue*> what;
};

using BoundArguments = InlineVector<BoundArgument, usual_bindings>;

/// The rules that a kernel's arguments must meet, one per binding; built once, at prepare.
class BindingRules {
  public:
    BindingRules(Program program, const DeviceLimits& limits);

    /// Returns the arguments in the order of Program::bindings(). With `empty_grid` nothing will run, so
    /// run-time arrays may be empty.
    /// Errors, with the place where the binding is declared: invalid_argument (which binding, and why),
    /// limit_exceeded, conflict (overlap).
    /// The result points into the rules' program and `arguments`.
    Result<BoundArguments> bind(std::span<const Argument> arguments, bool empty_grid) const;

    /// The rule of one binding. Public for the functions that write the error texts.
    struct Rule {
        const Variable* variable = nullptr;
        std::optional<ElementType> element;  // its only scalar type; none if it has several
        std::uint64_t min_bytes = 0;
        std::uint64_t max_bytes = 0;  // the device's limit for one binding
        bool is_array = false;        // a run-time array, which may be empty if nothing runs
        bool is_sized = false;        // the type fixes the size: a value has min_bytes exactly
    };

  private:
    Program program_;
    std::vector<Rule> rules_;
};

}  // namespace muster
