// trial.hpp - runs cases on one device within a time limit, whatever the device does.
// Internal to conformance/.
//
// Each run has a thread of its own. One that overruns is left behind with everything that it uses. After an
// error the next run opens a new session. Threads: one.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include <muster/conformance/report.hpp>
#include <muster/conformance/run_case.hpp>

namespace muster::conformance {

/// The outcome of a run on a device, compared with the interpreter.
struct Trial {
    Fault fault = Fault::none;
    ErrorCode code = ErrorCode::internal;  // of a refusal or error
    bool beyond_limits = false;            // refused, because the program needs more than the device has
    std::string text;                      // the first difference, or the error
};

class Trials {
  public:
    /// `options` gives fleet and backends; the policy is made here: this device alone.
    Trials(const SessionOptions& options, std::string device, const DeviceInfo& info,
           std::chrono::nanoseconds timeout);

    /// The bindings' contents after the device ran the case. Errors: timed_out; those
    /// of the session and device.
    Result<Outputs> run(const Case& test, const ValidProgram& program, const CompileOptions& options = {});
    /// Runs the case in exact mode, and compares its results with those expected.
    Trial compare(const Case& test, const ValidProgram& program, const Outputs& expected);

    const DeviceInfo& device() const { return info_; }

  private:
    Result<Session> session();

    SessionOptions options_;
    std::string device_;
    DeviceInfo info_;
    std::chrono::nanoseconds timeout_;
    std::optional<Session> session_;
};

}  // namespace muster::conformance
