// Entry point of the muster tool. Its manual is docs/tool.md.
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <new>

#include <fmt/format.h>

#include <muster/cli/command/command_line.hpp>
#include <muster/cli/support/json.hpp>
#include <muster/driver/platform/signals.hpp>

namespace {

using namespace muster;
using namespace muster::cli;

[[noreturn]] void end_without_memory() {
    complain_of_memory();
    std::_Exit(static_cast<int>(Exit::failed));
}

/// Ends the process where std::bad_alloc can't be caught: on a thread of a library, or in LLVM. Without
/// memory for an exception there is none.
[[noreturn]] void end_at_terminate() {
    try {
        if (std::current_exception()) throw;
        void* const memory = std::malloc(256);
        if (memory == nullptr) end_without_memory();
        std::free(memory);
    } catch (const std::bad_alloc&) {
        end_without_memory();
    } catch (const std::exception& error) {
        complain("muster has a defect: ");
        complain(error.what());
        complain(".\n");
    } catch (...) {  // nothing is known of it
    }
    std::abort();
}

// Before main(), where libraries allocate and nothing can catch std::bad_alloc: it is called
// before their constructors.
void report_from_the_beginning() {
    std::set_new_handler(end_without_memory);
    std::set_terminate(end_at_terminate);
}
[[gnu::section(".preinit_array"), gnu::used]] void (*const before_constructors)() = report_from_the_beginning;

/// Reports failures to write standard output: for example, a full disk may show only now.
int flushed(int exit) {
    if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return exit;
    complain("Standard output can't be written: ");
    complain(std::strerror(errno));
    complain(".\n");
    return static_cast<int>(Exit::failed);
}

int finish(const Attempt<Exit>& outcome, bool json) {
    if (outcome) return flushed(static_cast<int>(*outcome));
    const Failure& failure = outcome.error();
    complain(failure.error);
    if (json)
        print_json({{"error", to_json(report::of(failure.error))}, {"exit", static_cast<int>(failure.exit)}});
    return static_cast<int>(failure.exit);
}

int carry_out(const Message& message) {
    message.exit == 0 ? say(message.text) : complain(message.text);
    return flushed(message.exit);
}
int carry_out(const Command& command) { return finish(command.run(), command.prints_json()); }

/// Runs the command, and returns the exit status.
int run(int count, char** arguments) {
    try {
        return std::visit([](const auto& what) { return carry_out(what); },
                          parse_command_line(count, arguments));
    } catch (const std::bad_alloc&) {
        complain_of_memory();
    } catch (const std::exception& error) {
        complain("muster has a defect: ");
        complain(error.what());
        complain(".\n");
    }
    return static_cast<int>(Exit::failed);
}

}  // namespace

int main(int count, char** arguments) {
    std::set_new_handler(nullptr);
    platform::ignore_file_size_signal();
    const int exit = run(count, arguments);
    if (exit == 0) return exit;
    // A driver that failed, without memory for instance, may have left the loader locked: exit
    // handlers would wait for ever.
    std::fflush(stdout);
    std::_Exit(exit);
}
