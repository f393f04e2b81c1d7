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

#include <muster/cli/commands.hpp>
#include <muster/cli/json.hpp>

namespace {

using namespace muster;
using namespace muster::cli;

/// Reports lack of memory before main(), where CLI11 allocates and nothing can catch std::bad_alloc.
struct ExitOnOutOfMemory {
    ExitOnOutOfMemory() {
        std::set_new_handler([] {
            complain(no_memory);
            std::_Exit(static_cast<int>(Exit::failed));
        });
    }
    static constexpr const char* no_memory =
        "This machine has no memory left for that.\nFix: use smaller arrays.\n";
};
[[gnu::init_priority(101)]] const ExitOnOutOfMemory before_main;  // constructed before all others

std::int64_t nanoseconds(clockid_t clock) {
    timespec time{};
    clock_gettime(clock, &time);
    return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

/// Reports failures to write standard output: for example, a full disk may show only now.
int flushed(int exit) {
    if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return exit;
    complain(fmt::format("Standard output can't be written: {}.\n", std::strerror(errno)));
    return static_cast<int>(Exit::failed);
}

int finish(const Attempt<Exit>& outcome, bool json) {
    if (outcome) return flushed(static_cast<int>(*outcome));
    const Failure& failure = outcome.error();
    complain(failure.error.to_string() + "\n");
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

}  // namespace

int main(int count, char** arguments) {
    std::set_new_handler(nullptr);
    // A write beyond the file size limit becomes an error instead of ending the process.
    std::signal(SIGXFSZ, SIG_IGN);
    // Time spent before main(), loading libraries, counts too.
    const Start start{nanoseconds(CLOCK_MONOTONIC) - nanoseconds(CLOCK_PROCESS_CPUTIME_ID)};
    try {
        return std::visit(Run{start}, parse_arguments(count, arguments));
    } catch (const std::bad_alloc&) {
        complain(ExitOnOutOfMemory::no_memory);
    } catch (const std::exception& error) {
        complain(std::string("muster has a defect: ") + error.what() + ".\n");
    }
    return static_cast<int>(Exit::failed);
}
