// The registry's rules, each tested with a span of records.
#include <algorithm>
#include <array>
#include <stdexcept>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <support/text.hpp>

#include <muster/driver/contract/backend.hpp>
#include <muster/driver/registry/registry.hpp>
#include <muster/driver/session/preferred.hpp>
#include <muster/graph/pack/pack.hpp>

#include "support/doubles.hpp"

using namespace muster;
using muster::test::mentions;

namespace {

/// A backend with an id and a device.
class Named : public Backend {
  public:
    explicit Named(std::string id) : id_(std::move(id)) {}
    std::string_view id() const override { return id_; }
    Result<std::vector<DeviceInfo>> probe() override { return std::vector{test::fit_device()}; }
    Result<std::unique_ptr<Device>> open(std::uint32_t) override {
        return fail(ErrorCode::unavailable, "None.");
    }
    std::string default_arch() const override { return "none"; }
    std::span<const std::string> formats() const override { return {}; }
    std::span<const SpecInfo> specs() const override { return {}; }
    Result<Target> describe(std::string_view) override { return fail(ErrorCode::not_found, "None."); }
    Result<Artifact> emit(const ValidProgram&, const Target&, const EmitRequest&) override {
        return fail(ErrorCode::unsupported, "None.");
    }

  private:
    std::string id_;
};

template <char C>
Result<std::unique_ptr<Backend>> make_named() {
    return std::make_unique<Named>(std::string(1, C));
}
Result<std::unique_ptr<Backend>> make_throwing() { throw std::runtime_error("no luck"); }
Result<std::unique_ptr<Backend>> make_throwing_oddly() { throw 7; }
Result<std::unique_ptr<Backend>> make_null() { return nullptr; }
Result<std::unique_ptr<Backend>> make_failing() {
    return fail(ErrorCode::device_lost, "The driver is asleep.");
}
const OpSet& no_ops() {
    static const OpSet none;
    return none;
}

constexpr BackendRegistration a{
    .id = "a", .factory = make_named<'a'>, .supported_ops = no_ops, .tags = "debug slow"};
constexpr BackendRegistration b{.id = "b", .factory = make_named<'b'>, .supported_ops = no_ops};
constexpr BackendRegistration c{.id = "c", .factory = make_named<'c'>, .supported_ops = no_ops};

std::vector<std::string> ids(BackendList backends) {
    std::vector<std::string> names;
    for (const auto& backend : backends) names.emplace_back(backend.id);
    return names;
}
using Names = std::vector<std::string>;

/// The registry's only fault, which must be of this rule and id.
const Error& only_fault(const Registry& registry, RegistryRule rule, std::string_view id) {
    REQUIRE(registry.faults().size() == 1);
    const RegistryFault& fault = registry.faults().front();
    CHECK(name(fault.rule) == name(rule));
    CHECK(fault.id == id);
    CHECK(!fault.error.message.empty());
    CHECK(!fault.error.fix.empty());
    return fault.error;
}

}  // namespace

TEST_CASE("backends are sorted by rank, equal ranks by id, whatever the order of records") {
    const std::array precedences{BackendPrecedence{.id = "c", .rank = 1},
                                 BackendPrecedence{.id = "b", .rank = 7},
                                 BackendPrecedence{.id = "a", .rank = 7}};
    std::array registrations{b, c, a};
    do {
        const Registry registry = Registry::from_records(registrations, precedences);
        CHECK(ids(registry.by_id()) == Names{"a", "b", "c"});
        CHECK(ids(registry.by_precedence()) == Names{"c", "a", "b"});
        CHECK(registry.faults().empty());
    } while (
        std::ranges::next_permutation(registrations, {}, [](const auto& r) { return r.id.view(); }).found);
}

TEST_CASE("a backend without precedence is last, without capability emission-only") {
    const std::array registrations{a, b};
    const std::array precedences{BackendPrecedence{.id = "b", .rank = 4000000000u}};
    const std::array capabilities{BackendCapability{.id = "b", .dispatches = true}};
    const Registry registry = Registry::from_records(registrations, precedences, capabilities);
    CHECK(ids(registry.by_precedence()) == Names{"b", "a"});
    REQUIRE(registry.find("a") != nullptr);
    CHECK(registry.find("a")->rank == unranked);
    CHECK_FALSE(registry.find("a")->dispatches);
    CHECK(registry.find("b")->dispatches);
    CHECK(registry.find("A") == nullptr);
    CHECK(registry.find("") == nullptr);
}

