#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <muster/cli/command/shared_options.hpp>
#include <muster/cli/command/verb.hpp>
#include <muster/cli/report/plugin_listing.hpp>
#include <muster/cli/support/exit.hpp>
#include <muster/cli/support/json.hpp>
#include <muster/cli/support/text.hpp>
#include <muster/driver/policy/environment.hpp>
#include <muster/driver/policy/feature.hpp>
#include <muster/driver/probing/fleet.hpp>
#include <muster/driver/probing/physical_devices.hpp>
#include <muster/driver/process/packs.hpp>
#include <muster/driver/process/process_fleet.hpp>
#include <muster/driver/process/target.hpp>
#include <muster/driver/registry/freeze.hpp>
#include <muster/driver/report/backend_facts.hpp>
#include <muster/foundation/base/try.hpp>
#include <muster/graph/pack/pack.hpp>

namespace muster::cli {
namespace {

struct BackendsArguments {
    std::string target;  // "cuda:sm_90", or a device, "cuda:0"; empty: list every backend
    bool open = false;   // also open plugins
    bool json = false;
};

/// The device's other access paths, if several lead to the same physical device.
std::vector<std::string> other_ways(const std::string& backend, const DeviceInfo& device,
                                    std::span<const PhysicalDevice> physical) {
    const std::string own = AccessPath{backend, device}.id();
    for (const PhysicalDevice& one : physical) {
        if (std::ranges::find(one.paths, own) == one.paths.end()) continue;
        std::vector<std::string> others = one.paths;
        std::erase(others, own);
        return others;
    }
    return {};
}

/// Checks that all of muster's environment variables can be parsed.
Result<void> check_environment() {
    if (auto level = environment_log_level(); !level) return std::unexpected(level.error());
    if (auto layers = environment_layers(); !layers) return std::unexpected(layers.error());
    if (auto probing = environment_probing(); !probing) return std::unexpected(probing.error());
    if (auto bytes = cache_bytes(); !bytes) return std::unexpected(bytes.error());
    if (auto plugins = environment_plugins(); !plugins) return std::unexpected(plugins.error());
    return {};
}

/// The sizes of subgroups: "subgroups of 8", "subgroups of 32 (4 to 128)", "no
/// subgroups (it has no shuffles)".
template <class DeviceOrTarget>
std::string subgroups_text(const DeviceOrTarget& of) {
    const auto [least, most] = of.subgroup_sizes;
    if (most == 0)
        return of.no_subgroups.empty() ? "no subgroups" : fmt::format("no subgroups ({})", of.no_subgroups);
    if (least == most) return fmt::format("subgroups of {}", of.subgroup_size);
    return fmt::format("subgroups of {} ({} to {})", of.subgroup_size, least, most);
}

std::string limits_text(const DeviceLimits& limits) {
    const Extent3 size = limits.max_workgroup_size;
    return fmt::format(
        "workgroups of up to {} invocations ({} x {} x {}) and {} of memory; bindings of up to {}\n",
        limits.max_workgroup_invocations, size.x, size.y, size.z, human_bytes(limits.max_workgroup_bytes),
        human_bytes(limits.max_storage_binding_bytes));
}

Attempt<Exit> show_target(Fleet& fleet, const BackendsArguments& arguments) {
    const Target target = TRY(step(names_device(arguments.target) ? detect_target(fleet, arguments.target)
                                                                  : parse_target(fleet, arguments.target)));
    if (arguments.json) {
        print_json(to_json(report::of(target)));
        return Exit::done;
    }
    say(fmt::format("{}\n  {}, {}\n", target.to_string(), target.exactness.exact() ? "exact" : "inexact",
                    subgroups_text(target)));
    say("  " + limits_text(target.limits));
    say(fmt::format("  has {}\n", fmt::join(features(target), ", ")));
    return Exit::done;
}

/// The known properties of the device's hardware, "8 compute units, up to 2400 MHz, 5.1 GiB
/// free"; empty if nothing is.
std::string hardware_text(const DeviceHardware& hardware) {
    std::vector<std::string> known;
    if (hardware.compute_units) known.push_back(fmt::format("{} compute units", *hardware.compute_units));
    if (hardware.clock_mhz) known.push_back(fmt::format("up to {} MHz", *hardware.clock_mhz));
    if (hardware.free_memory_bytes)
        known.push_back(fmt::format("{} of memory free", human_bytes(*hardware.free_memory_bytes)));
    if (hardware.unified_memory.value_or(false)) known.emplace_back("memory shared with the host");
    if (hardware.asynchronous_copies.value_or(false)) known.emplace_back("copies beside kernels");
    if (hardware.vendor && hardware.device)
        known.push_back(fmt::format("device {:04x}:{:04x}", *hardware.vendor, *hardware.device));
    if (hardware.pci_address) known.push_back(fmt::format("PCI {}", to_string(*hardware.pci_address)));
    return fmt::format("{}", fmt::join(known, ", "));
}

/// The verdict of the device's check: "checked here: 6 of 6".
std::string verdict_text(const Fleet& fleet, std::size_t which, const DeviceInfo& device) {
    if (!fleet.checks_devices(which)) return {};
    const auto check = fleet.known_check(which, device);
    if (!check) return "    not checked here yet: the first route that chooses it does\n";
    return fmt::format("    {}{}{}\n", check->to_string(), check->fails() ? ". " : "", check->failure);
}

void print_device(const Fleet& fleet, std::size_t which, const DeviceInfo& device,
                  std::span<const PhysicalDevice> physical) {
    const FleetEntry& entry = fleet.entry(which);
    say(fmt::format("  {}:{}  {}\n", entry.id, device.ordinal, device.name));
    say(fmt::format("    {} ({}{}), memory {}, {}, {}\n", device.arch, name(device.kind),
                    device.software_emulated ? ", emulated in software" : "",
                    human_bytes(device.memory_bytes), subgroups_text(device),
                    device.exactness.exact() ? "exact" : "inexact"));
    if (const std::string known = hardware_text(device.hardware); !known.empty())
        say(fmt::format("    {}\n", known));
    if (device.no_compiler)
        say(fmt::format("    runs stored code alone: {}\n    Fix: {}\n",
                        indented(device.no_compiler->message, 4), indented(device.no_compiler->fix, 4)));
    if (device.uuid != Uuid{}) say(fmt::format("    also named {}:{}\n", entry.id, to_string(device.uuid)));
    if (const auto others = other_ways(entry.id, device, physical); !others.empty())
        say(fmt::format("    the same device as {}\n", fmt::join(others, " and ")));
    say("    " + limits_text(device.limits));
    say(fmt::format("    has {}\n", fmt::join(features(device), ", ")));
    say(verdict_text(fleet, which, device));
}

void print_backend(Fleet& fleet, std::size_t which, std::span<const PhysicalDevice> physical) {
    const FleetEntry& entry = fleet.entry(which);
    say(fmt::format("{}  {}, {}{}{}\n", entry.id, rank_text(entry.rank),
                    entry.dispatches ? "runs programs" : "emits only", entry.tags.empty() ? "" : ", tagged ",
                    fmt::join(entry.tags, ", ")));
    if (fleet.loaded(which) == nullptr) return say(fmt::format("  plugin, not opened: {}\n", entry.module));
    const ProbeResult& probe = fleet.probe(which);
    if (probe.state != ProbeState::answered) {
        say(fmt::format("  no device: {}\n", indented(probe.error.to_string(), 2)));
    } else if (probe.devices.empty()) {
        say(fmt::format("  no device: it found none\n"));
    }
    for (const std::string& variable : variables_set(entry.hides_devices))
        say(fmt::format("  {} is set: only the devices that it leaves are found\n", variable));
    for (const DeviceInfo& device : probe.devices) print_device(fleet, which, device, physical);
    if (const auto ids = report::ids_on_request(entry, probe); !ids.empty())
        say(fmt::format("  on request: {}\n", fmt::join(ids, ", ")));
    const report::Emission emission = report::emission_of(fleet, which);
    if (!emission.formats.empty()) {
        say(fmt::format("  emits {} for {} and other targets\n", fmt::join(emission.formats, ", "),
                        emission.default_target));
    }
    for (const SpecInfo& spec : emission.specs)
        say(fmt::format("    --spec {}=...  {}{}\n", spec.key, spec.help, spec.runs ? "; also for run" : ""));
}

void print_pack(const ListedPack& listed) {
    const graph::Pack* pack = report::opened_pack(listed);
    if (pack == nullptr)
        return say(fmt::format("pack of patterns {}, in a plugin that isn't opened: {}\n", listed.id,
                               listed.module));
    say(fmt::format(
        "pack of patterns {}, for devices of {}: {}\n  in {}\n", listed.id,
        pack->backends.empty() ? "every backend" : fmt::to_string(fmt::join(pack->backends, ", ")),
        pack->purpose, listed.module));
}

void declare(Options& options, BackendsArguments& to) {
    options.value(to.target, "--target", "TARGET",
                  "Only say what this target promises: BACKEND:ARCH, or a device, BACKEND:0");
    options.flag(to.open, "--open", "Open plugins, too, and probe their devices");
    add_json(options, to.json);
    options.footer("\nExample:\n  muster backends");
}

Attempt<Exit> perform(const BackendsArguments& arguments) {
    TRY(step(check_environment()));
    const std::shared_ptr<Fleet> fleet = process_fleet();
    if (!arguments.target.empty()) return show_target(*fleet, arguments);
    const std::vector<std::size_t> usable = report::usable_backends(*fleet);
    if (arguments.open) {
        for (const std::size_t i : usable)
            if (fleet->entry(i).load) (void)fleet->load(i);  // an error shows up in its probe
        for (const ListedPack& pack : list_packs()) (void)acquire_pack(pack.id);
    }
    if (arguments.json) {
        print_json(to_json(report::of_backends(fleet)));
        return Exit::done;
    }
    if (usable.empty()) say("No usable backend is linked or in a plugin.\n");
    const std::vector<PhysicalDevice> physical = report::physical_devices_of(*fleet, usable);
    for (const std::size_t i : usable) print_backend(*fleet, i, physical);
    for (const ListedPack& pack : list_packs()) print_pack(pack);
    for (const RegistryFault& fault : registry().faults())
        say(fmt::format("\n{}\n", fault.error.to_string()));
    print_plugins();
    return Exit::done;
}

}  // namespace

const Verb verbs::backends{"backends", "List every linked backend, its devices and why it has none",
                           command<BackendsArguments, declare, perform>};

}  // namespace muster::cli
