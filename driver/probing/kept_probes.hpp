// kept_probes.hpp - what earlier processes found out about backends, so that a later one needn't ask those that can't win.
//
// A software rasteriser takes a large part of a second to tell that it is one. If nothing has changed since a
// process asked, routing asks it only after the others. What is kept may only postpone a backend, never choose
// one: a backend that wins is probed (docs/probing.md#what-is-kept). driver/proving/ has the usual one. Threads: any.
#pragma once

#include <muster/driver/probing/probe_result.hpp>
#include <muster/foundation/base/api.hpp>

namespace muster {
struct FleetEntry;
}

namespace muster::probing {
MUSTER_API_BEGIN

class KeptProbes {
  public:
    virtual ~KeptProbes() = default;
    /// True if the newest probe of this backend found no device but such as are emulated in software, and
    /// the machine is as it was.
    virtual bool found_no_native(const FleetEntry& backend) const = 0;
    virtual void keep(const FleetEntry& backend, const ProbeResult& found) const = 0;
};

MUSTER_API_END
}  // namespace muster::probing
