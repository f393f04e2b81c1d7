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

#include <muster/driver/contract/backend.hpp>
#include <muster/driver/contract/binding_layout.hpp>
#include <muster/driver/session/argument.hpp>
#include <muster/driver/support/inline_vector.hpp>
#include <muster/foundation/base/result.hpp>
#include <muster/foundation/ir/program.hpp>

namespace muster {

/// A part of a buffer; `bytes` is filled in.
struct BoundRange {
    Buffer::State* buffer = nullptr;
    std::uint64_t offset = 0;
    std::uint64_t bytes = 0;
};

/// An argument in its place.
struct BoundArgument {
    const Variable* variable = nullptr;
    std::variant<BoundRange, const ArgumentValue*> what;
};

using BoundArguments = InlineVector<BoundArgument, usual_bindings>;

/// What a kernel's arguments are held against, binding by binding: worked out once, at prepare.
class BindingRules {
  public:
    BindingRules(Program program, const DeviceLimits& limits);

    /// In Program::bindings() order. `empty_grid`: nothing will run, so that arrays may be empty, too.
    /// Errors: invalid_argument (which binding, and why), limit_exceeded, conflict (overlap).
    /// The result points into the rules' program and `arguments`.
    Result<BoundArguments> bind(std::span<const Argument> arguments, bool empty_grid) const;

    /// Of one binding. For those that say what is wrong.
    struct Rule {
        const Variable* variable = nullptr;
        std::optional<ElementType> element;  // that all of it is made of; none: several
        std::uint64_t min_bytes = 0;
        std::uint64_t max_bytes = 0;  // that the device takes
        bool is_array = false;        // a run-time array, which may be empty where nothing runs
        bool is_sized = false;        // by its type: a value has min_bytes exactly
    };

  private:
    Program program_;
    std::vector<Rule> rules_;
};

}  // namespace muster
