// machine_facts.hpp - what decides which devices drivers find, as text, to see that nothing has changed. Threads: any.
#pragma once

#include <string>

namespace muster::platform {

/// Since when the machine runs, who asks, which drivers are installed (their manifests, the loader's cache), which
/// devices' files there are, what drivers read of the environment. Files by their identity, size and time of change.
std::string machine_facts();

/// A file's identity, size and time of change, with its path; empty if it isn't there.
std::string fact_of_file(const std::string& path);

}  // namespace muster::platform
