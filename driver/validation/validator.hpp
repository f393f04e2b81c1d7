// validator.hpp - checks dispatches on the interpreter before a device runs them, and tells what their
// kernels do wrong. Internal to driver/.
//
//     std::unique_ptr<Validator> validator = make_validator(Validation::warn, "cpu:0");     // one for each device
//     if (const auto seed = validator->due(shape)) TRY(validator->check(program, shape, *seed, bytes));
//
// Of the dispatches of a kernel with one grid and one size of each binding, those numbered 1, 2, 4, 8 and so
// on are checked. So a program that dispatches a kernel once is checked, one that does so a million times
// pays for 20 checks, and each check has a seed of its own, hence another order and another sample, and the
// data of its moment. A dispatch that check() refuses isn't counted, so that the next one is checked, too.
//
// A check is a run of sanitize() with one seed, over its usual sample, of at most most_validation_steps. A
// warning is logged once in a process for each kernel and place. Threads: any.
#pragma once

#include <compare>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <muster/driver/policy/policy.hpp>
#include <muster/foundation/base/result.hpp>
#include <muster/foundation/interpreter/interpret.hpp>
#include <muster/foundation/validate/validate.hpp>

namespace muster {

/// The interpreter's steps, of all workgroups together, after which a check ends: less than a second.
inline constexpr std::uint64_t most_validation_steps = std::uint64_t{1} << 26;

/// The properties that dispatches counted together share.
struct DispatchShape {
    Fingerprint program;
    Extent3 grid;
    Extent3 origin{0, 0, 0}, extent = grid;  // of the workgroups that run
    std::uint32_t subgroup_size = 0;         // 0: the program has no subgroups
    std::vector<std::uint64_t> bytes = {};   // of each binding
    auto operator<=>(const DispatchShape&) const = default;
};

class Validator {
  public:
    virtual ~Validator() = default;
    /// Counts a dispatch. Returns the seed to check it with; none if it isn't checked.
    virtual std::optional<std::uint64_t> due(const DispatchShape& shape) = 0;
    /// Runs the program on copies of the bindings' bytes. `guard` says which words it may access; null: all.
    /// What can't be checked, and what is cut off by its steps, is logged once for each kernel. Errors:
    /// invalid_program, with all findings, if the validation is Validation::error.
    virtual Result<void> check(const ValidProgram& program, const DispatchShape& shape, std::uint64_t seed,
                               std::span<const BoundBytes> bindings, WordGuard* guard = nullptr) = 0;
};

/// Null if nothing is to be validated, or nothing can be: in a program that links muster::runtime
/// (runtime/validator.cpp), which is logged once.
std::unique_ptr<Validator> make_validator(Validation validation, std::string device);

}  // namespace muster
