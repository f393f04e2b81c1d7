#include <doctest/doctest.h>

#include <muster/foundation/base/enum_name.hpp>

using namespace muster;

namespace {
enum class Planet : unsigned char { mercury, inner_venus, private_ };
}

TEST_CASE("an enumerator's name is that of the source, without a last underscore") {
    static_assert(enum_name(Planet::mercury) == "mercury");
    CHECK(enum_name(Planet::inner_venus) == "inner_venus");
    CHECK(enum_name(Planet::private_) == "private");
    CHECK(enum_name(Planet{3}) == "unknown");
    CHECK(enum_name(Planet{200}) == "unknown");
    CHECK(enum_named<Planet>("private") == Planet::private_);
    CHECK_FALSE(enum_named<Planet>("unknown"));
    CHECK_FALSE(enum_named<Planet>(""));
    CHECK(enum_names<Planet>().size() == 3);
}
