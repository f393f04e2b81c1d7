// The process's own registry: this program submits a record, and every thread sees it.
#include <algorithm>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

#include <muster/driver/contract/backend.hpp>
#include <muster/driver/contract/inventory.hpp>
#include <muster/driver/process/backends.hpp>
#include <muster/driver/process/packs.hpp>
#include <muster/driver/registry/freeze.hpp>
#include <muster/graph/pack/pack.hpp>

using namespace muster;

namespace {

Result<std::unique_ptr<Backend>> make_nothing() {
    return fail(ErrorCode::unavailable, "It is only a record.");
}
const OpSet& no_ops() {
    static const OpSet none;
    return none;
}
// Emits only, and is unranked, so that no other test of this program routes to it.
constexpr BackendRegistration registration{
    .id = "freeze-test", .factory = make_nothing, .supported_ops = no_ops};
constexpr BackendCapability capability{.id = "freeze-test", .dispatches = false};
MUSTER_SUBMIT(registration);
MUSTER_SUBMIT(capability);

const graph::Pack& freeze_pack() {
    static const graph::Pack pack{.name = "freeze-pack"};
    return pack;
}
constexpr BackendPatterns patterns{.id = "freeze-pack", .pack = freeze_pack};
MUSTER_SUBMIT(patterns);

}  // namespace

TEST_CASE("every thread reads the same registry, with the record that this program submits") {
    std::vector<const Registry*> seen(16);
    std::vector<std::thread> threads;
    for (auto& slot : seen) threads.emplace_back([&slot] { slot = &registry(); });
    for (auto& thread : threads) thread.join();
    CHECK(std::ranges::all_of(seen, [&](const Registry* one) { return one == seen.front(); }));

    const RegisteredBackend* backend = find_backend("freeze-test");
    REQUIRE(backend != nullptr);
    CHECK(backend->origin == "driver/freeze_test.cpp");
    CHECK(backend->module.find("driver_test") != std::string_view::npos);
    CHECK(backend_precedence("freeze-test") == 4294967290u);  // record_file_test.cpp submits this precedence
    CHECK(backend_precedence("nobody") == unranked);
    CHECK_FALSE(backend_dispatches("freeze-test"));
    CHECK(registered_backends().size() == registered_backends_by_precedence().size());
    CHECK(acquire("freeze-test").error().message == "It is only a record.");
    CHECK(acquire("freeze-tes").error().code == ErrorCode::not_found);
}

TEST_CASE("a pack of patterns that this program submits is registered, listed and acquired") {
    REQUIRE(registered_packs().size() == 1);
    CHECK(registered_packs()[0].id == "freeze-pack");
    CHECK(registered_packs()[0].origin == "driver/freeze_test.cpp");
    CHECK(find_backend("freeze-pack") == nullptr);
    const std::vector<ListedPack> listed = list_packs();
    CHECK(std::ranges::any_of(
        listed, [](const ListedPack& pack) { return pack.id == "freeze-pack" && pack.opened; }));
    CHECK(acquire_pack("freeze-pack").value() == &freeze_pack());
    CHECK(acquire_pack("freeze-pac").error().code == ErrorCode::not_found);
    CHECK(acquire_pack("").error().code == ErrorCode::not_found);
}

TEST_CASE("reading again changes nothing where no library was loaded") {
    const Registry* before = &registry();
    CHECK(&refreeze() == before);
    CHECK(&registry() == before);
}

TEST_CASE("threads may read while others read the modules again") {
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) {
        threads.emplace_back([] {
            for (int n = 0; n < 20; ++n) refreeze();
        });
        threads.emplace_back([] {
            for (int n = 0; n < 2000; ++n) CHECK(find_backend("freeze-test") != nullptr);
        });
    }
    for (auto& thread : threads) thread.join();
}
