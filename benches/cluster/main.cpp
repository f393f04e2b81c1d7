// bench_cluster - what a cluster costs beside its kernels: mpirun -n 2 bench_cluster_openmpi
//
// Prints the time of a plan that was made before, the bytes that kernels send against the least that they
// need, how much of the exchange happens while workgroups run, and a stencil's step beside the same in
// MPI and OpenMP (peer.hpp).
#include <chrono>
#include <cstdlib>
#include <iostream>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include <muster/cluster/decomposition/planner.hpp>
#include <muster/cluster/execution/cluster_session.hpp>
#include <muster/cluster/mpi/mpi.hpp>
#include <muster/measuring/whole_kernels/whole_kernel.hpp>

#include "peer.hpp"
#include "support/contest.hpp"

using namespace muster;

namespace {

using Clock = std::chrono::steady_clock;
double us_between(Clock::time_point begin, Clock::time_point end) {
    return std::chrono::duration<double, std::micro>(end - begin).count();
}

ValidProgram stencil(std::uint32_t width, std::uint32_t height) {
    const std::string wide = std::to_string(width), high = std::to_string(height);
    kernels::Job job = kernels::whole_kernel("stencil").make({});
    job.overrides = {{"width", wide}, {"height", high}};
    return kernels::programs(kernels::whole_kernel("stencil"), job).value().begin()->second;
}

/// A transport that notes how long a process waited for messages with nothing else to do.
class TracedTransport final : public cluster::Transport {
  public:
    explicit TracedTransport(std::shared_ptr<cluster::Transport> inner) : inner_(std::move(inner)) {}
    std::uint32_t rank() const override { return inner_->rank(); }
    std::uint32_t size() const override { return inner_->size(); }
    Result<void> send(std::uint32_t to, std::span<const std::byte> bytes) override {
        return inner_->send(to, bytes);
    }
    Result<void> receive(std::uint32_t from, std::span<std::byte> bytes) override {
        return inner_->receive(from, bytes);
    }
    Result<void> wait() override {
        const auto begin = Clock::now();
        auto waited = inner_->wait();
        last_wait_us = us_between(begin, Clock::now());
        return waited;
    }
    Result<bool> test() override { return inner_->test(); }
    Result<void> all_reduce(std::span<std::uint32_t> words, cluster::ReductionOp op, Scalar type) override {
        return inner_->all_reduce(words, op, type);
    }
    Result<void> all_gather(std::span<const std::byte> own, std::span<std::byte> all) override {
        return inner_->all_gather(own, all);
    }
    double last_wait_us = 0;

