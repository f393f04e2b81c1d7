// A plugin of one backend, which has one device and computes nothing: -DID='"alpha"' -DRANK=1 -DTAGS='"debug"'.
//   -DTWICE      registers the id twice            -DFOREIGN     is of another ABI
//   -DTHROWS     throws in its factory             -DNULL_FACTORY  has no factory
//   -DHIDES='"A"'  declares that the environment variable A hides its devices
//   -DUNDEFINED  needs a function that nobody has  -DSCHEMA=9    is of another schema
//   -DALSO='"b"' has a second backend, b
//   -DSAYS='"b"' says that its id is b
//   -DEAGER      calls functions of muster in a constructor, which constructors mustn't do
#include <stdexcept>

#include <muster/driver/contract/inventory.hpp>
#include <muster/driver/plugins/plugins.hpp>
#include <muster/driver/process/backends.hpp>
#include <muster/driver/registry/freeze.hpp>

#include "support/doubles.hpp"

extern "C" [[gnu::weak]] void muster_test_opened(const char* name);
extern "C" [[gnu::weak]] void muster_test_said(const char* what);

namespace muster {

void nobody_defines_this();

namespace {

const OpSet& all_exact() { return OpSet::all_exact(); }

Result<std::unique_ptr<Backend>> make() {
#if defined(THROWS)
    throw std::runtime_error("the plugin's factory throws on purpose");
#elif defined(UNDEFINED)
    nobody_defines_this();
#endif
#if defined(SAYS)
    return std::make_unique<test::DoubleBackend>(test::script(SAYS, RANK));
#else
    return std::make_unique<test::DoubleBackend>(test::script(ID, RANK));
#endif
}

// Reports to a test that the library was opened, even if it is closed again.
[[maybe_unused]] const bool told = [] {
    if (muster_test_opened != nullptr) muster_test_opened(NAME);
    return true;
}();

#if defined(EAGER)
void say(const std::string& what) {
    if (muster_test_said != nullptr) muster_test_said(what.c_str());
}
[[maybe_unused]] const bool asked = [] {
    const auto registered = register_backend("from-constructor", make);
    say("register_backend: " + (registered ? "done" : registered.error().to_string()));
    const auto loaded = Plugins::process().load("alpha");
    say("load: " + (loaded ? "done" : loaded.error().to_string()));
    refreeze();
    say("refreeze: done");
    return true;
}();
#endif

constexpr BackendRegistration registration = [] {
    BackendRegistration record{.id = ID, .factory = make, .supported_ops = all_exact, .tags = TAGS};
#if defined(FOREIGN)
    record.header.abi = "muster 0.0.1 libother";
#elif defined(SCHEMA)
    record.header.schema = SCHEMA;
#elif defined(NULL_FACTORY)
    record.factory = nullptr;
#endif
    return record;
}();
constexpr BackendPrecedence precedence{.id = ID, .rank = RANK};
constexpr BackendCapability capability{.id = ID, .dispatches = true};
#if defined(NULL_FACTORY)
// Without MUSTER_SUBMIT, which wouldn't let this compile.
MUSTER_RECORD_SECTION constinit BackendRegistration submitted_registration = registration;
#else
MUSTER_SUBMIT(registration);
#endif
MUSTER_SUBMIT(precedence);
MUSTER_SUBMIT(capability);
#if defined(HIDES)
constexpr BackendEnvironment environment{.id = ID, .hides_devices = HIDES};
MUSTER_SUBMIT(environment);
#endif
#if defined(ALSO)
constexpr BackendRegistration also{.id = ALSO, .factory = make, .supported_ops = all_exact};
constexpr BackendPrecedence also_precedence{.id = ALSO, .rank = RANK};
constexpr BackendCapability also_capability{.id = ALSO, .dispatches = true};
MUSTER_SUBMIT(also);
MUSTER_SUBMIT(also_precedence);
MUSTER_SUBMIT(also_capability);
#endif
#if defined(TWICE)
constexpr BackendRegistration once_more{.id = ID, .factory = make, .supported_ops = all_exact};
MUSTER_SUBMIT(once_more);
#endif

}  // namespace
}  // namespace muster
