// Clusters of several processes, as threads: they agree on what they do, and on errors, before data move.
#include <mutex>
#include <set>

#include <doctest/doctest.h>
#include <support/thread_transport.hpp>

#include "cluster/execution/clusters.hpp"

using namespace muster;
using namespace muster::test;

namespace {

/// What each of some processes says at the end of `work`; in each, a cluster of `members` doubles.
template <class Work>
std::vector<std::string> said(std::uint32_t processes, Work&& work, std::size_t members = 1) {
    std::vector<std::string> all(processes);
    in_processes(processes, [&](std::shared_ptr<cluster::Transport> transport) {
        Doubles doubles(members);
        ClusterOptions options = doubles.options();
        options.transport = transport;
        auto cluster = ClusterSession::open(options);
        all[transport->rank()] = cluster ? work(*cluster, doubles) : cluster.error().to_string();
    });
    return all;
}

template <class T>
std::string text_of(const Result<T>& result) {
    return result ? "fine" : result.error().to_string();
}

void check_each(const std::vector<std::string>& said, const std::string& expected) {
    for (const std::string& each : said) CHECK_MESSAGE(each.find(expected) != std::string::npos, each);
}

void check_all(const std::vector<std::string>& said, const std::string& expected) {
    check_each(said, expected);
    CHECK(std::set(said.begin(), said.end()).size() == 1);
}

Result<ClusterTicket> run_saxpy(ClusterSession& cluster, std::uint32_t a, std::uint64_t count = 64) {
    const auto kernel = cluster.prepare(compiled(saxpy_text));
    if (!kernel) return std::unexpected(kernel.error());
    const auto x = cluster.buffer(counted(64)), y = cluster.buffer(counted(64));
    if (!x || !y) return fail(ErrorCode::internal, "no buffers");
    return cluster.dispatch(*kernel, {{"a", a}, {"x", *x}, {"y", *y}}, Invocations{count});
}

}  // namespace

TEST_CASE("processes with several members each give the results of one device") {
    for (const std::size_t members : {1u, 2u}) {
        const auto all = said(
            3,
            [&](ClusterSession& cluster, Doubles&) {
                CHECK(cluster.members().size() == 3 * members);
                const ClusterKernel neighbours = good(cluster.prepare(compiled(neighbours_text)));
                ClusterBuffer from = good(cluster.buffer(counted(240), Sharded{}));
                ClusterBuffer to = good(cluster.zeros<std::uint32_t>(240, Sharded{}));
                for (int step = 0; step < 4; ++step) {
                    (void)good(
                        good(cluster.dispatch(neighbours, {{"given", from}, {"sums", to}}, Invocations{240}))
                            .wait());
                    std::swap(from, to);
                }
                const bool is_right = good(from.read_all<std::uint32_t>()) ==
                                      summed(counted(240), std::vector<std::uint32_t>(240), 4);
                return std::string(is_right ? "right" : "wrong");
            },
            members);
        check_all(all, "right");
    }
}

TEST_CASE("sums, phases and values that the host reads are the same in every process") {
    check_all(said(3,
                   [](ClusterSession& cluster, Doubles&) {
                       const ClusterKernel count = good(cluster.prepare(compiled(count_text)));
                       const ClusterKernel sweep = good(cluster.prepare(compiled(sweeps_text)));
                       const ClusterBuffer values = good(cluster.buffer(counted(1000), Sharded{}));
                       const ClusterBuffer counts = good(cluster.zeros<std::uint32_t>(4));
                       (void)good(cluster.dispatch(count, {{"values", values}, {"counts", counts}},
                                                   Invocations{1000}));
                       CHECK(good(counts.read_all<std::uint32_t>()) == std::vector<std::uint32_t>(4, 250));
                       const ClusterBuffer even = good(cluster.buffer(counted(160), Sharded{}));
                       const ClusterBuffer odd = good(cluster.zeros<std::uint32_t>(160, Sharded{}));
                       (void)good(cluster.dispatch(sweep, {{"sweeps", 6u}, {"even", even}, {"odd", odd}},
                                                   Invocations{160}));
                       CHECK(good(even.read_all<std::uint32_t>()) ==
                             summed(counted(160), std::vector<std::uint32_t>(160), 6));
                       return std::string("done");
                   }),
              "done");
}

