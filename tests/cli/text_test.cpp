#include <doctest/doctest.h>

#include <muster/cli/report/measure.hpp>
#include <muster/cli/support/exit.hpp>
#include <muster/cli/support/text.hpp>

using namespace muster;
using namespace muster::cli;

TEST_CASE("times and sizes have three digits and the unit that suits them") {
    CHECK(human_time(0) == "0 ns");
    CHECK(human_time(999) == "999 ns");
    CHECK(human_time(1'000) == "1.00 us");
    CHECK(human_time(45'678) == "45.7 us");
    CHECK(human_time(999'400) == "999 us");
    CHECK(human_time(999'600) == "1.00 ms");
    CHECK(human_time(2'500'000'000) == "2.50 s");
    CHECK(human_time(4'000'000'000'000) == "4000 s");
    CHECK(human_bytes(0) == "0 bytes");
    CHECK(human_bytes(1023) == "1023 bytes");
    CHECK(human_bytes(16384) == "16.0 KiB");
    CHECK(human_bytes(std::uint64_t{80} << 30) == "80.0 GiB");
    CHECK(human_bytes(UINT64_MAX) == "unlimited");
    CHECK(indented("a\nb", 2) == "a\n  b");
}

TEST_CASE("the spread of times is min, median and max") {
    const Spread odd = spread_of({5, 1, 3});
    CHECK(odd.min == 1);
    CHECK(odd.median == 3);
    CHECK(odd.max == 5);
    CHECK(spread_of({4, 2}).median == 3);
    CHECK(spread_of({7}).median == 7);
}

TEST_CASE("errors have the exit code of their cause") {
    CHECK(exit_of(ErrorCode::invalid_argument) == Exit::usage);
    CHECK(exit_of(ErrorCode::invalid_program) == Exit::bad_program);
    CHECK(exit_of(ErrorCode::refused) == Exit::refused);
    CHECK(exit_of(ErrorCode::device_lost) == Exit::failed);
}