  private:
    std::shared_ptr<cluster::Transport> inner_;
};

struct PlanTimes {
    double first_us = 0, again_us = 0;
};
/// The time of a plan, and of one that was made before, for a stencil whose arrays change places.
PlanTimes plan_times(std::size_t members) {
    constexpr std::uint32_t width = 4096, height = 16384, plans = 20000;
    cluster::Planner planner(std::vector<double>(members, 1.0));
    const Footprint footprint = analyse_footprint(*stencil(width, height));
    std::array<cluster::DistributionId, 2> plates;
    for (auto& each : plates)
        each = planner.intern(cluster::sharded(std::uint64_t{width} * height, width, planner.weights()));
    const auto plan = [&] {
        const std::array bindings{
            cluster::PlanBinding{.bytes = 4ull * width * height, .distribution = plates[0]},
            cluster::PlanBinding{.bytes = 4ull * width * height, .distribution = plates[1]}};
        const auto made =
            planner.plan(footprint, {.grid = {width / 64, height / 4, 1}, .bindings = bindings}).value();
        plates = {made->after[1], made->after[0]};
    };
    auto begin = Clock::now();
    plan();
    PlanTimes times{.first_us = us_between(begin, Clock::now())};
    for (int i = 0; i < 8; ++i) plan();
    begin = Clock::now();
    for (std::uint32_t i = 0; i < plans; ++i) plan();
    times.again_us = us_between(begin, Clock::now()) / plans;
    return times;
}

struct Sent {
    std::string kernel;
    std::uint64_t bytes = 0, least = 0;  // of one dispatch
};

/// The bytes that a step of a stencil and of bodies that attract each other sends, and an
/// all-reduce of a histogram.
std::vector<Sent> sent_by_kernels(ClusterSession& on) {
    const std::uint64_t members = on.members().size();
    std::vector<Sent> all;
    constexpr std::uint32_t width = 1024, height = 768;
    const auto step = on.prepare(stencil(width, height)).value();
    const Sharded rows{.row_bytes = 4 * width};
    auto before = on.zeros<float>(width * height, rows).value(),
         after = on.zeros<float>(width * height, rows).value();
    const std::vector<float> plate(width * height, 1.0f);
    if (!before.write(plate) || !after.write(plate)) std::abort();
    std::uint64_t bytes = 0;
    for (int i = 0; i < 4; ++i) {
        bytes = on.dispatch(step, {{"before", before}, {"after", after}}, Invocations{width, height})
                    .value()
                    .work()
                    .bytes_sent;
        std::swap(before, after);
    }
    all.push_back({"stencil 1024 x 768", bytes, 2 * (members - 1) * 4 * (width - 2)});

    constexpr std::uint32_t bodies = 4096, body_bytes = 32;
    const kernels::WholeKernel& nbody = kernels::whole_kernel("nbody");
    const auto attract = on.prepare(kernels::programs(nbody, nbody.make({})).value().begin()->second).value();
    const Sharded blocks{.row_bytes = body_bytes};
    auto now = on.buffer(std::uint64_t{bodies} * body_bytes, blocks).value(),
         next = on.buffer(std::uint64_t{bodies} * body_bytes, blocks).value();
    const std::vector<std::byte> nothing(std::size_t{bodies} * body_bytes);
    if (!now.write_bytes(nothing)) std::abort();
    const std::array<float, 2> settings{0.001f, 0.1f};
    for (int i = 0; i < 4; ++i) {
        bytes =
            on.dispatch(attract,
                        {{"settings",
                          ArgumentValue{InlineVector<std::byte, 64>(std::as_bytes(std::span(settings))), {}}},
                         {"before", now},
                         {"after", next}},
                        Invocations{bodies})
                .value()
                .work()
                .bytes_sent;
        std::swap(now, next);
    }
    all.push_back({"nbody 4096", bytes, (members - 1) * bodies * body_bytes});

    const kernels::WholeKernel& histogram = kernels::whole_kernel("histogram");
    const auto count =
        on.prepare(kernels::programs(histogram, histogram.make({})).value().begin()->second).value();
    const auto words = on.zeros<std::uint32_t>(1 << 20, Sharded{}).value(),
               counts = on.zeros<std::uint32_t>(256).value();
    bytes = on.dispatch(count, {{"words", words}, {"counts", counts}}, Workgroups{64})
                .value()
                .work()
                .bytes_reduced;
    all.push_back({"histogram, all-reduce", bytes, 2 * (members - 1) * 256 * 4});
    return all;
}

struct StencilTimes {
    double ours_us = 0, peer_us = 0, ratio = 0;  // of a step; the median of turns
    double alone_us = 0,
           left_us = 0;  // of the messages by themselves; of waiting for them after the interior
    bool is_same = false;
};

/// Gives each neighbour a row, and gets one, as a step does.
void exchange_rows(cluster::Transport& transport, std::span<std::byte> rows) {
    const std::size_t bytes = rows.size() / 4;
    std::size_t row = 0;
    const auto with = [&](std::uint32_t neighbour) {
        transport.receive(neighbour, rows.subspan(bytes * row++, bytes)).value();
        transport.send(neighbour, rows.subspan(bytes * row++, bytes)).value();
    };
    if (transport.rank() > 0) with(transport.rank() - 1);
    if (transport.rank() + 1 < transport.size()) with(transport.rank() + 1);
    transport.wait().value();
}

StencilTimes time_stencil(ClusterSession& on, TracedTransport& trace, std::uint32_t width,
                          std::uint32_t height) {
    const auto step = on.prepare(stencil(width, height)).value();
    std::vector<float> plate(std::size_t{width} * height);
    for (std::size_t i = 0; i < plate.size(); ++i)
        plate[i] = static_cast<float>((i * 2654435761u) >> 8 & 0xffff) / 65536.0f;
    const Sharded rows{.row_bytes = std::uint64_t{4} * width};
    auto before = on.buffer(plate, rows).value(), after = on.buffer(plate, rows).value();
    const auto block = before.block();
    const auto first = static_cast<std::uint32_t>(block.offset / (4 * width)),
               count = static_cast<std::uint32_t>(block.bytes / (4 * width));
    const int threads = std::max(1, static_cast<int>(std::thread::hardware_concurrency() / on.size()));
    bench::StencilPeer peer(plate, width, height, first, count, threads);

    constexpr int rounds = 9;
    const int steps = width * height <= 1 << 20 ? 100 : 10;
    StencilTimes times;
    std::vector<double> ours, peers, ratios, alone, left;
    std::vector<std::byte> rows_sent(std::size_t{4} * 4 * width);
    std::byte token{};
    std::vector<std::byte> tokens(on.size());
    const auto meet = [&] { (void)trace.all_gather({&token, 1}, tokens).value(); };
    for (int round = 0; round <= rounds; ++round) {
        meet();
        auto begin = Clock::now();
        for (int i = 0; i < steps; ++i) {
            const auto ticket =
                on.dispatch(step, {{"before", before}, {"after", after}}, Invocations{width, height}).value();
            if (i + 1 == steps) (void)ticket.wait().value();
            std::swap(before, after);
            left.push_back(trace.last_wait_us);
        }
        const double own = us_between(begin, Clock::now()) / steps;
        meet();
        begin = Clock::now();
        for (int i = 0; i < steps; ++i) peer.step();
        meet();
        const double other = us_between(begin, Clock::now()) / steps;
        for (int i = 0; i < steps; ++i) {
            meet();
            begin = Clock::now();
            exchange_rows(trace, rows_sent);
            alone.push_back(us_between(begin, Clock::now()));
        }
        if (round == 0) continue;
        ours.push_back(own);
        peers.push_back(other);
        ratios.push_back(own / other);
    }
    std::vector<float> own_rows(block.bytes / 4);
    times.is_same = before.read_block_bytes(std::as_writable_bytes(std::span(own_rows))).has_value() &&
                    own_rows == peer.rows();
    times.ours_us = bench::median(ours);
    times.peer_us = bench::median(peers);
    times.ratio = bench::median(ratios);
    times.alone_us = bench::median(alone);
    times.left_us = bench::median(left);
    return times;
}

}  // namespace

