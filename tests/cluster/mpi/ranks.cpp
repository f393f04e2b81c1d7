// ranks.cpp - one process of an MPI job, for tests: mpirun -n 4 ranks CASE [FILE]
//
//   kernels    runs whole kernels, and compares each result with the interpreter's
//   programs   prepares another program in the last process than in the others: every process must get the same error
//   arguments  likewise, dispatches with other arguments
//   memory     likewise, has no memory in the last process
//   messages   likewise, has no memory for messages in the last process, then has it again
//   dies FILE    the last process is killed in the middle; process 0 writes FILE once the result is there, so there mustn't be one
//   leaves FILE  likewise, returns 1 from main
//   quits FILE   likewise, returns 0 from main: the others must get an error
//   stops        the last process is stopped for some seconds: the others say so, and all end well
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <optional>
#include <string>

#include <support/interpreting_double.hpp>
#include <sys/resource.h>
#include <unistd.h>

#include <muster/cluster.hpp>
#include <muster/foundation/wgsl/wgsl.hpp>

#include "cluster/run_whole_kernel.hpp"

using namespace muster;

namespace {

int problem(const std::string& text) {
    std::cerr << text << "\n";
    return 1;
}

bool is_last(const ClusterSession& cluster) { return cluster.rank() + 1 == cluster.size(); }

/// Every process has the whole results; they take turns to compare one, since the interpreter takes longest.
int run_kernels(ClusterSession& cluster) {
    int wrong = 0;
    std::uint32_t turn = 0;
    for (const kernels::WholeKernel& kernel : kernels::whole_kernels()) {
        const std::string name(kernel.name);
        const kernels::Job job = kernel.make({.scale = 1});
        const auto outcome = test::run_on_cluster(cluster, kernel, job, Sharded{});
        if (!outcome) return problem(name + ": " + outcome.error().to_string());
        if (turn++ % cluster.size() == cluster.rank()) {
            const auto expected = kernels::run_interpreted(kernel, job);
            if (!expected) return problem(name + ": " + expected.error().to_string());
            for (const auto& [array, words] : *expected)
                if (outcome->arrays.at(array) != words) wrong += problem(name + ": wrong " + array);
        }
        if (cluster.rank() == 0)
            std::cout << name << (outcome->work.is_cut ? "" : " (not cut)") << ", "
                      << outcome->work.bytes_sent << " bytes sent\n";
    }
    return wrong == 0 ? 0 : 1;
}

ValidProgram scaled(std::uint32_t by) {
    return *validate(
        *wgsl::parse("@group(0) @binding(0) var<storage, read_write> x: array<u32>;\n"
                     "@group(0) @binding(1) var<uniform> more: u32;\n"
                     "@compute @workgroup_size(64) fn scale(@builtin(global_invocation_id) id: vec3u) {\n"
                     "  if id.x < arrayLength(&x) { x[id.x] = " +
                     std::to_string(by) + " * x[id.x] + more; }\n}\n"));
}

/// 0 if the result is an error with this text, and every process says the same.
template <class T>
int expect(const ClusterSession& cluster, const Result<T>& result, const std::string& text) {
    if (result) return problem("there is no error");
    const std::string said = result.error().to_string();
    if (said.find(text) == said.npos) return problem(said);
    if (cluster.rank() == 0) std::cout << said << "\n";
    return 0;
}

/// Limits the process to so many bytes of addresses beside those that it has, until the object ends.
class LimitedMemory {
  public:
    explicit LimitedMemory(std::uint64_t more) {
        getrlimit(RLIMIT_AS, &before_);
        std::uint64_t pages = 0;
        std::ifstream("/proc/self/statm") >> pages;
        rlimit limited = before_;
        limited.rlim_cur = pages * 4096 + more;
        setrlimit(RLIMIT_AS, &limited);
    }
    ~LimitedMemory() { setrlimit(RLIMIT_AS, &before_); }
    LimitedMemory(const LimitedMemory&) = delete;
    LimitedMemory& operator=(const LimitedMemory&) = delete;

