// Entry point of the muster tool. Its manual is docs/tool.md.
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <new>

#include <fmt/format.h>
#include <time.h>

#include <muster/cli/command/commands.hpp>
#include <muster/cli/support/json.hpp>

namespace {

using namespace muster;
using namespace muster::cli;

[[noreturn]] void end_without_memory() {
    complain_of_memory();
    std::_Exit(static_cast<int>(Exit::failed));
}

/// Ends the process where std::bad_alloc can't be caught: on a thread of a library, or in LLVM. Without memory for an exception
/// there is none.
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

// Before main(), where libraries allocate and nothing can catch std::bad_alloc: it is called before their constructors.
void report_from_the_beginning() {
    std::set_new_handler(end_without_memory);
    std::set_terminate(end_at_terminate);
}
[[gnu::section(".preinit_array"), gnu::used]] void (*const before_constructors)() = report_from_the_beginning;

std::int64_t nanoseconds(clockid_t clock) {
    timespec time{};
    clock_gettime(clock, &time);
    return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

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
    if (json) print_json({{"error", to_json(failure.error)}, {"exit", static_cast<int>(failure.exit)}});
    return static_cast<int>(failure.exit);
}

struct Run {
    Start start;
    int operator()(const Message& message) const {
        if (message.exit != 0) {
            complain(message.text);
            return message.exit;
        }
        fmt::print("{}", message.text);
        return flushed(message.exit);
    }
    int operator()(const BackendsArguments& arguments) const {
        return finish(command_backends(arguments), arguments.json);
    }
    int operator()(const RouteArguments& arguments) const {
        return finish(command_route(arguments), arguments.json);
    }
    int operator()(const RunArguments& arguments) const {
        return finish(command_run(arguments, start), arguments.json);
    }
    int operator()(const EmitArguments& arguments) const {
        return finish(command_emit(arguments), arguments.json);
    }
    int operator()(const InspectArguments& arguments) const {
        return finish(command_inspect(arguments), arguments.json);
    }
    int operator()(const CheckArguments& arguments) const {
        return finish(command_check(arguments), arguments.json == "-");
    }
    int operator()(const BenchArguments& arguments) const {
        return finish(command_bench(arguments), arguments.json == "-");
    }
    int operator()(const PipelineArguments& arguments) const {
        return finish(command_pipeline(arguments), arguments.json);
    }
    int operator()(const SanitizeArguments& arguments) const {
        return finish(command_sanitize(arguments), arguments.json);
    }
    int operator()(const CacheArguments& arguments) const {
        return finish(command_cache(arguments), arguments.json);
    }
    int operator()(const QuantizeArguments& arguments) const {
        return finish(command_quantize(arguments), arguments.json);
    }
    int operator()(const NewBackendArguments& arguments) const {
        return finish(command_new_backend(arguments), false);
    }
    int operator()(const VersionArguments& arguments) const {
        return finish(command_version(arguments), arguments.json);
    }
    int operator()(const CompleteArguments& arguments) const {
        return finish(command_complete(arguments), false);
    }
};

/// Runs the command, and returns the exit status.
int run(int count, char** arguments, const Start& start) {
    try {
        return std::visit(Run{start}, parse_arguments(count, arguments));
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
    // A write beyond the file size limit becomes an error instead of ending the process.
    std::signal(SIGXFSZ, SIG_IGN);
    // Time spent before main(), loading libraries, counts too.
    const Start start{nanoseconds(CLOCK_MONOTONIC) - nanoseconds(CLOCK_PROCESS_CPUTIME_ID)};
    const int exit = run(count, arguments, start);
    if (exit == 0) return exit;
    // A driver that failed, without memory for instance, may have left the loader locked: exit handlers would wait for ever.
    std::fflush(stdout);
    std::_Exit(exit);
}
