// The rows about calls, copies and compiling.
#include <cstdio>
#include <cstdlib>

#include <fmt/core.h>
#include <nvrtc.h>

#include <muster/driver/contract/backend.hpp>

#include "bench.hpp"

namespace muster::bench {
void print_calls(Bench& bench, int rounds) {
    constexpr int in_flight = 1000;
    const Kernel kernel = prepare(bench.session, empty_text, bench.precision);
    const std::vector<Argument> arguments{{"data", bench.buffer(Words(1))}};
    const RawLaunch launch{bench.raw.kernel("empty", bench.precision, Access::plain),
                           {1, 1},
                           {1, 1},
                           {bench.raw_buffer(Words(1))}};
    const auto alone = [&] { must(bench.submit(kernel, arguments, Workgroups{1}).wait()); };
    const auto raw_alone = [&] { bench.raw.run(std::span(&launch, 1)); };
    print_line("empty kernel, launch and wait",
               time_in_turns({{"muster", alone, {}}, {"raw", raw_alone, {}}}, rounds), 1, 1e6, "us", 1.1);

    const std::vector<RawLaunch> launches(in_flight, launch);
    const RawGraph graph = bench.raw.record(launches);
    std::vector<Ticket> tickets;
    const auto at_once = [&] {
        tickets.clear();
        for (int i = 0; i < in_flight; ++i) tickets.push_back(bench.submit(kernel, arguments, Workgroups{1}));
        for (const Ticket& ticket : tickets) must(ticket.wait());
    };
    const Times times = time_in_turns({{"muster", at_once, {}},
                                       {"launched", [&] { bench.raw.run(launches); }, {}},
                                       {"graph", [&] { bench.raw.run(graph); }, {}}},
                                      rounds);
    const double each = 1e6 / in_flight;
    print_line("1,000 queued, each", times, 1, each, "us", 1.1);
    print_line("the same; theirs as one graph, recorded beforehand", times, 2, each, "us", 1);
}

void print_copies(Bench& bench, int rounds) {
    const std::size_t bytes = (256u << 20) / bench.small;
    const Pinned pinned = bench.raw.pinned(bytes);
    Buffer buffer = must(bench.session.zeros<std::byte>(bytes));
    const RawBuffer raw = bench.raw.buffer(bytes);
    const auto copies = [&](const char* of, std::span<std::byte> host) {
        print_line(
            fmt::format("{} to the device, {} MiB", of, bytes >> 20),
            time_in_turns({{"muster", [&] { must(buffer.write(std::span<const std::byte>(host))); }, {}},
                           {"raw", [&] { bench.raw.write(raw, host); }, {}}},
                          rounds),
            1, 1e3, "ms", 1 / 0.95);
        print_line(fmt::format("{} from the device, {} MiB", of, bytes >> 20),
                   time_in_turns({{"muster", [&] { must(buffer.read(host)); }, {}},
                                  {"raw", [&] { bench.raw.read(raw, host); }, {}}},
                                 rounds),
                   1, 1e3, "ms", 1 / 0.95);
    };
    copies("page-locked memory", pinned->span());
    std::vector<std::byte> pageable(bytes);
    copies("memory as it is", pageable);
}

}  // namespace muster::bench
