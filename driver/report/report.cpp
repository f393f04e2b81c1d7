#include <fmt/format.h>

#include <muster/driver/contract/binding_layout.hpp>
#include <muster/driver/policy/feature.hpp>
#include <muster/driver/report/report.hpp>

namespace muster::report {
namespace {

Json exactness_json(const Exactness& exactness) {
    return {{"exact", exactness.exact()},
            {"round_to_nearest_even", name(exactness.round_to_nearest_even)},
            {"signed_zero_inf_nan", name(exactness.signed_zero_inf_nan)},
            {"subnormals", name(exactness.subnormals)},
            {"division", name(exactness.division)},
            {"square_root", name(exactness.square_root)},
            {"fma", name(exactness.fma)},
            {"mathematics", name(exactness.mathematics)}};
}

Json limits_json(const DeviceLimits& limits) {
    return {{"max_workgroup_size", of(limits.max_workgroup_size)},
            {"max_workgroup_invocations", limits.max_workgroup_invocations},
            {"max_workgroup_bytes", limits.max_workgroup_bytes},
            {"max_workgroups", of(limits.max_workgroups)},
            {"max_storage_binding_bytes", limits.max_storage_binding_bytes},
            {"max_uniform_binding_bytes", limits.max_uniform_binding_bytes},
            {"max_storage_bindings", limits.max_storage_bindings},
            {"max_uniform_bindings", limits.max_uniform_bindings},
            {"max_private_bytes", limits.max_private_bytes}};
}

Json types_json(const ScalarSet& has) {
    Json types = Json::array();
    for (const ScalarInfo& scalar : scalars) {
        if (contains(has, scalar.scalar)) types.push_back(scalar.name);
    }
    return types;
}

Json estimate_json(const Estimate& estimate) {
    return {{"total_us", estimate.total_us()}, {"run_us", estimate.run_us},
            {"move_us", estimate.move_us},     {"move_bytes", estimate.move_bytes},
            {"credit_us", estimate.credit_us}, {"correction", estimate.correction},
            {"is_guess", estimate.is_guess}};
}

}  // namespace

Json of(const DeviceCheck& check) {
    Json json{{"passed", check.passed}, {"total", check.total}};
    if (check.fails()) json["failure"] = check.failure;
    if (!check.not_done.empty()) json["not_done"] = check.not_done;
    return json;
}

namespace {

Json candidate_json(const CandidateRecord& candidate) {
    Json json{{"id", candidate.id()}, {"backend", candidate.backend}};
    json["rank"] = candidate.rank;
    if (candidate.ordinal) json["ordinal"] = *candidate.ordinal;
    if (!candidate.device.empty()) json["device"] = candidate.device;
    if (!candidate.target.empty()) json["target"] = candidate.target;
    json["stage"] = name(candidate.stage);
    json["reason"] = name(candidate.reason);
    json["message"] = candidate.message;
    if (!candidate.fix.empty()) json["fix"] = candidate.fix;
    if (candidate.failed_first) json["failed_first"] = true;
    for (const Shortfall& shortfall : candidate.shortfalls) {
        json["shortfalls"].push_back(
            {{"what", shortfall.what}, {"needed", shortfall.needed}, {"available", shortfall.available}});
    }
    if (candidate.check) json["check"] = of(*candidate.check);
    if (candidate.estimate) json["estimate"] = estimate_json(*candidate.estimate);
    return json;
}

}  // namespace

Json of(Extent3 extent) { return Json::array({extent.x, extent.y, extent.z}); }

Json of(const Error& error) {
    Json json{{"code", name(error.code)}, {"message", error.message}};
    if (!error.fix.empty()) json["fix"] = error.fix;
    if (!error.context.empty()) json["while"] = error.context;
    return json;
}

namespace {

/// Null if there are no subgroups.
Json sizes_json(const SubgroupSizes& sizes) {
    if (sizes.most == 0) return nullptr;
    return {{"least", sizes.least}, {"most", sizes.most}};
}

template <class T>
Json known(const std::optional<T>& value) {
    return value ? Json(*value) : Json(nullptr);
}

/// Null is unknown.
Json hardware_json(const DeviceHardware& hardware) {
    const auto& [units, clock, free_bytes, vendor, device, address, unified, copies] = hardware;
    return {{"compute_units", known(units)},
            {"clock_mhz", known(clock)},
            {"free_memory_bytes", known(free_bytes)},
            {"vendor", known(vendor)},
            {"device", known(device)},
            {"pci_address", address ? Json(to_string(*address)) : Json(nullptr)},
            {"unified_memory", known(unified)},
            {"asynchronous_copies", known(copies)}};
}

}  // namespace

Json of(const DeviceInfo& device) {
    Json json{{"ordinal", device.ordinal},
              {"name", device.name},
              {"arch", device.arch},
              {"kind", name(device.kind)},
              {"software_emulated", device.software_emulated},
              {"driver", device.driver},
              {"memory_bytes", device.memory_bytes},
              {"subgroup_size", device.subgroup_size},
              {"subgroup_sizes", sizes_json(device.subgroup_sizes)},
              {"types", types_json(device.scalars)},
              {"features", features(device)},
              {"limits", limits_json(device.limits)},
              {"exactness", exactness_json(device.exactness)},
              {"hardware", hardware_json(device.hardware)}};
    if (!device.no_subgroups.empty()) json["no_subgroups"] = device.no_subgroups;
    if (device.no_compiler)
        json["no_compiler"] = {{"message", device.no_compiler->message}, {"fix", device.no_compiler->fix}};
    if (device.uuid != Uuid{}) json["uuid"] = to_string(device.uuid);
    return json;
}

Json of(const Target& target) {
    return {{"target", target.to_string()},
            {"backend", target.backend},
            {"arch", target.arch},
            {"kind", name(target.kind)},
            {"subgroup_size", target.subgroup_size},
            {"subgroup_sizes", sizes_json(target.subgroup_sizes)},
            {"types", types_json(target.scalars)},
            {"features", features(target)},
            {"limits", limits_json(target.limits)},
            {"exactness", exactness_json(target.exactness)}};
}

Json of(const Route& route) {
    const Decision& decision = route.decision();
    Json json{
        {"entry", decision.entry}, {"fingerprint", to_string(decision.fingerprint)}, {"mode", route.mode()}};
    if (const Execute* execute = route.execute()) {
        json["id"] = execute->id();
        json["backend"] = execute->backend;
        json["device"] = execute->device.name;
        json["ordinal"] = execute->device.ordinal;
        if (const GridBarrierUse& use = execute->grid_barriers; use.how != GridBarrierUse::How::none)
            json["grid_barriers"] = {{"how", to_string(use)},
                                     {"dispatches", use.dispatches},
                                     {"scratch_bytes_per_invocation", use.scratch_bytes},
                                     {"scratch_bytes_per_workgroup", use.workgroup_scratch_bytes}};
    }
    if (const EmitOnly* emit = route.emit_only()) {
        json["backend"] = emit->backend;
        json["target"] = emit->target.to_string();
    }
    if (const Refused* refused = route.refused()) json["error"] = of(refused->error);
    json["notes"] = decision.notes;
    json["policy"] = Json::array();
    for (const PolicySetting& setting : decision.policy) {
        json["policy"].push_back({{"setting", setting.name},
                                  {"value", setting.value},
                                  {"from", setting.from},
                                  {"over", setting.over}});
    }
    json["candidates"] = Json::array();
    for (const CandidateRecord& candidate : decision.candidates)
        json["candidates"].push_back(candidate_json(candidate));
    return json;
}

Json of(std::span<const BindingLayout> bindings) {
    Json json = Json::array();
    for (const BindingLayout& binding : bindings) {
        json.push_back({{"name", binding.name},
                        {"group", binding.group},
                        {"binding", binding.binding},
                        {"space", name(binding.space)},
                        {"access", name(binding.access)},
                        {"type", binding.type},
                        {"min_bytes", binding.min_bytes}});
    }
    return json;
}

Json of(const ArtifactFile& file) {
    const Program& program = *file.program;
    Json codes = Json::array();
    for (const Artifact& code : file.codes) {
        Json specs = Json::object();
        for (const auto& [key, value] : code.options.specs) specs[key] = value;
        codes.push_back({{"target", code.target},
                         {"format", code.format},
                         {"fingerprint", to_string(code.fingerprint)},
                         {"precision", name(code.options.precision)},
                         {"subgroup_size", code.options.subgroup_size},
                         {"specs", specs},
                         {"bytes", code.bytes.size()},
                         {"debug_entries", code.debug_map.size()}});
    }
    return {{"entry", program.entry()},
            {"fingerprint", to_string(program.fingerprint())},
            {"workgroup_size", of(program.workgroup_size())},
            {"bindings", of(binding_layouts(program))},
            {"codes", codes}};
}

}  // namespace muster::report
