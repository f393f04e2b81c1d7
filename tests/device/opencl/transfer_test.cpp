// Copies and fills by OpenCL's own commands, in the launches' queue.
#include <support/callers_array.hpp>
#include <support/transfers.hpp>

#include "kit.hpp"

using namespace muster;
using namespace muster::opencl;
using namespace std::chrono_literals;

TEST_CASE("transfers move any range, in order") { check_transfers(*Bench().device); }

TEST_CASE("transfers and launches see what those before them wrote, also in the caller's memory") {
    Bench bench;
    const auto executable = bench.load(counting_text, "count");
    const auto counter = bench.words({0, 1000});
    const test::CallersArray<std::uint32_t> callers(1024, 0, 5);
    const auto wrapped = *bench.device->wrap(callers.bytes());
    const BoundMemory bound{.memory = counter.get(), .bytes = 8};
    std::vector<std::shared_ptr<Submission>> all;
    const auto transferred = [&](const MemoryTransfer& transfer) {
        auto submitted = bench.device->transfer(transfer);
        if (!submitted) FAIL(submitted.error().to_string());
        all.push_back(std::get<std::shared_ptr<Submission>>(*std::move(submitted)));
    };
    for (std::uint32_t turn = 0; turn < 20; ++turn) {
        transferred({.to = counter.get(), .bytes = 4, .word = turn});
        all.push_back(bench.submit({.executable = executable.get(), .bindings = {&bound, 1}}));
        if (wrapped)
            transferred({.from = counter.get(), .to = wrapped.get(), .to_offset = 4 * turn, .bytes = 4});
    }
    for (const auto& one : all) REQUIRE(one->wait(60s));
    CHECK(bench.read(*counter).at(0) == 1019);
    for (std::uint32_t turn = 0; wrapped && turn < 20; ++turn) CHECK(callers.all()[turn] == 1000 + turn);
    if (wrapped) CHECK(callers.all()[20] == 5);
}