TEST_CASE("a buffer is written and read whole, from or on one process, or by blocks") {
    check_all(
        said(3,
             [](ClusterSession& cluster, Doubles&) {
                 const std::uint32_t rank = cluster.rank();
                 ClusterBuffer x = good(cluster.zeros<std::uint32_t>(90, Sharded{}));
                 CHECK(x.block().offset == 120 * rank);
                 CHECK(x.block().bytes == 120);
                 const auto own = counted(30, 30 * rank);
                 CHECK(x.write_block_bytes(std::as_bytes(std::span(own))));
                 CHECK(good(x.read_all<std::uint32_t>()) == counted(90));
                 const auto all = counted(90, 5);
                 const auto given = rank == 1 ? std::as_bytes(std::span(all)) : std::span<const std::byte>();
                 CHECK(x.write_bytes_from(1, given));
                 CHECK(good(x.read_on<std::uint32_t>(2)) == (rank == 2 ? all : std::vector<std::uint32_t>()));
                 std::vector<std::uint32_t> block(30);
                 CHECK(x.read_block_bytes(std::as_writable_bytes(std::span(block))));
                 CHECK(block == counted(30, 5 + 30 * rank));
                 ClusterBuffer same = good(cluster.zeros<std::uint32_t>(3));
                 CHECK(text_of(same.write_block_bytes({})).find("A replicated buffer has no blocks") == 0);
                 CHECK(text_of(x.write_bytes_from(9, {})).find("There is no process 9: the cluster has 3.") ==
                       0);
                 CHECK(text_of(x.read_bytes_on(9, {})).find("There is no process 9: the cluster has 3.") ==
                       0);
                 return std::string("done");
             }),
        "done");
}

TEST_CASE("what differs between processes is named, in every process") {
    const auto differing = [](auto work) { return said(3, work); };
    check_each(differing([](ClusterSession& cluster, Doubles&) {
                   const char* text = cluster.rank() == 2 ? neighbours_text : saxpy_text;
                   return text_of(cluster.prepare(compiled(text)));
               }),
               "Process 2 gives ClusterSession::prepare another program than process 0.");
    check_all(differing([](ClusterSession& cluster, Doubles&) {
                  const Precision precision = cluster.rank() == 1 ? Precision::fast : Precision::exact;
                  return text_of(cluster.prepare(compiled(saxpy_text), {.precision = precision}));
              }),
              "Process 1 gives ClusterSession::prepare other options than process 0.");
    check_all(differing([](ClusterSession& cluster, Doubles&) {
                  return text_of(run_saxpy(cluster, cluster.rank() / 2));
              }),
              "Process 2 gives ClusterSession::dispatch other arguments than process 0.");
    check_all(differing([](ClusterSession& cluster, Doubles&) {
                  return text_of(run_saxpy(cluster, 1, 64 - 9 * cluster.rank()));
              }),
              "Process 1 gives ClusterSession::dispatch another grid than process 0.");
    check_all(differing([](ClusterSession& cluster, Doubles&) {
                  return text_of(cluster.buffer(4 * (1 + cluster.rank() / 2)));
              }),
              "Process 2 gives ClusterSession::buffer another buffer than process 0.");
    check_each(differing([](ClusterSession& cluster, Doubles&) -> std::string {
                   if (cluster.rank() == 1) return text_of(cluster.buffer(64));
                   return text_of(cluster.prepare(compiled(saxpy_text)));
               }),
               "Process 1 calls ClusterSession::buffer, while process 0 calls ClusterSession::prepare.");
}

