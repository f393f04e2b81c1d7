// own_process.hpp - runs something that may fault or never end in a process of its own.
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

/// No core files, no reports of what is expected here.
inline void die_quietly() {
    for (const int signal : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGPROF}) std::signal(signal, SIG_DFL);
    const rlimit none{0, 0};
    setrlimit(RLIMIT_CORE, &none);
    const int nowhere = open("/dev/null", O_WRONLY);
    dup2(nowhere, STDERR_FILENO);
    dup2(nowhere, STDOUT_FILENO);
}

struct Died {
    int signal = 0;    // that ended it; 0: none
    std::string said;  // on standard error
};

/// How a process of its own ends that does this, and what it says meanwhile.
inline Died dies(const std::function<void()>& run) {
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
    Died died;
    std::array<char, 1024> bytes;
    for (ssize_t count; (count = read(ends[0], bytes.data(), bytes.size())) > 0;)
        died.said.append(bytes.data(), static_cast<std::size_t>(count));
    close(ends[0]);
    int status = 0;
    REQUIRE(waitpid(child, &status, 0) == child);
    if (WIFSIGNALED(status)) died.signal = WTERMSIG(status);
    return died;
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
