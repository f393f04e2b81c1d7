// Copies and fills by CUDA's own functions, in the launches' stream.
#include <support/transfers.hpp>

#include "bench.hpp"

using namespace muster;
using namespace muster::cuda;
using namespace std::chrono_literals;

TEST_CASE("transfers move any range, in order, in each way") {
    for (const Way& way : ways) {
        Machine machine;
        way.set(machine);
        const auto backend = machine.backend();
        check_transfers(**backend->open(0));
        CHECK(machine.fake.calls("cuLaunchKernel") == 0);
    }
}

TEST_CASE("transfers and launches see what those before them wrote") {
    for (const Way& way : ways) {
        Machine machine;
        way.set(machine);
        Bench bench(machine);
        const auto fill = [&](std::uint32_t word) {
            auto submitted = bench.device->transfer({.to = bench.y.get(), .bytes = 256, .word = word});
            if (!submitted) FAIL(submitted.error().to_string());
            return std::get<std::shared_ptr<Submission>>(*std::move(submitted));
        };
        std::vector<std::shared_ptr<Submission>> all;
        for (int turn = 0; turn < 50; ++turn) {
            all.push_back(bench.submit());
            all.push_back(fill(0x40000000));  // 2.0f
            all.push_back(bench.submit());
        }
        for (const auto& one : all) REQUIRE(one->wait(60s));
        CHECK(bench.result() == 3.0f);
    }
}
