// The properties of backends, devices and targets.
#include <array>

#include <fmt/format.h>

#include <muster/c/objects.hpp>
#include <muster/driver/policy/feature.hpp>

namespace muster::c {
namespace {

Value axis(Extent3 extent, std::size_t which) {
    return std::uint64_t{std::array{extent.x, extent.y, extent.z}[which]};
}

std::vector<std::string> types_of(const ScalarSet& has) {
    std::vector<std::string> types;
    for (const ScalarInfo& scalar : scalars)
        if (contains(has, scalar.scalar)) types.emplace_back(scalar.name);
    return types;
}

/// A list that is made now.
Property list_of(std::vector<std::string> all) {
    const std::size_t count = all.size();
    return {count, {}, [all = std::move(all)](std::size_t i) { return Value(all[i]); }};
}

Property plain(std::uint64_t value) { return {1, Value(value), nullptr}; }
Property plain(std::string value) { return {1, Value(std::move(value)), nullptr}; }
template <class T>
Property if_known(const std::optional<T>& value) {
    if (!value) return {};
    return plain(std::uint64_t{*value});
}
Property if_known(std::string value) { return value.empty() ? Property{} : plain(std::move(value)); }

Property limit(const DeviceLimits& limits, std::int32_t property) {
    switch (property) {
        case MUSTER_MAX_WORKGROUP_SIZE:
            return {3, {}, [size = limits.max_workgroup_size](std::size_t i) { return axis(size, i); }};
        case MUSTER_MAX_WORKGROUP_INVOCATIONS: return plain(limits.max_workgroup_invocations);
        case MUSTER_MAX_WORKGROUP_BYTES: return plain(limits.max_workgroup_bytes);
        case MUSTER_MAX_WORKGROUPS:
            return {3, {}, [size = limits.max_workgroups](std::size_t i) { return axis(size, i); }};
        case MUSTER_MAX_STORAGE_BINDING_BYTES: return plain(limits.max_storage_binding_bytes);
        case MUSTER_MAX_UNIFORM_BINDING_BYTES: return plain(limits.max_uniform_binding_bytes);
        case MUSTER_MAX_STORAGE_BINDINGS: return plain(limits.max_storage_bindings);
        case MUSTER_MAX_UNIFORM_BINDINGS: return plain(limits.max_uniform_bindings);
        default: return plain(limits.max_private_bytes);
    }
}

/// What devices and targets have both; none for any other property.
template <class DeviceOrTarget>
std::optional<Property> shared(const DeviceOrTarget& of, std::int32_t property) {
    switch (property) {
        case MUSTER_ARCH: return plain(of.arch);
        case MUSTER_DEVICE_KIND: return plain(std::string(name(of.kind)));
        case MUSTER_SUBGROUP_SIZE: return plain(of.subgroup_size);
        case MUSTER_SUBGROUP_LEAST: return plain(of.subgroup_sizes.least);
        case MUSTER_SUBGROUP_MOST: return plain(of.subgroup_sizes.most);
        case MUSTER_IS_EXACT: return plain(of.exactness.exact() ? 1u : 0u);
        case MUSTER_FEATURE: return list_of(features(of));
        case MUSTER_TYPE: return list_of(types_of(of.scalars));
        case MUSTER_MAX_WORKGROUP_SIZE:
        case MUSTER_MAX_WORKGROUP_INVOCATIONS:
        case MUSTER_MAX_WORKGROUP_BYTES:
        case MUSTER_MAX_WORKGROUPS:
        case MUSTER_MAX_STORAGE_BINDING_BYTES:
        case MUSTER_MAX_UNIFORM_BINDING_BYTES:
        case MUSTER_MAX_STORAGE_BINDINGS:
        case MUSTER_MAX_UNIFORM_BINDINGS:
        case MUSTER_MAX_PRIVATE_BYTES: return limit(of.limits, property);
        case MUSTER_NO_COMPILER:
            return if_known(of.no_compiler ? of.no_compiler->message + "\nFix: " + of.no_compiler->fix
                                           : std::string());
        default: return std::nullopt;
    }
}

}  // namespace

Answer<Property> DeviceObject::ask(std::int32_t property) const {
    const DeviceInfo& device = candidate.device;
    const DeviceHardware& hardware = device.hardware;
    if (auto both = shared(device, property)) return *std::move(both);
    switch (property) {
        case MUSTER_ID: return text(candidate.id());
        case MUSTER_NAME: return text(device.name);
        case MUSTER_BACKEND: return text(candidate.backend);
        case MUSTER_RANK: return number(candidate.rank);
        case MUSTER_TAG: return texts(candidate.tags);
        case MUSTER_DRIVER: return text_if(device.driver);
        case MUSTER_UUID: return text_if(device.uuid == Uuid{} ? "" : to_string(device.uuid));
        case MUSTER_ORDINAL: return number(device.ordinal);
        case MUSTER_IS_EMULATED: return number(device.software_emulated ? 1 : 0);
        case MUSTER_MEMORY_BYTES: return device.memory_bytes == 0 ? Property{} : number(device.memory_bytes);
        case MUSTER_FREE_MEMORY_BYTES: {
            const auto which = fleet->find(candidate.backend);
            if (!which) return Property{};
            return if_known(TRY(fleet->backend(*which))->free_memory(device.ordinal));
        }
        case MUSTER_COMPUTE_UNITS: return if_known(hardware.compute_units);
        case MUSTER_CLOCK_MHZ: return if_known(hardware.clock_mhz);
        case MUSTER_VENDOR_NUMBER: return if_known(hardware.vendor);
        case MUSTER_DEVICE_NUMBER: return if_known(hardware.device);
        case MUSTER_PCI_ADDRESS: return text_if(hardware.pci_address ? to_string(*hardware.pci_address) : "");
        case MUSTER_HAS_UNIFIED_MEMORY: return if_known(hardware.unified_memory);
        case MUSTER_COPIES_BESIDE_KERNELS: return if_known(hardware.asynchronous_copies);
        default: return no_property(property);
    }
}

Answer<Property> TargetObject::ask(std::int32_t property) const {
    if (auto both = shared(target, property)) return *std::move(both);
    switch (property) {
        case MUSTER_ID: return text(target.to_string());
        case MUSTER_BACKEND: return text(target.backend);
        default: return no_property(property);
    }
}

Answer<Property> BackendObject::ask(std::int32_t property) const {
    const FleetEntry& entry = fleet->entry(which);
    switch (property) {
        case MUSTER_ID: return text(entry.id);
        case MUSTER_RANK: return number(entry.rank);
        case MUSTER_DISPATCHES: return number(entry.dispatches ? 1 : 0);
        case MUSTER_TAG: return texts(entry.tags);
        case MUSTER_MODULE: return text_if(entry.module);
        case MUSTER_IS_OPENED: return number(!entry.fault && fleet->loaded(which) != nullptr ? 1 : 0);
        case MUSTER_FAULT: return text_if(entry.fault ? entry.fault->to_string() : "");
        default: break;
    }
    if (entry.fault) {
        if (property == MUSTER_PROBE_STATE || property == MUSTER_FORMAT || property == MUSTER_DEFAULT_TARGET)
            return Property{};
    }
    switch (property) {
        case MUSTER_PROBE_STATE: return text(std::string(name(fleet->probe(which).state)));
        case MUSTER_PROBE_ERROR: {
            const ProbeResult& probe = fleet->probe(which);
            return text_if(probe.state == ProbeState::answered ? "" : probe.error.to_string());
        }
        default: break;
    }
    const auto backend =
        entry.fault ? Result<std::shared_ptr<Backend>>(std::unexpected(*entry.fault)) : fleet->backend(which);
    switch (property) {
        case MUSTER_FORMAT: {
            const std::span<const std::string> formats =
                TRY(Result<std::shared_ptr<Backend>>(backend))->formats();
            return list_of({formats.begin(), formats.end()});
        }
        case MUSTER_DEFAULT_TARGET:
            return text(entry.id + ":" + TRY(Result<std::shared_ptr<Backend>>(backend))->default_arch());
        case MUSTER_SPEC_NAME:
        case MUSTER_SPEC_MEANING:
        case MUSTER_SPEC_RUNS: {
            const auto keeps = TRY(Result<std::shared_ptr<Backend>>(backend));
            const std::span<const SpecInfo> specs = keeps->specs();
            return many(specs.size(), [keeps, specs, property](std::size_t i) -> Value {
                if (property == MUSTER_SPEC_RUNS) return std::uint64_t{specs[i].runs ? 1u : 0u};
                return property == MUSTER_SPEC_NAME ? specs[i].key : specs[i].help;
            });
        }
        default: return no_property(property);
    }
}

}  // namespace muster::c
