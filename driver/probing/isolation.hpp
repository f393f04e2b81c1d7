// isolation.hpp - probes a backend in a process of its own, so that a driver that crashes or hangs costs its backend alone.
//
//     const Isolation isolation(find_probe_helper(), Verdicts::process());
//     ProbeResult result = isolation.probe("vulkan", "/usr/lib/libmuster_backend_vulkan.so", 3s);
//
// The process is the helper program muster-probe, which opens the backend's file, constructs and probes it, and writes
// what it finds (probe_answer.hpp). Whatever becomes of it is a state of the result: crashed, timed_out, unreadable,
// no_helper. A backend that is part of the program itself is in no file that the helper could open: not_isolated.
//
// A crash is remembered (verdicts.hpp), so that the next process doesn't meet it again: within the same boot, for a day
// at most, as long as the backend's file, the helper, the dynamic loader's cache, the environment and every file that was
// mapped when it crashed are what they were. Only what the backend's own code does is kept: not that it was killed, not
// that it took too long, which may be the machine's doing, and no list of devices: these come and go. Threads: any.
#pragma once

#include <chrono>
#include <memory>
#include <string>

#include <muster/driver/helper/verdicts.hpp>
#include <muster/driver/probing/probe_result.hpp>

namespace muster {

class Isolation {
  public:
    /// `helper`: the program's path; empty: there is none. `verdicts` must outlive it.
    Isolation(std::string helper, const Verdicts& verdicts)
        : helper_(std::move(helper)), verdicts_(verdicts) {}

    /// `module`: the file that registers the backend; empty: none.
    ProbeResult probe(const std::string& id, const std::string& module,
                      std::chrono::nanoseconds budget) const;

  private:
    ProbeResult try_in_helper(const std::string& id, const std::string& module,
                              std::chrono::nanoseconds budget) const;

    std::string helper_;
    const Verdicts& verdicts_;
};

/// What MUSTER_PROBE asks for; null: probes run in this process. A value that can't be understood isolates: whoever opens a
/// session is told.
std::shared_ptr<const Isolation> environment_isolation();

}  // namespace muster
