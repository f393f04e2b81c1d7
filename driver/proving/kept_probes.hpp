// kept_probes.hpp - the findings of probes in the cache, under the facts of the machine that they depend on.
#pragma once

#include <memory>

#include <muster/driver/helper/verdicts.hpp>
#include <muster/driver/probing/kept_probes.hpp>

namespace muster::proving {

std::shared_ptr<const probing::KeptProbes> kept_probes(Verdicts verdicts);
/// Those of the process's cache. The facts are read when they are first asked for.
std::shared_ptr<const probing::KeptProbes> process_kept_probes();

}  // namespace muster::proving
