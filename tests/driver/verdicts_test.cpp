#include <string>

#include <doctest/doctest.h>
#include <support/scratch_folder.hpp>

#include <muster/driver/helper/verdicts.hpp>

using namespace muster;

namespace {

Verdicts verdicts_in(const test::ScratchFolder& folder) { return Verdicts(DiskCache(folder.path / "below")); }

}  // namespace

TEST_CASE("a verdict counts as long as its circumstances are what they were") {
    const test::ScratchFolder folder;
    const Verdicts verdicts = verdicts_in(folder);
    CHECK_FALSE(verdicts.find("device", "driver 1"));
    verdicts.keep("device", "driver 1", "fit");
    CHECK(verdicts.find("device", "driver 1") == "fit");
    CHECK(verdicts_in(folder).find("device", "driver 1") == "fit");
    CHECK_FALSE(verdicts.find("device", "driver 2"));
    CHECK_FALSE(verdicts.find("another", "driver 1"));
    CHECK(verdicts.has("device"));
    CHECK_FALSE(verdicts.has("another"));
    verdicts.keep("device", "driver 2", "");
    CHECK(verdicts.find("device", "driver 2") == "");
    CHECK_FALSE(verdicts.find("device", "driver 1"));  // a subject has only one verdict
    CHECK(DiskCache(folder.path / "below").list()->size() == 1);
}

TEST_CASE("texts may be any bytes, and don't run into one another") {
    const test::ScratchFolder folder;
    const Verdicts verdicts = verdicts_in(folder);
    verdicts.keep("a device", "a\ndriver", "one\nverdict");
    CHECK(verdicts.find("a device", "a\ndriver") == "one\nverdict");
    CHECK_FALSE(verdicts.find("a device\na", "driver"));
    CHECK_FALSE(verdicts.find("a device", "a\ndriver\none"));
}

TEST_CASE("a verdict that is too long isn't kept") {
    const test::ScratchFolder folder;
    const Verdicts verdicts = verdicts_in(folder);
    verdicts.keep("device", "driver", std::string(Verdicts::most_bytes, 'x'));
    CHECK(verdicts.find("device", "driver"));
    verdicts.keep("device 2", "driver", std::string(Verdicts::most_bytes + 1, 'x'));
    CHECK_FALSE(verdicts.find("device 2", "driver"));
}
