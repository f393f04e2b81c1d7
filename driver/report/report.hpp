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

namespace muster::report {
MUSTER_API_BEGIN

Json of(Extent3 extent);  // [x, y, z]
Json of(const Error& error);
Json of(const DeviceInfo& device);
Json of(const DeviceCheck& check);
Json of(const Target& target);
Json of(const Route& route);
Json of(const Plugin& plugin);
Json of(std::span<const BindingLayout> bindings);
/// The program that it holds, with its bindings, and its codes.
Json of(const ArtifactFile& file);
/// A backend with its devices; probes it, if its library is open.
Json of(Fleet& fleet, std::size_t backend);
/// All backends, plugins, packs and faults of the process, as `muster backends`. Opens no plugin.
Json of_backends(const std::shared_ptr<Fleet>& fleet);

MUSTER_API_END
}  // namespace muster::report