TEST_CASE("tags are whole words") {
    const Registry registry = Registry::from_records({&a, 1});
    const RegisteredBackend& backend = *registry.find("a");
    CHECK(backend.has_tag("debug"));
    CHECK(backend.has_tag("slow"));
    CHECK_FALSE(backend.has_tag("deb"));
    CHECK_FALSE(backend.has_tag("debug slow"));
    CHECK_FALSE(backend.has_tag(""));
}

TEST_CASE("records know the file that made them") {
    const Registry registry = Registry::from_records({&a, 1});
    CHECK(registry.find("a")->origin == "driver/registry_test.cpp");
    CHECK(registry.find("a")->module == "records");
}

TEST_CASE("two registrations of one id: neither is usable, both are named, others are") {
    const std::array registrations{a, b, a};
    const std::array precedences{BackendPrecedence{.id = "a", .rank = 1}};  // not reported as orphaned, too
    const Registry registry = Registry::from_records(registrations, precedences);
    CHECK(ids(registry.by_id()) == Names{"b"});
    const Error& error = only_fault(registry, RegistryRule::duplicate_registration, "a");
    CHECK(error.code == ErrorCode::conflict);
    const auto acquired = registry.acquire("a");
    REQUIRE_FALSE(acquired);
    CHECK(acquired.error().code == ErrorCode::conflict);
    CHECK(registry.acquire("b"));
}

TEST_CASE("two libraries that register one id are both named") {
    std::vector<Inventory> inventories(2);
    inventories[0] = {"/lib/first.so", {&a.header}, {}};
    static constexpr BackendRegistration again = a;
    inventories[1] = {"/lib/second.so", {&again.header}, {}};
    const Registry registry = Registry::from(inventories);
    const Error& error = only_fault(registry, RegistryRule::duplicate_registration, "a");
    CHECK(mentions(error, "/lib/first.so"));
    CHECK(mentions(error, "/lib/second.so"));
}

TEST_CASE("a precedence or capability for an id that nobody registers is named and harmless") {
    const std::array precedences{BackendPrecedence{.id = "ghost", .rank = 1}};
    const Registry first = Registry::from_records({&a, 1}, precedences);
    only_fault(first, RegistryRule::orphaned_precedence, "ghost");
    CHECK(ids(first.by_id()) == Names{"a"});
    const std::array capabilities{BackendCapability{.id = "ghost", .dispatches = true}};
    const Registry second = Registry::from_records({&a, 1}, {}, capabilities);
    only_fault(second, RegistryRule::orphaned_capability, "ghost");
    CHECK(ids(second.by_id()) == Names{"a"});
}

TEST_CASE("two precedences or capabilities of one id: none counts") {
    const std::array precedences{BackendPrecedence{.id = "a", .rank = 1},
                                 BackendPrecedence{.id = "a", .rank = 2}};
    const Registry first = Registry::from_records({&a, 1}, precedences);
    only_fault(first, RegistryRule::duplicate_precedence, "a");
    CHECK(first.find("a")->rank == unranked);
    const std::array capabilities{BackendCapability{.id = "a", .dispatches = true},
                                  BackendCapability{.id = "a", .dispatches = true}};
    const Registry second = Registry::from_records({&a, 1}, {}, capabilities);
    only_fault(second, RegistryRule::duplicate_capability, "a");
    CHECK_FALSE(second.find("a")->dispatches);
}

TEST_CASE("an empty or malformed id is refused") {
    for (const Id id : {Id(""), Id("Upper"), Id("two words"), Id("-dash"), Id("9lives"), Id("caf\xc3\xa9")}) {
        BackendRegistration bad = a;
        bad.id = id;
        const std::array registrations{b, bad};
        const Registry registry = Registry::from_records(registrations);
        const Error& error = only_fault(registry, RegistryRule::invalid_id, id.view());
        CHECK(mentions(error, "driver/registry_test.cpp"));
        CHECK(ids(registry.by_id()) == Names{"b"});
    }
    CHECK(valid_id("cuda"));
    CHECK(valid_id("x86-64_v4"));
}

