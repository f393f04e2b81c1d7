// driver/validation/ and driver/device/validate_launch.cpp of programs that link muster::runtime:
// there is no interpreter.
#include <muster/driver/device/validate_launch.hpp>
#include <muster/driver/policy/log.hpp>
#include <muster/driver/validation/validator.hpp>

namespace muster {

std::unique_ptr<Validator> make_validator(Validation validation, std::string) {
    if (validation != Validation::off)
        log_once(
            LogLevel::warning, "no validation",
            "Dispatches aren't validated (MUSTER_VALIDATE): this program links muster::runtime, which has no "
            "interpreter. Fix: link muster::muster instead");
    return nullptr;
}

/// Never called: there is no validator.
Result<void> validate_launch(DeviceContext&, const BoundLaunch&, Ticket::State&) { return {}; }

}  // namespace muster
