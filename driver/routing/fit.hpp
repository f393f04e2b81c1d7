// fit.hpp - does a program fit a device or a target? The capability query behind routing. Pure; no native
// call.
//
//     std::vector<Misfit> misfits = fit(*program, device, {});   // empty: it fits
//
// What exact mode writes in other operations isn't asked of the device: the math group, and of f32 also division,
// square root and fma where it doesn't have them or doesn't promise to round them once. Of a device without grid barriers
// it is asked whether what a program is split into at them fits; a target has them or not.
#pragma once

#include <string>
#include <vector>

#include <muster/driver/contract/backend.hpp>
#include <muster/driver/routing/route.hpp>
#include <muster/foundation/ir/program.hpp>

namespace muster {

/// One thing that doesn't fit.
struct Misfit {
    Reason reason = Reason::limit_exceeded;  // operation_missing, type_missing, limit_exceeded or not_exact
    std::string message;                     // a full sentence, with the numbers
    std::string fix;
    std::vector<Shortfall> shortfalls;
};

struct FitOptions {
    CompileOptions compile = {};
    bool inexact_ok = false;
};

/// What the program asks of a backend that offers `offered`: its operations, where those that are expanded
/// before compile count as the exact ones that they are expanded to.
OpSet needed_ops(const Program& program, const CompileOptions& options, const OpSet& offered,
                 const Exactness& exactness);

/// What a device would have to promise to be exact, and doesn't, in words.
std::vector<std::string> missing_promises(const DeviceInfo& device);

std::vector<Misfit> fit(const Program& program, const DeviceInfo& device, const FitOptions& options = {});
std::vector<Misfit> fit(const Program& program, const Target& target, const FitOptions& options = {});
/// As fit(), for emission of what a program with grid barriers is split into at them.
std::vector<Misfit> fit_parts(const Program& program, const Target& target, const FitOptions& options = {});
/// Whether it fits; the error names the first misfit.
Result<void> supports(const DeviceInfo& device, const Program& program, const FitOptions& options = {});

}  // namespace muster
