// fit.hpp - checks whether a program fits a device or a target: the capability query behind
// routing. Pure; no native call.
//
//     std::vector<Misfit> misfits = fit(*program, device, {});   // empty: it fits
//
// A device needn't have operations that exact mode expands into others: the math group, and division,
// square root and fma of f32 if the device lacks them or doesn't promise to round them once. If a device
// has no grid barriers, the parts into which the program is split at them must fit; a target needs grid
// barriers of its own (see fit_parts). A device that compiles nothing here fits programs that have stored
// code for it, and no others.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <muster/driver/contract/backend.hpp>
#include <muster/driver/routing/route.hpp>
#include <muster/foundation/base/api.hpp>
#include <muster/foundation/ir/program.hpp>

namespace muster {
MUSTER_API_BEGIN

/// One reason why a program doesn't fit.
struct Misfit {
    Reason reason =
        Reason::limit_exceeded;  // operation_missing, type_missing, limit_exceeded, not_exact, no_compiler
    std::string message;         // a full sentence, with the numbers
    std::string fix;
    std::vector<Shortfall> shortfalls;
};

struct FitOptions {
    CompileOptions compile = {};
    bool inexact_ok = false;
    /// True if an artifact file has code of the program that the device loads.
    bool has_code = false;
};

/// The sentence and fix for a program without stored code on a device that compiles nothing here. `who`: the
/// device; `objections`: why it loads none of the program's stored codes; none: the program has none.
Misfit compiles_nothing(std::string_view who, const Missing& compiler, std::string_view entry,
                        const std::optional<std::string>& objections = {});

/// The operations that the program needs from a backend that offers `offered`: an operation that is expanded
/// before compilation counts as the exact ones that it is expanded to.
OpSet needed_ops(const Program& program, const CompileOptions& options, const OpSet& offered,
                 const Exactness& exactness);

/// The promises that an exact device makes and this one doesn't, in words.
std::vector<std::string> missing_promises(const DeviceInfo& device);

std::vector<Misfit> fit(const Program& program, const DeviceInfo& device, const FitOptions& options = {});
std::vector<Misfit> fit(const Program& program, const Target& target, const FitOptions& options = {});
/// As fit(), for emitting the parts into which a program is split at its grid barriers.
std::vector<Misfit> fit_parts(const Program& program, const Target& target, const FitOptions& options = {});
/// Succeeds if the program fits; the error is the first misfit. Errors: unavailable for a device that
/// compiles nothing here, limit_exceeded, unsupported.
Result<void> supports(const DeviceInfo& device, const Program& program, const FitOptions& options = {});

MUSTER_API_END
}  // namespace muster
