#include <bit>
#include <string_view>
#include <type_traits>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <muster/driver/contract/binding_layout.hpp>
#include <muster/driver/routing/fit.hpp>
#include <muster/driver/routing/grid_barriers.hpp>
#include <muster/driver/routing/prepare.hpp>
#include <muster/foundation/expand/expand.hpp>
#include <muster/foundation/ir/grid_barrier.hpp>
#include <muster/foundation/split/grid_split.hpp>

namespace muster {
namespace {

void fit_ops(std::vector<Misfit>& misfits, const Program& program, const OpSet& ops,
             const Exactness& exactness, const CompileOptions& options, const std::string& who) {
    const OpSet needed = needed_ops(program, options, ops, exactness);
    if (ops.contains(needed)) return;
    misfits.push_back({Reason::operation_missing,
                       fmt::format("{} doesn't have what {} uses: {}.", who, program.entry(),
                                   fmt::join(ops.missing(needed), ", ")),
                       "use another backend, or write the program without",
                       {}});
}

void fit_types(std::vector<Misfit>& misfits, const Program& program, const ScalarSet& types,
               bool has_wide_atomics, const std::string& who) {
    std::vector<std::string_view> missing;
    for (const ScalarInfo& row : scalars)
        if (contains(program.needs().scalars, row.scalar) && !contains(types, row.scalar))
            missing.push_back(row.name);
    if (missing.empty() && program.needs().wide_atomics && !has_wide_atomics)
        missing.emplace_back("atomic<u64>");
    if (missing.empty()) return;
    misfits.push_back(
        {Reason::type_missing,
         fmt::format("{} doesn't have the type {} of {}.", who, fmt::join(missing, ", "), program.entry()),
         "use another backend, or write the program without",
         {}});
}

void fit_limits(std::vector<Misfit>& misfits, const Program& program, const DeviceLimits& limits,
                const std::string& who) {
    const ProgramNeeds& needs = program.needs();
    const Shortfall asked[] = {
        {"invocations per workgroup along x", needs.workgroup_size.x, limits.max_workgroup_size.x},
        {"invocations per workgroup along y", needs.workgroup_size.y, limits.max_workgroup_size.y},
        {"invocations per workgroup along z", needs.workgroup_size.z, limits.max_workgroup_size.z},
        {"invocations per workgroup", needs.workgroup_size.count(), limits.max_workgroup_invocations},
        {"bytes of workgroup memory", needs.workgroup_bytes, limits.max_workgroup_bytes},
        {"bytes of private memory per invocation", needs.private_bytes, limits.max_private_bytes},
        {"storage bindings", needs.storage_bindings, limits.max_storage_bindings},
        {"uniform bindings", needs.uniform_bindings, limits.max_uniform_bindings},
    };
    for (const Shortfall& one : asked)
        if (one.needed > one.available)
            misfits.push_back({Reason::limit_exceeded,
                               fmt::format("{} needs {} {}, more than the {} that {} has.", program.entry(),
                                           one.needed, one.what, one.available, who),
                               fmt::format("use at most {}, or another device", one.available),
                               {one}});
}

template <class DeviceOrTarget>
void fit_subgroups(std::vector<Misfit>& misfits, const Program& program, const DeviceOrTarget& device,
                   const CompileOptions& options, const std::string& who) {
    const ProgramNeeds& needs = program.needs();
    const SubgroupSizes& sizes = device.subgroup_sizes;
    const std::uint32_t asked = needs.subgroup_size != 0 ? needs.subgroup_size : options.subgroup_size;
    if (!needs.subgroups) return;
    if (sizes.most == 0)
        misfits.push_back({Reason::operation_missing,
                           fmt::format("{} has no subgroups, which {} uses{}{}.", who, program.entry(),
                                       device.no_subgroups.empty() ? "" : ": ", device.no_subgroups),
                           "use another backend, or write the program without",
                           {}});
    else if (asked != 0 && (asked < sizes.least || asked > sizes.most || !std::has_single_bit(asked)))
        misfits.push_back(
            {Reason::limit_exceeded,
             fmt::format("{} asks for subgroups of {} invocations; {} has {}.", program.entry(), asked, who,
                         sizes.least == sizes.most
                             ? fmt::format("those of {}", sizes.least)
                             : fmt::format("powers of two from {} to {}", sizes.least, sizes.most)),
             "ask for a size that it has, or for none",
             {{"invocations per subgroup", asked, sizes.most}}});
}

/// Checks the minimum size of each binding; the sizes actually bound are checked at dispatch.
void fit_bindings(std::vector<Misfit>& misfits, const Program& program, const DeviceLimits& limits,
                  const std::string& who) {
    for (const VariableId id : program.bindings()) {
        const Variable& variable = program.variable(id);
        const bool uniform = variable.space == AddressSpace::uniform;
        const Shortfall bytes{fmt::format("bytes in one {} binding", uniform ? "uniform" : "storage"),
                              min_binding_bytes(program.types(), variable.type),
                              uniform ? limits.max_uniform_binding_bytes : limits.max_storage_binding_bytes};
        if (bytes.needed > bytes.available)
            misfits.push_back(
                {Reason::limit_exceeded,
                 fmt::format("\"{}\" of {} takes {} {}, more than the {} that {} has.", variable.name,
                             program.entry(), bytes.needed, bytes.what, bytes.available, who),
                 "use a smaller type, or another device",
                 {bytes}});
    }
}

void fit_exactness(std::vector<Misfit>& misfits, const Program& program, const DeviceInfo& device,
                   const FitOptions& options, const std::string& who) {
    const bool uses_floats =
        contains(program.needs().scalars, Scalar::f32) || contains(program.needs().scalars, Scalar::f16);
    if (!uses_floats || options.inexact_ok || options.compile.precision == Precision::fast) return;
    if (device.exactness.exact()) return;
    misfits.push_back(
        {Reason::not_exact,
         fmt::format("{} doesn't promise {}.", who, fmt::join(missing_promises(device), " and ")),
         "allow inexact devices (Policy::inexact_ok), or ask for fast mode",
         {}});
}

}  // namespace

std::vector<std::string> missing_promises(const DeviceInfo& device) {
    std::vector<std::string> missing;
    if (device.exactness.round_to_nearest_even == Promise::no)
        missing.emplace_back("rounding to nearest even");
    if (device.exactness.signed_zero_inf_nan == Promise::no)
        missing.emplace_back("to preserve signed zero, infinity and NaN");
    return missing;
}

OpSet needed_ops(const Program& program, const CompileOptions& options, const OpSet& offered,
                 const Exactness& exactness) {
    return needed_after_expansion(program, routing::native_ops(offered, exactness, options));
}

namespace {

template <class DeviceOrTarget>
std::vector<Misfit> fit_as_it_is(const Program& program, const DeviceOrTarget& device,
                                 const FitOptions& options, const std::string& who) {
    std::vector<Misfit> misfits;
    fit_ops(misfits, program, device.ops, device.exactness, options.compile, who);
    fit_types(misfits, program, device.scalars, device.ops.wide_atomics, who);
    fit_limits(misfits, program, device.limits, who);
    fit_subgroups(misfits, program, device, options.compile, who);
    fit_bindings(misfits, program, device.limits, who);
    if constexpr (std::is_same_v<DeviceOrTarget, DeviceInfo>)
        fit_exactness(misfits, program, device, options, who);
    return misfits;
}

/// Checks that all parts into which the program is split at its grid barriers fit, with
/// their additional bindings.
template <class DeviceOrTarget>
std::vector<Misfit> fit_split(const Program& program, const DeviceOrTarget& device, const FitOptions& options,
                              const std::string& who) {
    const auto split = split_at_grid_barriers(program, float_results(options.compile));
    if (!split)
        return {{Reason::operation_missing,
                 fmt::format("{} has no grid barriers of its own. {}", who, split.error().message),
                 split.error().fix,
                 {}}};
    for (const SplitPart& part : split->parts) {
        std::vector<Misfit> misfits = fit_as_it_is(*part.program, device, options, who);
        if (misfits.empty()) continue;
        for (Misfit& misfit : misfits)
            misfit.message =
                fmt::format("{} has no grid barriers of its own, and split at them, {}", who, misfit.message);
        return misfits;
    }
    return {};
}

}  // namespace

Misfit compiles_nothing(std::string_view who, const Missing& compiler, std::string_view entry,
                        const std::optional<std::string>& objections) {
    const std::string code = !objections ? fmt::format("{} has no stored code", entry)
                             : objections->empty()
                                 ? fmt::format("no stored code fits {}", entry)
                                 : fmt::format("no stored code fits {}: {}", entry, *objections);
    return {Reason::no_compiler,
            fmt::format("{} compiles nothing here, and {}. {}", who, code, compiler.message),
            compiler.fix,
            {}};
}

std::vector<Misfit> fit(const Program& program, const DeviceInfo& device, const FitOptions& options) {
    const std::string who = device.name.empty() ? "the device" : device.name;
    const bool is_split = has_grid_barriers(program) && !has_own_grid_barriers(device.ops);
    std::vector<Misfit> misfits =
        is_split ? fit_split(program, device, options, who) : fit_as_it_is(program, device, options, who);
    if (device.no_compiler && !options.has_code)
        misfits.push_back(compiles_nothing(who, *device.no_compiler, program.entry()));
    return misfits;
}

std::vector<Misfit> fit(const Program& program, const Target& target, const FitOptions& options) {
    return fit_as_it_is(program, target, options, target.to_string());
}

std::vector<Misfit> fit_parts(const Program& program, const Target& target, const FitOptions& options) {
    return fit_split(program, target, options, target.to_string());
}

Result<void> supports(const DeviceInfo& device, const Program& program, const FitOptions& options) {
    auto misfits = fit(program, device, options);
    if (misfits.empty()) return {};
    const Reason reason = misfits[0].reason;
    const ErrorCode code = reason == Reason::limit_exceeded ? ErrorCode::limit_exceeded
                           : reason == Reason::no_compiler  ? ErrorCode::unavailable
                                                            : ErrorCode::unsupported;
    return fail(code, std::move(misfits[0].message), std::move(misfits[0].fix));
}

}  // namespace muster
