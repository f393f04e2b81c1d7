#include <optional>
#include <vector>

#include <doctest/doctest.h>

#include <muster/driver/support/sized_pool.hpp>

using namespace muster;

namespace {

using PooledBytes = std::vector<std::byte>;

Result<std::unique_ptr<PooledBytes>> make_bytes(std::uint64_t bytes) {
    return std::make_unique<PooledBytes>(bytes);
}

Result<std::unique_ptr<PooledBytes>> make_no_bytes(std::uint64_t) {
    return fail(ErrorCode::out_of_memory, "There is none.");
}

}  // namespace

TEST_CASE("sizes are rounded up, and only a buffer of the same size is used again, the last returned first") {
    SizedPool<PooledBytes> pool(256);
    const auto size_for = [&](std::uint64_t bytes) { return (*pool.take(bytes, make_bytes))->size(); };
    CHECK(size_for(0) == 256);
    CHECK(size_for(256) == 256);
    CHECK(size_for(257) == 512);
    const PooledBytes *first = nullptr, *second = nullptr;
    {
        auto one = *pool.take(100, make_bytes), two = *pool.take(200, make_bytes),
             large = *pool.take(300, make_bytes);
        first = &*one;
        second = &*two;
        CHECK(first != second);
        auto moved = std::move(two);
        CHECK(&*moved == second);
        CHECK(large->size() == 512);
    }  // they return in reverse order
    auto one = pool.take(1, make_no_bytes);
    REQUIRE(one);
    CHECK(&**one == first);
    CHECK(&**pool.take(1, make_no_bytes) == second);
}

TEST_CASE("an error of the maker is the caller's, and the next call tries again") {
    SizedPool<PooledBytes> pool(256);
    const auto none = pool.take(8, make_no_bytes);
    REQUIRE(!none);
    CHECK(none.error().message == "There is none.");
    CHECK(pool.take(8, make_bytes));
}
