#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <system_error>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <muster/driver/platform/environment_variable.hpp>
#include <muster/driver/platform/process.hpp>
#include <muster/foundation/base/printable.hpp>
#include <muster/foundation/base/try.hpp>

namespace muster::platform {
namespace {

constexpr int answer_file = 3;

std::unexpected<Error> cannot(std::string_view call, int error) {
    return fail(ErrorCode::unavailable,
                fmt::format("{} fails: {}.", call, std::system_category().message(error)));
}

struct Pipe {
    FileDescriptor to_read, to_write;
};

/// Makes a pipe whose ends aren't inherited by other processes (close-on-exec) and whose
/// reading end doesn't block.
Result<Pipe> make_pipe() {
    std::array<int, 2> ends{};
    if (pipe(ends.data()) != 0) return cannot("pipe", errno);
    Pipe made{FileDescriptor(ends[0]), FileDescriptor(ends[1])};
    for (const int end : ends)
        if (fcntl(end, F_SETFD, FD_CLOEXEC) != 0) return cannot("fcntl", errno);
    if (fcntl(ends[0], F_SETFL, O_NONBLOCK) != 0) return cannot("fcntl", errno);
    return made;
}

/// Makes a file in memory that holds `input`, positioned at its beginning; none if there is no input.
Result<FileDescriptor> file_of(std::string_view input) {
    if (input.empty()) return FileDescriptor();
    FileDescriptor file(memfd_create("muster", MFD_CLOEXEC));
    if (file.number() < 0) return cannot("memfd_create", errno);
    if (const int error = write_all(file.number(), input)) return cannot("write", error);
    if (lseek(file.number(), 0, SEEK_SET) != 0) return cannot("lseek", errno);
    // A number that spawn() doesn't overwrite.
    FileDescriptor above(fcntl(file.number(), F_DUPFD_CLOEXEC, answer_file + 1));
    if (above.number() < 0) return cannot("fcntl", errno);
    return above;
}

Result<pid_t> spawn(std::span<const std::string> command, int answers_to, const FileDescriptor& input) {
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    if (const int error = posix_spawn_file_actions_init(&files)) return cannot("posix_spawn", error);
    if (const int error = posix_spawnattr_init(&attributes)) {
        posix_spawn_file_actions_destroy(&files);
        return cannot("posix_spawn", error);
    }
    // The pipe comes first: its number may be 0 or 1 if this process has closed these.
    int error = posix_spawn_file_actions_adddup2(&files, answers_to, answer_file);
    if (!error)
        error = input.number() >= 0 ? posix_spawn_file_actions_adddup2(&files, input.number(), 0)
                                    : posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
    if (!error) error = posix_spawn_file_actions_addopen(&files, 1, "/dev/null", O_WRONLY, 0);
#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 34)
    if (!error) error = posix_spawn_file_actions_addclosefrom_np(&files, answer_file + 1);
#endif
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    sigdelset(&all, SIGKILL);
    sigdelset(&all, SIGSTOP);
    if (!error) error = posix_spawnattr_setsigmask(&attributes, &none);
    if (!error) error = posix_spawnattr_setsigdefault(&attributes, &all);
    if (!error) error = posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    std::vector<char*> arguments;
    for (const std::string& argument : command) arguments.push_back(const_cast<char*>(argument.c_str()));
    arguments.push_back(nullptr);
    pid_t child = 0;
    if (!error)
        error = posix_spawn(&child, command.front().c_str(), &files, &attributes, arguments.data(),
                            inherited_environment());
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&files);
    if (error) return cannot(fmt::format("Starting {}", printable(command.front())), error);
    return child;
}

}  // namespace

Result<ChildProcess> ChildProcess::start(std::span<const std::string> command, std::string_view input) {
    Pipe pipe = TRY(make_pipe());
    const FileDescriptor given = TRY(file_of(input));
    const pid_t child = TRY(spawn(command, pipe.to_write.number(), given));
    return ChildProcess(child, std::move(pipe.to_read));  // and reading ends when the child's end is closed
}

ChildProcess::State ChildProcess::state(int& status) {
    int how = 0;
    const pid_t ended = waitpid(id_, &how, WNOHANG);
    if (ended == 0 || (ended < 0 && errno == EINTR)) return State::running;
    if (ended < 0) return State::unknown;
    status = WIFSIGNALED(how) ? WTERMSIG(how) : WEXITSTATUS(how);
    return WIFSIGNALED(how) ? State::signalled : State::exited;
}

void ChildProcess::wait_for_text(std::chrono::milliseconds most) const {
    pollfd about{from_.number(), POLLIN, 0};
    if (is_closed_)  // it is about to end
        std::this_thread::sleep_for(std::min(most, std::chrono::milliseconds(1)));
    else
        (void)poll(&about, 1, static_cast<int>(most.count()));
}

void ChildProcess::read_into(std::string& text, std::size_t most_bytes) {
    std::array<char, 4096> bytes;
    while (text.size() <= most_bytes) {
        const ssize_t count = read(from_.number(), bytes.data(), bytes.size());
        if (count == 0) is_closed_ = true;
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) return;
        text.append(bytes.data(), static_cast<std::size_t>(count));
    }
}

void ChildProcess::kill() const { ::kill(id_, SIGKILL); }

void write_to_parent(const char* bytes, std::size_t count) { (void)write_all(answer_file, {bytes, count}); }

std::string standard_input() {
    std::string all;
    std::array<char, 65536> bytes;
    for (ssize_t count; (count = read(STDIN_FILENO, bytes.data(), bytes.size())) != 0;) {
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) break;
        all.append(bytes.data(), static_cast<std::size_t>(count));
    }
    return all;
}

void belong_to_parent() {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    const rlimit no_core{0, 0};
    setrlimit(RLIMIT_CORE, &no_core);
}

bool has_terminal() { return isatty(STDERR_FILENO) == 1; }

std::uint32_t process_number() { return static_cast<std::uint32_t>(getpid()); }
std::uint32_t thread_number() { return static_cast<std::uint32_t>(gettid()); }

// Linux has a priority for each thread.
void step_back() { (void)setpriority(PRIO_PROCESS, thread_number(), 10); }

void call_at_exit(void (*function)(int status, void*)) { (void)on_exit(function, nullptr); }

}  // namespace muster::platform
