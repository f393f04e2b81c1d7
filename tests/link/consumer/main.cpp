// Prints the ids of the backends, and the registry's faults.
#include <cstdio>

#include <muster/muster.hpp>

// Designated initialisers may leave out other options without a warning.
[[maybe_unused]] const muster::wgsl::ParseOptions parse_options{.file = "kernel.wgsl"};
[[maybe_unused]] const muster::SessionOptions session_options{.policy = {.exclude = {"other"}}};
[[maybe_unused]] const muster::EmitOptions emit_options{.arch = "any", .request = {.format = "text"}};
[[maybe_unused]] const muster::FitOptions fit_options{.inexact_ok = true};

int main() {
    for (const muster::RegisteredBackend& backend : muster::registered_backends_by_precedence())
        std::printf("%.*s\n", static_cast<int>(backend.id.size()), backend.id.data());
    for (const muster::RegistryFault& fault : muster::registry().faults())
        std::printf("fault: %s\n", fault.error.to_string().c_str());
}
