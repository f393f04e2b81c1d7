// Each native call fails once, in turn, for want of memory and with the device lost, on every device: the error says so, nothing
// leaks, and the same session works afterwards, or, if the device is lost or didn't open, a new one.
#include <chrono>
#include <thread>

#include <doctest/doctest.h>

#include <muster/driver/contract/check.hpp>

#include "injection/one_run.hpp"
#include "support/strike.hpp"

using namespace muster;
using namespace muster::test;
using namespace std::chrono_literals;

namespace {

/// The same session works after the failure, or a new one where that may not be.
void check_afterwards(const conformance::TestDevice& device, const ValidProgram& program, Session& session,
                      const Result<float>& failed) {
    const auto again = run_in(session, program);
    if (again) {
        CHECK(*again == right);
        return;
    }
    const bool is_lost = again.error().code == ErrorCode::device_lost;
    const std::string text = again.error().to_string();
    const bool is_passed_over =
        again.error().code == ErrorCode::refused &&
        (text.find("Planted.") != std::string::npos || text.find("device_lost") != std::string::npos);
    CHECK_MESSAGE((!failed && (is_lost || is_passed_over)), text);
    CHECK(test::run_on(device, program) == right);
}

/// Fails the `which`-th call of a session's life. Returns false if there are fewer.
bool strike(const conformance::TestDevice& device, const ValidProgram& program, int which, ErrorCode code) {
    Session session = session_on(device).value();
    Strike fault{.which = which, .code = code};
    const auto result = [&] {
        const PlantedFaults faults = fault.plant();
        return run_in(session, program);
    }();
    if (fault.struck.empty()) return false;
    CAPTURE(fault.struck);
    if (result) {  // the backend recovers from this call's failure
        CHECK(*result == right);
    } else {
        const std::string text = result.error().to_string();
        const bool is_typed = result.error().code == code || result.error().code == ErrorCode::refused ||
                              result.error().code == ErrorCode::compile_failed;
        CHECK_MESSAGE(is_typed, name(result.error().code), ": ", text);
        // A queue that finds its device lost says so in its own words.
        const bool says_what = text.find("Planted.") != std::string::npos || code == ErrorCode::device_lost;
        CHECK_MESSAGE(says_what, text);
    }
    check_afterwards(device, program, session, result);
    return true;
}

}  // namespace

TEST_CASE("whichever native call fails between opening a device and the result, others and later ones work") {
    const ValidProgram program = scaling_program();
    for (const auto& device : conformance::devices()) {
        CAPTURE(device.id);
        REQUIRE(test::run_on(device, program) == right);
        for (const ErrorCode code : {ErrorCode::out_of_memory, ErrorCode::device_lost}) {
            CAPTURE(name(code));
            int which = 0;
            while (strike(device, program, which, code)) ++which;
            MESSAGE(device.id, ": ", which, " native calls failed in turn with ", name(code));
        }
    }
}