TEST_CASE("a registration without factory or operations is refused") {
    BackendRegistration no_factory = a;
    no_factory.factory = nullptr;
    CHECK(mentions(
        only_fault(Registry::from_records({&no_factory, 1}), RegistryRule::incomplete_registration, "a"),
        "factory"));
    BackendRegistration no_operations = a;
    no_operations.supported_ops = nullptr;
    CHECK(mentions(
        only_fault(Registry::from_records({&no_operations, 1}), RegistryRule::incomplete_registration, "a"),
        "supported_ops"));
}

TEST_CASE("a record of another ABI is refused, by both names, and costs nobody else") {
    BackendRegistration foreign = a;
    foreign.header.abi = "muster 9.9.9 libstrange";
    const std::array registrations{foreign, b};
    const std::array precedences{BackendPrecedence{.id = "a", .rank = 1}};
    const Registry registry = Registry::from_records(registrations, precedences);
    const Error& error = only_fault(registry, RegistryRule::foreign_abi, "a");
    CHECK(mentions(error, "muster 9.9.9 libstrange"));
    CHECK(mentions(error, abi_fingerprint().view()));
    CHECK(ids(registry.by_id()) == Names{"b"});
    CHECK(registry.acquire("a").error().message == error.message);
}

TEST_CASE("a foreign record doesn't make a duplicate of a good one") {
    BackendRegistration foreign = a;
    foreign.header.abi = "muster 9.9.9 libstrange";
    const std::array registrations{foreign, a};
    const Registry registry = Registry::from_records(registrations);
    only_fault(registry, RegistryRule::foreign_abi, "a");
    CHECK(registry.acquire("a"));
}

TEST_CASE("a record of another schema, kind or size is refused") {
    BackendRegistration other = a;
    other.header.schema = 2;
    only_fault(Registry::from_records({&other, 1}), RegistryRule::foreign_schema, "a");
    BackendRegistration unknown = a;
    unknown.header.kind = static_cast<RecordKind>(99);
    only_fault(Registry::from_records({&unknown, 1}), RegistryRule::damaged_record, "a");
    BackendRegistration shorter = a;
    shorter.header.size -= 8;
    only_fault(Registry::from_records({&shorter, 1}), RegistryRule::damaged_record, "a");
}

TEST_CASE("what was expected and isn't there was dropped by the linker") {
    const std::array expectations{BackendExpectation{.id = "a"}, BackendExpectation{.id = "gone"},
                                  BackendExpectation{.id = "gone"}};
    const Registry registry = Registry::from_records({&a, 1}, {}, {}, expectations);
    CHECK(mentions(only_fault(registry, RegistryRule::dropped_by_linker, "gone"), "dropped by the linker"));
    CHECK(mentions(registry.acquire("gone").error(), "dropped by the linker"));
}

TEST_CASE("what was expected and is refused wasn't dropped") {
    BackendRegistration foreign = a;
    foreign.header.abi = "muster 9.9.9 libstrange";
    const std::array expectations{BackendExpectation{.id = "a"}};
    only_fault(Registry::from_records({&foreign, 1}, {}, {}, expectations), RegistryRule::foreign_abi, "a");
}

TEST_CASE("acquire gives the backend of that id, or says which there are") {
    const std::array registrations{b, a};
    const Registry registry = Registry::from_records(registrations);
    const auto backend = registry.acquire("b");
    REQUIRE(backend);
    CHECK((*backend)->id() == "b");
    const auto none = registry.acquire("cud");
    REQUIRE_FALSE(none);
    CHECK(none.error().code == ErrorCode::not_found);
    CHECK(mentions(none.error(), "\"cud\""));
    CHECK(mentions(none.error(), "did you mean \"cuda\"? cuda isn't linked: "));
    CHECK(mentions(registry.acquire("unlike-any").error(), "name one of: a, b"));
    CHECK(mentions(Registry::from_records({}).acquire("a").error(), "link a backend"));
}

