#include <type_traits>
#include <utility>

#include <muster/driver/contract/records.hpp>
#include <muster/driver/helper/helper_text.hpp>
#include <muster/driver/probing/probe_answer.hpp>

namespace muster::probing {
namespace {

template <class Archive, class Extent>
void extent(Archive& archive, std::string_view key, Extent& value) {
    auto& [x, y, z] = value;
    archive.number(key, x);
    archive.number(key, y);
    archive.number(key, z);
}

// Each function names all members of its structure, so that adding a member doesn't compile
// until it is exchanged, too.

template <class Archive, class Limits>
void limits(Archive& archive, Limits& value) {
    auto& [workgroup, invocations, workgroup_bytes, workgroups, storage_bytes, uniform_bytes, storages,
           uniforms, private_bytes] = value;
    extent(archive, "max_workgroup_size", workgroup);
    archive.number("max_workgroup_invocations", invocations);
    archive.number("max_workgroup_bytes", workgroup_bytes);
    extent(archive, "max_workgroups", workgroups);
    archive.number("max_storage_binding_bytes", storage_bytes);
    archive.number("max_uniform_binding_bytes", uniform_bytes);
    archive.number("max_storage_bindings", storages);
    archive.number("max_uniform_bindings", uniforms);
    archive.number("max_private_bytes", private_bytes);
}

template <class Archive, class Exact>
void exactness(Archive& archive, Exact& value) {
    auto& [nearest, specials, subnormals, division, root, fused, mathematics, subgroup_order] = value;
    for (auto* promise :
         {&nearest, &specials, &subnormals, &division, &root, &fused, &mathematics, &subgroup_order})
        archive.choice("promise", *promise, Promise::promised);
}

template <class Archive, class Pci>
void pci_address(Archive& archive, Pci& value) {
    auto& [domain, bus, device, function] = value;
    for (auto* number : {&domain, &bus, &device, &function}) archive.number("pci_address", *number);
}

template <class Archive, class Hardware>
void hardware(Archive& archive, Hardware& value) {
    auto& [units, clock, free_bytes, vendor, device, address, unified, copies] = value;
    const auto number = [&](auto& each) { archive.number("value", each); };
    const auto flag = [&](auto& each) { archive.flag("value", each); };
    archive.maybe("compute_units", units, number);
    archive.maybe("clock_mhz", clock, number);
    archive.maybe("free_memory_bytes", free_bytes, number);
    archive.maybe("vendor", vendor, number);
    archive.maybe("device", device, number);
    archive.maybe("has_pci_address", address, [&](auto& each) { pci_address(archive, each); });
    archive.maybe("unified_memory", unified, flag);
    archive.maybe("asynchronous_copies", copies, flag);
}

template <class Archive, class Part>
void missing(Archive& archive, Part& value) {
    auto& [message, fix] = value;
    archive.text("message", message);
    archive.text("fix", fix);
}

template <class Archive, class Info>
void device(Archive& archive, Info& value) {
    auto& [ordinal, name, arch, kind, emulated, uuid, driver, memory_bytes, subgroup_size, subgroup_sizes,
           no_subgroups, all_limits, ops, scalar_types, exact, on_request, compiler, scheduling,
           no_compiler] = value;
    archive.number("ordinal", ordinal);
    archive.text("name", name);
    archive.text("arch", arch);
    archive.choice("kind", kind, DeviceKind::other);
    archive.flag("software_emulated", emulated);
    for (auto& byte : uuid) archive.number("uuid", byte);
    archive.text("driver", driver);
    archive.number("memory_bytes", memory_bytes);
    archive.number("subgroup_size", subgroup_size);
    auto& [least, most] = subgroup_sizes;
    archive.number("least_subgroup_size", least);
    archive.number("most_subgroup_size", most);
    archive.text("no_subgroups", no_subgroups);
    limits(archive, all_limits);
    auto& [core, f16, f32_atomics, wide_atomics, extensions] = ops;
    archive.bits("ops", core);
    archive.bits("ops of f16", f16);
    archive.bits("atomics of f32", f32_atomics);
    archive.flag("atomics of 64 bits", wide_atomics);
    archive.list("extensions", extensions, [&](auto& id) { archive.text("extension", id); });
    archive.bits("scalars", scalar_types);
    exactness(archive, exact);
    archive.flag("on_request", on_request);
    archive.text("compiler", compiler);
    hardware(archive, scheduling);
    archive.maybe("no_compiler", no_compiler, [&](auto& each) { missing(archive, each); });
}

template <class Archive, class Probe>
void answer(Archive& archive, Probe& value) {
    static constexpr BuildText build = build_fingerprint();
    archive.line("muster probe 1");
    archive.line(build.view());
    auto& [state, devices, error, took, on_request] = value;
    (void)took;  // measured by who asks
    archive.choice("state", state, last_probe_state);
    if (state == ProbeState::answered) {
        archive.list("devices", devices, [&](auto& each) { device(archive, each); });
        archive.list("devices on request", on_request, [&](auto& each) { device(archive, each); });
    } else {
        exchange_error(archive, error);
    }
    archive.line("end");
}

}  // namespace

std::string probe_answer(const ProbeResult& result) {
    FieldWriter writer;
    answer(writer, result);
    return std::move(writer).take();
}

Result<ProbeResult> read_probe_answer(std::string_view text) {
    return read_answer<ProbeResult>(text,
                                    [](FieldReader& reader, ProbeResult& result) { answer(reader, result); });
}

}  // namespace muster::probing
