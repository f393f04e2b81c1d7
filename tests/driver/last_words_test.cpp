// The line on standard error when a backend crashes the process.
#include <csignal>
#include <cstdlib>
#include <exception>
#include <functional>
#include <string>

#include <doctest/doctest.h>
#include <support/doubles.hpp>
#include <support/own_process.hpp>

#include <muster/driver/contract/forwarding_backend.hpp>
#include <muster/driver/helper/last_words.hpp>

using namespace muster;
using namespace muster::test;

namespace {

/// Runs the function in a process of its own, with the default action for each signal.
ProcessEnd run_with_default_signals(const std::function<void()>& run) {
    std::fflush(nullptr);
    int ends[2];
    REQUIRE(pipe(ends) == 0);
    const pid_t child = fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        die_quietly();
        for (const int number : {SIGTRAP, SIGSYS}) std::signal(number, SIG_DFL);
        dup2(ends[1], STDERR_FILENO);
        close(ends[1]);
        alarm(60);
        run();
        _exit(0);
    }
    close(ends[1]);
    ProcessEnd result;
    char bytes[512];
    for (ssize_t count; (count = read(ends[0], bytes, sizeof bytes)) > 0;)
        result.standard_error.append(bytes, static_cast<std::size_t>(count));
    close(ends[0]);
    int status = 0;
    REQUIRE(waitpid(child, &status, 0) == child);
    result.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    return result;
}

/// Does what a test says when it is probed.
class Crashing final : public ForwardingBackend {
  public:
    explicit Crashing(std::function<void()> how)
        : ForwardingBackend(std::make_shared<DoubleBackend>(script("crashing", 1))), how_(std::move(how)) {}
    Result<std::vector<DeviceInfo>> probe() override {
        how_();
        return ForwardingBackend::probe();
    }

  private:
    std::function<void()> how_;
};

void probe(const std::function<void()>& how) {
    FleetEntry one = entry(script("crashing", 1));
    one.factory = [how]() -> Result<std::unique_ptr<Backend>> { return std::make_unique<Crashing>(how); };
    Fleet({one}).probe(0);
}

volatile bool goes_on = true;
[[gnu::noinline]] int overflow(volatile int* above) {
    volatile int room[1024];
    room[0] = *above;
    return goes_on ? overflow(room) + room[0] : 0;
}
void throw_something() {
    if (goes_on) throw 7;
}

std::string says(const std::string& how) {
    return "muster: error: the process ends by " + how + " while probing crashing. Fix: ";
}

}  // namespace

TEST_CASE("a probe that ends the process leaves a line that says who was probed") {
    struct Case {
        const char* says;
        int signal;
        std::function<void()> how;
    };
    const Case cases[] = {
        {"signal 6 (aborted)", SIGABRT, [] { std::abort(); }},
        {"signal 6 (aborted)", SIGABRT, [] { std::terminate(); }},
        {"signal 6 (aborted)", SIGABRT, []() noexcept { throw_something(); }},
        {"signal 11 (segmentation fault)", SIGSEGV,
         [] {
             volatile int* volatile nothing =
                 // NOLINTNEXTLINE(performance-no-int-to-ptr): unlike null, no sanitizer's business
                 reinterpret_cast<int*>(std::uintptr_t{64});
             *nothing = 1;
         }},
        {"signal 11 (segmentation fault)", SIGSEGV,
         [] {
             int none = 0;
             overflow(&none);
         }},
        {"signal 11 (segmentation fault)", SIGSEGV, [] { raise(SIGSEGV); }},
        {"signal 4 (illegal instruction)", SIGILL, [] { kill(getpid(), SIGILL); }},
        {"signal 8 (arithmetic error)", SIGFPE, [] { raise(SIGFPE); }},
    };
    for (const Case& one : cases) {
        CAPTURE(&one - cases);
        const ProcessEnd end = run_with_default_signals([&] { probe(one.how); });
        CHECK(end.signal == one.signal);
        CHECK_MESSAGE(end.standard_error.find(says(one.says)) != std::string::npos, end.standard_error);
    }
}

TEST_CASE("a factory that ends the process is named, too") {
    const ProcessEnd end = run_with_default_signals([] {
        FleetEntry one = entry(script("broken", 1));
        one.factory = []() -> Result<std::unique_ptr<Backend>> { std::abort(); };
        Fleet({one}).probe(0);
    });
    CHECK(end.signal == SIGABRT);
    CHECK_MESSAGE(end.standard_error.find("while constructing broken.") != std::string::npos,
                  end.standard_error);
}

TEST_CASE("after a probe the process handles signals as before, and dies of them without a word") {
    const ProcessEnd end = run_with_default_signals([] {
        probe([] {});
        struct sigaction now {};
        sigaction(SIGSEGV, nullptr, &now);
        if (now.sa_handler != SIG_DFL) _exit(1);
        std::abort();
    });
    CHECK(end.signal == SIGABRT);
    CHECK(end.standard_error == "");
}

TEST_CASE("a handler of the program's own is left alone while a backend is probed") {
    const ProcessEnd end = run_with_default_signals([] {
        std::signal(SIGSEGV, [](int) { (void)!write(STDERR_FILENO, "mine\n", 5); });
        std::signal(SIGFPE, SIG_IGN);
        probe([] {
            raise(SIGSEGV);
            raise(SIGFPE);
        });
        struct sigaction now {};
        sigaction(SIGFPE, nullptr, &now);
        if (now.sa_handler != SIG_IGN) std::abort();
    });
    CHECK(end.signal == 0);
    CHECK(end.standard_error == "mine\n");
}

TEST_CASE("MUSTER_LOG=off keeps the last words back, and signals untouched") {
    const ProcessEnd end = run_with_default_signals([] {
        setenv("MUSTER_LOG", "off", 1);
        probe([] { raise(SIGSEGV); });
    });
    CHECK(end.signal == SIGSEGV);
    CHECK(end.standard_error == "");
}

TEST_CASE("what is said is cut where it is long, and has no place where too much is said at once") {
    const ProcessEnd end = run_with_default_signals([] {
        std::vector<std::unique_ptr<helper::LastWords>> many;
        for (int i = 0; i < 100; ++i)
            many.push_back(std::make_unique<helper::LastWords>(std::string(1000, 'x')));
        many.clear();
        const helper::LastWords last("testing");
        raise(SIGSEGV);
    });
    CHECK(end.signal == SIGSEGV);
    CHECK_MESSAGE(end.standard_error.starts_with("muster: error: the process ends by signal 11"),
                  end.standard_error);
    CHECK_MESSAGE(end.standard_error.find("while testing.") != std::string::npos, end.standard_error);
    CHECK(end.standard_error.find("xxx") == std::string::npos);
}
