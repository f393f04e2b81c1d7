#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <muster/driver/routing/prepare.hpp>
#include <muster/foundation/base/printable.hpp>
#include <muster/foundation/base/try.hpp>
#include <muster/foundation/expand/expand.hpp>

namespace muster::routing {

OpSet native_ops(const OpSet& ops, const Exactness& exactness, const CompileOptions& options) {
    if (options.precision == Precision::fast) return ops;
    OpSet native = ops;
    if (exactness.mathematics == Promise::no) native.core &= ~OpSet().insert(OpGroup::math).core;
    const auto keep = [&](Op op, Promise promise) {
        if (promise == Promise::no) native.core.reset(static_cast<std::size_t>(op));
    };
    keep(Op::div, exactness.division);
    keep(Op::rem, exactness.division);  // x - y * trunc(x / y)
    keep(Op::sqrt, exactness.square_root);
    keep(Op::fma, exactness.fma);
    for (const Op op :
         {Op::subgroup_add, Op::subgroup_mul, Op::subgroup_min, Op::subgroup_max, Op::subgroup_inclusive_add,
          Op::subgroup_inclusive_mul, Op::subgroup_exclusive_add, Op::subgroup_exclusive_mul})
        keep(op, exactness.subgroup_order);
    return native;
}

Result<ValidProgram> expand_for(const ValidProgram& program, const OpSet& ops, const Exactness& exactness,
                                const CompileOptions& options) {
    return expand(program, native_ops(ops, exactness, options), options.subgroup_size,
                  options.precision == Precision::fast ? F16Steps::wide : F16Steps::rounded);
}

CompileOptions with_subgroup_size(CompileOptions options, const Program& program, std::uint32_t usual) {
    const ProgramNeeds& needs = program.needs();
    if (needs.subgroup_size != 0) options.subgroup_size = needs.subgroup_size;
    if (options.subgroup_size == 0) options.subgroup_size = usual;
    if (!needs.subgroups) options.subgroup_size = 0;
    return options;
}

Result<void> check_specs(Backend& backend, const Specs& specs, SpecUse use) {
    std::vector<std::string> known;
    for (const SpecInfo& spec : backend.specs())
        if (spec.runs || use == SpecUse::to_emit) known.push_back(spec.key);
    for (const auto& [key, value] : specs) {
        if (std::ranges::find(known, key) != known.end()) continue;
        const std::string fix = known.empty()
                                    ? "leave it out, or name a backend that has it"
                                    : fmt::format("{} has: {}", backend.id(), fmt::join(known, ", "));
        const bool is_declared =
            std::ranges::find(backend.specs(), key, &SpecInfo::key) != backend.specs().end();
        if (is_declared)
            return fail(ErrorCode::invalid_argument,
                        fmt::format("The compile spec \"{}\" of {} is for emission alone.", printable(key),
                                    backend.id()),
                        fix);
        return fail(ErrorCode::invalid_argument,
                    fmt::format("{} has no compile spec \"{}\".", backend.id(), printable(key)), fix);
    }
    return {};
}

}  // namespace muster::routing
