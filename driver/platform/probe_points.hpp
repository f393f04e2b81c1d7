// probe_points.hpp - muster's USDT probes: names that perf, bpftrace and gdb can attach to in a running program
// (docs/profiling.md). A probe that nothing is attached to is a nop; where the build has no <sys/sdt.h>, it is nothing.
//
//     probe_points::route("saxpy", "cpu:0");
//
// Texts are passed as pointers to characters that end with NUL. Threads: any.
#pragma once

#include <cstdint>
#include <string>

#if __has_include(<sys/sdt.h>)
#include <sys/sdt.h>
#else
#define DTRACE_PROBE2(provider, name, a, b) (void)(a), (void)(b)
#define DTRACE_PROBE3(provider, name, a, b, c) (void)(a), (void)(b), (void)(c)
#define DTRACE_PROBE4(provider, name, a, b, c, d) (void)(a), (void)(b), (void)(c), (void)(d)
#endif

namespace muster::probe_points {

/// A program has a route: the device that will run it; empty: none will.
inline void route(const std::string& entry, const std::string& device) {
    DTRACE_PROBE2(muster, route, entry.c_str(), device.c_str());
}

/// A device begins to compile a program, or to load its stored code; compile__done follows unless there is a fault.
inline void compile_start(const std::string& entry, const std::string& device) {
    DTRACE_PROBE2(muster, compile__start, entry.c_str(), device.c_str());
}
inline void compile_done(const std::string& entry, const std::string& device) {
    DTRACE_PROBE2(muster, compile__done, entry.c_str(), device.c_str());
}

/// A device has taken a dispatch of so many workgroups. `submission` identifies it until it completes; null: it ended within the call,
/// and no complete follows.
inline void submit(const std::string& entry, const std::string& device, std::uint64_t workgroups,
                   const void* submission) {
    DTRACE_PROBE4(muster, submit, entry.c_str(), device.c_str(), workgroups, submission);
}

/// A device has taken a copy or a fill within its memory.
inline void transfer(const std::string& device, std::uint64_t bytes, const void* submission) {
    DTRACE_PROBE3(muster, transfer, device.c_str(), bytes, submission);
}

/// muster has found that work has ended, with a fault or without.
inline void complete(const std::string& device, const void* submission, bool succeeded) {
    DTRACE_PROBE3(muster, complete, device.c_str(), submission, int{succeeded});
}

/// A call of a device has failed.
inline void fault(const std::string& device, const std::string& code, const std::string& message) {
    DTRACE_PROBE3(muster, fault, device.c_str(), code.c_str(), message.c_str());
}

}  // namespace muster::probe_points
