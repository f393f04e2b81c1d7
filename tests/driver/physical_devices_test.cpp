#include <array>

#include <doctest/doctest.h>
#include <support/doubles.hpp>
#include <support/programs.hpp>

#include <muster/driver/probing/physical_devices.hpp>
#include <muster/driver/session/session.hpp>

using namespace muster;
using namespace muster::test;

namespace {

DeviceInfo device(std::uint32_t ordinal, std::uint8_t uuid) {
    DeviceInfo info = fit_device(ordinal);
    info.uuid.fill(uuid);
    return info;
}

}  // namespace

TEST_CASE("ways to one UUID are one device; without a UUID each is its own") {
    const std::array paths{AccessPath{"cuda", device(0, 7)},   AccessPath{"cuda", device(1, 8)},
                           AccessPath{"vulkan", device(0, 8)}, AccessPath{"vulkan", device(1, 8)},
                           AccessPath{"cpu", device(0, 0)},    AccessPath{"other", device(0, 0)}};
    const auto all = physical_devices(paths);
    REQUIRE(all.size() == 4);
    CHECK(all[0].paths == std::vector<std::string>{"cuda:0"});
    CHECK(all[1].paths == std::vector<std::string>{"cuda:1", "vulkan:0", "vulkan:1"});
    CHECK(all[2].paths == std::vector<std::string>{"cpu:0"});
    CHECK(all[3].paths == std::vector<std::string>{"other:0"});
}

TEST_CASE("routing drops neither way to one device") {
    auto first = script("first", 1), second = script("second", 2);
    first->devices = {device(0, 7)};
    second->devices = {device(0, 7)};
    auto session = *Session::open(
        {.fleet = std::make_shared<Fleet>(entries({first, second})), .use_environment = false});
    const Route route = session.explain(saxpy());
    CHECK(route.execute()->id() == "first:0");
    CHECK(route.decision().candidates.at(1).id() == "second:0");
    CHECK(route.decision().candidates.at(1).reason == Reason::outranked);
}
