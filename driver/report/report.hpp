// report.hpp - devices, routes, backends and programs as JSON: what the tool prints with --json (docs/tool.md
// has the members), and what other interfaces give their users.
//
// Members stand in the order written; nanoseconds and bytes are integers, fingerprints
// hexadecimal text. Threads: any.
#pragma once

#include <memory>
#include <span>
#include <string>

#include <muster/driver/artifact/artifact_file.hpp>
#include <muster/driver/contract/backend.hpp>
#include <muster/driver/plugins/plugins.hpp>
#include <muster/driver/probing/fleet.hpp>
#include <muster/driver/report/json.hpp>
#include <muster/driver/routing/route.hpp>
#include <muster/foundation/base/api.hpp>
#include <muster/foundation/base/result.hpp>

namespace muster {
MUSTER_API_BEGIN

Json report(Extent3 extent);  // [x, y, z]
Json report(const Error& error);
Json report(const DeviceInfo& device);
Json report(const DeviceCheck& check);
Json report(const Target& target);
Json report(const Route& route);
Json report(const Plugin& plugin);
Json report(std::span<const BindingLayout> bindings);
/// The program that it holds, with its bindings, and its codes.
Json report(const ArtifactFile& file);
/// A backend with its devices; probes it, if its library is open.
Json report(Fleet& fleet, std::size_t backend);
/// All backends, plugins, packs and faults of the process, as `muster backends`. Opens no plugin.
Json report_backends(const std::shared_ptr<Fleet>& fleet);

MUSTER_API_END
}  // namespace muster
