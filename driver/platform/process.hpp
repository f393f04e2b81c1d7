// process.hpp - starts a program in a process of its own, and reads what it writes to its file descriptor 3; and what such a program
// needs in turn; and the end of this process. Internal to driver/ and the tool.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include <muster/driver/platform/file.hpp>
#include <muster/foundation/base/api.hpp>
#include <muster/foundation/base/result.hpp>

namespace muster::platform {

/// A running program. It is started with posix_spawn, not fork, so no code of this process runs in it. It inherits this process's
/// environment, but no open files; its standard input is the given text or empty, and its standard output is discarded, because its
/// libraries may print there. One that isn't waited for goes on. Threads: one at a time.
class ChildProcess {
  public:
    /// `command`: its path, then its arguments. Errors: unavailable.
    static Result<ChildProcess> start(std::span<const std::string> command, std::string_view input);

    enum class State {
        running,
        exited,     // by itself; `status` is its exit status
        signalled,  // ended by a signal; `status` is the signal
        unknown,    // its status was lost: this process ignores SIGCHLD, or other code waits for any child
    };
    /// Doesn't wait. Once it isn't running, don't ask again.
    State state(int& status);
    /// Adds to `text` what it has written, until that has more than so many bytes. Doesn't wait for its children, which may keep the
    /// pipe open.
    void read_into(std::string& text, std::size_t most_bytes);
    /// Waits until it writes, or ends, but no longer than this.
    void wait_for_text(std::chrono::milliseconds most) const;
    /// Kills it. One that is stuck in a kernel driver doesn't end then.
    void kill() const;
    int id() const { return id_; }

  private:
    ChildProcess(int id, FileDescriptor from) : id_(id), from_(std::move(from)) {}

    int id_;
    FileDescriptor from_;
    bool is_closed_ = false;
};

MUSTER_API_BEGIN

/// In a program that ChildProcess started: writes to its parent, as long as that reads.
void write_to_parent(const char* bytes, std::size_t count);
/// What is left of standard input.
std::string standard_input();
/// Ends this process when its parent ends, as far as the system can, and lets it leave no memory dump.
void belong_to_parent();

/// The system's numbers of this process and of the calling thread, as its tools show them.
std::uint32_t process_number();
std::uint32_t thread_number();

/// True if standard error goes to a terminal.
bool has_terminal();

MUSTER_API_END

/// Gives other threads of the machine precedence over the calling one, for good.
void step_back();

/// Calls the function with the exit status when this process exits, before the destructors of all libraries loaded by now.
void call_at_exit(void (*function)(int status, void*));

}  // namespace muster::platform
