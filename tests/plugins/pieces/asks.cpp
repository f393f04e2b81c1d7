// A program that the tests start for behaviour that happens only once per process: it answers the questions in
// its arguments about the plugins in its environment, and prints the answers. It links the backend "own", of
// rank 500; with -DEXPECTS='"alpha"', it has an expectation that alpha was linked, too.
#include <cstdio>
#include <functional>
#include <map>

#include <muster/driver/contract/inventory.hpp>
#include <muster/driver/plugins/plugins.hpp>
#include <muster/driver/policy/log.hpp>
#include <muster/driver/process/backends.hpp>
#include <muster/driver/registry/freeze.hpp>
#include <muster/driver/session/preferred.hpp>
#include <muster/driver/session/session.hpp>
#include <muster/foundation/build/ir_builder.hpp>
#include <muster/foundation/validate/validate.hpp>

#include "support/doubles.hpp"

extern "C" void muster_test_said(const char* what) { std::printf("%s\n", what); }  // plugins call it

namespace muster {
namespace {

#if defined(EXPECTS)
constexpr BackendExpectation expectation{.id = EXPECTS};
MUSTER_SUBMIT(expectation);
#endif
const OpSet& all_exact() { return OpSet::all_exact(); }
Result<std::unique_ptr<Backend>> make() {
    return std::make_unique<test::DoubleBackend>(test::script("own", 500));
}
constexpr BackendRegistration registration{.id = "own", .factory = make, .supported_ops = all_exact};
constexpr BackendPrecedence precedence{.id = "own", .rank = 500};
constexpr BackendCapability capability{.id = "own", .dispatches = true};
MUSTER_SUBMIT(registration);
MUSTER_SUBMIT(precedence);
MUSTER_SUBMIT(capability);

void say(const std::string& text) { std::printf("%s\n", text.c_str()); }

void say_backend(const Result<std::unique_ptr<Backend>>& backend) {
    say(backend ? std::string((*backend)->id()) : backend.error().to_string());
}

void say_route(Policy policy) {
    const auto program = validate(*IrBuilder("nothing", {1, 1, 1}).finish());
    auto session = Session::open({.policy = std::move(policy)});
    say(session ? session->route(*program).explain() : session.error().to_string());
}

/// A log sink that queries the subject of the message.
void curious(LogLevel, std::string_view text) {
    say("logged: " + std::string(text));
    say(std::to_string(list_backends({}).size()) + " backends");
}

const std::map<std::string, std::function<void(const std::string&)>> questions{
    {"sink", [](const std::string&) { set_log_sink(curious); }},
    {"list",
     [](const std::string&) {
         for (const std::string& id : list_backends({})) say("listed " + id);
     }},
    {"load",
     [](const std::string& what) {
         const auto loaded = Plugins::process().load(what);
         say(loaded ? "loaded " + what : loaded.error().to_string());
     }},
    {"retire",
     [](const std::string& what) {
         const auto retired = Plugins::process().retire(what);
         say(retired ? "retired " + what : retired.error().to_string());
     }},
    {"acquire", [](const std::string& id) { say_backend(acquire(id)); }},
    {"preferred",
     [](const std::string&) {
         const auto preferred = acquire_preferred();
         say(preferred ? std::string(preferred->backend->id()) : preferred.error().to_string());
     }},
    {"route",
     [](const std::string& id) {
         say_route({.backends = std::vector<std::string>{id, "own"}});
     }},
};

}  // namespace
}  // namespace muster

/// Arguments: QUESTION=SUBJECT, or QUESTION.
int main(int count, char** given) {
    std::setvbuf(stdout, nullptr, _IOLBF, 0);
    for (int i = 1; i < count; ++i) {
        const std::string text = given[i];
        const auto equals = text.find('=');
        muster::questions.at(text.substr(0, equals))(equals == std::string::npos ? ""
                                                                                 : text.substr(equals + 1));
    }
    return 0;
}
