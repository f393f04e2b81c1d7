#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <muster/driver/registry/project_backends.hpp>
#include <muster/foundation/base/nearest.hpp>

using namespace muster;

TEST_CASE("edits: put in, left out, replaced, swapped") {
    CHECK(edit_distance("cuda", "cuda") == 0);
    CHECK(edit_distance("cud", "cuda") == 1);
    CHECK(edit_distance("cudaa", "cuda") == 1);
    CHECK(edit_distance("cuba", "cuda") == 1);
    CHECK(edit_distance("cdua", "cuda") == 1);
    CHECK(edit_distance("", "cuda") == 4);
    CHECK(edit_distance("vulkan", "cpu") == 6);
}

TEST_CASE("the nearest names come first, and far ones not at all") {
    const std::vector<std::string> names{"cpu", "cuda", "vulkan", "vulkan-old"};
    CHECK(nearest("cpa", names) == std::vector<std::string>{"cpu"});
    CHECK(nearest("volcan", names) == std::vector<std::string>{"vulkan"});
    CHECK(nearest("vulkan-odl", names) == std::vector<std::string>{"vulkan-old"});
    CHECK(nearest("vulk", names) == std::vector<std::string>{"vulkan", "vulkan-old"});
    CHECK(nearest("metal", names).empty());
    CHECK(nearest("", names).empty());
    CHECK(nearest(std::string(100'000, 'x'), names).empty());
    CHECK(did_you_mean("cud", names) == "did you mean \"cuda\"?");
    CHECK(did_you_mean("metal", names) == "there are: cpu, cuda, vulkan, vulkan-old");
}

TEST_CASE("the project's backends are known, linked or not, and how to link them") {
    std::vector<std::string> ids;
    for (const ProjectBackend& one : project_backends()) ids.emplace_back(one.id);
    CHECK(ids == std::vector<std::string>{"reference", "cpu", "vulkan", "cuda", "opencl"});
    const std::vector<std::string> linked{"other"};
    CHECK(how_to_get("reference", linked) ==
          "target_link_libraries(app PRIVATE muster::backend_reference) links it");
    CHECK(how_to_get("refrence", linked) ==
          "did you mean \"reference\"? reference isn't linked: target_link_libraries(app PRIVATE "
          "muster::backend_reference) links it.");
    CHECK(how_to_get("othr", linked) == "did you mean \"other\"?");
    CHECK(how_to_get("xyz", linked) == "name one of: other");
    CHECK(how_to_get("xyz", {}) == "link a backend: this program has none");
}