int main(int argc, char** argv) {
    const auto trace = std::make_shared<TracedTransport>(cluster::mpi_world().value());
    auto on =
        ClusterSession::open({.transport = trace, .devices = {"cpu"}, .balance = Balance::given}).value();
    const bool tells = on.rank() == 0;
    if (tells) {
        for (const std::size_t members : {2u, 16u, 128u, 1024u}) {
            const PlanTimes times = plan_times(members);
            std::cout << fmt::format("a plan for {} members: {:.0f} us, again {:.2f} us\n", members,
                                     times.first_us, times.again_us);
        }
    }
    for (const Sent& each : sent_by_kernels(on))
        if (tells)
            std::cout << fmt::format(
                "{}: {} bytes, at least {}: {:.3f}\n", each.kernel, each.bytes, each.least,
                each.least == 0 ? 1.0 : static_cast<double>(each.bytes) / static_cast<double>(each.least));
    bool is_same = true;
    std::vector<std::uint32_t> sides;
    for (int i = 1; i < argc; ++i) sides.push_back(static_cast<std::uint32_t>(std::stoul(argv[i])));
    if (sides.empty()) sides = {512, 1024, 2048, 4096};
    for (const std::uint32_t side : sides) {
        const StencilTimes times = time_stencil(on, *trace, side, side);
        is_same &= times.is_same;
        if (tells)
            std::cout << fmt::format(
                "stencil {0} x {0} on {1} processes: {2:.0f} us a step, by hand in MPI and OpenMP {3:.0f} "
                "us: {4:.2f}; {5}; "
                "its messages by themselves take {6:.1f} us, and {7:.1f} us are waited for them after the "
                "interior\n",
                side, on.size(), times.ours_us, times.peer_us, times.ratio,
                times.is_same ? "the same bits" : "OTHER BITS", times.alone_us, times.left_us);
    }
    return is_same ? 0 : 1;
}