TEST_CASE("a factory that throws, returns nothing, lies about its id or fails costs only its backend") {
    struct Case {
        Factory factory;
        ErrorCode code;
        const char* says;
    };
    for (const Case& bad : {Case{make_throwing, ErrorCode::unavailable, "no luck"},
                            Case{make_throwing_oddly, ErrorCode::unavailable, "throws"},
                            Case{make_null, ErrorCode::unavailable, "returns nothing"},
                            Case{make_named<'z'>, ErrorCode::unavailable, "calls itself \"z\""},
                            Case{make_failing, ErrorCode::device_lost, "asleep"}}) {
        BackendRegistration broken = a;
        broken.factory = bad.factory;
        const std::array registrations{broken, b};
        const std::array precedences{BackendPrecedence{.id = "a", .rank = 1},
                                     BackendPrecedence{.id = "b", .rank = 2}};
        const std::array capabilities{BackendCapability{.id = "a", .dispatches = true},
                                      BackendCapability{.id = "b", .dispatches = true}};
        const Registry registry = Registry::from_records(registrations, precedences, capabilities);
        const auto backend = registry.acquire("a");
        REQUIRE_FALSE(backend);
        CHECK(name(backend.error().code) == name(bad.code));
        CHECK(mentions(backend.error(), bad.says));
        CHECK_FALSE(backend.error().fix.empty());
        const auto preferred = acquire_preferred(registry);
        REQUIRE(preferred);
        CHECK(preferred->backend->id() == "b");
    }
}

TEST_CASE("acquire_preferred takes the first in rank order that claims to dispatch, or says why none") {
    const std::array registrations{a, b, c};
    const std::array precedences{BackendPrecedence{.id = "c", .rank = 1},
                                 BackendPrecedence{.id = "b", .rank = 2}};
    const std::array capabilities{BackendCapability{.id = "a", .dispatches = true},
                                  BackendCapability{.id = "b", .dispatches = true}};
    const auto preferred =
        acquire_preferred(Registry::from_records(registrations, precedences, capabilities));
    REQUIRE(preferred);
    CHECK(preferred->backend->id() == "b");
    const auto none = acquire_preferred(Registry::from_records(registrations, precedences));
    REQUIRE_FALSE(none);
    CHECK(none.error().code == ErrorCode::unavailable);
    for (const char* text : {"a only emits", "b only emits", "c only emits"})
        CHECK(mentions(none.error(), text));
    CHECK(acquire_preferred(Registry::from_records({})).error().code == ErrorCode::unavailable);
}

TEST_CASE("a backend's record names the variables that hide its devices, once") {
    const std::array registrations{a, b};
    BackendEnvironment one{.id = "a", .hides_devices = "A_VISIBLE A_HIDDEN"};
    BackendEnvironment other{.id = "b", .hides_devices = "B_VISIBLE"};
    BackendEnvironment orphan{.id = "nobody", .hides_devices = "N"};
    std::vector<Inventory> inventories(1);
    inventories[0].module = "records";
    for (const auto& record : registrations) inventories[0].records.push_back(&record.header);
    for (const auto* record : {&one, &other, &other, &orphan})
        inventories[0].records.push_back(&record->header);
    const Registry registry = Registry::from(std::move(inventories));
    CHECK(registry.find("a")->hides_devices == "A_VISIBLE A_HIDDEN");
    CHECK(registry.find("b")->hides_devices.empty());
    CHECK(registry.fault("b")->rule == RegistryRule::duplicate_environment);
    CHECK(registry.fault("nobody")->rule == RegistryRule::orphaned_environment);
}

namespace {

const graph::Pack& some_pack() {
    static const graph::Pack pack{.name = "some"};
    return pack;
}
const graph::Pack& throwing_pack() { throw std::runtime_error("no patterns"); }

Registry registry_of_packs(std::span<const BackendPatterns> patterns,
                           std::span<const BackendRegistration> registrations = {}) {
    return Registry::from_records(registrations, {}, {}, {}, patterns);
}

}  // namespace

TEST_CASE("packs of patterns need no backend, and are sorted by id") {
    const std::array patterns{BackendPatterns{.id = "q", .pack = some_pack},
                              BackendPatterns{.id = "a", .pack = some_pack}};
    const Registry registry = registry_of_packs(patterns, {&a, 1});
    CHECK(registry.faults().empty());
    REQUIRE(registry.packs().size() == 2);
    CHECK(registry.packs()[0].id == "a");
    CHECK(registry.packs()[1].id == "q");
    CHECK(registry.packs()[1].origin == "driver/registry_test.cpp");
    CHECK(registry.packs()[1].module == "records");
    CHECK(registry.acquire_pack("q").value() == &some_pack());
    CHECK(registry.find_pack("p") == nullptr);
    CHECK(registry.acquire("a"));
}

