#include <array>

#include <doctest/doctest.h>

#include <muster/graph/portable/portable_pack.hpp>
#include <muster/graph/portable/select_pack.hpp>

namespace muster::graph {
namespace {

const Pack npu{.name = "npu", .backends = {"npu", "npu2"}};
const Pack npu_small{.name = "npu-small", .backends = {"npu"}};
const Pack anywhere{.name = "anywhere"};
const std::array both{OfferedPack{"npu-small", &npu_small}, OfferedPack{"npu", &npu}};

const Pack* selected(std::span<const OfferedPack> offered, const PackChoice& choice) {
    const auto pack = select_pack(offered, choice);
    if (!pack) FAIL(pack.error().to_string());
    return *pack;
}

std::string refused(std::span<const OfferedPack> offered, const PackChoice& choice) {
    const auto pack = select_pack(offered, choice);
    REQUIRE(!pack);
    return pack.error().to_string();
}

}  // namespace

TEST_CASE("The portable pack is taken unless fast mode is asked for or a pack is named") {
    CHECK(selected(both, {.backend = "npu"}) == &portable_pack());
    CHECK(selected(both, {.fast = true, .backend = "cpu"}) == &portable_pack());
    CHECK(selected({}, {.fast = true, .backend = "npu"}) == &portable_pack());
    CHECK(selected(both, {.named = "portable", .fast = true, .backend = "npu"}) == &portable_pack());
}

TEST_CASE("In fast mode the one pack is taken that applies to the device") {
    CHECK(selected(both, {.fast = true, .backend = "npu2"}) == &npu);
    const std::array everywhere{OfferedPack{"anywhere", &anywhere}};
    CHECK(selected(everywhere, {.fast = true, .backend = "cpu"}) == &anywhere);
}

TEST_CASE("A pack that is named is taken, in exact mode too") {
    CHECK(selected(both, {.named = "npu-small", .backend = "npu"}) == &npu_small);
    CHECK(selected(both, {.named = "npu", .fast = true, .backend = "npu"}) == &npu);
}

TEST_CASE("Several packs that apply, one that isn't there and one that doesn't apply are errors") {
    CHECK(refused(both, {.fast = true, .backend = "npu"}) ==
          "2 packs of patterns apply to devices of npu: npu, npu-small.\nFix: name one: Policy::pack, "
          "MUSTER_PACK or --pack");
    CHECK(refused(both, {.named = "npi", .backend = "npu"}) ==
          "No pack of patterns is called \"npi\".\nFix: there are: npu, npu-small, portable");
    CHECK(refused(both, {.named = "npu", .backend = "cpu"}) ==
          "The pack \"npu\" applies to devices of npu, npu2, and the graph runs on cpu.\nFix: name another "
          "pack, or leave it "
          "to the device");
}

}  // namespace muster::graph
