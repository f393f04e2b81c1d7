// code_registration.hpp - what register_backend() makes of its arguments: records like any library's, and what records can't
// hold. Internal to driver/.
#pragma once

#include <memory>

#include <muster/driver/contract/backend.hpp>
#include <muster/driver/registry/registry.hpp>

namespace muster {

struct CodeRegistration {
    BackendRegistration registration;  // its functions are stand-ins: `maker` and `supported_ops` count
    BackendPrecedence precedence;
    BackendCapability capability;
    BackendMaker maker;
    OpSet supported_ops;
};

/// How such records' module is called.
inline constexpr const char* code_module = "this program's code";

/// Publishes a registry with it, for good. Errors: conflict (its id is taken).
Result<void> publish(std::unique_ptr<const CodeRegistration> registration);

}  // namespace muster
