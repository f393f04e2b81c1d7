// Prints the ids of the backends that there are, and what is wrong with others.
#include <cstdio>

#include <muster/muster.hpp>

int main() {
    for (const muster::RegisteredBackend& backend : muster::registered_backends_by_precedence())
        std::printf("%.*s\n", static_cast<int>(backend.id.size()), backend.id.data());
    for (const muster::RegistryFault& fault : muster::registry().faults())
        std::printf("fault: %s\n", fault.error.to_string().c_str());
}
