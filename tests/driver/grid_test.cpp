#include <set>
#include <tuple>

#include <doctest/doctest.h>

#include <muster/driver/contract/grid.hpp>

using namespace muster;

TEST_CASE("invocations are rounded up to whole workgroups") {
    CHECK(workgroups(Invocations{1000, 1, 1}, {64, 1, 1}).value() == Extent3{16, 1, 1});
    CHECK(workgroups(Invocations{1024, 9, 2}, {64, 8, 1}).value() == Extent3{16, 2, 2});
    CHECK(workgroups(Workgroups{5, 6, 7}, {64, 8, 1}).value() == Extent3{5, 6, 7});
    CHECK(workgroups(Invocations{0, 4, 4}, {64, 1, 1}).value().count() == 0);
}

TEST_CASE("ids that don't fit 32 bits are refused, never wrapped") {
    constexpr std::uint64_t two_32 = std::uint64_t{1} << 32;
    CHECK(workgroups(Invocations{two_32, 1, 1}, {256, 1, 1}).value() == Extent3{1u << 24, 1, 1});
    CHECK(workgroups(Workgroups{two_32 - 1, 1, 1}, {1, 1, 1}).value().x == UINT32_MAX);
    for (const Grid& grid : {Grid(Invocations{two_32 + 1, 1, 1}), Grid(Invocations{UINT64_MAX, 1, 1}),
                             Grid(Workgroups{1, two_32 / 8 + 1, 1}), Grid(Workgroups{1, 1, two_32})}) {
        const auto refused = workgroups(grid, {256, 8, 1});
        REQUIRE_FALSE(refused);
        CHECK(refused.error().code == ErrorCode::limit_exceeded);
        CHECK_FALSE(refused.error().fix.empty());
    }
    CHECK_FALSE(workgroups(Invocations{two_32 - 1, two_32 - 1, 1}, {1, 1, 1}));  // 2^64 invocations
    CHECK_FALSE(workgroups(Workgroups{two_32 / 2, two_32 / 2, 1}, {2, 2, 1}));
    CHECK(workgroups(Invocations{0, two_32 - 1, two_32 - 1}, {1, 1, 1}));  // no invocations
    CHECK(workgroups(Workgroups{two_32 / 2, two_32 / 2, 0}, {2, 2, 1}));
}

TEST_CASE("2^63 invocations are too many, half as many are fine") {
    constexpr std::uint64_t two_31 = std::uint64_t{1} << 31;
    CHECK_FALSE(workgroups(Workgroups{two_31, two_31, 1}, {1, 1, 2}));
    CHECK_FALSE(workgroups(Workgroups{two_31, two_31 / 2, 4}, {1, 1, 1}));
    CHECK(workgroups(Workgroups{two_31, two_31 / 2, 2}, {1, 1, 1}));
    CHECK(workgroups(Workgroups{two_31 - 1, two_31, 2}, {1, 1, 1}));
}

TEST_CASE("a folded grid covers each workgroup once, within the limit") {
    const Extent3 grid{11, 5, 3}, limit{4, 2, 3};
    const auto parts = fold_grid(grid, limit);
    REQUIRE(parts);
    CHECK(parts->size() == 3 * 3 * 1);
    std::set<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>> seen;
    for (std::uint32_t i = 0; i < parts->size(); ++i) {
        const GridPart part = (*parts)[i];
        CHECK(part.extent.x <= limit.x);
        CHECK(part.extent.y <= limit.y);
        CHECK(part.extent.z <= limit.z);
        for (std::uint32_t z = 0; z < part.extent.z; ++z)
            for (std::uint32_t y = 0; y < part.extent.y; ++y)
                for (std::uint32_t x = 0; x < part.extent.x; ++x)
                    CHECK(seen.emplace(part.origin.x + x, part.origin.y + y, part.origin.z + z).second);
    }
    CHECK(seen.size() == grid.count());
    CHECK(*seen.rbegin() == std::tuple(10u, 4u, 2u));
}

TEST_CASE("what fits is one part, what is empty none, what takes too many is refused") {
    const FoldedGrid one = *fold_grid({7, 1, 1}, {65535, 65535, 65535});
    CHECK(one.size() == 1);
    CHECK(one[0].origin == Extent3{0, 0, 0});
    CHECK(one[0].extent == Extent3{7, 1, 1});
    CHECK(fold_grid({7, 0, 1}, {65535, 65535, 65535})->empty());
    CHECK(fold_grid({UINT32_MAX, 1, 1}, {UINT32_MAX, 1, 1})->size() == 1);
    CHECK(fold_grid({UINT32_MAX, 1, 1}, {65536, 1, 1})->size() == 65536);
    CHECK(fold_grid({UINT32_MAX, UINT32_MAX, UINT32_MAX}, {1, 1, 1}).error().code ==
          ErrorCode::limit_exceeded);
    CHECK_FALSE(fold_grid({UINT32_MAX, 2, 1}, {65536, 1, 1}));
}

TEST_CASE("a part of a grid is folded from its origin on") {
    const GridPart part{{3, 1, 0}, {5, 4, 1}};
    const FoldedGrid folded = *fold_part(part, {4, 2, 3});
    CHECK(folded.all() == part);
    REQUIRE(folded.size() == 4);
    CHECK(folded[0] == GridPart{{3, 1, 0}, {4, 2, 1}});
    CHECK(folded[1] == GridPart{{7, 1, 0}, {1, 2, 1}});
    CHECK(folded[3] == GridPart{{7, 3, 0}, {1, 2, 1}});
    CHECK((*fold_part(part, {8, 8, 8}))[0] == part);
    CHECK(fold_part({{3, 1, 0}, {5, 0, 1}}, {8, 8, 8})->empty());
}

TEST_CASE("a part lies within its grid, whose size is checked as any other's") {
    const auto run = [](GridPart part, Workgroups whole) -> Result<GridPart> {
        const Grid grid = PartOfGrid{part, whole};
        const auto groups = workgroups(grid, {64, 1, 1});
        return groups ? part_to_run(grid, *groups) : std::unexpected(groups.error());
    };
    CHECK(run({{3, 0, 0}, {5, 2, 1}}, {8, 2, 1}).value() == GridPart{{3, 0, 0}, {5, 2, 1}});
    CHECK(run({{8, 2, 1}, {0, 0, 0}}, {8, 2, 1}));
    CHECK(part_to_run(Invocations{100}, {2, 1, 1}).value() == GridPart{{0, 0, 0}, {2, 1, 1}});
    const auto beyond = run({{3, 1, 0}, {5, 2, 1}}, {8, 2, 1});
    REQUIRE_FALSE(beyond);
    CHECK(beyond.error().code == ErrorCode::invalid_argument);
    CHECK(beyond.error().message == "Workgroups 1 to 3 along y aren't within a grid of 2.");
    CHECK_FALSE(run({{UINT32_MAX, 0, 0}, {2, 1, 1}}, {8, 1, 1}));  // never wrapped
    CHECK(run({}, {std::uint64_t{1} << 32, 1, 1}).error().code == ErrorCode::limit_exceeded);
}
