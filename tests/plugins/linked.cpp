// A backend of the test program itself, and the function that plugins call when they are opened.
#include <map>
#include <mutex>

#include <muster/driver/contract/inventory.hpp>

#include "kit.hpp"
#include "support/doubles.hpp"

namespace {

struct Opened {
    std::mutex mutex;
    std::map<std::string, int> times;
};
Opened& opened() {
    static Opened all;
    return all;
}

}  // namespace

extern "C" void muster_test_opened(const char* name) {
    const std::lock_guard lock(opened().mutex);
    ++opened().times[name];
}

namespace muster {

int test::times_opened(const std::string& name) {
    const std::lock_guard lock(opened().mutex);
    return opened().times[name];
}

namespace {

const OpSet& all_exact() { return OpSet::all_exact(); }
Result<std::unique_ptr<Backend>> make() {
    return std::make_unique<test::DoubleBackend>(test::script("linked", 500));
}
constexpr BackendRegistration registration{.id = "linked", .factory = make, .supported_ops = all_exact};
constexpr BackendPrecedence precedence{.id = "linked", .rank = 500};
constexpr BackendCapability capability{.id = "linked", .dispatches = true};
MUSTER_SUBMIT(registration);
MUSTER_SUBMIT(precedence);
MUSTER_SUBMIT(capability);

}  // namespace
}  // namespace muster
