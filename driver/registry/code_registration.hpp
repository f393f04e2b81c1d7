// code_registration.hpp - a backend registered by register_backend(): records like any library's, and the
// function objects that records can't hold. Internal to driver/.
#pragma once

#include <memory>

#include <muster/driver/contract/backend.hpp>
#include <muster/driver/registry/registry.hpp>

namespace muster {

struct CodeRegistration {
    BackendRegistration registration;  // its functions are stand-ins for `maker` and `supported_ops`
    BackendPrecedence precedence;
    BackendCapability capability;
    BackendMaker maker;
    OpSet supported_ops;
};

/// The name of the module that such records are in.
inline constexpr const char* code_module = "this program's code";

/// Adds these records to the registry, for good. Errors: conflict (the id is taken).
Result<void> publish(std::unique_ptr<const CodeRegistration> registration);

}  // namespace muster
