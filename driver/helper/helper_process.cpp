#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

#include <muster/driver/helper/helper_process.hpp>
#include <muster/driver/support/may_run.hpp>
#include <muster/driver/support/module_of.hpp>

namespace muster {

Result<std::string> find_probe_helper() {
    std::error_code ignored;
    std::optional<Error> refused;
    const auto beside = [&](const std::string& file) {
        return std::filesystem::canonical(file, ignored).parent_path();
    };
    for (const std::filesystem::path& place :
         {beside(driver_module()) / "muster" / "muster-probe", beside(program_path()) / "muster-probe"}) {
        if (!std::filesystem::is_regular_file(place, ignored)) continue;
        // What is judged is what is started: a link may change at any time.
        const std::string file = std::filesystem::canonical(place, ignored).string();
        auto why = passed_over(file);
        if (!why) return file;
        if (!refused) refused = std::move(why);
    }
    if (refused) return std::unexpected(*std::move(refused));
    return fail(ErrorCode::not_found, "muster-probe isn't installed.",
                "install muster-probe beside libmuster, as muster/muster-probe");
}

}  // namespace muster

#if !defined(_WIN32)

#include <algorithm>
#include <array>
#include <cerrno>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <muster/driver/support/environment_variable.hpp>
#include <muster/driver/support/file_descriptor.hpp>
#include <muster/foundation/base/printable.hpp>
#include <muster/foundation/base/try.hpp>

namespace muster {
namespace {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

constexpr int answer_file = 3;
constexpr milliseconds poll_interval(10);
constexpr milliseconds until_killed(1000);

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
#if defined(__linux__)
    FileDescriptor file(memfd_create("muster", MFD_CLOEXEC));
#else
    FileDescriptor file;
    errno = ENOSYS;
#endif
    if (file.number() < 0) return cannot("memfd_create", errno);
    for (std::string_view rest = input; !rest.empty();) {
        const ssize_t count = write(file.number(), rest.data(), rest.size());
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) return cannot("write", errno);
        rest.remove_prefix(static_cast<std::size_t>(count));
    }
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

/// A running program, read until it ends or is killed.
class Child {
  public:
    Child(pid_t process, FileDescriptor from, std::size_t most_bytes)
        : process_(process), from_(std::move(from)), most_bytes_(most_bytes) {}

    HelperRun wait(const WorkLimit& limit) {
        while (!has_ended()) {
            if (run_.text.size() > most_bytes_) return kill_for(HelperRun::End::too_much_output);
            const auto left = limit.deadline - Clock::now();
            const auto used = processor_time_of_process(process_);
            if (left <= Clock::duration::zero() || used > limit.processor_time)
                return kill_for(HelperRun::End::timed_out);
            poll_once(std::min(std::chrono::ceil<milliseconds>(left), poll_interval));
        }
        read_all();  // reads what it wrote before it ended; doesn't wait for its children, which may keep the pipe open
        if (run_.text.size() > most_bytes_) run_.end = HelperRun::End::too_much_output;
        return std::move(run_);
    }

  private:
    bool has_ended() {
        int status = 0;
        const pid_t ended = waitpid(process_, &status, WNOHANG);
        if (ended == 0 || (ended < 0 && errno == EINTR)) return false;
        if (ended < 0) {
            run_.end = HelperRun::End::unknown;
        } else if (WIFSIGNALED(status)) {
            run_.end = HelperRun::End::signalled;
            run_.status = WTERMSIG(status);
        } else {
            run_.end = HelperRun::End::exited;
            run_.status = WEXITSTATUS(status);
        }
        return true;
    }

    void poll_once(milliseconds most) {
        if (closed_) {  // the program is about to end
            std::this_thread::sleep_for(std::min(most, milliseconds(1)));
            return;
        }
        pollfd about{from_.number(), POLLIN, 0};
        if (poll(&about, 1, static_cast<int>(most.count())) > 0) read_all();
    }

    void read_all() {
        std::array<char, 4096> bytes;
        while (run_.text.size() <= most_bytes_) {
            const ssize_t count = read(from_.number(), bytes.data(), bytes.size());
            if (count == 0) closed_ = true;
            if (count < 0 && errno == EINTR) continue;
            if (count <= 0) return;
            run_.text.append(bytes.data(), static_cast<std::size_t>(count));
        }
    }

    /// Kills the program. One that is stuck in a kernel driver doesn't end when it is
    /// killed, and is left behind.
    HelperRun kill_for(HelperRun::End end) {
        kill(process_, SIGKILL);
        for (const auto deadline = Clock::now() + until_killed; !has_ended() && Clock::now() < deadline;)
            std::this_thread::sleep_for(milliseconds(1));
        run_.end = end;
        return std::move(run_);
    }

    pid_t process_;
    FileDescriptor from_;
    std::size_t most_bytes_;
    bool closed_ = false;
    HelperRun run_;
};

}  // namespace

Result<HelperRun> run_helper(std::span<const std::string> command, const WorkLimit& limit,
                             std::size_t most_bytes, std::string_view input) {
    Pipe pipe = TRY(make_pipe());
    const FileDescriptor given = TRY(file_of(input));
    const pid_t child = TRY(spawn(command, pipe.to_write.number(), given));
    pipe.to_write = FileDescriptor();  // so that reading ends when the child's end is closed
    return Child(child, std::move(pipe.to_read), most_bytes).wait(limit);
}

}  // namespace muster

#else

namespace muster {

Result<HelperRun> run_helper(std::span<const std::string>, const WorkLimit&, std::size_t, std::string_view) {
    return fail(ErrorCode::unsupported, "Isolated probes aren't made for this system yet.",
                "leave MUSTER_PROBE unset");
}

}  // namespace muster

#endif