TEST_CASE("a program with subgroups needs subgroups of one size") {
    const char* text = R"(
        enable subgroups;
        @group(0) @binding(0) var<storage, read_write> x: array<u32>;
        @compute @workgroup_size(32) fn sum(@builtin(global_invocation_id) id: vec3u) { x[id.x] = subgroupAdd(x[id.x]); })";
    std::vector<std::string> all(2);
    in_processes(2, [&](std::shared_ptr<cluster::Transport> transport) {
        Doubles doubles(1);
        doubles.scripts[0]->info.subgroup_size = 8u << transport->rank();
        doubles.scripts[0]->info.subgroup_sizes = {4, 32};
        doubles.scripts[0]->info.ops.insert(OpGroup::subgroup);
        ClusterOptions options = doubles.options();
        options.transport = transport;
        ClusterSession cluster = Doubles::opened(options);
        all[transport->rank()] = text_of(cluster.prepare(compiled(text)));
        CHECK(cluster.prepare(compiled(text), {.subgroup_size = 16}));
    });
    check_all(all, "Process 1 gives ClusterSession::prepare another size of subgroups than process 0.");
}

TEST_CASE("an error of one process is that of all, before data move") {
    for (const char* which : {"memory", "arguments", "program"}) {
        CAPTURE(which);
        const auto all = said(3, [&](ClusterSession& cluster, Doubles& doubles) {
            const bool is_one = cluster.rank() == 1;
            if (which == std::string("program") && is_one) doubles.scripts[0]->fails_to_compile = true;
            if (which == std::string("memory") && is_one) doubles.scripts[0]->full_at = 1;
            const std::uint64_t size = which == std::string("arguments") && is_one ? UINT64_MAX : 64;
            const std::string text = text_of(run_saxpy(cluster, 3, size));
            CHECK(doubles.scripts[0]->submits == 0);
            return text;
        });
        check_all(all, "working in process 1 of 3");
    }
}

TEST_CASE("a device that is lost in one process is the error of all at the next call") {
    check_all(said(3,
                   [](ClusterSession& cluster, Doubles& doubles) {
                       if (cluster.rank() == 2) doubles.scripts[0]->lost_when_submitted = 1;
                       const auto ticket = run_saxpy(cluster, 3);
                       REQUIRE(ticket);
                       const std::string text = text_of(ticket->wait());
                       CHECK(text_of(run_saxpy(cluster, 3)).starts_with(text));
                       return text;
                   }),
              "The double is lost on purpose.");
}

TEST_CASE("a write that one process can't make changes nothing anywhere") {
    for (const Sharding& sharding : {Sharding(Replicated{}), Sharding(Sharded{})})
        check_all(said(3,
                       [&](ClusterSession& cluster, Doubles&) {
                           ClusterBuffer x = good(cluster.buffer(counted(90), sharding));
                           const std::string text = text_of(x.write(counted(90 - cluster.rank() / 2, 500)));
                           CHECK(good(x.read_all<std::uint32_t>()) == counted(90));
                           const auto block = counted(30 - cluster.rank() / 2, 500);
                           CHECK_FALSE(x.write_block_bytes(std::as_bytes(std::span(block))));
                           CHECK(good(x.read_all<std::uint32_t>()) == counted(90));
                           return text;
                       }),
                  "The buffer has 360 bytes; 356 are given.");
}

TEST_CASE("processes go on after an error of one, or a difference") {
    check_all(said(3,
                   [](ClusterSession& cluster, Doubles&) {
                       const bool is_one = cluster.rank() == 1;
                       CHECK_FALSE(cluster.buffer(is_one ? 6 : 8));
                       CHECK_FALSE(cluster.buffer(is_one ? 12 : 8));
                       const Sharded sharded{.blocks = [&](std::uint64_t rows, std::span<const double>) {
                           return std::vector<std::uint64_t>{0, is_one ? 1 : rows, 0};
                       }};
                       CHECK_FALSE(cluster.buffer(32, sharded));
                       return text_of(run_saxpy(cluster, 3));
                   }),
              "fine");
}
