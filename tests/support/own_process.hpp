// own_process.hpp - runs something that may fault or never end in a process of its own.
#pragma once

#include <csignal>
#include <cstdio>
#include <functional>
#include <optional>

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

namespace muster::test {

/// No core files, no reports of what is expected here.
inline void die_quietly() {
    for (const int signal : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGPROF}) std::signal(signal, SIG_DFL);
    const rlimit none{0, 0};
    setrlimit(RLIMIT_CORE, &none);
    const int nowhere = open("/dev/null", O_WRONLY);
    dup2(nowhere, STDERR_FILENO);
    dup2(nowhere, STDOUT_FILENO);
}

/// What `run` returns, 0 to 255; none where a signal ended it, or so many seconds of a processor's time. It has what this
/// process has, but for its other threads.
inline std::optional<int> in_own_process(int seconds, const std::function<int()>& run) {
    std::fflush(nullptr);
    const pid_t child = fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        die_quietly();
        const itimerval limit{.it_interval = {}, .it_value = {seconds, 0}};
        setitimer(ITIMER_PROF, &limit, nullptr);
        _exit(run());
    }
    int status = 0;
    REQUIRE(waitpid(child, &status, 0) == child);
    return WIFEXITED(status) ? std::optional(WEXITSTATUS(status)) : std::nullopt;
}

}  // namespace muster::test