TEST_CASE("two packs of one id: neither is usable, and a backend of that id is") {
    const std::array patterns{BackendPatterns{.id = "a", .pack = some_pack},
                              BackendPatterns{.id = "a", .pack = some_pack},
                              BackendPatterns{.id = "b", .pack = some_pack}};
    const Registry registry = registry_of_packs(patterns, {&a, 1});
    const Error& error = only_fault(registry, RegistryRule::duplicate_patterns, "a");
    CHECK(mentions(error, "2 records are each the pack of patterns of \"a\""));
    CHECK(registry.packs().size() == 1);
    CHECK(registry.acquire_pack("a").error().message == error.message);
    CHECK(registry.acquire("a"));
    CHECK(registry.fault("a") == nullptr);
    CHECK(registry.pack_fault("a") != nullptr);
}

TEST_CASE("a pack without function, of another ABI or of a wrong id is refused, by name") {
    const std::array none{BackendPatterns{.id = "a"}};
    CHECK(
        mentions(only_fault(registry_of_packs(none), RegistryRule::incomplete_patterns, "a"), "has no pack"));
    std::array foreign{BackendPatterns{.id = "a", .pack = some_pack}};
    foreign[0].header.abi = "muster 9.9.9 libstrange";
    const Registry other = registry_of_packs(foreign, {&a, 1});
    CHECK(mentions(only_fault(other, RegistryRule::foreign_abi, "a"), "The pack of patterns of \"a\""));
    CHECK(other.pack_fault("a") != nullptr);
    CHECK(other.acquire("a"));
    const std::array upper{BackendPatterns{.id = "Upper", .pack = some_pack}};
    only_fault(registry_of_packs(upper), RegistryRule::invalid_id, "Upper");
}

TEST_CASE("a pack that isn't there, or whose function throws, is an error that says so") {
    const std::array patterns{BackendPatterns{.id = "throws", .pack = throwing_pack}};
    const Registry registry = registry_of_packs(patterns);
    CHECK(registry.acquire_pack("throws").error().code == ErrorCode::unavailable);
    CHECK(mentions(registry.acquire_pack("throws").error(), "no patterns"));
    CHECK(registry.acquire_pack("throw").error().to_string() ==
          "No pack of patterns is called \"throw\".\nFix: did you mean \"throws\"?");
    CHECK(mentions(registry_of_packs({}).acquire_pack("x").error(), "link or load a library"));
}

TEST_CASE(
    "records without the note that leads to them are named, unless the process has the backend otherwise") {
    std::vector<Inventory> inventories(3);
    inventories[0] = {"/bin/app", {&a.header}, {}};
    inventories[1].module = "/lib/stripped.so";
    // Twice: data may hold the constants, too, that records are copies of.
    inventories[1].lost = {{"a"}, {"b"}, {"b"}, {"p", true}, {"p", true}};
    const BackendExpectation expected{.id = "b"};
    inventories[2] = {"/bin/other", {&expected.header}, {}};
    const Registry registry = Registry::from(inventories);
    CHECK(ids(registry.by_id()) == Names{"a"});
    REQUIRE(registry.faults().size() == 2);  // "b" isn't said to be dropped, too
    for (const RegistryFault& fault : registry.faults()) CHECK(fault.rule == RegistryRule::lost_note);
    CHECK(mentions(registry.acquire("b").error(), "The records of \"b\" are in /lib/stripped.so"));
    CHECK(mentions(registry.acquire("b").error(), "--keep-section=muster_note"));
    CHECK(registry.pack_fault("p") != nullptr);
    CHECK(registry.fault("p") == nullptr);
    CHECK(registry.modules().size() == 2);
}

TEST_CASE("a registry shares the backends that haven't changed with the one before") {
    std::vector<Inventory> inventories(1);
    inventories[0] = {"/bin/app", {&a.header, &b.header}, {}};
    const Registry before = Registry::from(inventories);
    static constexpr BackendPrecedence rank{.id = "b", .rank = 3};
    inventories[0].records.push_back(&c.header);
    inventories[0].records.push_back(&rank.header);
    const Registry after = Registry::from(inventories, &before);
    CHECK(ids(after.by_precedence()) == Names{"b", "a", "c"});
    CHECK(after.find("a") == before.find("a"));
    CHECK(after.find("b") != before.find("b"));  // it has a rank now
    CHECK(after.find("b")->rank == 3);
    CHECK(ids(before.by_id()) == Names{"a", "b"});
}
