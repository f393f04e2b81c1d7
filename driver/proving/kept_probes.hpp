// kept_probes.hpp - the findings of probes in the cache, under the facts of the machine that they depend on.
#pragma once

#include <memory>
#include <string>

#include <muster/driver/helper/verdicts.hpp>
#include <muster/driver/probing/kept_probes.hpp>

namespace muster {

/// What decides which devices drivers find, as text: since when the machine runs, who asks, which drivers are
/// installed (their manifests, the loader's cache), which devices' files there are, what drivers read of
/// the environment. Files by their identity, size and time of change.
std::string machine_facts();

std::shared_ptr<const KeptProbes> kept_probes(Verdicts verdicts);
/// Those of the process's cache. The facts are read when they are first asked for.
std::shared_ptr<const KeptProbes> process_kept_probes();

}  // namespace muster
