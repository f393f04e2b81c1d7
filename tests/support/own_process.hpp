// own_process.hpp - runs code that may fault or never end in a process of its own.
#pragma once

#include <array>
#include <csignal>
#include <cstdio>
#include <functional>
#include <optional>
#include <string>

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

namespace muster::test {

/// Turns off core files, and reports of expected faults.
inline void die_quietly() {
    for (const int signal : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGPROF}) std::signal(signal, SIG_DFL);
    const rlimit none{0, 0};
    setrlimit(RLIMIT_CORE, &none);
    const int nowhere = open("/dev/null", O_WRONLY);
    dup2(nowhere, STDERR_FILENO);
    dup2(nowhere, STDOUT_FILENO);
}

struct ProcessEnd {
    int signal = 0;  // the signal that ended it; 0: none
    std::string standard_error;
};

/// Runs the function in a process of its own, and returns how that ended and its standard error.
inline ProcessEnd run_in_own_process(const std::function<void()>& run) {
    std::array<int, 2> ends{};
    REQUIRE(pipe(ends.data()) == 0);
    std::fflush(nullptr);
    const pid_t child = fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        die_quietly();
        dup2(ends[1], STDERR_FILENO);
        run();
        _exit(0);
    }
    close(ends[1]);
    ProcessEnd end;
    std::array<char, 1024> bytes;
    for (ssize_t count; (count = read(ends[0], bytes.data(), bytes.size())) > 0;)
        end.standard_error.append(bytes.data(), static_cast<std::size_t>(count));
    close(ends[0]);
    int status = 0;
    REQUIRE(waitpid(child, &status, 0) == child);
    if (WIFSIGNALED(status)) end.signal = WTERMSIG(status);
    return end;
}

/// The result of `run`, 0 to 255, in a process of its own; nothing if a signal ended it, or if it took this many
/// seconds of processor time. The process is a fork of this one, without its other threads.
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