  private:
    rlimit before_{};
};

int run_without_room(ClusterSession& cluster) {
    constexpr std::uint32_t count = 24 << 20;
    const auto reverse = cluster.prepare(*validate(
        *wgsl::parse("@group(0) @binding(0) var<storage> x: array<u32>;\n"
                     "@group(0) @binding(1) var<storage, read_write> y: array<u32>;\n"
                     "@compute @workgroup_size(256) fn reverse(@builtin(global_invocation_id) id: vec3u) {\n"
                     "  if id.x < arrayLength(&y) { y[id.x] = x[arrayLength(&x) - 1 - id.x]; }\n}\n")));
    if (!reverse) return problem(reverse.error().to_string());
    auto x = cluster.zeros<std::uint32_t>(count, Sharded{});
    const auto y = cluster.zeros<std::uint32_t>(count, Sharded{});
    if (!x || !y) return problem("there is no memory for buffers");
    const auto own = x->block();
    std::vector<std::uint32_t> words(own.bytes / 4);
    for (std::size_t i = 0; i < words.size(); ++i) words[i] = static_cast<std::uint32_t>(own.offset / 4 + i);
    if (const auto written = x->write_block_bytes(std::as_bytes(std::span(words))); !written)
        return problem(written.error().to_string());
    const auto dispatch = [&](std::uint32_t invocations) {
        return cluster.dispatch(*reverse, {{"x", *x}, {"y", *y}}, Invocations{invocations});
    };
    // The devices take memory for the buffers at their first dispatch.
    if (const auto first = dispatch(256); !first) return problem(first.error().to_string());
    {
        std::optional<LimitedMemory> limit;
        if (is_last(cluster)) limit.emplace(std::uint64_t{16} << 20);
        if (const int wrong = expect(cluster, dispatch(count), " bytes left for messages.")) return wrong;
    }
    if (const auto again = dispatch(count); !again) return problem(again.error().to_string());
    if (const auto read = y->read_block_bytes(std::as_writable_bytes(std::span(words))); !read)
        return problem(read.error().to_string());
    for (std::size_t i = 0; i < words.size(); ++i)
        if (words[i] != count - 1 - (own.offset / 4 + i)) return problem("wrong words");
    return 0;
}

int run(const std::string& which, const std::string& file) {
    const auto transport = cluster::mpi_world();
    if (!transport) return problem(transport.error().to_string());
    ClusterOptions options{.transport = *transport, .devices = {"cpu"}};
    const auto full = std::make_shared<test::DeviceScript>();
    if (which == "memory") {
        const bool is_full = (*transport)->rank() + 1 == (*transport)->size();
        full->full_at = is_full ? 1 : 0;
        options.session.fleet =
            std::make_shared<Fleet>(std::vector{test::entry(full)}, std::chrono::minutes(1));
        options.devices = {full->id};
    }
    options.session.policy.compile_budget = std::chrono::seconds(0);
    auto cluster = ClusterSession::open(options);
    if (!cluster) return problem(cluster.error().to_string());
    if (which == "kernels") return run_kernels(*cluster);
    if (which == "messages") return run_without_room(*cluster);

    const bool last = is_last(*cluster);
    const std::string number = std::to_string(cluster->size() - 1);
    const auto kernel = cluster->prepare(scaled(which == "programs" && last ? 3 : 2));
    if (which == "programs")
        return expect(*cluster, kernel,
                      "Process " + number + " gives ClusterSession::prepare another program");
    if (!kernel) return problem(kernel.error().to_string());
    const std::vector<std::uint32_t> ones(1000, 1);
    const auto x = cluster->buffer(ones, Sharded{});
    if (!x) return problem(x.error().to_string());
    const auto dispatch = [&](std::uint32_t more) {
        return cluster->dispatch(*kernel, {{"x", *x}, {"more", more}}, Invocations{ones.size()});
    };
    if (which == "arguments")
        return expect(*cluster, dispatch(last ? 1u : 0u),
                      "Process " + number + " gives ClusterSession::dispatch other arguments");
    if (which == "memory") return expect(*cluster, dispatch(0), "The double is full on purpose.");
    if (which != "dies" && which != "leaves" && which != "quits" && which != "stops")
        return problem("there is no case " + which);
    for (int times = 0; times < 100; ++times) {
        if (last && times == 50 && which == "stops") {
            // NOLINTNEXTLINE(concurrency-mt-unsafe): one thread
            if (std::system(("(sleep 16; kill -CONT " + std::to_string(getpid()) + ") &").c_str()) != 0)
                return problem("there is no shell");
            std::raise(SIGSTOP);
        } else if (last && times == 50) {
            if (which == "dies") std::raise(SIGKILL);
            return which == "leaves" ? 1 : 0;
        }
        if (const auto ticket = dispatch(0); !ticket) return problem(ticket.error().to_string());
    }
    const auto all = x->read_all<std::uint32_t>();
    if (all && !file.empty() && cluster->rank() == 0) std::ofstream(file) << "written";
    return all ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) { return run(argc > 1 ? argv[1] : "kernels", argc > 2 ? argv[2] : ""); }
