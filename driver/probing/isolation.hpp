// isolation.hpp - probes a backend in a process of its own, so that a driver that crashes or hangs affects only its backend.
//
//     const Isolation isolation(find_probe_helper(), Verdicts::process());
//     ProbeResult result = isolation.probe("vulkan", "/usr/lib/libmuster_backend_vulkan.so", 3s);
//
// The process is the helper program muster-probe, which opens the backend's file, constructs and probes the backend, and
// writes the result (probe_answer.hpp). Its failures are states of the result: crashed, timed_out, unreadable,
// no_helper. A backend that is part of the program itself is in no file that the helper could open: not_isolated.
//
// A crash is remembered (verdicts.hpp), so that later processes don't repeat it: within the same boot, for a day
// at most, as long as the backend's file, the helper, the dynamic loader's cache, the environment and every file that was
// mapped when it crashed are unchanged. Only crashes by the backend's own code are kept: not kills and timeouts, which the
// machine may have caused, and no lists of devices, which come and go. Threads: any.
#pragma once

#include <chrono>
#include <memory>
#include <string>

#include <muster/driver/helper/verdicts.hpp>
#include <muster/driver/probing/probe_result.hpp>

namespace muster {

class Isolation {
  public:
    /// `helper`: the program's path; empty if it isn't installed. `verdicts` must outlive this object.
    Isolation(std::string helper, const Verdicts& verdicts)
        : helper_(std::move(helper)), verdicts_(verdicts) {}

    /// Probes a backend. `module`: the file that registers it; empty if no file does.
    ProbeResult probe(const std::string& id, const std::string& module,
                      std::chrono::nanoseconds budget) const;

  private:
    ProbeResult try_in_helper(const std::string& id, const std::string& module,
                              std::chrono::nanoseconds budget) const;

    std::string helper_;
    const Verdicts& verdicts_;
};

/// The isolation that MUSTER_PROBE asks for; null: probes run in this process. A malformed value isolates; opening a
/// session reports it.
std::shared_ptr<const Isolation> environment_isolation();

}  // namespace muster
